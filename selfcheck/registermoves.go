package selfcheck

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// The finalizer follows a variable through the MOV of a macro: after it the variable is in the register that was
// moved to, until something else is written there, which the file doesn't say. In a function with such a range,
// some ranges of a variable in one register without a gap between them are one. Through several moves it follows what it
// doesn't through one.
//
// Source: 37 programs with MAPA of 64 bits (PRMT and MOV), ptxas 13.0 to 13.5, -g.

// registerMove is a MOV inside a macro.
type registerMove struct{ at, from, to uint32 }

// held is a variable, or a part of one, in a register.
type held struct {
	register string
	machine  uint32
	flag     uint32
}

// period is where it is there.
type period struct {
	start, end uint32
	moved      uint32 // where a macro moves something there, 0 for nowhere
}

const (
	machineGPR = 0x5000000 // numbers of general registers in ranges begin there
	mostMoved  = 1 << 24   // pairs of a MOV and a range that are looked at
)

// registerMoves returns the MOVs of macros that are more than moves.
func registerMoves(fn *capsule.Func) (list []registerMove) {
	const opMOV = 0x202
	for _, n := range fn.Cap.Wide() {
		if n.Kind != capsule.Full || wordAt(fn.Code, n.SASS).Lo&opcodeMask == opMOV {
			continue
		}
		for at := n.SASS + capsule.WordSize; at < n.SASS+uint32(n.Span)*capsule.WordSize; at += capsule.WordSize {
			if w := wordAt(fn.Code, at); w.Lo&opcodeMask == opMOV {
				list = append(list, registerMove{at, machineGPR | uint32(w.Lo>>32&0xff), machineGPR | uint32(w.Lo>>16&0xff)})
			}
		}
	}
	return list
}

// followed reports whether ranges are those that are wanted, when variables are followed through the MOVs of macros,
// and through how many some are.
func followed(fn *capsule.Func, got, want []dwarf.RegisterRange) (right bool, n int) {
	moves := registerMoves(fn)
	if len(moves) == 0 || len(moves)*len(want) > mostMoved {
		return false, len(moves)
	}
	list, wanted := slices.Clone(want), map[held][]period{}
	targets := map[uint32][]uint32{}
	for _, m := range moves {
		targets[m.to] = append(targets[m.to], m.at)
		before := len(list)
		for i := range want {
			r := &list[i]
			if r.Machine == m.from && r.Start < m.at && m.at < r.End {
				there := *r
				there.Machine, there.Start = m.to, m.at
				r.End = m.at
				list = append(list, there)
			}
		}
		if len(list) > before {
			n++
		}
	}
	if n == 0 {
		return false, 0
	}
	for i := range list {
		r := &list[i]
		s := period{start: r.Start, end: r.End}
		for _, at := range targets[r.Machine] {
			if r.Start <= at && at < r.End {
				s.moved = at
			}
		}
		key := held{r.Register, r.Machine, r.Flag}
		wanted[key] = append(wanted[key], s)
	}
	found := map[held][]period{}
	for i := range got {
		key := held{got[i].Register, got[i].Machine, got[i].Flag}
		found[key] = append(found[key], period{start: got[i].Start, end: got[i].End})
	}
	if len(found) != len(wanted) {
		return false, n
	}
	for key, a := range found {
		if !samePeriods(fn.Cap, a, wanted[key]) {
			return false, n
		}
	}
	return true, n
}

func byStart(a, b period) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
}

// joined sorts periods and joins those without a gap between them; empty ones stay.
func joined(list []period) []period {
	slices.SortFunc(list, byStart)
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].end == s.start && s.start < s.end {
			out[n-1].end, out[n-1].moved = s.end, max(out[n-1].moved, s.moved)
			continue
		}
		out = append(out, s)
	}
	return out
}

func samePeriods(p *capsule.Capsule, got, want []period) bool {
	got, want = joined(got), joined(want)
	if len(got) != len(want) {
		return false
	}
	for i, g := range got {
		w := want[i]
		ends := edgeOfNode(p, w.end, g.end) || w.moved != 0 && w.moved < g.end && g.end < w.end
		if !edgeOfNode(p, w.start, g.start) || !ends {
			return false
		}
	}
	return true
}

// edgeOfNode is edgeFits where the edge is that of a node, not of a MOV inside one.
func edgeOfNode(p *capsule.Capsule, want, got uint32) bool {
	k := p.AtSASS(want)
	return want == got || k >= 0 && p.Node(k).SASS == want && edgeFits(p, want, got)
}
