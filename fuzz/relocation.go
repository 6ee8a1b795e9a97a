package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/fuzz/storm"
	"github.com/twinlink/twinlink/internal/documents"
	"github.com/twinlink/twinlink/oracle"
)

// The generator of single relocations: the smallest thing that can go wrong in a
// link. Months of fuzzing whole programs miss what this finds in a second, since
// a program that compiles reaches few of the types and fewer of the values.

// placeSize is enough for the widest field (128 bits) at the highest first bit.
const placeSize = 24

// Relocation is one record, without its type: every type is tried on it.
type Relocation struct {
	Place  [placeSize]byte
	Inputs oracle.Inputs // Rela is set by the judge: both are tried
	Short  uint8         // bytes that the place lacks at its end
}

// Edges are values at which a carry, a sign or a mask changes sides. A case picks
// each number freely, or one of these with something small added.
var Edges = storm.Edges

// number takes a number: a selector, and then what it asks for.
func number(r *Reader) uint64 {
	sel := r.Byte()
	if int(sel) < len(Edges) {
		return Edges[sel] + uint64(int64(int8(r.Byte())))
	}
	return r.Uint64()
}

// putNumber is number's counterpart.
func putNumber(w *Writer, v uint64) {
	for i, e := range Edges {
		if e == v {
			w.Byte(byte(i))
			w.Byte(0)
			return
		}
	}
	w.Byte(0xff)
	w.Uint64(v)
}

// sectionTypes are those that a symbol's section may have; the bank is a distance
// from the first constant bank, so that other sections count as well.
var sectionTypes = [...]cuda.SectionType{
	cuda.SHTCudaConstant0, cuda.SHTCudaConstant0 + 1, cuda.SHTCudaConstant0 + 2, cuda.SHTCudaConstant0 + 3, cuda.SHTCudaConstant0 + 17,
	cuda.SHTProgbits, cuda.SHTNobits, cuda.SHTNull,
}

// ReadRelocation generates a case.
func ReadRelocation(r *Reader) Relocation {
	var c Relocation
	copy(c.Place[:], r.Bytes(placeSize))
	c.Inputs.S = number(r)
	c.Inputs.A = int64(number(r))
	c.Inputs.P = number(r)
	c.Inputs.Slot = uint32(number(r))
	if sel := int(r.Byte()); sel < len(sectionTypes) {
		c.Inputs.SectionType = sectionTypes[sel]
	} else {
		c.Inputs.SectionType = cuda.SHTCudaConstant0 + cuda.SectionType(r.Uint32())
	}
	c.Short = r.Byte() % (placeSize + 1)
	return c
}

// Write is ReadRelocation's counterpart.
func (c *Relocation) Write(w *Writer) {
	w.Bytes(c.Place[:])
	putNumber(w, c.Inputs.S)
	putNumber(w, uint64(c.Inputs.A))
	putNumber(w, c.Inputs.P)
	putNumber(w, uint64(c.Inputs.Slot))
	w.Byte(0xff)
	w.Uint32(uint32(c.Inputs.SectionType - cuda.SHTCudaConstant0))
	w.Byte(c.Short)
}

// Spread makes a batch of the record: the record itself, and 63 more, each with
// one bit of a number or of the place turned over, another one in every batch.
// The fuzzer's input stays short, and starting an execution costs a hundred
// times what a comparison does.
func (c *Relocation) Spread() *storm.Records {
	r := &storm.Records{Length: oracle.PlaceBytes - min(int(c.Short), oracle.PlaceBytes)}
	turn := crc32.ChecksumIEEE(c.Place[:])
	for lane := range r.Inputs {
		in := c.Inputs
		copy(r.Places[lane][:], c.Place[:])
		if bit := uint64(1) << ((uint32(lane) + turn/4) % 64); lane > 0 {
			switch (uint32(lane) + turn) % 4 {
			case 0:
				in.S ^= bit
			case 1:
				in.A ^= int64(bit)
			case 2:
				in.S, in.P = in.S+bit, in.P^bit
			default:
				r.Places[lane][lane%oracle.PlaceBytes] ^= byte(turn>>8) | 1
				in.SectionType ^= cuda.SectionType(lane)
			}
		}
		r.Inputs[lane] = in
	}
	return r
}

// JudgeSpread compares the 64 records of Spread.
func (c *Relocation) JudgeSpread(t *storm.Tally) *Divergence {
	var j storm.Judge
	d := j.Judge(c.Spread(), t)
	if d == nil {
		return nil
	}
	return &Divergence{Key: d.Key(), What: d.What, Traces: []Trace{{"oracle", d.Text}}}
}

// Judge applies the record as each type, as REL and as RELA, with the engine's
// descriptor and by the oracle's recipe, and returns the first divergence. n is
// how many comparisons it made.
func (c *Relocation) Judge() (n int, d *Divergence) {
	for _, rela := range [...]bool{false, true} {
		for number := range uint32(cuda.RelocCount) {
			n++
			if d := c.judge(number, rela); d != nil {
				return n, d
			}
		}
		for i := range uint32(cuda.MercuryRelocCount) {
			n++
			if d := c.judgeDocuments(cuda.MercuryBase+i, rela); d != nil {
				return n, d
			}
		}
	}
	return n, nil
}

// judge compares engine and oracle on one type.
//
// The two may end differently in one way only: the engine has no arm for what
// the driver patches, and the oracle has a recipe from the documents for it.
// (Then the engine leaves the record to the driver before it ever gets here.)
func (c *Relocation) judge(number uint32, rela bool) *Divergence {
	in := c.Inputs
	in.Rela = rela
	before := c.Place[:placeSize-int(c.Short)]
	place := bytes.Clone(before)
	old, engineErr := descriptor.Table[number].Apply(place, &descriptor.Values{
		Rela: rela, Symbol: in.S, Addend: in.A, Size: uint64(in.Slot), Place: in.P,
		Bank: uint32(in.SectionType - cuda.SHTCudaConstant0),
	})
	out, oracleErr := oracle.Apply(number, before, in)

	var noArm *descriptor.Error
	var refusal *oracle.Refusal
	what := ""
	switch {
	case errors.As(engineErr, &noArm) && noArm.Action != descriptor.End:
		recipe, err := oracle.RecipeOf(number)
		if err == nil && recipe.Evidence == oracle.Paper {
			return nil
		}
		what = "the engine has no arm for what the oracle saw the tool patch"
	case errors.As(oracleErr, &refusal) && refusal.Kind == oracle.SentinelType:
		if engineErr == nil && bytes.Equal(place, before) {
			return nil
		}
		what = "a sentinel patches"
	case engineErr != nil && oracleErr != nil:
		return nil
	case engineErr != nil || oracleErr != nil:
		what = fmt.Sprintf("one of them refuses: engine %v, oracle %v", engineErr, oracleErr)
	case !bytes.Equal(place, out.Bytes):
		what = fmt.Sprintf("bytes differ: engine %x, oracle %x", place, out.Bytes)
	case old != out.Implicit:
		what = fmt.Sprintf("the addend read from the place differs: engine %#x, oracle %#x", old, out.Implicit)
	default:
		return nil
	}
	return &Divergence{Key: c.key(number, rela), What: what, Traces: []Trace{
		{"engine", engineTrace(&descriptor.Table[number], before, place, old, engineErr)},
		{"oracle", oracleTrace(number, before, in, oracleErr)},
	}}
}

// judgeDocuments compares the recipe of a type that the device linker doesn't
// patch, R_MERCURY, with the descriptor that the documents give it.
func (c *Relocation) judgeDocuments(number uint32, rela bool) *Divergence {
	in := c.Inputs
	in.Rela = rela
	before := c.Place[:placeSize-int(c.Short)]
	recipe, err := oracle.RecipeOf(number)
	if err != nil {
		return &Divergence{Key: c.key(number, rela), What: err.Error()}
	}
	got, err := documents.Compare(recipe, before, in)
	if err != nil || got.Agree || got.Why != "" {
		return nil
	}
	return &Divergence{Key: c.key(number, rela), What: "recipe and descriptor differ", Traces: []Trace{
		{"internal/documents", got.Run.String()},
		{"oracle", oracleTrace(number, before, in, nil)},
	}}
}

func (c *Relocation) key(number uint32, rela bool) string {
	kind := "rel"
	if rela {
		kind = "rela"
	}
	info, ok := cuda.LookupReloc(number)
	if !ok {
		return fmt.Sprintf("%d-%s", number, kind)
	}
	return info.Name + "-" + kind
}

// engineTrace tells the descriptor's slots and what came of them.
func engineTrace(d *descriptor.Descriptor, before, after []byte, old uint64, err error) string {
	var b strings.Builder
	for i := range descriptor.Slots {
		if s := d.Slot(i); s != (descriptor.Slot{}) {
			fmt.Fprintf(&b, "slot %d: bit %d width %d action %d\n", i, s.First, s.Width, s.Action)
		}
	}
	fmt.Fprintf(&b, "%x -> %x, old %#x", before, after, old)
	if err != nil {
		fmt.Fprintf(&b, ", %v", err)
	}
	return b.String()
}

func oracleTrace(number uint32, before []byte, in oracle.Inputs, err error) string {
	if err != nil {
		return err.Error()
	}
	t, err := oracle.Trace(number, before, in)
	if err != nil {
		return err.Error()
	}
	return t.String()
}
