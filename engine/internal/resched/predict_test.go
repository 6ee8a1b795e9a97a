package resched

import "testing"

// TestForesee wants the choices of a block of code to be foreseen, and one that the
// rules don't give to be seen as such: then nothing is promised.
func TestForesee(t *testing.T) {
	const ldg, iadd = 0x7981, 0x7210
	load := func(d, board int) word {
		w := word{lo: ldg | uint64(d)<<16 | 8<<24 | 4<<32, hi: 0x0c1e1900}
		w.setWr(board)
		w.setRd(noBoard)
		w.setStall(1)
		return w
	}
	use := func(a int, wait uint8) word {
		w := word{lo: iadd | 30<<16 | uint64(a)<<24 | 255<<32, hi: 0x07ffe0ff}
		w.setWr(noBoard)
		w.setRd(noBoard)
		w.setStall(5)
		w.setWait(wait)
		return w
	}
	exit := word{lo: opEXIT | 7<<12, hi: 0x03800000}
	exit.setWr(noBoard)
	exit.setRd(noBoard)
	for second, want := range map[int]bool{3: true, 4: false} {
		words := []word{load(10, 2), load(12, second), use(10, 1<<2), use(12, 1<<second), exit}
		a := &allocator{flow: trace(words)}
		a.reallocate(-1)
		if got := a.choices[a.first[1][0]].foreseen; got != want {
			t.Errorf("second load on scoreboard %d: foreseen %v", second, got)
		}
	}
}
