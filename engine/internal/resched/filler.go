package resched

// filler is an instruction that takes time and does nothing else.
type filler struct {
	word
	most int  // cycles
	lets bool // it, and the word in front, have yield bits; IMMA keeps the sources that it had
}

// What fills the time between two instructions of the unit of doubles. From 13.1 on it is
// another where a function has products of matrices, by ptxas on sm_100 already.
//
// Source: mma.sync of integers and doubles through ptxas and nvlink 13.1 to 13.5.
var (
	nops   = filler{word{lo: opNOP | 7<<12, hi: 0x000fc00000000000}, maxStall, false}
	pauses = filler{word{lo: 0x000000fffffff290, hi: 0x000fc0000fffe0ff}, maxPause, true} // @!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ
)

const maxPause = 11

func fillerOf(words []word, late bool) filler {
	if late && hasProduct(words) {
		return pauses
	}
	return nops
}

// fillerIn returns what fills the time in a block: NOPs where it has no products of matrices.
func (f *flow) fillerIn(bl *block) filler {
	if !hasProduct(f.words[bl.from:bl.to]) {
		return nops
	}
	return f.filler
}

// isPause reports whether a word is the UIADD3 that does nothing.
func (w *word) isPause() bool {
	const core = 1<<stallShift - 1
	return w.lo == pauses.lo && w.hi&core == pauses.hi&core && w.waitMask() == 0 && w.wr() == noBoard && w.rd() == noBoard
}

// delay waits that many cycles after an instruction: by its stall, then by fillers.
func (p filler) delay(w *word, gap int) (list []word) {
	up := max(cycles(w), min(p.most, cycles(w)+gap))
	gap -= up - cycles(w)
	w.setStall(up)
	w.setYield(up < longStall && (!w.letsGo() || up <= shortStall))
	if gap > 0 && (!p.lets || !w.isIMMA() && w.op() != opHMMA) {
		w.hi &^= 0xf << reuseShift
	}
	return p.list(gap)
}

// list is the fillers that take so many cycles.
func (p filler) list(gap int) (list []word) {
	for gap > 0 {
		more := p.word
		more.setStall(min(p.most, gap))
		more.setYield(p.lets)
		gap -= min(p.most, gap)
		list = append(list, more)
	}
	return list
}
