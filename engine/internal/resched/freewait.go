package resched

// Waits at the end of a block. A token that nothing in its block needs is waited
// for by the block's last word where, by the stalls in between, it must be
// complete by then: the wait costs nothing. Otherwise it crosses into the next
// block. Results of slow loads always cross.
//
// Where the token alone holds its scoreboard in the input, the input tells.

// freeFrom is the least number of cycles from an instruction to the last word of
// its block for a free wait. Source: 990 rescheduled functions of nvlink 13.0.88.
func (a *allocator) freeFrom(t int) int {
	tok := &a.tokens[t]
	switch kind := a.words[tok.at].kind(); {
	case kind == kindDouble:
		return 2
	case tok.read:
		return 13
	case kind == kindLDC, kind == kindLDS:
		return 20
	case kind == kindS2R:
		return 14
	}
	return 12
}

// isFree reports whether the last word of a block waits for a token that its
// block doesn't need. was are the tokens pending there in the input; is those
// that share its scoreboard in the output, nil for itself alone.
func (a *allocator) isFree(b, t int, was, is bitset) bool {
	tok := &a.tokens[t]
	last := a.blocks[b].to - 1
	if was.has(t) && (tok.block != b && !was.has(0) || a.sameGroup(t, was, is)) {
		return a.words[last].wait()>>tok.board&1 != 0
	}
	if tok.slow || tok.block != b || a.words[last].op() == opEXIT {
		return false
	}
	return a.time[last]-a.time[tok.at] >= a.freeFrom(t)
}

// sameGroup reports whether a token shares its scoreboard with the same others in
// the input and in the output.
func (a *allocator) sameGroup(t int, was, is bitset) bool {
	if is == nil {
		return a.alone(t, was)
	}
	tok := &a.tokens[t]
	same := true
	for o := range a.tokens {
		other := &a.tokens[o]
		before := other.board == tok.board && was.has(o)
		after := other.now == tok.now && is.has(o)
		same = same && before == after
	}
	return same
}

// freeWaits returns the scoreboards that the last word of a block waits for
// though it doesn't need them: those whose youngest token is complete. is are
// the tokens pending in the output, mask what the word needs.
func (a *allocator) freeWaits(b int, is, was bitset, mask uint8) uint8 {
	var youngest [boards]int
	for sb := range youngest {
		youngest[sb] = -1
	}
	is.each(func(t int) {
		tok := &a.tokens[t]
		y := youngest[tok.now]
		if y < 0 || tok.block == b && (a.tokens[y].block != b || a.tokens[y].at <= tok.at) {
			youngest[tok.now] = t
		}
	})
	free := uint8(0)
	for sb, t := range youngest {
		if t >= 0 && mask>>sb&1 == 0 && a.isFree(b, t, was, is) {
			free |= 1 << sb
		}
	}
	return free
}

// findFreed finds the tokens that the last word of their block waits for if they
// hold their scoreboards alone.
func (a *allocator) findFreed() {
	a.freed = make([]bool, len(a.tokens))
	for b := range a.blocks {
		if !a.seen[b] {
			continue
		}
		was := a.entry[b].clone()
		last := a.blocks[b].to - 1
		for i := a.blocks[b].from; i < last; i++ {
			a.release(was, a.words[i].wait())
			a.addInput(was, i)
		}
		for i := a.blocks[b].from; i < last; i++ {
			for _, t := range a.first[i] {
				a.freed[t] = a.tokens[t].beyond() && a.isFree(b, t, was, nil)
			}
		}
	}
}
