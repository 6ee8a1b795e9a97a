// Package storm compares the engine's descriptors with the oracle's recipes as fast as it goes: in the process, without
// coverage, 64 records at a time, every type of R_CUDA as REL and as RELA.
//
// A run is the sequence of batches 0, 1, 2, … of a seed, and what is in a batch depends on the seed and its number
// alone: not on how many workers there are, nor on the machine. So a divergence is repeated by one seed and one number.
package storm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/oracle"
)

// Records are what a batch is made of.
type Records struct {
	Places [oracle.Lanes][oracle.PlaceBytes]byte
	Inputs [oracle.Lanes]oracle.Inputs
	Length int // bytes that the place really has, at most oracle.PlaceBytes
}

// Edges are values at which a carry, a sign or a mask changes sides.
var Edges = [...]uint64{
	0, 1, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x4000, 0xffff, 0x10000, 0xfffff, 0x100000, 0x7fffff, 0x800000, 0xffffff,
	0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x1ffffffff, 0x7fffffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
}

// Draw makes batch number of a seed.
func Draw(seed, number uint64) *Records {
	r := new(Records)
	r.draw(seed, number)
	return r
}

func (r *Records) draw(seed, number uint64) {
	rng := rand.New(rand.NewPCG(seed, number))
	r.Length = oracle.PlaceBytes
	if rng.IntN(16) == 0 {
		r.Length = rng.IntN(oracle.PlaceBytes)
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		in.S, in.A, in.P, in.Slot = value(rng), int64(value(rng)), value(rng), uint32(value(rng))
		in.SectionType = section(rng)
		binary.LittleEndian.PutUint64(r.Places[i][:], value(rng))
		binary.LittleEndian.PutUint64(r.Places[i][8:], value(rng))
	}
}

// value draws a number: any, a small one of either sign, or one near an edge.
func value(rng *rand.Rand) uint64 {
	switch rng.IntN(4) {
	case 0:
		return rng.Uint64()
	case 1:
		return rng.Uint64() >> rng.IntN(64)
	case 2:
		return ^(rng.Uint64() >> rng.IntN(64))
	}
	return Edges[rng.IntN(len(Edges))] + uint64(rng.IntN(9)) - 4
}

// section draws the type of a symbol's section: as a rule a constant bank.
func section(rng *rand.Rand) cuda.SectionType {
	switch rng.IntN(8) {
	case 0:
		return cuda.SHTProgbits
	case 1:
		return cuda.SHTNobits
	case 2:
		return cuda.SHTCudaConstant0 + cuda.SectionType(rng.Uint32())
	}
	return cuda.SHTCudaConstant0 + cuda.SectionType(rng.IntN(32))
}

// Divergence is a record on which the two part.
type Divergence struct {
	Seed, Batch uint64
	Type        uint32
	Rela        bool
	Lane        int
	What        string
	Text        string // how the oracle got where it is, step by step
}

// Key names what the divergence is about: "R_CUDA_32-rela".
func (d *Divergence) Key() string {
	form := "rel"
	if d.Rela {
		form = "rela"
	}
	if info, ok := cuda.LookupReloc(d.Type); ok {
		return info.Name + "-" + form
	}
	return fmt.Sprintf("%d-%s", d.Type, form)
}

// Error says what differs and how to see it again.
func (d *Divergence) Error() string {
	return fmt.Sprintf("%s: %s\n%sagain: twinlink storm --seed %d --batch %d", d.Key(), d.What, d.Text, d.Seed, d.Batch)
}

// Tally counts what was compared.
type Tally struct {
	Batches     uint64
	Compared    uint64                     // places compared bit by bit
	Fields      uint64                     // fields in those
	BothRefuse  uint64                     // neither patches: the place is too short, the type closes the table
	Inexpressed uint64                     // the engine leaves the type to the driver, the oracle has a recipe from documents
	Types       [cuda.RelocCount][2]uint64 // Compared by type, as REL and as RELA
}

// Add adds another's counts.
func (t *Tally) Add(o *Tally) {
	t.Batches += o.Batches
	t.Compared += o.Compared
	t.Fields += o.Fields
	t.BothRefuse += o.BothRefuse
	t.Inexpressed += o.Inexpressed
	for i := range t.Types {
		for j := range t.Types[i] {
			t.Types[i][j] += o.Types[i][j]
		}
	}
}

// Least returns the fewest comparisons of a type that was compared at all, and how many types were.
func (t *Tally) Least() (least uint64, types int) {
	for i := range t.Types {
		n := t.Types[i][0] + t.Types[i][1]
		if n == 0 {
			continue
		}
		if types++; types == 1 || n < least {
			least = n
		}
	}
	return least, types
}

// Judge compares all types on the records and returns the first divergence.
type Judge struct {
	batch oracle.Batch
	want  oracle.Applied
}

// Judge counts into t.
func (j *Judge) Judge(r *Records, t *Tally) *Divergence {
	j.batch.Set(&r.Places, &r.Inputs)
	t.Batches++
	for number := range uint32(cuda.RelocCount) {
		for form := range 2 {
			if d := j.one(r, number, form == 1, t); d != nil {
				return d
			}
		}
	}
	return nil
}

func (j *Judge) one(r *Records, number uint32, rela bool, t *Tally) *Divergence {
	recipe, err := oracle.RecipeOf(number)
	if err != nil {
		return &Divergence{Type: number, Rela: rela, What: err.Error()}
	}
	if recipe.Evidence == oracle.Paper && driver()[number] {
		t.Inexpressed += oracle.Lanes
		return nil
	}
	refused := j.batch.Apply(number, rela, &j.want) != nil || recipe.Bytes() > r.Length
	d := &descriptor.Table[number]
	form, fields := 0, uint64(recipe.Fields())
	if rela {
		form = 1
	}
	for lane := range r.Inputs {
		in := &r.Inputs[lane]
		place := r.Places[lane]
		old, err := d.Apply(place[:r.Length], &descriptor.Values{
			Rela: rela, Symbol: in.S, Addend: in.A, Size: uint64(in.Slot), Place: in.P,
			Bank: uint32(in.SectionType - cuda.SHTCudaConstant0),
		})
		what := ""
		switch {
		case refused && (err != nil || place == r.Places[lane]):
			t.BothRefuse++
			continue
		case refused:
			what = "the engine patches a record that the oracle refuses"
		case err != nil:
			what = "the engine refuses: " + err.Error()
		case binary.LittleEndian.Uint64(place[:]) != j.want.Places[0][lane] || binary.LittleEndian.Uint64(place[8:]) != j.want.Places[1][lane]:
			what = fmt.Sprintf("the engine writes %x", place)
		case old != j.want.Implicit[lane]:
			what = fmt.Sprintf("the engine reads the addend %#x, the oracle %#x", old, j.want.Implicit[lane])
		default:
			t.Compared++
			t.Fields += fields
			t.Types[number][form]++
			continue
		}
		return &Divergence{Type: number, Rela: rela, Lane: lane, What: what, Text: trace(r, number, rela, lane)}
	}
	return nil
}

// driver says which types the engine has no action for, since the driver patches them.
var driver = sync.OnceValue(func() (list [cuda.RelocCount]bool) {
	for number := range list {
		var place [descriptor.MaxSpan]byte
		_, err := descriptor.Table[number].Apply(place[:], &descriptor.Values{})
		var fault *descriptor.Error
		list[number] = errors.As(err, &fault) && fault.Action != descriptor.End
	}
	return list
})

func trace(r *Records, number uint32, rela bool, lane int) string {
	in := r.Inputs[lane]
	in.Rela = rela
	traced, err := oracle.Trace(number, r.Places[lane][:r.Length], in)
	if err != nil {
		return err.Error() + "\n"
	}
	return traced.String()
}
