package fuzz

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/internal/documents"
)

// Descriptors that no table has: the dispatcher's every arm at every position,
// in orders that real types don't use, and slots that are outside the place.

// Program is any descriptor with a record to run it on.
type Program struct {
	Slots  [descriptor.Slots]descriptor.Slot
	Record Relocation
}

// ReadProgram generates a case. Most slots get a field inside the place and an
// action that is known, since those are where the two can disagree.
func ReadProgram(r *Reader) Program {
	var p Program
	for i := range p.Slots {
		s := &p.Slots[i]
		if r.Byte() < 8 {
			*s = descriptor.Slot{First: r.Uint32(), Width: r.Uint32(), Action: descriptor.Action(r.Uint32()), Source: r.Uint32()}
			continue
		}
		s.First = uint32(r.Byte()) % (8 * placeSize)
		s.Width = uint32(r.Byte()) % 65
		s.Action = descriptor.Action(r.Byte()) % 64
		s.Source = uint32(r.Byte())
	}
	p.Record = ReadRelocation(r)
	return p
}

// Write is ReadProgram's counterpart.
func (p *Program) Write(w *Writer) {
	for _, s := range p.Slots {
		w.Byte(0)
		w.Uint32(s.First)
		w.Uint32(s.Width)
		w.Uint32(uint32(s.Action))
		w.Uint32(s.Source)
	}
	p.Record.Write(w)
}

// Judge runs the descriptor in both, as REL and as RELA.
func (p *Program) Judge() *Divergence {
	packed := descriptor.Pack(p.Slots[:]...)
	theirs, err := documents.ParseDescriptor(packed[:])
	if err != nil {
		return &Divergence{Key: "parse", What: err.Error()}
	}
	for _, rela := range [...]bool{false, true} {
		if d := p.judge(&packed, theirs, rela); d != nil {
			return d
		}
	}
	return nil
}

func (p *Program) judge(packed *descriptor.Descriptor, theirs documents.Descriptor, rela bool) *Divergence {
	in := p.Record.Inputs
	in.Rela = rela
	numbers := documents.FromRecord(in)
	before := p.Record.Place[:placeSize-int(p.Record.Short)]
	place := bytes.Clone(before)
	old, engineErr := packed.Apply(place, &descriptor.Values{
		Rela: rela, Symbol: in.S, Addend: in.A, Size: uint64(in.Slot), Place: in.P, Bank: numbers.SectionTypeDelta,
	})
	run, seedErr := documents.Run(theirs, before, numbers)

	var fault *descriptor.Error
	noArm := errors.As(engineErr, &fault) && fault.Action != descriptor.End
	outside := engineErr != nil && !noArm
	what := ""
	switch {
	case run.Open:
		return nil // a shift that C leaves open had a part in it: no reading is right
	case outside || seedErr != nil:
		// Which comes first, the field outside or the missing arm, is nobody's
		// fact: real descriptors have neither.
		if engineErr != nil && (seedErr != nil || run.Return == 0) {
			return nil
		}
		var none *documents.Error
		if errors.As(seedErr, &none) && none.Width == 0 {
			return nil // a field without bits at the end of a place lies as much in it as outside
		}
		what = fmt.Sprintf("one of them finds a field outside the place: engine %v, documents %v", engineErr, seedErr)
	case noArm != (run.Return == 0):
		what = fmt.Sprintf("one of them has no arm: engine %v, documents return %d", engineErr, run.Return)
	case !bytes.Equal(place, run.Bytes):
		what = fmt.Sprintf("bytes differ: engine %x, documents %x", place, run.Bytes)
	case !noArm && old != uint64(run.Output):
		what = fmt.Sprintf("the addend read from the place differs: engine %#x, documents %#x", old, uint64(run.Output))
	default:
		return nil
	}
	kind := "rel"
	if rela {
		kind = "rela"
	}
	return &Divergence{Key: fmt.Sprintf("actions_%d_%d_%d-%s", p.Slots[0].Action, p.Slots[1].Action, p.Slots[2].Action, kind), What: what, Traces: []Trace{
		{"engine", engineTrace(packed, before, place, old, engineErr)},
		{"internal/documents", run.String()},
	}}
}
