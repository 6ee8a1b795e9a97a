package resched

import (
	"math/bits"
	"slices"
)

// Which words need a token complete.

// touches reports whether a word uses the registers of a token.
func (f *flow) touches(t, i int) bool {
	tok := &f.tokens[t]
	own, o := &f.ops[tok.at], &f.ops[i]
	if tok.fresh && tok.read {
		if f.strange && !f.apart && f.of[i] == tok.block && (overlap(own.writes, o.reads) || overlap(own.writes, o.writes)) {
			return false // it waits for the result
		}
		if f.isInOrder() && f.words[i].inUnit() && f.of[i] == tok.block && tok.at < i {
			return false
		}
	}
	if tok.fresh && (f.apart || f.strange) && f.excludes(tok.at, i) {
		return false
	}
	if tok.fresh && f.isInOrder() && !tok.read && f.words[i].inUnit() && f.words[i].isIMMA() == f.words[tok.at].isIMMA() && f.of[i] == tok.block && tok.at < i && !overlap(own.writes, o.reads) {
		return false // the unit writes in order
	}
	if tok.read {
		if f.strange && f.words[tok.at].op() == opATOMFloat && !f.hasResult(t) && overlap(own.writes, o.reads) {
			return true // the predicate that it makes comes when its sources are read
		}
		if f.joinsSurface(t, i) {
			return true
		}
		reads := own.reads
		if tok.fresh && f.apart {
			reads = lateReads(own)
		}
		for _, r := range reads {
			// Predicates are read at once, and so are uniform registers but by
			// textures.
			if r.first < uniformFile || r.first < predFile && f.words[tok.at].readsUniformLate() {
				if f.isOverwritten(t, r, o.writes) {
					return true
				}
			}
		}
		return false
	}
	if f.words[i].joinsLanes() && hasUniform(own.writes) {
		return true // uniform registers are complete there
	}
	return overlap(own.writes, o.writes) || overlap(own.writes, o.reads)
}

// isOverwritten reports whether any of a token's sources r is written. Those that its instruction
// overwrites itself don't count where its result has a scoreboard: that is waited for.
func (f *flow) isOverwritten(t int, r span, writes []span) bool {
	if !overlap([]span{r}, writes) {
		return false
	}
	if !f.hasResult(t) {
		return true
	}
	own := f.ops[f.tokens[t].at].writes
	for k := r.first; k < r.first+r.count; k++ {
		if one := []span{{k, 1}}; overlap(one, writes) && !overlap(one, own) {
			return true
		}
	}
	return false
}

// joinsLanes reports whether lanes wait for each other at an instruction, or let others go first.
func (w *word) joinsLanes() bool {
	return w.op() == opBSYNC || w.op() == opWARPSYNC || w.op() == opWARPSYNCReg || w.op() == opYIELD
}

// readsUniformLate reports whether an instruction reads uniform registers late: those of textures
// and surfaces, exchanges of barriers and bulk copies.
func (w *word) readsUniformLate() bool {
	return w.op()>>8 == 0xf || w.op() == opSYNCS || w.op() == opUBLKCP
}

// excludes reports whether of two words of a block the later one is done by no thread that does
// the first: the same predicate guards both, inverted, and nothing in between writes it.
func (f *flow) excludes(at, i int) bool {
	const inverse, always = 8, 7
	guard := f.words[at].guard()
	if f.of[at] != f.of[i] || at >= i || guard&always == always || guard^f.words[i].guard() != inverse {
		return false
	}
	p := []span{{predFile + int(guard&always), 1}}
	for k := at; k < i; k++ {
		if overlap(f.ops[k].writes, p) {
			return false
		}
	}
	return true
}

// hasUniform reports whether any of these are uniform registers.
func hasUniform(list []span) bool {
	return slices.ContainsFunc(list, span.isUniform)
}

// isUniform reports whether registers are uniform ones.
func (s span) isUniform() bool { return s.first >= uniformFile && s.first < predFile }

// needs reports whether word i must wait for token t. was are the tokens that
// are pending there in the input. Where the token is, the input tells: a wait
// is the token's if the word uses its registers, or if no other that is pending
// on the same scoreboard has use for it; waits of a block's last word are looked
// at apart. Where it was waited for before, by reason of another token, the
// registers decide.
func (f *flow) needs(t, i int, was bitset) bool {
	tok := &f.tokens[t]
	switch {
	case f.older && f.words[tok.at].isMEMBAR():
		return i == tok.at+1
	case (tok.fresh || f.apart && !f.strange && !was.has(t)) && f.words[i].isCall():
		return true
	case f.apart && f.words[i].op() == opRET && was.has(t) && f.words[i].wait()>>tok.board&1 != 0:
		return true
	case (f.strange || tok.fresh) && f.words[i].op() == opRET:
		return !tok.read || tok.fresh || tok.block != f.of[i] || !f.hasResult(t)
	case f.strange && (f.words[i].isCollective() || f.words[i].op() == opENDCOLLECTIVE):
		return f.touches(t, i) || f.apart && f.endsWith(t, i)
	case tok.read && f.joinsSurface(t, i):
		return true
	case !was.has(t):
		return f.touches(t, i)
	case f.words[i].wait()>>tok.board&1 == 0:
		return false
	case f.touches(t, i):
		return true
	case f.strange && !f.words[i].isCall() && !f.words[i].isUnderstood():
		return true
	case i == f.blocks[f.of[i]].to-1:
		return false
	case f.retakes(t, i):
		return false
	case f.strange && tok.at == 0 && f.words[0].loadsStack():
		return false // another finalizer waits for it elsewhere
	case !tok.read && f.words[tok.at].isSYNCS():
		return true // what it did to the barrier is waited for, not its result
	case f.older && !f.apart && f.words[i].op() != opYIELD && f.words[tok.at].isUnderstood():
		return false
	}
	other := false
	for k := range was {
		for x := was[k] & f.shared[tok.board][k]; x != 0 && !other; x &= x - 1 {
			o := k*64 + bits.TrailingZeros64(x)
			other = o != t && (f.tokens[o].at == 0 && !f.strange || f.touches(o, i) || f.strange && f.retakes(o, i))
		}
	}
	return !other
}

// endsWith reports whether word i ends what lanes do together, of which a token's instruction is part.
func (f *flow) endsWith(t, i int) bool {
	if f.words[i].op() != opENDCOLLECTIVE {
		return false
	}
	for k := i - 1; k >= f.blocks[f.of[i]].from; k-- {
		if k == f.tokens[t].at {
			return true
		}
		if f.words[k].isCollective() {
			return false
		}
	}
	return false
}

// retakes reports whether word i takes the scoreboard of t, which comes to it over a
// back edge: then it waits for that reason.
func (f *flow) retakes(t, i int) bool {
	tok := &f.tokens[t]
	b := f.of[i]
	if f.rank[tok.block] < f.rank[b] || tok.block == b && tok.at < i {
		return false
	}
	for _, o := range f.first[i] {
		if f.tokens[o].board == tok.board {
			return true
		}
	}
	return false
}

// findPoints finds the word in each token's own block that needs it.
func (f *flow) findPoints() {
	for b := range f.blocks {
		if !f.seen[b] {
			continue
		}
		was := f.entry[b].clone()
		var open []int
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			kept := open[:0]
			for _, t := range open {
				if f.needs(t, i, was) {
					f.tokens[t].point = i
				} else {
					kept = append(kept, t)
				}
			}
			open = append(kept, f.first[i]...)
			f.release(was, f.words[i].wait())
			f.addInput(was, i)
		}
	}
}

// isInOrder reports whether doubles write in order.
func (f *flow) isInOrder() bool { return !f.strange || f.apart }
