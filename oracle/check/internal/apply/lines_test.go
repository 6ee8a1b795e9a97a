package apply

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// A unit whose functions are all gone has the end of a sequence after its header, as nvlink
// 13.5 -kernels-used writes it: it is the input's unit all the same.
func TestUnitWithoutLines(t *testing.T) {
	header := "\x02\x00\x30\x00\x00\x00\x01\x01\xfb\x0e\x0a\x00a.cu\x00\x01"
	unit := func(rest string) []byte {
		text := header + rest
		return append([]byte{byte(len(text)), 0, 0, 0}, text...)
	}
	sequence := "\x00\x09\x02\x00\x00\x00\x00\x00\x00\x00\x00\x03\x01\x00\x01\x01"
	in := unit(sequence)
	f := &link.Identity{Name: "f"}
	want, ok := lineUnits(in, map[uint64]*link.Identity{uint64(4 + len(header) + 3): f})
	if !ok || len(want) != 1 || len(want[0].Sequences) != 1 {
		t.Fatal(want, ok)
	}
	want[0].Sequences = nil // f is gone
	got, ok := lineUnits(unit("\x00\x01\x01"), nil)
	if pairs := pairUnits(want, got, nowhere); !ok || len(pairs) != 1 || pairs[0] != 0 {
		t.Errorf("pairs %v of %q", pairs, got[0].Header)
	}
	want[0].Sequences = []LineSequence{{ID: &link.Identity{Name: "inline", Several: true, Code: &link.Body{}}}} // whose lines another unit has
	if pairs := pairUnits(want, got, nowhere); pairs[0] != 0 {
		t.Error("a unit that tells of weak functions alone has no pair")
	}
	want[0].Sequences = nil
	first := LineUnit{Header: "\x02\x00another unit, which the output has behind it"}
	if pairs := pairUnits([]LineUnit{first, want[0]}, []LineUnit{got[0], first}, nowhere); pairs[0] != 1 || pairs[1] != 0 {
		t.Errorf("pairs %v of two without lines", pairs)
	}
	got, _ = lineUnits(unit("\x00\x01\x02"), nil)
	if pairs := pairUnits(want, got, nowhere); pairs[0] >= 0 {
		t.Error("bytes of nobody are taken for the end of a sequence")
	}
}

func nowhere(*link.Module) uint64 { return 0 }

// Units without lines and of one header belong to modules in the order of what their debug information
// says: nvlink 13.5 of the objects of one program, given vice versa.
func TestUnitsOfNobody(t *testing.T) {
	first, second := &link.Module{Number: 0}, &link.Module{Number: 1}
	header := "\x02\x00\x10\x00\x00\x00\x10\x01\xf5\x0e\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00"
	want := []LineUnit{{of: link.PlaceOf{Mod: first}, Header: header}, {of: link.PlaceOf{Mod: second}, Header: header}}
	got := []LineUnit{{At: 0, Header: header}, {At: 29, Header: header}}
	for place, pairs := range map[uint64][2]int{0: {0, 1}, 200: {1, 0}} {
		at := func(m *link.Module) uint64 { return map[*link.Module]uint64{first: place, second: 100}[m] }
		if p := pairUnits(want, got, at); p[0] != pairs[0] || p[1] != pairs[1] {
			t.Errorf("the first one's information at %d: pairs %v", place, p)
		}
	}
}

// TestRecordedLines pairs the units of recorded line tables: each unit of nvlink's that has lines with one of an input, no two with one,
// of the same functions and, where no word of the code moved, the same lines.
func TestRecordedLines(t *testing.T) {
	units, sequences, behind := 0, 0, 0
	for _, l := range append(oracletest.Links(t), oracletest.Behaviours(t)...) {
		c := applied(t, &l, l.Output, image.SassSide, nil)
		for _, a := range c.Areas {
			if a.Out == nil || a.Name != ".debug_line" && a.Name != ".nv_debug_line_sass" {
				continue
			}
			table, err := c.LineTableOf(a)
			if err != nil || !table.Known || !table.Reads || len(table.Pairs) != len(table.Got) {
				t.Errorf("%s: %s isn't read: %v", l.Name, a.Name, err)
				continue
			}
			taken := map[int]bool{}
			for j, i := range table.Pairs {
				if i < 0 && !slices.ContainsFunc(table.Want, func(w LineUnit) bool { return w.Bare() == table.Got[j].Bare() }) {
					behind++ // lines of definitions that lost stay in it, in front of the others
					continue
				}
				if i < 0 || taken[i] || table.Want[i].Bare() != table.Got[j].Bare() {
					t.Errorf("%s: unit %d of %s is paired with %d", l.Name, j, a.Name, i)
					continue
				}
				taken[i] = true
				units++
				for _, s := range table.Got[j].Sequences {
					k := slices.IndexFunc(table.Want[i].Sequences, func(w LineSequence) bool { return w.ID == s.ID })
					if k < 0 || c.Out.Side == image.Whole && table.Want[i].Sequences[k].Text != s.Text {
						t.Errorf("%s: lines of %s in unit %d of %s", l.Name, s.ID, j, a.Name)
					}
					sequences++
				}
			}
		}
	}
	if units < 50 || sequences < 80 || behind > 8 {
		t.Errorf("%d units, %d sequences; of %d nothing is known", units, sequences, behind)
	}
}
