package resched

import (
	"fmt"
	"slices"
	"testing"
)

// Where jumps lead is told for words that moved, and marks the first words of blocks.
func TestJumpTables(t *testing.T) {
	indexed := word{lo: opBRX}
	words := []word{indexed, {lo: opEXIT}, {lo: opBRXU}}
	for _, c := range []struct {
		jumps Jumps
		want  bool
	}{{nil, false}, {Jumps{0: {1}}, false}, {Jumps{0: {1}, 2: {1}}, true}, {Jumps{0: {1}, 2: {}}, false}} {
		if got := c.jumps.tellAll(words); got != c.want {
			t.Errorf("%v tell of all: %v", c.jumps, got)
		}
	}
	if !(Jumps)(nil).tellAll(words[1:2]) {
		t.Error("there is nothing to tell")
	}
	j := Jumps{0: {1, 2, -1, 9, 3}, 1: {0}, 5: {0}}
	r := &Result{Moves: []int{4, -1, 6}, Starts: []int{3, 4, 5}}
	if got := j.moved(r); fmt.Sprint(got) != "map[4:[4 5]]" {
		t.Errorf("%v", got)
	}
	if got := j.moved(&Result{}); fmt.Sprint(got) != fmt.Sprint(j) {
		t.Errorf("nothing moved: %v", got)
	}
	starts := make([]bool, 4)
	if j.markStarts(starts); !slices.Equal(starts, []bool{true, true, true, true}) {
		t.Errorf("%v", starts)
	}
	starts = make([]bool, 4)
	if (Jumps{7: {2, 4, -2}}).markStarts(starts); !slices.Equal(starts, []bool{false, false, true, false}) {
		t.Errorf("%v", starts)
	}
}

func TestBitset(t *testing.T) {
	b := newBitset(65)
	if len(b) != 2 || len(newBitset(64)) != 1 || len(newBitset(0)) != 0 {
		t.Fatalf("%d words", len(b))
	}
	for _, i := range []int{64, 0, 63, 5} {
		b.set(i)
	}
	var list []int
	if b.each(func(i int) { list = append(list, i) }); !slices.Equal(list, []int{0, 5, 63, 64}) {
		t.Errorf("%v", list)
	}
	c := b.clone()
	if c.drop(63); c.has(63) || !b.has(63) || !c.has(64) || c.has(1) {
		t.Errorf("%b", c)
	}
	if b.join(c) || !c.join(b) || !c.has(63) || c.join(b) {
		t.Errorf("%b, %b", b, c)
	}
	if c.setAll(); c[0] != ^uint64(0) || c[1] != ^uint64(0) {
		t.Errorf("%b", c)
	}
}

// How blocks end, and where control goes from there.
func TestBlockEnds(t *testing.T) {
	const always = 7 << 12
	plain := uint64(0xe0) << 18 // no predicate of its own: PT
	for _, c := range []struct {
		name       string
		w          word
		ends, goes bool
	}{
		{"BRA", word{opBRA | always, plain}, true, false},
		{"@P0 BRA", word{opBRA, plain}, true, true},
		{"BRA with a predicate", word{opBRA | always, 0x60 << 18}, true, true},
		{"BRA.DIV UR4", word{opBRA | always | 4<<24, plain}, true, true},
		{"BRA of RZ", word{opBRA | always | 255<<24, plain}, true, false},
		{"BRA.U", word{opBRAUnif | always, plain}, true, true},
		{"EXIT", word{opEXIT | always, 0}, true, false},
		{"@P0 EXIT", word{opEXIT, 0}, true, true},
		{"RET", word{opRET | always, 0}, true, false},
		{"BRX", word{opBRX | always, 0}, true, false},
		{"BRXU", word{opBRXU | always, 0}, true, false},
		{"BSYNC", word{opBSYNC | always, 0}, true, true},
		{"BPT", word{opBPT | always, 0}, true, true},
		{"PMTRIG", word{opPMTRIG | always, 0}, true, true},
		{"CALL", word{opCALLReg | always, 0}, true, true},
		{"NOP", word{opNOP | always, 0}, false, false},
		{"BSSY", word{opBSSY | always, 0}, false, false},
	} {
		if got := c.w.endsBlock(); got != c.ends {
			t.Errorf("%s ends a block: %v", c.name, got)
		}
		if got := c.w.fallsThrough(); c.ends && got != c.goes {
			t.Errorf("control goes on behind %s: %v", c.name, got)
		}
	}
}

// A loop of three blocks with a call after it: each call is a block, and a LEPC begins one.
func TestBlocksOfLoop(t *testing.T) {
	const always = 7 << 12
	plain := uint64(0xe0) << 18
	branch := func(guard uint64, i, target int) word {
		w := word{opBRA | guard, plain}
		w.setBranchTarget(i, target)
		return w
	}
	nop, exit := word{lo: opNOP | always}, word{lo: opEXIT | always}
	words := []word{nop, nop, branch(0, 2, 5), nop, branch(always, 4, 1), {lo: opLEPC | always}, {lo: opCALLReg | always}, exit, nop}
	var got []string
	for _, b := range blocks(words) {
		got = append(got, fmt.Sprintf("%d-%d%v", b.from, b.to, b.next))
	}
	if want := []string{"0-1[1]", "1-3[3 2]", "3-5[1]", "5-6[4]", "6-7[5]", "7-8[]", "8-9[]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// What a jump table tells divides blocks too, once for each target.
	words = []word{{lo: opBRX | always}, nop, nop, exit}
	got = nil
	for _, b := range blocksBy(words, Jumps{0: {2, 2, 1, 7, -1}}, false) {
		got = append(got, fmt.Sprintf("%d-%d%v", b.from, b.to, b.next))
	}
	if want := []string{"0-1[2 1]", "1-2[2]", "2-4[]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The time between two instructions is a stall as far as that goes, then fillers.
func TestDelay(t *testing.T) {
	for _, c := range []struct {
		p      filler
		stall  int
		gap    int
		stalls []int // of the word and its fillers
	}{
		{nops, 2, 0, []int{2}}, {nops, 2, 13, []int{15}}, {nops, 2, 14, []int{15, 1}}, {nops, 1, 14 + 15 + 3, []int{15, 15, 3}}, {nops, 0, 1, []int{2}},
		{pauses, 2, 9, []int{11}}, {pauses, 2, 10, []int{11, 1}}, {pauses, 13, 5, []int{13, 5}}, {pauses, 5, 6 + 11 + 11, []int{11, 11, 11}},
	} {
		w := word{lo: 0x210, hi: 0xf<<reuseShift | uint64(c.stall)<<stallShift | noBoard<<wrShift | noBoard<<rdShift}
		list := c.p.delay(&w, c.gap)
		got := []int{w.stall()}
		for i := range list {
			got = append(got, list[i].stall())
			if list[i].lo != c.p.lo || list[i].hi>>yieldBit&1 == 1 != c.p.lets {
				t.Errorf("filler %+v", list[i])
			}
		}
		if !slices.Equal(got, c.stalls) {
			t.Errorf("%d cycles behind a stall of %d: %v, want %v", c.gap, c.stall, got, c.stalls)
		}
		if kept := w.hi>>reuseShift&0xf != 0; kept != (len(list) == 0) {
			t.Errorf("%d cycles behind a stall of %d: sources are kept %v", c.gap, c.stall, kept)
		}
	}
	pause := pauses.word
	pause.setStall(7)
	pause.setYield(true)
	pause.setWr(noBoard)
	pause.setRd(noBoard)
	if !pause.isPause() {
		t.Error("a pause is none")
	}
	for _, change := range []func(w *word){func(w *word) { w.setWait(1) }, func(w *word) { w.setWr(0) }, func(w *word) { w.setRd(0) }, func(w *word) { w.lo ^= 1 << 24 }, func(w *word) { w.hi ^= 1 }} {
		w := pause
		if change(&w); w.isPause() {
			t.Errorf("%+v is a pause", w)
		}
	}
	imma, dmma := word{lo: opIMMA}, word{lo: opDMMA}
	for _, c := range []struct {
		words []word
		late  bool
		lets  bool
	}{{[]word{{lo: opNOP}, imma}, true, true}, {[]word{dmma}, true, true}, {[]word{imma}, false, false}, {[]word{{lo: opNOP}}, true, false}} {
		if got := fillerOf(c.words, c.late); got.lets != c.lets {
			t.Errorf("%v, late %v: %+v", c.words, c.late, got)
		}
	}
}

// Which instruction of doubles and of matrices takes its turn in which way.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		op                   uint64
		double, paced, takes bool
		turn, latest         int
	}{
		{0x229, true, true, true, pace, latestDouble}, {0x22b, true, true, true, pace, latestDouble}, {0x228, true, true, true, pace, latestDouble}, {0x22a, true, true, true, pace, latestDouble},
		{0xc2b, true, true, true, pace, latestDouble}, {0x227, false, false, false, pace, latestDouble}, {0x22c, false, false, false, pace, latestDouble}, {0x129, false, false, false, pace, latestDouble}, {0x029, false, false, false, pace, latestDouble},
		{0x310, false, true, true, pace, latestDouble}, {0x313, false, true, true, pace, latestDouble}, {0x314, false, false, false, pace, latestDouble}, {0x30f, false, false, false, pace, latestDouble}, {0xd11, false, true, true, pace, latestDouble}, {0x912, false, true, true, pace, latestDouble}, {0xa10, false, true, true, pace, latestDouble}, {0x810, false, false, false, pace, latestDouble},
		{opIMMA, false, false, true, pace, matrixResult}, {opDMMA, false, false, true, matrixPace, latestDouble}, {opHMMA, false, false, false, halfPace, latestDouble},
	} {
		w := word{lo: c.op}
		if w.isDouble() != c.double || w.isPaced() != c.paced || w.takesTurn() != c.takes || w.turn() != c.turn || w.latest() != c.latest {
			t.Errorf("%#x: double %v, paced %v, takes %v, turn %d, latest %d", c.op, w.isDouble(), w.isPaced(), w.takesTurn(), w.turn(), w.latest())
		}
		if w.waitsTurn() != (c.takes || c.op == opHMMA) {
			t.Errorf("%#x: waits %v", c.op, w.waitsTurn())
		}
		if w.inUnit() != (c.double || c.op == opIMMA) {
			t.Errorf("%#x: in the unit %v", c.op, w.inUnit())
		}
	}
	for _, noTurns := range []bool{false, true} {
		f := &flow{words: []word{{lo: 0x229}, {lo: opDMMA}, {lo: opIMMA}}, noTurns: noTurns}
		want := []int{pace, matrixPace, pace}
		if noTurns {
			want[0] = 0
		}
		for i := range want {
			if got := f.turnOf(i); got != want[i] {
				t.Errorf("no turns %v: word %d takes %d, want %d", noTurns, i, got, want[i])
			}
		}
	}
}

// On what a word depends: the register among those of a result, and which operand reads it.
func TestProducers(t *testing.T) {
	show := func(p *producers, w word, o operands) (list []string) {
		p.of(&w, &o, func(at int, h hazard) { list = append(list, fmt.Sprintf("%d:%d", at, h)) })
		return list
	}
	var p producers
	load, sum, branch := word{lo: 0x984}, word{lo: 0x210 | 7<<12}, word{lo: opBRA | 2<<12}
	if got := show(&p, load, operands{reads: []span{{0, 1}}}); got != nil {
		t.Errorf("nothing is there: %v", got)
	}
	p.add(3, &load, &operands{writes: []span{{4, 2}}})
	p.add(5, &sum, &operands{writes: []span{{uniformFile + 3, 2}, {predFile + 2, 1}, {predFile + 1, 1}}})
	for _, c := range []struct {
		w    word
		o    operands
		want []string
	}{
		{sum, operands{reads: []span{{4, 1}}}, []string{"3:0"}},
		{sum, operands{reads: []span{{5, 1}}}, []string{"3:1"}},
		{sum, operands{reads: []span{{9, 1}, {4, 2}}}, []string{"3:64", "3:65"}},
		{sum, operands{reads: []span{{uniformFile + 4, 1}, {4, 1}}}, []string{"5:17", "3:0"}},
		{sum, operands{reads: []span{{predFile + 1, 1}}}, []string{"5:9"}},
		{branch, operands{reads: []span{{predFile + 2, 1}}}, []string{"5:8"}},
		{sum, operands{writes: []span{{3, 2}}}, []string{"3:34"}},
		{load, operands{}, []string{"3:32"}},
	} {
		if got := show(&p, c.w, c.o); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.o, got, c.want)
		}
	}
	p.halves = true
	if got := show(&p, sum, operands{reads: []span{{4, 2}}}); !slices.Equal(got, []string{"3:0", "3:41"}) {
		t.Errorf("halves: %v", got)
	}
	p.add(7, &sum, &operands{writes: []span{{5, 1}}})
	if got := show(&p, sum, operands{reads: []span{{4, 2}}}); !slices.Equal(got, []string{"3:0", "7:40"}) {
		t.Errorf("overwritten: %v", got)
	}
}

// The two tables of latencies are read line by line.
func TestLatencyTables(t *testing.T) {
	m := readLatencies("# x\n210\t12\t8\t13\n1a9\t0\t64\t5\n")
	if len(m) != 2 || m[pair{0x210, 0x12, 8}] != 13 || m[pair{0x1a9, 0, 64}] != 5 {
		t.Errorf("%v", m)
	}
	for op, want := range map[uint64]uint16{0x229: 0x28, 0x22b: 0x28, 0x228: 0x28, 0x22a: 0x2a, 0xe10: 0x10, 0x981: 0x181} {
		if got := kindOf(&word{lo: op}); got != want {
			t.Errorf("%#x is of kind %#x, want %#x", op, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a line that is none")
		}
	}()
	readLatencies("210\tx\n")
}
