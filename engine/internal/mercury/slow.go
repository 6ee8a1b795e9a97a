package mercury

import (
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/engine/internal/resched"
)

// isOffTarget reports whether a function of sm_100 is linked for sm_103, with -r too. There
// FP64 and IMMA results arrive after a scoreboard, so the code of sm_100, which
// counts cycles for them, would read old values.
func (l *Backend) isOffTarget(fn *code) bool {
	return l.Arch.SM == 103 && fn.input.File.Header.SM() == 100
}

// offTarget refuses what 13.0 can't make code of sm_103: functions with doubles or products
// of integer matrices by other toolkits. Later releases make such code again.
func (l *Backend) offTarget(fn *code) error {
	if !l.isOffTarget(fn) || !fn.input.Foreign || l.Release.OwnLeaves {
		return nil
	}
	return l.notMade(fn)
}

// holdsUnit checks a function of sm_100 by an older toolkit, or by a release that gives every double a scoreboard
// anyway, as it is for sm_103: it refuses code that counts on a latency of sm_100 still. With
// -g stalls stay as sm_100 has them, which the tool shortens.
func (l *Backend) holdsUnit(fn *code) error {
	if !l.Release.HoldsDoubles && !fn.input.Foreign || !l.isOffTarget(fn) {
		return nil
	}
	uses, sound := resched.Sound103(fn.sass)
	if !uses {
		return nil
	}
	if !sound {
		return l.notMade(fn)
	}
	l.warnScheduleOnce(fn)
	return nil
}

// takesFillers reports whether every word that NOPs come before begins a node:
// each NOP becomes a node of its own.
func (fn *code) takesFillers(r *resched.Result) bool {
	for k, n := range r.Fillers {
		if n > 0 && fn.words[fn.nodeAtWord(k)].SASS != uint32(k)*capsule.WordSize {
			return false
		}
	}
	return true
}

// insertFillers makes a node of each NOP; afterwards a word begins after those in
// front of it. The nodes have their places already.
func (fn *code) insertFillers(r *resched.Result) {
	var words, nodes []capsule.Node
	made := make(map[int][]byte)
	for i := range fn.words {
		from := fn.words[i].SASS / capsule.WordSize
		for k := range uint32(r.Fillers[from]) {
			n := capsule.Node{Kind: capsule.Skip, Span: 1, Merc: fn.words[i].Merc, SASS: (uint32(r.Starts[from]) + k) * capsule.WordSize}
			words, nodes = append(words, capsule.Node{Kind: capsule.Skip, Merc: n.Merc, SASS: fn.words[i].SASS}), append(nodes, n)
		}
		if b := fn.made[i]; b != nil {
			made[len(words)] = b
		}
		words, nodes = append(words, fn.words[i]), append(nodes, fn.cap.Nodes[i])
	}
	fn.words, fn.cap.Nodes, fn.made = words, nodes, made
	r.Starts = slices.Clone(r.Starts)
	for k, n := range r.Fillers {
		r.Starts[k] += n
	}
}

// dropSkips takes out the nodes of NOPs that are gone.
func (fn *code) dropSkips(r *resched.Result) {
	isGone := func(i int) bool {
		n := &fn.cap.Nodes[i]
		return n.Kind == capsule.Skip && n.Span == 0
	}
	words, nodes := make([]capsule.Node, 0, len(fn.words)), fn.cap.Nodes[:0]
	made := make(map[int][]byte)
	for i := range fn.words {
		if isGone(i) {
			continue
		}
		if b := fn.made[i]; b != nil {
			made[len(words)] = b
		}
		words, nodes = append(words, fn.words[i]), append(nodes, fn.cap.Nodes[i])
	}
	fn.words, fn.cap.Nodes = words, nodes
	fn.made = made
}
