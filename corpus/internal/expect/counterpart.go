package expect

import (
	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// A record that stays in a capsule has a counterpart for the text that the finalizer
// makes, in the numbers of R_CUDA. Types of a position in the program have none,
// but for the two that are halves of an absolute one.
//
// Source: nvlink 13.0.88, every type at every node of templates.json.

// counterpartRanges are runs of types of equal order in both tables.
var counterpartRanges = []struct{ first, last, to uint32 }{
	{cuda.R_MERCURY_G64, cuda.R_MERCURY_G64, cuda.R_CUDA_G64},
	{cuda.R_MERCURY_ABS32, cuda.R_MERCURY_ABS32, cuda.R_CUDA_ABS32_32},
	{cuda.R_MERCURY_ABS16, cuda.R_MERCURY_ABS16, cuda.R_CUDA_ABS16_32},
	{cuda.R_MERCURY_ABS64, cuda.R_MERCURY_ABS64, cuda.R_CUDA_ABS55_16_34},
	{cuda.R_MERCURY_ABS32_LO, cuda.R_MERCURY_ABS32_HI, cuda.R_CUDA_ABS32_LO_32},
	{cuda.R_MERCURY_TEX_HEADER_INDEX, cuda.R_MERCURY_TEX_HEADER_INDEX, cuda.R_CUDA_TEX_HEADER_INDEX},
	{cuda.R_MERCURY_SAMP_HEADER_INDEX, cuda.R_MERCURY_SAMP_HEADER_INDEX, cuda.R_CUDA_SAMP_HEADER_INDEX_0},
	{cuda.R_MERCURY_SURF_HEADER_INDEX, cuda.R_MERCURY_SURF_HEADER_INDEX, cuda.R_CUDA_SURF_HEADER_INDEX},
	{cuda.R_MERCURY_UNUSED_CLEAR64, cuda.R_MERCURY_UNUSED_CLEAR64, cuda.R_CUDA_UNUSED_CLEAR64},
	{cuda.R_MERCURY_FUNC_DESC_64, cuda.R_MERCURY_FUNC_DESC_64, cuda.R_CUDA_FUNC_DESC_64},
	{cuda.R_MERCURY_8_0, cuda.R_MERCURY_8_56, cuda.R_CUDA_8_0},
	{cuda.R_MERCURY_G8_0, cuda.R_MERCURY_G8_56, cuda.R_CUDA_G8_0},
	{cuda.R_MERCURY_FUNC_DESC_8_0, cuda.R_MERCURY_FUNC_DESC_8_56, cuda.R_CUDA_FUNC_DESC_8_0},
	{cuda.R_MERCURY_ABS_PROG_REL32_LO, cuda.R_MERCURY_ABS_PROG_REL32_HI, cuda.R_CUDA_ABS32_LO_32},
	{cuda.R_MERCURY_ABS_PROG_REL32, cuda.R_MERCURY_ABS_PROG_REL64, cuda.R_CUDA_32},
}

// counterpart adds the counterpart of a record that stays.
func (c *link) counterpart(n relocs.Node, r relocs.Record, as uint32, s symbol, out *Outcome) {
	number, ok := counterpartType(as)
	if !ok {
		return
	}
	switch {
	case searches(as):
	case s.kernel && number == cuda.R_CUDA_ABS32_32:
		number = cuda.R_CUDA_FUNC_DESC32_32
	case s.kernel && (number == cuda.R_CUDA_ABS32_LO_32 || number == cuda.R_CUDA_ABS32_HI_32):
		number += cuda.R_CUDA_FUNC_DESC32_LO_32 - cuda.R_CUDA_ABS32_LO_32
	case number == cuda.R_CUDA_ABS16_32 && n.Bit == operandBit:
		number = cuda.R_CUDA_CONST_FIELD21_38
	}
	out.Counterpart = append(out.Counterpart, relocs.Record{Offset: n.Text, Type: number, Symbol: s.name, Addend: r.Addend})
}

// dataCounterparts are types that data has for itself. The halves of an address have no
// R_CUDA type there and keep their number.
var dataCounterparts = map[uint32]uint32{
	cuda.R_MERCURY_ABS64:             cuda.R_CUDA_64,
	cuda.R_MERCURY_ABS32:             cuda.R_CUDA_32,
	cuda.R_MERCURY_ABS16:             cuda.R_MERCURY_ABS16,
	cuda.R_MERCURY_ABS32_LO:          cuda.R_MERCURY_ABS32_LO,
	cuda.R_MERCURY_ABS32_HI:          cuda.R_MERCURY_ABS32_HI,
	cuda.R_MERCURY_ABS_PROG_REL32_LO: cuda.R_MERCURY_ABS_PROG_REL32_LO,
	cuda.R_MERCURY_ABS_PROG_REL32_HI: cuda.R_MERCURY_ABS_PROG_REL32_HI,
}

// finalizeData does for data what finalize does for code: a record that stays has
// a counterpart, and a position in the program is written there.
func (c *link) finalizeData(r relocs.Record, as uint32, s symbol, out *Outcome) error {
	if out.Text == nil {
		return nil
	}
	number, ok := counterpartType(as)
	if data, is := dataCounterparts[as]; is {
		number = data
	}
	if ok {
		out.Counterpart = append(out.Counterpart, relocs.Record{Offset: c.facts.Base + r.Offset, Type: number, Symbol: s.name, Addend: r.Addend})
		return nil
	}
	if as < cuda.R_MERCURY_PROG_REL64 {
		return nil
	}
	in := oracle.Inputs{Rela: true, S: s.value, A: r.Addend}
	if s.kind == oracle.Texture {
		in.S = 0
	}
	_, _, err := write(out.Text, r.Offset, as, in)
	return err
}

// counterpartType returns the R_CUDA number of a kept record, false where it has no
// counterpart.
func counterpartType(number uint32) (uint32, bool) {
	if number >= behindMercury {
		return number, true
	}
	for _, r := range counterpartRanges {
		if number >= r.first && number <= r.last {
			return number - r.first + r.to, true
		}
	}
	return number, false
}
