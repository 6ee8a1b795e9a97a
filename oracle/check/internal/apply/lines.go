package apply

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// setAddress is what is before the address of a sequence.
var setAddress = []byte{0, 9, 2}

// endSequence is what is in a unit whose functions are all gone.
const endSequence = "\x00\x01\x01"

// LineUnit is a unit taken apart.
type LineUnit struct {
	At        uint64
	of        link.PlaceOf // the input's section; of the output's units nothing
	Header    string
	Sequences []LineSequence
}

type LineSequence struct {
	At   uint64
	ID   *link.Identity
	Text string // after the address
}

// lineUnits takes a line table apart; names tells the function whose address
// is at an offset.
func lineUnits(body []byte, names map[uint64]*link.Identity) ([]LineUnit, bool) {
	var list []LineUnit
	for at := uint64(0); at+4 <= uint64(len(body)); {
		unit, ok := image.Cut(body, at+4, image.Number(body, at, 4))
		if !ok {
			return nil, false
		}
		u := LineUnit{At: at}
		start, open := uint64(0), -1
		close := func(end uint64) {
			text, _ := image.Cut(unit, start, end-start)
			if open < 0 {
				u.Header = strings.TrimSuffix(string(text), endSequence)
			} else {
				u.Sequences[open].Text = string(text)
			}
		}
		for p := uint64(0); p+11 <= uint64(len(unit)); p++ {
			mark, _ := image.Cut(unit, p, 3)
			id, named := names[at+4+p+3]
			if !named || !bytes.Equal(mark, setAddress) {
				continue
			}
			close(p)
			u.Sequences = append(u.Sequences, LineSequence{At: at + 4 + p, ID: id})
			start, open = p+11, len(u.Sequences)-1
		}
		close(uint64(len(unit)))
		list = append(list, u)
		at += 4 + uint64(len(unit))
	}
	return list, true
}

// lineTable is a line table of the output beside those of the inputs.
type lineTable struct {
	Known     bool // all of them read
	Reads     bool // the output's
	Want, Got []LineUnit
	Pairs     []int // by unit of the output: the input's; -1: none
	of        map[link.PlaceOf]map[uint64]uint64
}

// LineTableOf pairs the units of a line table, once.
func (c *Applied) LineTableOf(a *link.Area) (*lineTable, error) {
	if t := c.Lines[a]; t != nil {
		return t, nil
	}
	t := &lineTable{of: map[link.PlaceOf]map[uint64]uint64{}}
	if c.Lines == nil {
		c.Lines = map[*link.Area]*lineTable{}
	}
	c.Lines[a] = t
	for _, p := range a.Parts {
		units, ok := lineUnits(p.Section.Body, p.Mod.FunctionsNamedIn(p.Section.Index))
		if !ok {
			return t, nil // nothing is known of such a table
		}
		for i := range units {
			units[i].of = link.PlaceOf{Mod: p.Mod, Section: p.Section.Index}
			kept := units[i].Sequences[:0]
			for _, s := range units[i].Sequences {
				if s.ID.Live && (s.ID.Mod == p.Mod || s.ID.Several) {
					kept = append(kept, s)
				}
			}
			units[i].Sequences = kept
		}
		t.Want = append(t.Want, units...)
		if err := c.Budget.Spend(p.Mod.Name, p.Section.Size/4); err != nil {
			return t, err
		}
	}
	t.Known = true
	names := map[uint64]*link.Identity{}
	for _, l := range c.Out.Lists {
		for _, r := range l.List {
			if id := c.OutRef(r.Symbol).ID; l.Target == a.Out.Index && id != nil && r.Kind == cuda.R_CUDA_64 && r.Addend == 0 {
				names[r.Offset] = id.First()
			}
		}
	}
	if t.Got, t.Reads = lineUnits(a.Out.Body, names); !t.Reads {
		return t, nil
	}
	t.Pairs = pairUnits(t.Want, t.Got, c.infoAt)
	for j, i := range t.Pairs {
		if i < 0 {
			continue
		}
		w := &t.Want[i]
		if t.of[w.of] == nil {
			t.of[w.of] = map[uint64]uint64{}
		}
		t.of[w.of][w.At] = t.Got[j].At
	}
	return t, c.Budget.Spend("output", a.Out.Size/4)
}

// linesAt is where the unit of lines starts in the output that starts in a section of
// an input at an offset. Units are longer or shorter where code was rescheduled, so the
// places of those after them show nowhere else.
//
// Source: links of C++ programs of nvcc 13.0 -G by nvlink 13.5.37 for sm_100 and up.
func (c *Applied) linesAt(m *link.Module, section int, offset uint64) (at uint64, known bool) {
	a := m.Places[section].Area
	if a == nil || a.Out == nil || !c.Rewritten(a) {
		return 0, false
	}
	t, err := c.LineTableOf(a)
	if err != nil {
		c.Exhausted = err
		return 0, false
	}
	at, known = t.of[link.PlaceOf{Mod: m, Section: section}][offset]
	return at, known
}

// infoAt is where a module's debug information is in the output.
func (c *Applied) infoAt(m *link.Module) uint64 {
	if a := c.ByKey[link.AreaKey{Base: ".debug_info", Owner: nil}]; a != nil {
		for _, p := range a.Parts {
			if p.Mod == m && p.Placed {
				return p.Base
			}
		}
	}
	return 0
}

// pairUnits finds for each unit of the output the input's: one with an equal header
// that tells of the same functions, else the next with an equal header, in the order of what
// the modules' debug information says.
func pairUnits(want, got []LineUnit, infoAt func(*link.Module) uint64) []int {
	used := make([]bool, len(want))
	byFunction := map[*link.Identity][]int{}
	for i, w := range want {
		for _, s := range w.Sequences {
			byFunction[s.ID] = append(byFunction[s.ID], i)
		}
	}
	pairs := make([]int, len(got))
	for j, g := range got {
		pairs[j] = -1
		for _, s := range g.Sequences {
			for _, i := range byFunction[s.ID] {
				if pairs[j] < 0 && !used[i] && want[i].Bare() == g.Bare() {
					pairs[j], used[i] = i, true
				}
			}
		}
	}
	left := map[string][]int{}
	for i := range want {
		if key := want[i].Bare(); !used[i] && !want[i].tellsOwn() {
			left[key] = append(left[key], i)
		}
	}
	for _, list := range left {
		slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(infoAt(want[i].of.Mod), infoAt(want[j].of.Mod)) })
	}
	for j := range got {
		if key := got[j].Bare(); pairs[j] < 0 && len(got[j].Sequences) == 0 && len(left[key]) > 0 {
			pairs[j], left[key] = left[key][0], left[key][1:]
		}
	}
	return pairs
}

// tellsOwn reports whether a unit has lines that no other unit may have in its place, as
// of a function with several definitions.
func (u *LineUnit) tellsOwn() bool {
	return slices.ContainsFunc(u.Sequences, func(s LineSequence) bool { return s.ID.Code == nil || !s.ID.Several })
}

// Bare is the header of a unit but for a word before the first sequence: the place of the
// unit's strings, for which only the Mercury side has a record.
func (u *LineUnit) Bare() string {
	const tail = 8
	return u.Header[:max(len(u.Header)-tail, min(len(u.Header), tail))]
}
