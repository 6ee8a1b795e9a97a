package resched

import "testing"

// TestPauseProducts has the words of ptxas 13.0.88 for sm_100 that nvlink 13.5.37 made: a product and a NOP at a block's end,
// a comparison that is between a product and the store of its result, and a NOP before the branch at the end of a loop.
func TestPauseProducts(t *testing.T) {
	hmma := word{lo: 0x000000160c08723c, hi: 0x010fde0000041808}
	nop := word{lo: 0x7918, hi: 0x000fca0000000000}
	branch := word{lo: 0xffffff4908b07547, hi: 0x000fde000b83ffff}
	store := word{lo: 0x0002800d08007986, hi: 0x000fe2000c101904}
	compare := word{lo: 0x000000231800720c, hi: 0x000fdc0003f26270}
	short := hmma
	short.setStall(1)
	short.setYield(true)
	wait := nop
	wait.setStall(4)
	for _, c := range []struct {
		words   []word
		stalls  []int
		fillers []int
	}{
		{[]word{hmma, nop}, []int{11, 9}, nil},
		{[]word{short, compare, store}, []int{1, 11, 1}, []int{0, 0, 3, 0}},
		{[]word{short, wait, branch}, []int{1, 8, 11}, nil},
		{[]word{compare, store}, []int{14, 1}, nil},
	} {
		var r Result
		front := make(map[int][]word)
		pauseProducts(c.words, make([]bool, len(c.words)), front, false, &r)
		for i, want := range c.stalls {
			w := &c.words[i]
			if w.stall() != want || (w.op() == opNOP) || w.stall() == 11 && w.hi>>yieldBit&1 == 0 {
				t.Errorf("%x: word %d is %x %x, stall %d, want %d", c.words[0].lo, i, w.lo, w.hi, w.stall(), want)
			}
		}
		for i, n := range c.fillers {
			if n > 0 && (len(r.Fillers) <= i || r.Fillers[i] != 1 || len(front[i]) != 1 || !front[i][0].isPause() || front[i][0].stall() != n) {
				t.Errorf("in front of word %d: %v, %v", i, r.Fillers, front[i])
			}
		}
		if r.paused != (c.words[0].isProduct()) {
			t.Errorf("%x: paused %v", c.words[0].lo, r.paused)
		}
	}
}
