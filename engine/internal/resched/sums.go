package resched

import "slices"

// Stalls beside IADDs that were IADD3s. Those two, shifts and logic are a pipe of their
// own, whose results another of it may read a cycle sooner, and which takes one every
// other cycle; IADD is of another.

// isOfIntegers reports whether an instruction of sm_120 is of the pipe of IADD3.
func (w *word) isOfIntegers() bool {
	switch w.op() & 0x1ff {
	case opP2R & 0x1ff, opR2P & 0x1ff, addOfThree, 0x11, 0x12, 0x13, 0x16, 0x19, 0x45:
		return true
	}
	return false
}

const (
	takesPair  = 2 // a MOV or an IADD of pairs, and a cycle more until one of that pipe
	withinPipe = 4 // until a result may be read in the same pipe
	acrossPipe = 5 // and in others

	uniformAddress = 9 // until memory may be accessed by what the uniform datapath made
)

// setApart sets words that keep their scoreboards apart again, where some of them became IADDs or
// fillers went.
func (how *Options) setApart(words []word, r *Result) {
	if (len(r.Added)+len(r.Dropped) > 0 || how.Unpaces) && !isUnoptimized(words) {
		trace(words).setApart(r.sumsNow(), how, r)
	}
}

// changes are what asks for other stalls.
type changes struct {
	isSum   []bool // by word: it is a new IADD
	fillers []int  // by word: cycles of fillers, and of words that were dropped, that was before it
	behind  []bool // by word: a word that was dropped was before it
	table   map[pair]int
	halves  bool // of the table
	unpaced bool

	heldDoubles bool // doubles hold scoreboards that the input hasn't
}

func (f *flow) noChanges(how *Options) *changes {
	c := changes{isSum: make([]bool, len(f.words)), fillers: make([]int, len(f.words)), behind: make([]bool, len(f.words)), table: latencies103()}
	if how.Adds {
		c.table, c.halves = latencies120(), true
	}
	return &c
}

// setApart sets the words of all blocks that changed apart again; sums are the new IADDs.
func (f *flow) setApart(sums []int, how *Options, r *Result) {
	c := f.noChanges(how)
	c.unpaced = how.Unpaces
	for _, i := range sums {
		c.isSum[i] = true
	}
	if len(r.Dropped) > 0 {
		r.cyclesOf(r.Dropped, c.fillers)
		for i, n := range c.fillers {
			c.behind[i] = n > 0
		}
	}
	if c.unpaced || len(r.Dropped) > 0 {
		left := slices.Concat(how.Fillers, r.Dropped)
		slices.Sort(left)
		r.cyclesOf(left, c.fillers)
	}
	if f.live == nil {
		f.findLive()
	}
	for b := range f.blocks {
		bl := &f.blocks[b]
		any := false
		for i := bl.from; i < bl.to; i++ {
			any = any || c.isSum[i] || c.behind[i] || c.unpaced && f.words[i].isPaced()
		}
		if any {
			moved := f.setBlockApart(bl, c)
			r.unpaced = r.unpaced || moved && c.unpaced
		}
	}
	for i := range f.words {
		f.time[i+1] = f.time[i] + cycles(&f.words[i])
	}
}

// arrivesBehind reports whether a word makes a result of unknown latency without a scoreboard: it
// is complete when one of a later word of its kind is, which all wait for that need either.
func (w *word) arrivesBehind() bool {
	return w.wr() == noBoard && (w.isPaced() || w.kind() != kindOther)
}

// usualLatency is the most that one word of arithmetic asks of another, 0 where it isn't known.
func (w *word) usualLatency(next *word, h hazard) int {
	const predicate = 13
	switch {
	case (h == hazardGuard || h == hazardPredicate) && w.isPairLogic():
		return predicate + 1
	case h == hazardGuard || h == hazardPredicate:
		return predicate
	case h == hazardNext:
		return takesIntegers
	case h >= hazardUniform && h < hazardHigh:
		return 0
	case w.isPairMove() || w.isPairSum() || w.isPairLogic() || kindOf(w) == 0x27:
		return acrossPipe + 1
	case w.isOfIntegers() && next.isOfIntegers(), w.isOfFloats() && next.isOfFloats():
		return withinPipe
	}
	return acrossPipe
}

// pairLatency is how far two of MOV, SEL and IADD stand apart that depend on each other, 0 for others: of
// pairs they hand over a half after the other. Source: code for sm_120 of ptxas 13.5.37.
func (w *word) pairLatency(next *word) int {
	switch {
	case !w.comesInPairs() || !next.comesInPairs():
		return 0
	case !w.isPair():
		return acrossPipe
	case next.isPair():
		return withinPipe
	}
	return acrossPipe + 1
}

// comesInPairs reports whether a word is MOV, SEL or IADD.
func (w *word) comesInPairs() bool {
	switch kindOf(w) {
	case opMOVReg & 0x1ff, 0x07, addOfTwo & 0x1ff:
		return w.isVector()
	}
	return false
}

// isPair reports whether a word's pipe takes it twice, since it is of pairs.
func (w *word) isPair() bool { return w.isPairMove() || w.isPairSum() || w.isPairLogic() }

// isOfFloats reports whether an instruction adds or multiplies floats.
func (w *word) isOfFloats() bool {
	switch kindOf(w) {
	case 0x20, 0x21, 0x23:
		return true
	}
	return false
}

// The pipe of products takes one of floats every cycle, but others more seldom. An LDC follows
// another after takesConstant cycles, access to memory a BAR after takesBarrier. A result of unknown latency is made when its register was
// read, overwritten cycles before.
const (
	takesConstant = 8
	takesBarrier  = 6
	takesMark     = 4
	overwritten   = 2
	madeLater     = 6
)

// madeBefore is how many cycles before a result of unknown latency that of a word is made, into
// whose register it goes.
func (w *word) madeBefore(later *word) int {
	n := madeLater
	if w.isPairMove() || w.isPairSum() {
		n++
	}
	if later.op() == opLDC && !w.isOfProducts() {
		n++
	}
	return n
}

// takesConstants reports whether a word is of the unit that takes one every eight cycles.
func (w *word) takesConstants() bool {
	return w.op() == opLDC || w.op() == opS2UR || w.op() == opBAR
}

// isOfProducts reports whether an instruction of sm_120 is of the pipe of products.
func (w *word) isOfProducts() bool {
	switch kindOf(w) {
	case 0x20, 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x30, 0x31, 0x32, 0x36:
		return true
	}
	return false
}

// productCycles is how long a word keeps that pipe.
func (w *word) productCycles() int {
	switch kindOf(w) {
	case 0x24, 0x26, 0x30, 0x31, 0x32, 0x36:
		return 2
	case 0x25, 0x27:
		return 4
	}
	return 1
}

// isSum reports whether a word is a sum of integers, whose carry another takes as it takes a result.
func (w *word) isSum() bool { return w.op()&0x1ff == addOfThree || w.op()&0x1ff == addOfTwo }

// isPairSum reports whether a word is an IADD of pairs, which its pipe takes twice.
func (w *word) isPairSum() bool { return w.op()&0xff == addOfTwo && w.field(wideBit, 1) != 0 }

// isPairLogic reports whether a word compares or chooses pairs, which its pipe takes twice too.
func (w *word) isPairLogic() bool {
	switch w.op() & 0xff {
	case 0x0c:
		return w.op()>>8&1 == 0 && w.field(pairBit, 1) != 0
	case 0x07:
		return w.op()>>8&1 == 0 && isPairChoice(w.op())
	case 0x17:
		return w.op()>>8&1 == 0
	}
	return false
}

// opR2UR copies to a uniform register.
const opR2UR = 0x2ca

func (w word) asThree() *word {
	w.lo = w.lo&^0xff | addOfThree
	return &w
}

// sumsNow returns where the new IADDs are now.
func (r *Result) sumsNow() (list []int) {
	for _, i := range r.Added {
		list = append(list, r.Moves[i])
	}
	return list
}

// leaveSooner lets a branch follow a double whose scoreboards it doesn't wait for at once, but when
// its predicate is made.
func (f *flow) leaveSooner() {
	for i := range len(f.words) - 1 {
		w, next := &f.words[i], &f.words[i+1]
		if next.op() != opBRA || f.of[i] != f.of[i+1] || !w.isDouble() || w.wr() == noBoard || w.stall() > apart {
			continue
		}
		if held := uint8(1)<<w.wr() | uint8(1)<<w.rd(); next.wait()&held&allBoards == 0 {
			w.setStall(f.untilGuard(i))
		}
	}
}

// untilGuard returns the stall of a word that the next one need not wait for any more, as short as the
// next one's predicate lets it be, and no longer than it is.
func (f *flow) untilGuard(i int) int {
	guard := []span{{predFile + int(f.words[i+1].guard()&7), 1}}
	since := 0
	for j := i; j >= f.blocks[f.of[i]].from && since < predicateLatency; j-- {
		w := &f.words[j]
		since += cycles(w)
		if overlap(f.ops[j].writes, guard) && w.wr() == noBoard {
			stall := cycles(&f.words[i])
			return max(1, min(stall, predicateLatency-since+stall))
		}
	}
	return 1
}

// isMemory reports whether an instruction is one of the slow units, which read registers as arithmetic does.
func (w *word) isMemory() bool {
	_, ok := memory[w.op()]
	return ok
}
