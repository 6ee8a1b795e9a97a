package model

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Reloc is a relocation of the image in the making.
type Reloc struct {
	Off     uint64 // in the target section
	Addend  int64
	Base    uint64 // SECTION symbols: where the module's part of that section begins
	Type    uint32
	Sym     SymID
	File    int32
	NewType uint32 // type to write if kept
	More    int32  // what else is known of it, by number; 0 for nothing

	Disposition Disposition
	Rel         bool // read from a REL section
	Fits        bool // no check refuses it; where false, one may
}

// RelocMore is what links that keep resolved records, and those of Mercury, know of a
// relocation besides.
type RelocMore struct {
	Seq  int32  // place among all records in reading order
	From uint32 // Mercury: symbol's index in the input
	// Mercury, a record of code: its place on the SASS side and its type there
	// (0: the SASS side has none), its place in the capsule (0: not stored).
	SASSOff, SASSType, CapOff uint32
	AtField                   bool // at the last word of an instruction
}

// MoreOf returns what else is known of a relocation.
func (l *Program) MoreOf(r *Reloc) *RelocMore { return &l.More[r.More] }

// RelocSize is the size of a record in a section of a type.
func RelocSize(t cuda.SectionType) uint64 {
	if t == cuda.SHTRel {
		return cubin.RelSize
	}
	return cubin.RelaSize
}

// Disposition is what happens to a relocation.
type Disposition uint8

const (
	Undecided Disposition = iota
	Dropped
	Cleared // its place is zeroed, the record is removed
	Applied
	Kept
)
