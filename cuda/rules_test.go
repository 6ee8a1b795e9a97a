package cuda_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// The objects that nvlink links for each target, of all that ptxas of the release makes.
//
// Source: every pair, asked of nvlink 12.4.131 and 13.5.37.
func TestLinkedFor(t *testing.T) {
	for toolkit, answers := range map[uint32]string{
		124: "50: 50; 52: 50 52; 53: 53; 60: 60; 61: 60 61; 62: 62; 70: 70; 72: 72; 75: 70 75; 80: 80; 86: 80 86; 87: 87; 89: 80 86 89; 90: 90",
		135: "75: 75; 80: 80; 86: 80 86; 87: 80 86 87; 88: 80 86 87 88; 89: 80 86 87 88 89; 90: 90; 100: 100; 103: 100 103; 110: 110; 120: 120; 121: 120 121",
	} {
		linked := map[cuda.SM][]cuda.SM{}
		var all []cuda.SM
		for _, row := range strings.Split(answers, "; ") {
			var target cuda.SM
			name, list, _ := strings.Cut(row, ": ")
			fmt.Sscan(name, &target)
			all = append(all, target)
			for _, f := range strings.Fields(list) {
				var sm cuda.SM
				fmt.Sscan(f, &sm)
				linked[target] = append(linked[target], sm)
			}
		}
		for _, target := range all {
			for _, sm := range all {
				if got, want := sm.LinkedFor(target, toolkit), slices.Contains(linked[target], sm); got != want {
					t.Errorf("%d: sm_%d for sm_%d: %v", toolkit, sm, target, got)
				}
			}
		}
	}
	// Those that 12.4 and 13.5 don't both have, and the release that changed it.
	for _, c := range []struct {
		sm, target cuda.SM
		toolkit    uint32
		want       bool
	}{{80, 87, 131, false}, {80, 87, 132, true}, {87, 88, 131, false}, {88, 88, 131, true}, {88, 89, 131, false}, {87, 89, 132, true}, {79, 80, 130, false}} {
		if got := c.sm.LinkedFor(c.target, c.toolkit); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for sm, want := range map[cuda.SM]int{79: 7, 80: 8, 89: 8, 90: 9, 121: 12} {
		if sm.Family() != want {
			t.Errorf("sm_%d is of family %d", sm, sm.Family())
		}
	}
}

// Every number of the two tables has its own name, which says which table it is of; no other number has one.
func TestRelocNumbers(t *testing.T) {
	seen := map[string]uint32{}
	for n := range uint32(0x20000) {
		r, ok := cuda.LookupReloc(n)
		prefix := ""
		switch {
		case n <= 116:
			prefix = "R_CUDA_"
		case n >= 0x10000 && n < 0x10000+cuda.MercuryRelocCount:
			prefix = "R_MERCURY_"
		}
		if ok != (prefix != "") || !ok && r != (cuda.RelocInfo{}) || !strings.HasPrefix(r.Name, prefix) {
			t.Fatalf("%#x is %q, %v", n, r.Name, ok)
		}
		if was, twice := seen[r.Name]; ok && twice {
			t.Errorf("%#x and %#x are %s", was, n, r.Name)
		}
		seen[r.Name] = n
	}
	// Numbers as cuobjdump 12.4 and 13.2 print them.
	for n, name := range map[uint32]string{0: "R_CUDA_NONE", 1: "R_CUDA_32", 2: "R_CUDA_64", 3: "R_CUDA_G32", 4: "R_CUDA_G64", 56: "R_CUDA_ABS32_LO_32", 0x10002: "R_MERCURY_ABS64", 0x10010: "R_MERCURY_8_0", 0x10017: "R_MERCURY_8_56"} {
		if r, _ := cuda.LookupReloc(n); r.Name != name {
			t.Errorf("%d is %s, want %s", n, r.Name, name)
		}
	}
	if _, ok := cuda.LookupReloc(0xffffffff); ok {
		t.Error("the largest number is known")
	}
}

// The space of st_other is its upper three bits.
func TestSpaceNames(t *testing.T) {
	for other := range 256 {
		want := [...]string{"", "GLOBAL", "SHARED", "LOCAL", "CONSTANT", "RESERVED_SHARED", "", ""}[other>>5]
		if got := cuda.SpaceName(uint8(other)); got != want {
			t.Errorf("%#x: %q", other, got)
		}
	}
}
