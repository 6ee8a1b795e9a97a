package mercury

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
)

// Debug information may come with a definition that lost, and be about other code than
// the one that is kept: one object was compiled for debugging, the other not. The
// finalizer translates it by the code that is kept.

// lostCode is a function's code in an input whose definition lost.
type lostCode struct{ record, sass []byte }

// lostIn returns the code that an input has for a function where it isn't the code that
// stands, nil where it is.
func (l *Backend) lostIn(fn *code, file int32) *lostCode {
	in := &l.Sides[file]
	if fn.input == in {
		return nil
	}
	i, ok := l.capsulesOf(file)[input.CapmercPrefix+l.Names.Str(l.Secs[fn.text].Name)]
	if !ok {
		return nil
	}
	s, twin := in.File.Section(i), in.File.Section(int(in.Counterpart[i]))
	lost := &lostCode{record: in.File.Content(&s), sass: in.File.Content(&twin)}
	stands, _ := l.CodeOf(fn.text)
	own := fn.input.File.Section(int(stands.Capsule))
	if bytes.Equal(lost.record, fn.input.File.Content(&own)) {
		return nil
	}
	return lost
}

// capsulesOf returns the capsules of an input that have a SASS side, by name.
func (l *Backend) capsulesOf(file int32) map[string]int {
	if list := l.capsules[file]; list != nil {
		return list
	}
	in, list := &l.Sides[file], make(map[string]int)
	for i := range in.File.OfType(cuda.SHTCudaCapmerc) {
		if s := in.File.Section(i); in.Counterpart[i] != 0 {
			list[in.File.SectionName(&s)] = i
		}
	}
	if l.capsules == nil {
		l.capsules = make(map[int32]map[string]int)
	}
	l.capsules[file] = list
	return list
}

// sayLost warns once of a function that debug information of a lost definition is about.
func (l *Backend) sayLost(fn *code, file int32) {
	if fn.lostDebug {
		return
	}
	fn.lostDebug = true
	name := l.Names.Str(l.Secs[fn.text].Name)
	l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.LostDebug, File: l.FileName(file), Section: name,
		Text: fmt.Sprintf("Debug information of %s in '%s' is of a discarded definition: it may differ from nvlink's", name, l.FileName(file))})
}

// lostMap translates places of a lost definition's SASS to those of the code that
// stands: to Mercury by the lost capsule, from there by the other. Where no instruction
// begins nvlink takes memory that it never set; ok is false then.
type lostMap struct {
	from *capsule.Capsule
	to   *code
}

func newLostMap(lost *lostCode, to *code) (lostMap, bool) {
	c, unknown, fault := capsule.DecodeLocated(lost.record, lost.sass)
	return lostMap{from: c, to: to}, fault == nil && len(unknown) == 0 && to.unsized == nil
}

func (m *lostMap) at(off uint32) (to uint32, ok bool) {
	k, ok := m.node(off)
	if !ok {
		return 0, false
	}
	return m.to.movedStart(m.to.words[k].SASS), true
}

// inside is at, but that what only ends the code that is kept is no place: ranges of registers end nowhere there.
func (m *lostMap) inside(off uint32) (to uint32, ok bool) {
	if k, found := m.node(off); !found || k > 0 && k == len(m.to.words)-1 && m.to.words[k].Kind == capsule.Skip {
		return 0, false
	}
	return m.at(off)
}

// node returns the node of the code that is where one of the lost definition begins.
func (m *lostMap) node(off uint32) (k int, ok bool) {
	bySASS := func(n capsule.Node, off uint32) int { return cmp.Compare(n.SASS, off) }
	i, ok := slices.BinarySearchFunc(m.from.Nodes, off, bySASS)
	if !ok {
		return 0, false
	}
	byMerc := func(n capsule.Node, off uint32) int { return cmp.Compare(n.Merc, off) }
	return slices.BinarySearchFunc(m.to.words, m.from.Nodes[i].Merc, byMerc)
}

// lostPlaces returns what finds the places of an FDE of a definition that lost, nil where
// the definition stands. It warns where the places that nvlink finds aren't known.
func (l *Backend) lostPlaces(fn *code, e *frameEntry) *lostMap {
	lost := l.lostIn(fn, e.chunk.File)
	if lost == nil {
		return nil
	}
	if e.sass != nil {
		places, known := newLostMap(lost, fn)
		if known {
			return &places
		}
	} else if fn.beginsAll(e.bytes[frameProgram:]) {
		return nil
	}
	l.sayLost(fn, e.chunk.File)
	return nil
}

// beginsAll reports whether the advances of a frame of the Mercury side lead to places of
// the code that is kept.
func (fn *code) beginsAll(program []byte) bool {
	at, all := uint64(0), true
	ok := eachFrameOp(program, func(distance uint64, ins []byte) {
		if at += distance; ins == nil {
			all = all && fn.beginsAt(at)
		}
	})
	return ok && all
}

// beginsAt reports whether an instruction begins at a place in Mercury, or the code
// ends there.
func (fn *code) beginsAt(merc uint64) bool {
	_, found := slices.BinarySearchFunc(fn.words, merc, func(n capsule.Node, at uint64) int { return cmp.Compare(uint64(n.Merc), at) })
	return found || merc == uint64(fn.cap.MercSize)
}
