package resources

import (
	"cmp"
	"math"
	"slices"

	"github.com/twinlink/twinlink/engine/internal/model"
)

// The records that a kernel owes come in the order of the functions that ask for
// them. Where many kernels reach the same ring of functions that order is found
// once for each component of the call graph: of each mark the first place, of
// each symbol of EXTERNS the first one too.

// place orders what functions ask for: by their .nv.info.<f>, then by the record.
type place uint64

const (
	nowhere    place = math.MaxUint64
	lastRecord       = math.MaxInt32
)

func (l *Usage) placeOf(f model.FunID, record int) place {
	if record == lastRecord { // told by flags alone: after what any function's records tell
		return place(lastRecord)<<32 | place(l.Funs[f].InfoMade)
	}
	return place(l.Funs[f].InfoMade)<<32 | place(record)
}

// marks is how many marks there are; mark m is bit 1<<m.
const marks = 10

// summary is what a component and all that it reaches ask for.
type summary struct {
	first   [marks]place
	externs []firstExtern // by place, each symbol once
}

// firstExtern is a symbol of EXTERNS and where it comes first.
type firstExtern struct {
	at  place
	sym model.SymID
}

// summarizes reports whether the summaries say what each kernel gets: a kernel
// that others reach gets records on the way that theirs then depend on.
func (l *Usage) summarizes() bool {
	if l.summaries == nil {
		l.summaries = []summary{}
		if !l.kernelsCalled() {
			l.summarize()
		}
	}
	return len(l.summaries) > 0
}

// kernelsCalled reports whether any kernel is called from code.
func (l *Usage) kernelsCalled() bool {
	for node := range l.Calls.Comp {
		for i := 0; ; i++ {
			w := l.Successor(int32(node), i)
			if w < 0 {
				break
			}
			if int(w) < l.Calls.Funcs && l.IsKernel(&l.Funs[w]) {
				return true
			}
		}
	}
	return false
}

// summarize makes the summaries, callees first.
func (l *Usage) summarize() {
	l.summaries = make([]summary, len(l.Calls.Cyclic))
	for c := range l.summaries {
		s := &l.summaries[c]
		for m := range s.first {
			s.first[m] = nowhere
		}
		below := callees{of: s}
		for _, node := range l.Members(int32(c)) {
			if int(node) < l.Calls.Funcs {
				l.summarizeOwn(s, model.FunID(node))
			}
			for i := 0; ; i++ {
				w := l.Successor(node, i)
				if w < 0 {
					break
				}
				if to := l.Calls.Comp[w]; to != int32(c) {
					below.add(&l.summaries[to])
				}
			}
		}
		below.end()
	}
}

// callees collects what the callees of a component ask for. Most components have no
// EXTERNS of their own, and callees with the same ones: these are shared, not copied.
type callees struct {
	of     *summary
	shared []firstExtern // of one callee, while there is one with any
	mixed  bool          // there were others
}

func (c *callees) add(callee *summary) {
	for m := range c.of.first {
		c.of.first[m] = min(c.of.first[m], callee.first[m])
	}
	switch {
	case len(callee.externs) == 0 || len(c.shared) > 0 && &c.shared[0] == &callee.externs[0]:
	case c.shared == nil:
		c.shared = callee.externs
	default:
		c.of.externs = append(c.of.externs, callee.externs...)
		c.mixed = true
	}
}

func (c *callees) end() {
	if len(c.of.externs) == 0 && !c.mixed {
		c.of.externs = c.shared
		return
	}
	c.of.externs = firstOfEach(append(c.of.externs, c.shared...))
}

// summarizeOwn adds what a function asks for itself.
func (l *Usage) summarizeOwn(s *summary, f model.FunID) {
	l.eachMark(f, func(own mark, at int) {
		for m := range s.first {
			if own == 1<<m {
				s.first[m] = min(s.first[m], l.placeOf(f, at))
			}
		}
	})
	n := 0
	l.externs(f, func(sym model.SymID) {
		s.externs = append(s.externs, firstExtern{l.placeOf(f, n), sym})
		n++
	})
}

// firstOfEach sorts by place and leaves each symbol once.
func firstOfEach(list []firstExtern) []firstExtern {
	slices.SortFunc(list, func(a, b firstExtern) int { return cmp.Compare(a.at, b.at) })
	seen := make(map[model.SymID]bool, len(list))
	return slices.Clip(slices.DeleteFunc(list, func(e firstExtern) bool {
		again := seen[e.sym]
		seen[e.sym] = true
		return again
	}))
}

// appendSummary appends the records of a kernel from the summary of what it
// reaches.
func (l *Usage) appendSummary(w *marker) {
	s := &l.summaries[l.Calls.Comp[w.k]]
	order := make([]int, 0, marks)
	for m, at := range s.first {
		if at != nowhere {
			order = append(order, m)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.first[a], s.first[b]) })
	for _, m := range order {
		if mark := mark(1 << m); mark != markUndefined {
			w.append(mark)
			continue
		}
		below := make([]model.SymID, len(s.externs))
		for i := range s.externs {
			below[i] = s.externs[i].sym
		}
		l.setExterns(w.k, below, false)
	}
}
