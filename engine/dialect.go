package engine

import "github.com/twinlink/twinlink/cuda"

// dialect is what links of one kind of code do their own way: data and named
// decisions, as a profile has them for a release.
type dialect struct {
	fileKind  uint32 // the kind of file in e_flags
	bank2     string // name of a bank of compiler constants, without its function
	newestISA uint16 // the newest Mercury ISA that 13.0 reads, major and minor; 0 for any

	// numbersConstants: compiler constants lose their names and get numbers.
	numbersConstants bool
	// placesReserved: a variable in the driver's shared memory lies where its
	// section begins.
	placesReserved bool
	// firstAsksRel: also a section's first record, if its addend is 0, leaves
	// the name of a REL section.
	firstAsksRel bool
	// movesTargets: addresses of jump targets move with compiler constants.
	movesTargets bool
	// headerSections: image header indices stand in a section of their own.
	headerSections bool
	// sharedReserve: section sizes count what the driver keeps of shared memory.
	sharedReserve bool
	// relAction: the output has .nv.rel.action.
	relAction bool
	// undefinedToo: undefined references are reported also where the link
	// breaks off.
	undefinedToo bool
	// filterFindsLost: under a filter the records of a replaced definition are
	// found, and refused.
	filterFindsLost bool
	// outputOfFailed: a link with errors ends with what it made even where
	// writing that fails.
	outputOfFailed bool
	// resolvedShared: of resolved records only those to shared memory are told.
	resolvedShared bool
	// slotsOfAnyType: what names an image gets its slot, whatever the type.
	slotsOfAnyType bool
}

var sassDialect = dialect{
	fileKind:      cuda.EFKindSASS,
	bank2:         ".nv.constant2",
	sharedReserve: true,
	relAction:     true,
}

var mercuryDialect = dialect{
	fileKind:         cuda.EFKindCapmerc,
	bank2:            ".nv.constant.optimizer",
	newestISA:        0x0101,
	numbersConstants: true,
	placesReserved:   true,
	firstAsksRel:     true,
	movesTargets:     true,
	headerSections:   true,
	undefinedToo:     true,
	filterFindsLost:  true,
	outputOfFailed:   true,
	resolvedShared:   true,
	slotsOfAnyType:   true,
}
