package resched

import "testing"

// instr makes a word of an opcode with destination d and source b, and the
// scoreboards it holds and waits for.
func instr(op uint64, d, b uint64, wr, rd int, wait uint8) word {
	w := word{lo: op | 7<<12 | d<<16 | b<<32, hi: zero | 1<<41}
	w.setWr(wr)
	w.setRd(rd)
	w.setWait(wait)
	return w
}

// TestLost erases single waits, and wants the word that would then read or
// overwrite a register too early.
func TestLost(t *testing.T) {
	const (
		s2r = 0x919
		mov = 0x202
		mio = 0x308 // MUFU: reads and writes a register through a scoreboard
	)
	branch := func(i, target int, wait uint8) word {
		w := word{lo: opBRA | 0<<12, hi: 7 << 23} // @P0
		w.setWr(noBoard)
		w.setRd(noBoard)
		w.setWait(wait)
		w.setBranchTarget(i, target)
		return w
	}
	exit := instr(opEXIT, 0, 0, noBoard, noBoard, 0)
	for _, c := range []struct {
		name  string
		words []word
		erase int
		want  *Lost
	}{
		{"read in the block", []word{instr(s2r, 2, zero, 1, noBoard, 0), instr(mov, 3, 2, noBoard, noBoard, 2), exit}, 1, &Lost{At: 0, User: 1}},
		{"overwritten source", []word{instr(mio, 4, 2, 1, 0, 0), instr(mov, 2, 9, noBoard, noBoard, 1), exit}, 1, &Lost{At: 0, Read: true, User: 1}},
		{"needless wait", []word{instr(s2r, 2, zero, 1, noBoard, 0), instr(mov, 3, 4, noBoard, noBoard, 2), exit}, 1, nil},
		{"one path of two", []word{instr(s2r, 2, zero, 1, noBoard, 0), branch(1, 3, 0), instr(mov, 5, 6, noBoard, noBoard, 2), instr(mov, 3, 2, noBoard, noBoard, 2), exit}, 3,
			&Lost{At: 0, User: 3}},
		{"a wait for another", []word{instr(s2r, 2, zero, 1, noBoard, 0), instr(s2r, 5, zero, 2, noBoard, 0), instr(mov, 7, 5, noBoard, noBoard, 4), instr(mov, 3, 2, noBoard, noBoard, 2), exit}, 3,
			&Lost{At: 0, User: 3}},
		{"round a loop", []word{instr(mov, 3, 2, noBoard, noBoard, 2), instr(s2r, 2, zero, 1, noBoard, 0), branch(2, 0, 0), exit}, 0, &Lost{At: 1, User: 0}},
	} {
		out := append([]word(nil), c.words...)
		if x := lost(c.words, out, nil, &Result{}, -1); x != nil {
			t.Errorf("%s: unchanged code lacks the wait %+v", c.name, *x)
		}
		out[c.erase].setWait(0)
		switch x := lost(c.words, out, nil, &Result{}, -1); {
		case (x == nil) != (c.want == nil):
			t.Errorf("%s: found %v, want %v", c.name, x, c.want)
		case x != nil && *x != *c.want:
			t.Errorf("%s: found %+v, want %+v", c.name, *x, *c.want)
		}
	}
}
