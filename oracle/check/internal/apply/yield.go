package apply

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// YIELD.
//
// Records of two types turn a YIELD into a NOP. Where threads always go on (from
// sm_70 on) nvlink drops them and YIELD stays; it decides for the whole link by
// the virtual architectures of the inputs, and by function where they differ.
// A YIELD is a hint: a program runs right with it and with NOP in its place, so
// what the output has at such a place counts, if it is one of the two.

// keepsYield reports whether the output has left YIELD as it is in some code.
func (c *Applied) keepsYield(a *link.Area) bool {
	if a.Out == nil || !a.Code() {
		return c.SM >= link.ForwardProgress
	}
	return a.Yields == link.YieldStays
}

// AsksForNop reports whether a record of a relocatable output lets the final link make a
// NOP of a YIELD. From sm_100 on nvlink 13.0 and later write such records for functions whose
// inputs have none, where another input has an older virtual architecture.
func (c *Applied) AsksForNop(a *link.Area, k link.Kept) bool {
	if !c.Relocatable || c.Release < 130 || a.Out == nil || !a.Code() || !k.Rela || !k.Nobody || k.Offset%sass.Instruction != 0 {
		return false
	}
	word, ok := image.Cut(a.Out.Body, k.Offset, sass.Instruction)
	if !ok || sass.Opcode(word) != sass.OpYield {
		return false
	}
	return k.Kind == cuda.R_CUDA_YIELD_OPCODE9_0 && k.Addend == sass.OpNop%512 || k.Kind == cuda.R_CUDA_YIELD_CLEAR_PRED4_87 && k.Addend == 0
}
