package check

// Accesses to local and shared memory are carried out in their order, so a store has read
// its registers when a later access has: where something waits for what that one left
// pending, or behind a barrier. ptxas 13.5 and nvlink 13.5 then give the store no
// scoreboard.
//
// Source: code of ptxas 13.5.37 of 64 C++ programs for sm_100 to sm_120: of 480 stores
// without a scoreboard whose registers are written over, each has one of the two between.

func storesInOrder(word []byte) bool {
	switch opcode(word) {
	case 0x387, 0x388, 0x987, 0x988: // STL, STS
		return true
	}
	return false
}

func accessesInOrder(word []byte) bool {
	return storesInOrder(word) || opcode(word) == 0x983 || opcode(word) == 0x984 // LDL, LDS
}

func isBarrier(word []byte) bool { return opcode(word) == 0xb1d || opcode(word) == 0x31d }

// orderState is a word, whether the input has waited for the store there, and the
// scoreboards that later accesses have taken.
type orderState struct {
	word   int
	waited bool
	later  uint64
}

// inOrder reports whether on every path a store has read its registers before they are
// written over, since a later access has.
func (s *schedule) inOrder(t token) bool {
	if t.result || !storesInOrder(s.words[t.word]) {
		return false
	}
	seen := map[orderState]bool{}
	var open []orderState
	push := func(from orderState) {
		for _, next := range s.next(from.word) {
			x := orderState{next, from.waited, from.later}
			if next < len(s.words) && !seen[x] {
				seen[x] = true
				open = append(open, x)
			}
		}
	}
	push(orderState{t.word, t.in == noBoard, 0})
	for len(open) > 0 {
		x := open[len(open)-1]
		open = open[:len(open)-1]
		s.steps++
		if s.out[x.word].wait&x.later != 0 || t.out != noBoard && s.out[x.word].wait>>t.out&1 != 0 {
			continue
		}
		x.waited = x.waited || t.in != noBoard && s.in[x.word].wait>>t.in&1 != 0
		if x.waited && (touches(&s.ops[t.word], &s.ops[x.word], false) != sound || s.leaving(x.word) != sound) {
			return false
		}
		if isBarrier(s.words[x.word]) {
			continue
		}
		if accessesInOrder(s.words[x.word]) {
			for _, board := range [...]uint64{s.out[x.word].write, s.out[x.word].read} {
				if board < 6 {
					x.later |= 1 << board
				}
			}
		}
		push(x)
	}
	return true
}

// fencesWait reports whether a word that uses a result too soon is a fence that was put in,
// and one right behind it waits. nvlink 13.5 lets the ERRBAR wait for the guard of a MEMBAR that
// a comparison of doubles makes; whether the MEMBAR is held as well is not known.
func (s *schedule) fencesWait(t token, at int) bool {
	for ; at < len(s.words) && isFence(s.words[at]) && !s.known[at]; at++ {
		if t.result && t.out != noBoard && s.out[at].wait>>t.out&1 != 0 {
			return true
		}
	}
	return false
}
