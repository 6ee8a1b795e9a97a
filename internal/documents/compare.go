package documents

import (
	"bytes"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Comparison sets a recipe against the descriptor made of it.
type Comparison struct {
	Descriptor Descriptor // routed
	Recipe     oracle.Outcome
	Run        Result
	Agree      bool
	Why        string // reason of a difference, "" where there is none or none is known
}

// Compare applies a type's recipe and runs its descriptor on the same
// place with the same numbers. Agreeing means: both refuse, or both give the
// same bytes and the same old field content.
func Compare(r *oracle.Recipe, place []byte, in oracle.Inputs) (Comparison, error) {
	var c Comparison
	d, described := Describe(r)
	c.Descriptor = d.Routed()
	var refused error
	c.Recipe, refused = oracle.Apply(r.Number, place, in)
	if refused != nil && !r.Sentinel {
		return c, refused
	}
	var err error
	c.Run, err = Run(c.Descriptor, place, FromRecord(in))
	if err != nil {
		return c, err
	}
	if !described {
		c.Run.Return = 0
	}
	switch {
	case refused != nil || c.Run.Return == 0:
		c.Agree = refused != nil && c.Run.Return == 0
	default:
		c.Agree = bytes.Equal(c.Recipe.Bytes, c.Run.Bytes) && c.Recipe.Implicit == uint64(c.Run.Output)
	}
	if !c.Agree {
		c.Why = explain(r, c)
	}
	return c, nil
}

// FromRecord turns the oracle's inputs into the engine's parameters.
func FromRecord(in oracle.Inputs) Inputs {
	return Inputs{
		IsAbsolute:       in.Rela,
		ExtraOffset:      in.A,
		SectionOffset:    int32(in.P),
		SymbolValue:      in.S,
		SymbolSize:       in.Slot,
		SectionTypeDelta: uint32(in.SectionType - cuda.SHTCudaConstant0),
	}
}

// The differences between recipes and descriptors, all of them. None concerns
// a type by which the device linker was seen to patch a place.
const (
	// Actions 3, 4, 5, 12..15 and 38..45: the record is left to the driver.
	WhyNoArm = "the dispatcher has no arm for the action; the record is kept for the driver"
	// ABS55_16_34 and ABS56_16_34. Slot 0 is SHIFTED_2 and is written, and
	// it leaves value>>2 as the running value, so a continuation that took
	// the running value would have to shift it by 8 more. But action 21 has
	// no arm, so the run ends with 0 and slot 0 stays written.
	WhySplit = "slot 0 is written and leaves value>>2; slot 1 has action 21, which has no arm"
	// INSTRUCTION128: a value of 64 bits for a field of 128. The writer
	// shifts it by 64 for the second word and the extractor joins the words
	// by the same shift; x86-64 shifts by 0.
	WhyWide = "the documents' value has 64 bits and their 128-bit field shifts it by 64"
	// ABS_PROG_REL64: the engine document computes (int32_t)value -
	// section_offset in a C int.
	WhyInt = "the documents subtract the place in 32 bits"
	// ABS_PROG_REL32_HI: no action means the high word of a distance.
	WhyNoAction = "the glossary has no action for the formula"
)

// explain returns the reason of a difference, "" if it is not one of the known.
func explain(r *oracle.Recipe, c Comparison) string {
	switch r.Number {
	case cuda.R_CUDA_ABS55_16_34, cuda.R_CUDA_ABS56_16_34:
		return WhySplit
	case cuda.R_CUDA_INSTRUCTION128:
		if c.Run.Open {
			return WhyWide
		}
	case cuda.R_MERCURY_ABS_PROG_REL64:
		return WhyInt
	case cuda.R_MERCURY_ABS_PROG_REL32_HI:
		return WhyNoAction
	}
	if c.Run.Return == 0 && c.Run.Steps[0].Case == CaseNone && r.Evidence == oracle.Paper {
		return WhyNoArm
	}
	return ""
}
