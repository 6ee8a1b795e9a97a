package check

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
)

// drawnLink reads a link of testdata/drawn: compiled from the PTX beside it by ptxas 11.8.89, the samplers
// with -g by 13.0.88, and linked by nvlink of that release.
func drawnLink(t *testing.T, out string, names ...string) ([]Input, []byte) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile("testdata/drawn/" + name + ".cubin")
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var in []Input
	for _, name := range names {
		in = append(in, Input{Name: name + ".cubin", Data: read(name)})
	}
	return in, read(out + ".linked")
}

// TestOldLaunch accepts a link of two kernels below sm_70, of which one calls the old device runtime: nvlink
// marks this one and not the other.
func TestOldLaunch(t *testing.T) {
	in, out := drawnLink(t, "old_launch", "old_launch")
	if v := Check(in, out, Options{Strict: true}); !v.Agrees() {
		t.Error(v)
	}
}

// TestDebugSamplers accepts code that adds the number of a slot to the place of the first: nvlink writes this
// place into an LDC that no record names.
func TestDebugSamplers(t *testing.T) {
	in, out := drawnLink(t, "debug_samplers", "debug_samplers_a", "debug_samplers_b")
	if v := Check(in, out, Options{}); !v.Agrees() {
		t.Error(v)
	}
}

// TestSlotOfCommonCode moves the slot of a texture in one of two kernels that call a function which samples it.
func TestSlotOfCommonCode(t *testing.T) {
	in, out := drawnLink(t, "common_image", "common_image")
	if v := Check(in, out, Options{Strict: true}); !v.Agrees() {
		t.Fatal(v)
	}
	f, err := image.ReadImage("output", out, image.Whole, nil, image.NewBudget(uint64(len(out))))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Name == ".rel.nv.constant0.first" {
			wrong := bytes.Clone(out)
			wrong[s.Offset] -= place.SlotSize
			v := Check(in, wrong, Options{})
			if !slices.ContainsFunc(v.Findings, func(f Finding) bool {
				return f.Kind == RelocationField && f.Symbol == "tex_a" && strings.Contains(f.Detail, "differs between kernels")
			}) {
				t.Errorf("the slot of one kernel is not told: %s", v)
			}
			return
		}
	}
	t.Error("no slot")
}
