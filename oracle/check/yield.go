package check

import "github.com/twinlink/twinlink/cuda"

// YIELD.
//
// Records of two types turn a YIELD into a NOP. Where threads always go on (from
// sm_70 on) nvlink drops them and YIELD stays; it decides for the whole link by
// the virtual architectures of the inputs, and by function where they differ.
// A YIELD is a hint: a program runs right with it and with NOP in its place, so
// what the output has at such a place counts, if it is one of the two.

// keepsYield reports whether the output has left YIELD as it is in some code.
func (c *check) keepsYield(a *area) bool {
	if a.out == nil || !a.code() {
		return c.sm >= forwardProgress
	}
	return a.yields == yieldStays
}

// withoutYield reports whether y is the NOP that stands for the YIELD x. From sm_100 on
// nvlink 13.0 and later write it in functions whose inputs have no records for it, where
// another input has an older virtual architecture. The words are blanked.
func withoutYield(x, y []byte) bool {
	return opcode(x) == opYield && number(x, 8, 8) == 7<<(87-64) && number(y, 0, 8) == number(x, 0, 8)-opYield+opNop && number(y, 8, 8) == 0
}

// asksForNop reports whether a record of a relocatable output lets the final link make a
// NOP of a YIELD. From sm_100 on nvlink 13.0 and later write such records for functions whose
// inputs have none, where another input has an older virtual architecture.
func (c *check) asksForNop(a *area, k kept) bool {
	if !c.relocatable || c.release < 130 || a.out == nil || !a.code() || !k.rela || !k.nobody || k.offset%instruction != 0 {
		return false
	}
	word, ok := cut(a.out.body, k.offset, instruction)
	if !ok || opcode(word) != opYield {
		return false
	}
	return k.kind == cuda.R_CUDA_YIELD_OPCODE9_0 && k.addend == opNop%512 || k.kind == cuda.R_CUDA_YIELD_CLEAR_PRED4_87 && k.addend == 0
}

const opYield = 0x946

type yieldChoice uint8

const (
	yieldUnknown yieldChoice = iota
	yieldStays
	yieldCleared
)

// findYields sees what the output did with the records of one code: all of them
// left or all carried out, judged by the first place.
func (c *check) findYields(a *area) {
	a.yields = yieldCleared
	if c.sm >= forwardProgress {
		a.yields = yieldStays
	}
	for _, l := range a.owner.relocLists() {
		for _, r := range l.list {
			if !isYield(r.kind) {
				continue
			}
			at := c.movedTo(a, r.offset)
			before, ok := cut(a.owner.section.body, r.offset-r.offset%instruction, instruction)
			after, okToo := cut(a.out.body, at-at%instruction, instruction)
			if !ok || !okToo {
				continue
			}
			a.yields = yieldCleared
			if opcode(before) == opcode(after) {
				a.yields = yieldStays
			}
			return
		}
	}
}
