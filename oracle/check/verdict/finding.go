package verdict

import (
	"fmt"
	"strings"
)

// Kind says what is wrong with an output. String gives a dotted key, whose
// first word is the thing and whose second is what about it.
type Kind uint8

const (
	Unreadable        Kind = iota + 1 // the output is no device ELF file, or its tables don't hold
	OtherProgram                      // the output shares no function and no object with the inputs
	InputConflict                     // the inputs have no correct link: two strong definitions, a reference to nothing
	HeaderField                       // a field of the ELF header
	SegmentCover                      // program headers that don't cover the sections
	SectionMissing                    // a section that must be there
	SectionStray                      // a section that no input explains
	SectionHeader                     // type, flags, alignment, link, info or entry size of a section
	SectionSize                       // a section is longer or shorter than what it holds
	SectionBytes                      // bytes that are neither an input's nor a relocated field
	SectionOverlap                    // two sections share bytes of the file
	FunctionMissing                   // code that is reached or kept and isn't there
	FunctionStray                     // code that no input defines or that lost to another definition
	CodeBytes                         // instruction bytes that are neither an input's nor a relocated field
	SymbolMissing                     // a symbol that must be there
	SymbolStray                       // a symbol that no input explains
	SymbolSection                     // a symbol in another section than its definition's
	SymbolValue                       // a symbol at another place than its definition's
	SymbolOutside                     // a symbol that reaches after its section
	SymbolAlignment                   // an object off its alignment
	SymbolOverlap                     // two objects that share bytes and aren't one
	SymbolSize                        // st_size
	SymbolType                        // type in st_info
	SymbolBinding                     // binding in st_info
	SymbolOther                       // st_other: visibility, entry, memory space
	SymbolOrder                       // a global symbol among the locals or vice versa
	RelocationField                   // a field that doesn't hold what the recipe writes
	RelocationMissing                 // a record that must be kept
	RelocationStray                   // a record that must not be there
	RelocationType                    // a kept record with another type
	RelocationSymbol                  // a kept record that names another symbol
	RelocationAddend                  // a kept record with another addend
	ResolvedMissing                   // .nv.resolvedrela lacks an applied record
	ResolvedStray                     // .nv.resolvedrela has a record that wasn't applied
	FactMissing                       // an attribute of .nv.info that must be there
	FactStray                         // an attribute that no input explains
	FactValue                         // an attribute with another value
	CallMissing                       // an edge of the call graph or a prototype that must be there
	CallStray                         // an edge or a prototype that no input explains
	NoteValue                         // a note that isn't the inputs' or the linker's
	CompatValue                       // .nv.compat isn't the inputs' combined
	SharedOverlap                     // two shared variables live at the same time at the same place
	SharedPlace                       // a shared variable at another place than the layout gives it
	SharedSize                        // shared memory too small for what a kernel uses
	CodeSchedule                      // a result is used before it is there
	PointerMissing                    // data whose pointer is omitted, as the input's own definition of what it points to lost
)

var kindNames = [...]string{"?", "output.unreadable", "output.other-program", "inputs.conflict", "header.field", "segment.cover",
	"section.missing", "section.stray", "section.header", "section.size", "section.bytes", "section.overlap",
	"function.missing", "function.stray", "code.bytes",
	"symbol.missing", "symbol.stray", "symbol.section", "symbol.value", "symbol.outside", "symbol.alignment", "symbol.overlap",
	"symbol.size", "symbol.type", "symbol.binding", "symbol.other", "symbol.order",
	"relocation.field", "relocation.missing", "relocation.stray", "relocation.type", "relocation.symbol", "relocation.addend",
	"resolved.missing", "resolved.stray", "fact.missing", "fact.stray", "fact.value", "call.missing", "call.stray",
	"note.value", "compat.value", "shared.overlap", "shared.place", "shared.size", "code.schedule", "pointer.missing"}

// String returns the kind's key.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "?"
}

// Finding is one thing that a correct link would not have.
type Finding struct {
	Kind       Kind
	File       string // input that says what is right, or the output
	Section    string // section of the output
	Symbol     string // symbol the finding is about
	Offset     uint64 // in the section, bytes
	Relocation string // name of the relocation type, where one is concerned
	Want, Got  string
	Detail     string

	Number   uint32 // of the relocation type
	Unneeded bool   // nothing depends on it
}

// String prints the finding on one line.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Kind.String())
	if f.File != "" {
		fmt.Fprintf(&b, " %s:", f.File)
	}
	if f.Section != "" {
		fmt.Fprintf(&b, " %s+0x%x", f.Section, f.Offset)
	}
	for _, part := range [...]struct{ label, text string }{
		{"symbol", f.Symbol}, {"relocation", f.Relocation}, {"want", f.Want}, {"got", f.Got},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, " %s %s", part.label, part.text)
		}
	}
	if f.Detail != "" {
		fmt.Fprintf(&b, " (%s)", f.Detail)
	}
	return b.String()
}
