package finalizer

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// What nvlink 13.0.88 accepted: objects of sm_90 to sm_121 with .nv.compat
// edited, "source:target/target…" for each combination of accelerated flag,
// class and level; and every pair of emitted objects and targets with the exit
// status.
var (
	//go:embed testdata/acceptance-13.0.txt
	acceptance []byte
	//go:embed testdata/pairs-13.0.txt
	pairs []byte
)

var mercurySMs = []cuda.SM{100, 103, 110, 120, 121}

func TestAcceptance(t *testing.T) {
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(acceptance)); s.Scan(); {
		var acc, class, level int
		head, rest, _ := strings.Cut(s.Text(), "|")
		if _, err := fmt.Sscanf(head, "acc %d cls %d lvl %d", &acc, &class, &level); err != nil {
			t.Fatal(err)
		}
		for _, cell := range strings.Split(rest, "|") {
			from, to, _ := strings.Cut(strings.TrimSpace(cell), ":")
			source, err := strconv.Atoi(from)
			if err != nil {
				t.Fatal(err)
			}
			if source < 100 {
				continue
			}
			for _, target := range mercurySMs {
				want := target == cuda.SM(source)
				for _, name := range strings.Split(to, "/") {
					want = want || name == strconv.Itoa(int(target))
				}
				// INST_TCGEN05_MMA of the objects was 5, as ptxas writes it.
				x := Facts{SM: cuda.SM(source), Kind: Capmerc, Compat: true, Class: uint8(class), Level: uint8(level), Accelerator: uint8(acc), MMA: 5, ISA: 0x101}
				if d := Decide(&x, target, Observed); d.Accepted != want {
					t.Errorf("%s sm_%d for sm_%d: %v, nvlink %v (%s)", head, source, target, d.Accepted, want, d.Reason)
				}
				n++
			}
		}
	}
	if n != 84*len(mercurySMs)*len(mercurySMs) {
		t.Errorf("%d decisions", n)
	}
}

func TestPairs(t *testing.T) {
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(pairs)); s.Scan(); n++ {
		var from, to string
		var exit int
		if _, err := fmt.Sscan(s.Text(), &from, &to, &exit); err != nil {
			t.Fatal(err)
		}
		source, acc := number(t, from)
		target, _ := number(t, to)
		x := Facts{SM: source, Kind: Capmerc, Compat: source >= 90, Class: 1, Level: 1, Accelerator: acc, MMA: 5, ISA: 0x101}
		if d := Decide(&x, target, Observed); d.Accepted != (exit == 0) {
			t.Errorf("sm_%s for sm_%s: %v, nvlink's exit status %d (%s)", from, to, d.Accepted, exit, d.Reason)
		}
	}
	if n != 23*23 {
		t.Errorf("%d pairs", n)
	}
}

// An object of ptxas 13.0.88 for sm_100, edited, given to nvlink 13.0.88: without .nv.compat it is linked for sm_100 and
// not for sm_103, whatever its class; with ISA 1.2 or 2.0 for neither. The codes are the document's names for the rule.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		what   string
		x      Facts
		target cuda.SM
		want   Code
	}{
		{"as it was", Facts{SM: 100, Compat: true, Class: 1, Level: 1, ISA: 0x101}, 100, OK},
		{"no .nv.compat", Facts{SM: 100, ISA: 0x101}, 100, OK},
		{"no .nv.compat", Facts{SM: 100, ISA: 0x101, Class: 1, Level: 4}, 103, NoCompat},
		{"ISA 1.2", Facts{SM: 100, Compat: true, Class: 1, Level: 1, ISA: 0x102}, 100, ISATooNew},
		{"ISA 2.0", Facts{SM: 100, Compat: true, Class: 1, Level: 1, ISA: 0x200}, 100, ISATooNew},
		{"class 0", Facts{SM: 100, Compat: true, Level: 1, ISA: 0x101}, 103, ClassUnknown},
		{"class 2", Facts{SM: 100, Compat: true, Class: 2, Level: 1, ISA: 0x101}, 120, ClassFamily},
		{"class 3", Facts{SM: 100, Compat: true, Class: 3, Level: 1, ISA: 0x101}, 120, ClassRestricted},
		{"class 4", Facts{SM: 100, Compat: true, Class: 4, Level: 1, ISA: 0x101}, 120, ClassSingle},
		{"class 5", Facts{SM: 100, Compat: true, Class: 5, Level: 1, ISA: 0x101}, 120, ClassUnknown},
		{"level 5", Facts{SM: 100, Compat: true, Class: 2, Level: 5, ISA: 0x101}, 120, ClassUnknown},
		{"an older target", Facts{SM: 103, Compat: true, Class: 2, Level: 1, ISA: 0x101}, 100, ArchMismatch},
		{"SASS of another family", Facts{SM: 80, ISA: 0x101}, 90, ArchMismatch},
	} {
		if d := Decide(&c.x, c.target, Observed); d.Code != c.want || d.Accepted != (c.want == OK) {
			t.Errorf("%s, sm_%d for sm_%d: %v %v, want %v (%s)", c.what, c.x.SM, c.target, d.Accepted, d.Code, c.want, d.Reason)
		}
	}
}

// Below 100 an object is linked for later targets of its decade, but for the integrated chips, as testdata/pairs-13.0.txt
// has it; each target takes its own. From 13.2.86 on sm_87 and sm_88 are like others (13.5.37 too).
func TestFamily(t *testing.T) {
	for _, c := range []struct {
		object, target cuda.SM
		want           bool
	}{{80, 80, true}, {80, 86, true}, {80, 89, true}, {86, 80, false}, {80, 87, false}, {87, 87, true}, {87, 89, false}, {72, 72, true}, {70, 72, false},
		{70, 75, true}, {75, 80, false}, {89, 90, false}, {90, 90, true}, {90, 100, false}, {100, 90, false}} {
		if got := c.object.LinkedFor(c.target, 131); got != c.want {
			t.Errorf("sm_%d for sm_%d: %v", c.object, c.target, got)
		}
		if got, want := c.object.LinkedFor(c.target, 132), c.want || c.object != c.target && (c.target == 87 || c.object == 87); c.object > 72 && got != want {
			t.Errorf("13.2, sm_%d for sm_%d: %v", c.object, c.target, got)
		}
	}
}

func number(t *testing.T, name string) (sm cuda.SM, accelerator uint8) {
	n, err := strconv.Atoi(strings.TrimRight(name, "af"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, "a") {
		accelerator = 1
	}
	return cuda.SM(n), accelerator
}

func sm(n int) cuda.SM { return cuda.SM(n) }
