package check

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Line tables of the SASS side.
//
// The finalizer writes .debug_line and .nv_debug_line_sass anew: the units of
// the inputs in their order, each with its header as it was and the sequences
// of the functions that stay. A sequence begins with an extended opcode that
// sets the address, 00 09 02 and eight bytes for which a record stands; what
// follows up to the next one belongs to it.
//
//	unit   length | header ... | sequence | sequence ...
//
// Source: links of -lineinfo and -g objects by nvlink 13.0.88.

// setAddress is what stands before the address of a sequence.
var setAddress = []byte{0, 9, 2}

// endSequence is what stands in a unit whose functions are all gone.
const endSequence = "\x00\x01\x01"

// lineUnit is a unit taken apart.
type lineUnit struct {
	at        uint64
	of        placeOf // the input's section; of the output's units nothing
	header    string
	sequences []lineSequence
}

type lineSequence struct {
	at   uint64
	id   *identity
	text string // behind the address
}

// lineUnits takes a line table apart; names tells the function whose address
// stands at an offset.
func lineUnits(body []byte, names map[uint64]*identity) ([]lineUnit, bool) {
	var list []lineUnit
	for at := uint64(0); at+4 <= uint64(len(body)); {
		unit, ok := cut(body, at+4, number(body, at, 4))
		if !ok {
			return nil, false
		}
		u := lineUnit{at: at}
		start, open := uint64(0), -1
		close := func(end uint64) {
			text, _ := cut(unit, start, end-start)
			if open < 0 {
				u.header = strings.TrimSuffix(string(text), endSequence)
			} else {
				u.sequences[open].text = string(text)
			}
		}
		for p := uint64(0); p+11 <= uint64(len(unit)); p++ {
			mark, _ := cut(unit, p, 3)
			id, named := names[at+4+p+3]
			if !named || !bytes.Equal(mark, setAddress) {
				continue
			}
			close(p)
			u.sequences = append(u.sequences, lineSequence{at: at + 4 + p, id: id})
			start, open = p+11, len(u.sequences)-1
		}
		close(uint64(len(unit)))
		list = append(list, u)
		at += 4 + uint64(len(unit))
	}
	return list, true
}

// compareLines holds the line tables of the output against those of the inputs.
func (c *check) compareLines() error {
	if c.out.side != sassSide {
		return nil
	}
	for _, name := range [...]string{".debug_line", ".nv_debug_line_sass"} {
		a := c.byKey[areaKey{name, nil}]
		if a == nil || a.out == nil {
			continue
		}
		if err := c.compareLineTable(a); err != nil {
			return err
		}
	}
	return nil
}

// lineTable is a line table of the output beside those of the inputs.
type lineTable struct {
	known     bool // all of them read
	reads     bool // the output's
	want, got []lineUnit
	pairs     []int // by unit of the output: the input's; -1: none
	of        map[placeOf]map[uint64]uint64
}

// lineTableOf pairs the units of a line table, once.
func (c *check) lineTableOf(a *area) (*lineTable, error) {
	if t := c.lines[a]; t != nil {
		return t, nil
	}
	t := &lineTable{of: map[placeOf]map[uint64]uint64{}}
	if c.lines == nil {
		c.lines = map[*area]*lineTable{}
	}
	c.lines[a] = t
	for _, p := range a.parts {
		units, ok := lineUnits(p.section.body, p.mod.functionsNamedIn(p.section.index))
		if !ok {
			return t, nil // nothing is known of such a table
		}
		for i := range units {
			units[i].of = placeOf{p.mod, p.section.index}
			kept := units[i].sequences[:0]
			for _, s := range units[i].sequences {
				if s.id.live && (s.id.mod == p.mod || s.id.several) {
					kept = append(kept, s)
				}
			}
			units[i].sequences = kept
		}
		t.want = append(t.want, units...)
		if err := c.budget.spend(p.mod.name, p.section.size/4); err != nil {
			return t, err
		}
	}
	t.known = true
	names := map[uint64]*identity{}
	for _, l := range c.out.lists {
		for _, r := range l.list {
			if id := c.outRef(r.symbol).id; l.target == a.out.index && id != nil && r.kind == cuda.R_CUDA_64 && r.addend == 0 {
				names[r.offset] = id.first()
			}
		}
	}
	if t.got, t.reads = lineUnits(a.out.body, names); !t.reads {
		return t, nil
	}
	t.pairs = pairUnits(t.want, t.got, c.infoAt)
	for j, i := range t.pairs {
		if i < 0 {
			continue
		}
		w := &t.want[i]
		if t.of[w.of] == nil {
			t.of[w.of] = map[uint64]uint64{}
		}
		t.of[w.of][w.at] = t.got[j].at
	}
	return t, c.budget.spend("output", a.out.size/4)
}

// functionsNamedIn tells which function's address stands where in a section.
func (m *module) functionsNamedIn(section int) map[uint64]*identity {
	names := map[uint64]*identity{}
	for _, i := range m.relocsOf[section] {
		for _, r := range m.relocs[i].list {
			if id := m.refs[r.symbol].id; id != nil && r.kind == cuda.R_CUDA_64 {
				names[r.offset] = id.first()
			}
		}
	}
	return names
}

// linesAt is where the unit of lines starts in the output that starts in a section of
// an input at an offset. Units are longer or shorter where code was made anew, so the
// places of those behind them show nowhere else.
//
// Source: links of C++ programs of nvcc 13.0 -G by nvlink 13.5.37 for sm_100 and up.
func (c *check) linesAt(m *module, section int, offset uint64) (at uint64, known bool) {
	a := m.places[section].area
	if a == nil || a.out == nil || !c.rewritten(a) {
		return 0, false
	}
	t, err := c.lineTableOf(a)
	if err != nil {
		c.exhausted = err
		return 0, false
	}
	at, known = t.of[placeOf{m, section}][offset]
	return at, known
}

func (c *check) compareLineTable(a *area) error {
	t, err := c.lineTableOf(a)
	if err != nil || !t.known {
		return err
	}
	want, got, pairs := t.want, t.got, t.pairs
	tell := func(at uint64, symbol *identity, detail string) {
		c.verdict.add(Finding{Kind: SectionBytes, Section: a.name, Symbol: symbol.String(), Offset: at, Detail: detail})
	}
	if !t.reads || len(got) != len(want) {
		tell(0, nil, fmt.Sprintf("%d units of lines, the inputs have %d", len(got), len(want)))
		return nil
	}
	headers := map[string]bool{}
	for _, w := range want {
		headers[w.bare()] = true
	}
	joined := lineUnit{} // what stands in units that are no input's
	for i, g := range got {
		if pairs[i] < 0 {
			if !headers[g.bare()] {
				tell(g.at, nil, "a unit of lines whose header is no input's")
				return nil
			}
			// nvlink joins units of equal headers now and then.
			c.verdict.habit(Finding{Kind: SectionBytes, Section: a.name, Detail: fmt.Sprintf("unit %d is no input's", i)})
			joined.sequences = append(joined.sequences, g.sequences...)
			continue
		}
		w := &want[pairs[i]]
		for _, s := range g.sequences {
			if !takeSequence(w, s.id, func(of lineSequence) bool { return c.sameLines(w, of, s) }) {
				tell(s.at, s.id, "lines that are not the input's")
			}
		}
		for _, s := range w.sequences {
			if s.id.code == nil || !s.id.several {
				tell(s.at, s.id, "the function's lines are missing")
			}
		}
	}
	for i := range want {
		if slices.Contains(pairs, i) {
			continue
		}
		for _, s := range want[i].sequences {
			if (s.id.code == nil || !s.id.several) && !takeSequence(&joined, s.id, func(is lineSequence) bool { return c.sameLines(&want[i], s, is) }) {
				tell(s.at, s.id, "the function's lines are missing")
			}
		}
	}
	return c.budget.spend("output", uint64(len(want)*len(pairs))/16)
}

// infoAt is where a module's debug information lies in the output.
func (c *check) infoAt(m *module) uint64 {
	if a := c.byKey[areaKey{".debug_info", nil}]; a != nil {
		for _, p := range a.parts {
			if p.mod == m && p.placed {
				return p.base
			}
		}
	}
	return 0
}

// pairUnits finds for each unit of the output the input's: one with an equal header
// that tells of the same functions, else the next with an equal header, in the order of what
// the modules' debug information says.
func pairUnits(want, got []lineUnit, infoAt func(*module) uint64) []int {
	used := make([]bool, len(want))
	byFunction := map[*identity][]int{}
	for i, w := range want {
		for _, s := range w.sequences {
			byFunction[s.id] = append(byFunction[s.id], i)
		}
	}
	pairs := make([]int, len(got))
	for j, g := range got {
		pairs[j] = -1
		for _, s := range g.sequences {
			for _, i := range byFunction[s.id] {
				if pairs[j] < 0 && !used[i] && want[i].bare() == g.bare() {
					pairs[j], used[i] = i, true
				}
			}
		}
	}
	left := map[string][]int{}
	for i := range want {
		if key := want[i].bare(); !used[i] && !want[i].tellsOwn() {
			left[key] = append(left[key], i)
		}
	}
	for _, list := range left {
		slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(infoAt(want[i].of.mod), infoAt(want[j].of.mod)) })
	}
	for j := range got {
		if key := got[j].bare(); pairs[j] < 0 && len(got[j].sequences) == 0 && len(left[key]) > 0 {
			pairs[j], left[key] = left[key][0], left[key][1:]
		}
	}
	return pairs
}

// tellsOwn reports whether a unit has lines that no other unit may have in its place, as
// of a function with several definitions.
func (u *lineUnit) tellsOwn() bool {
	return slices.ContainsFunc(u.sequences, func(s lineSequence) bool { return s.id.code == nil || !s.id.several })
}

// bare is the header of a unit but for a word before the first sequence: the place of the
// unit's strings, for which only the Mercury side has a record.
func (u *lineUnit) bare() string {
	const tail = 8
	return u.header[:max(len(u.header)-tail, min(len(u.header), tail))]
}

// takeSequence takes a function's sequence that fits out of a unit.
func takeSequence(u *lineUnit, id *identity, fits func(lineSequence) bool) bool {
	for i, w := range u.sequences {
		if w.id == id && fits(w) {
			u.sequences = append(u.sequences[:i:i], u.sequences[i+1:]...)
			return true
		}
	}
	return false
}

// sameLines reports whether a sequence of the output tells what the input's does. Of code that
// has two names, or that took the place of another, the finalizer may have written
// other lines.
func (c *check) sameLines(u *lineUnit, want, got lineSequence) bool {
	id := got.id
	if id.sharesCode() {
		return true
	}
	if !c.wasReworked(id) {
		return want.text == got.text
	}
	p, ok := u.program()
	return ok && id.code.area.sameRowsOfLines(&p, want.text, got.text)
}
