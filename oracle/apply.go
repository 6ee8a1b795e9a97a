package oracle

import (
	"math/big"
	"sync"

	"github.com/twinlink/twinlink/cuda"
)

// How REL and RELA records differ.
//
// A RELA record patches its formula over the field and takes no notice of what
// the field held. A REL record has its addend in the field, and the recipes
// say by OLD where it comes in. In byte lanes that is before the shift, so in
// the lanes 8 to 56 an old value of 0xff is lost; everywhere else it is after
// the shift. Every field of a split type has an old value of its own: nothing
// carries from one into the other.
//
// Source: one-record links with nvlink 11.8.89, 12.4.131, 13.0.88 and 13.5.37.

// Inputs are the numbers that a record, its symbol and its place bring along.
type Inputs struct {
	Rela bool   // the record is in a RELA section
	S    uint64 // what the symbol stands for, see Quantity
	A    int64  // addend of a RELA record; not used for REL
	P    uint64 // offset of the place in its section, bytes

	// SectionType is sh_type of the section the symbol is in, before it is
	// lowered for the output. Recipes use its distance from constant bank 0:
	// for constants that is the bank; for other sections it is no bank at
	// all, yet the tool writes it (shared memory gives 6, text gives 29).
	SectionType cuda.SectionType

	// Slot is the 32-bit word that the tool keeps beside a symbol's value and
	// that the seed documents take for st_size. It was seen to be 0 for
	// constants, textures and section symbols, and for a shared variable the
	// st_value of its input symbol, which there is an alignment.
	Slot uint32
}

// Outcome is a place after a relocation.
type Outcome struct {
	Bytes []byte // the place patched; a copy, as long as the place was

	// Implicit is the addend a REL record had in its place, which is what
	// --preserve-relocs writes down: the old content of the field that
	// carries the value, not that of a bank field. 0 for RELA, and where the
	// recipe reads nothing. At most 64 bits are kept.
	Implicit uint64

	recipe *Recipe
}

// Written returns the fields that were written, in order.
func (o Outcome) Written() []Field {
	if o.recipe == nil {
		return nil
	}
	fields := make([]Field, len(o.recipe.steps))
	for i, s := range o.recipe.steps {
		fields[i] = s.Field
	}
	return fields
}

// machine holds the numbers of one evaluation. Its big numbers keep their
// storage from one evaluation to the next.
type machine struct {
	in    Inputs
	old   big.Int // content of the field at hand
	spare big.Int
	value big.Int // result reduced to the width of the field
	stack [maxStack]big.Int
}

var machines = sync.Pool{New: func() any { return new(machine) }}

// Apply applies the recipe of a relocation number on a copy of place,
// which begins at r_offset. The error is a *[Refusal].
//
// Apply does not ask whether the device linker would carry the recipe out;
// [DispositionOf] does.
func Apply(number uint32, place []byte, in Inputs) (Outcome, error) {
	m := machines.Get().(*machine)
	defer machines.Put(m)
	return m.apply(number, place, in, nil)
}

// apply calls note, where there is one, after each step.
func (m *machine) apply(number uint32, place []byte, in Inputs, note func(*Step, *big.Int)) (Outcome, error) {
	recipe, err := RecipeOf(number)
	if err != nil {
		return Outcome{}, err
	}
	if recipe.Sentinel {
		return Outcome{}, &Refusal{Kind: SentinelType, Number: number, Value: uint64(number)}
	}
	if len(place) < recipe.Bytes() {
		return Outcome{}, &Refusal{Kind: PlaceTooShort, Number: number, Offset: uint64(len(place)), Value: uint64(len(place))}
	}
	m.in = in
	out := Outcome{Bytes: append([]byte(nil), place...), recipe: recipe}
	for i := range recipe.steps {
		step := &recipe.steps[i]
		if !in.Rela && step.readsOld || note != nil {
			readField(&m.old, out.Bytes, step.Field)
		}
		if !in.Rela && step.implicit {
			low(&m.value, &m.old, 64)
			out.Implicit = m.value.Uint64()
		}
		value := m.evaluate(step.code)
		low(&m.value, value, step.Field.Width)
		writeField(out.Bytes, step.Field, &m.value)
		if note != nil {
			note(step, value)
		}
	}
	return out, nil
}
