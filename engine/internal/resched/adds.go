package resched

// From 13.1 on, code of sm_120 and sm_121 has IADD for the sum of two, where 13.0 has
// IADD3 with a third that is zero. It goes another way through the machine, so that
// stalls beside it change.
//
// Source: 105 functions of HeCBench by ptxas 13.0.88 through nvlink 13.1.115.

const (
	addOfThree = 0x10 // the low bytes of IADD3 and IADD
	addOfTwo   = 0x35
)

// isSumOfTwo reports whether a word is an IADD3 whose third source is nothing, and that
// takes and makes one carry at most.
func (w *word) isSumOfTwo() bool {
	const negated = 75 // the third
	switch w.op() {
	case 0x210, 0x810, 0xc10:
		return w.field(cField, 8) == zero && w.field(negated, 1) == 0 && w.field(77, 4) == 0xf && w.field(p2Field, 3) == 7
	}
	return false
}

// asSum makes an IADD of an IADD3.
func (w *word) asSum() {
	const (
		form = 27
		kept = 1<<8 | 1<<10 | 7<<17 | 0xf<<23 | (1<<37-1)<<form // of the upper half: what IADD has too
	)
	w.lo = w.lo&^0xff | addOfTwo
	w.hi &= kept
}

// asSums makes IADDs of all such, and returns which.
func asSums(words []word) (list []int) {
	for i := range words {
		if words[i].isSumOfTwo() {
			words[i].asSum()
			list = append(list, i)
		}
	}
	return list
}
