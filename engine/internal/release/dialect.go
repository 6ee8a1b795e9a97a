package release

import (
	"github.com/twinlink/twinlink/cuda"
)

// Dialect is what links of one kind of code do their own way: data and named
// decisions, as a profile has them for a release.
type Dialect struct {
	FileKind  uint32 // the kind of file in e_flags
	Bank2     string // name of a bank of compiler constants, without its function
	NewestISA uint16 // the newest Mercury ISA that 13.0 reads, major and minor; 0 for any
	OldestISA uint16 // the one of inputs that don't say, which 12.8 and 12.9 made; 0 if none is put in

	// NumbersConstants: compiler constants lose their names and get numbers.
	NumbersConstants bool
	// PlacesReserved: the variables in the driver's shared memory lie one after the
	// other.
	PlacesReserved bool
	// FirstAsksRel: also a section's first record, if its addend is 0, leaves
	// the name of a REL section.
	FirstAsksRel bool
	// MovesTargets: addresses of jump targets move with compiler constants.
	MovesTargets bool
	// HeaderSections: image header indices are in a section of their own.
	HeaderSections bool
	// SharedReserve: section sizes count what the driver keeps of shared memory.
	SharedReserve bool
	// RelAction: the output has .nv.rel.action.
	RelAction bool
	// UndefinedToo: undefined references are reported also where the link
	// breaks off.
	UndefinedToo bool
	// FilterFindsLost: under a filter the records of a replaced definition are
	// found, and refused.
	FilterFindsLost bool
	// RefusesNested: what becomes of a kernel with functions inside its code isn't known with -g, -r and
	// where it is hidden.
	RefusesNested bool
	// OutputOfFailed: a link with errors ends with what it made even where
	// writing that fails.
	OutputOfFailed bool
	// ResolvedShared: of resolved records only those to shared memory are listed.
	ResolvedShared bool
	// SlotsOfAnyType: what names an image gets its slot, whatever the type.
	SlotsOfAnyType bool
}

var SASS = Dialect{
	FileKind:      cuda.EFKindSASS,
	Bank2:         ".nv.constant2",
	SharedReserve: true,
	RelAction:     true,
}

var Mercury = Dialect{
	FileKind:         cuda.EFKindCapmerc,
	Bank2:            ".nv.constant.optimizer",
	NewestISA:        0x0101,
	OldestISA:        0x0100,
	NumbersConstants: true,
	PlacesReserved:   true,
	FirstAsksRel:     true,
	MovesTargets:     true,
	HeaderSections:   true,
	UndefinedToo:     true,
	FilterFindsLost:  true,
	RefusesNested:    true,
	OutputOfFailed:   true,
	ResolvedShared:   true,
	SlotsOfAnyType:   true,
}
