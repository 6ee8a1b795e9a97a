// Package model holds what a link is made of: sections, symbols, functions,
// attributes and relocations, in tables that refer to each other by index.
package model

import (
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// Program is the merged inputs.
type Program struct {
	*input.Set

	Names *names.Table
	Secs  []Section
	Parts []Parts // by section
	Syms  []Symbol
	Funs  []Function
	More  []RelocMore // of relocations; the first is that of those without
	SecOf []SecID     // by name: unowned section + 1
	SymOf []SymID     // by name: symbol that is not LOCAL, or else the first that is, + 1
	clock int32       // moments so far

	Unpatched error // of the first function that is no tools' patch where all have to be

	Besides int // how many sections have a name beside them
	Spare   int // sections that nvlink makes and doesn't use: only their number tells of them, under -v

	ModuleAttributes []Attribute     // .nv.info in reading order
	Protos           []names.ID      // prototype strings by first use
	Commons          []SymID         // tentative definitions by first appearance
	Nameless         []FunID         // functions a nameless one was made right before
	LostDebug        map[SymID]int32 // by function: the last input whose debug relocations to it went with a definition that was replaced
	TellsSparse      bool            // some function of the inputs has a SPARSE_MMA_MASK
	Compat           Compat
	UnifiedEntries   map[SecID][]UnifiedEntry

	// Sections with a role.
	Shstrtab, Strtab, Symtab, Shndx, Info, Tkinfo, Cuinfo, Compatsec SecID
	Callgraph, Protosec, Relaction                                   SecID

	// String tables of releases that fill them as names come.
	Str, Shstr *names.Strtab

	unified      map[names.ID]bool // see IsUnified
	nullPointers []nullPointer     // in the order of the inputs
	infoLists    Arena[AttributeLists]
	symLists     [][]SymID // by ListID - 1

	oneKernel uint8 // 1 no, 2 yes: the host refers to one kernel; 0 not looked at
}
