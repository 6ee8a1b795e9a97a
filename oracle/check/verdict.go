package check

import "github.com/twinlink/twinlink/oracle/check/verdict"

// What is asked and what is answered, see package verdict.
type (
	Input           = verdict.Input
	Options         = verdict.Options
	HostUse         = verdict.HostUse
	Verdict         = verdict.Verdict
	FunctionVerdict = verdict.FunctionVerdict
	Finding         = verdict.Finding
	Kind            = verdict.Kind
	Outcome         = verdict.Outcome
	Gravity         = verdict.Gravity
	Refusal         = verdict.Refusal
	RefusalKind     = verdict.RefusalKind
)

// MaxFindings bounds [Verdict.Findings].
const MaxFindings = verdict.MaxFindings

// Outcomes.
const (
	Accepted  = verdict.Accepted  // everything that was looked for holds
	Rejected  = verdict.Rejected  // something is wrong
	NotJudged = verdict.NotJudged // nothing is wrong, but something could not be judged
	Refused   = verdict.Refused   // of a link: no answer could be given
)

// How grave a finding is.
const (
	WrongProgram = verdict.WrongProgram // the program that runs is another one, or may not run
	Misleading   = verdict.Misleading   // a debugger or another tool may be misled
	Habit        = verdict.Habit        // not as nvlink does it, and correct
)

// What findings are about.
const (
	Unreadable        = verdict.Unreadable        // the output is no device ELF file, or its tables don't hold
	OtherProgram      = verdict.OtherProgram      // the output shares no function and no object with the inputs
	InputConflict     = verdict.InputConflict     // the inputs have no correct link: two strong definitions, a reference to nothing
	HeaderField       = verdict.HeaderField       // a field of the ELF header
	SegmentCover      = verdict.SegmentCover      // program headers that don't cover the sections
	SectionMissing    = verdict.SectionMissing    // a section that must be there
	SectionStray      = verdict.SectionStray      // a section that no input explains
	SectionHeader     = verdict.SectionHeader     // type, flags, alignment, link, info or entry size of a section
	SectionSize       = verdict.SectionSize       // a section is longer or shorter than what it holds
	SectionBytes      = verdict.SectionBytes      // bytes that are neither an input's nor a relocated field
	SectionOverlap    = verdict.SectionOverlap    // two sections share bytes of the file
	FunctionMissing   = verdict.FunctionMissing   // code that is reached or kept and isn't there
	FunctionStray     = verdict.FunctionStray     // code that no input defines or that lost to another definition
	CodeBytes         = verdict.CodeBytes         // instruction bytes that are neither an input's nor a relocated field
	SymbolMissing     = verdict.SymbolMissing     // a symbol that must be there
	SymbolStray       = verdict.SymbolStray       // a symbol that no input explains
	SymbolSection     = verdict.SymbolSection     // a symbol in another section than its definition's
	SymbolValue       = verdict.SymbolValue       // a symbol at another place than its definition's
	SymbolOutside     = verdict.SymbolOutside     // a symbol that reaches after its section
	SymbolAlignment   = verdict.SymbolAlignment   // an object off its alignment
	SymbolOverlap     = verdict.SymbolOverlap     // two objects that share bytes and aren't one
	SymbolSize        = verdict.SymbolSize        // st_size
	SymbolType        = verdict.SymbolType        // type in st_info
	SymbolBinding     = verdict.SymbolBinding     // binding in st_info
	SymbolOther       = verdict.SymbolOther       // st_other: visibility, entry, memory space
	SymbolOrder       = verdict.SymbolOrder       // a global symbol among the locals or vice versa
	RelocationField   = verdict.RelocationField   // a field that doesn't hold what the recipe writes
	RelocationMissing = verdict.RelocationMissing // a record that must be kept
	RelocationStray   = verdict.RelocationStray   // a record that must not be there
	RelocationType    = verdict.RelocationType    // a kept record with another type
	RelocationSymbol  = verdict.RelocationSymbol  // a kept record that names another symbol
	RelocationAddend  = verdict.RelocationAddend  // a kept record with another addend
	ResolvedMissing   = verdict.ResolvedMissing   // .nv.resolvedrela lacks an applied record
	ResolvedStray     = verdict.ResolvedStray     // .nv.resolvedrela has a record that wasn't applied
	FactMissing       = verdict.FactMissing       // an attribute of .nv.info that must be there
	FactStray         = verdict.FactStray         // an attribute that no input explains
	FactValue         = verdict.FactValue         // an attribute with another value
	CallMissing       = verdict.CallMissing       // an edge of the call graph or a prototype that must be there
	CallStray         = verdict.CallStray         // an edge or a prototype that no input explains
	NoteValue         = verdict.NoteValue         // a note that isn't the inputs' or the linker's
	CompatValue       = verdict.CompatValue       // .nv.compat isn't the inputs' combined
	SharedOverlap     = verdict.SharedOverlap     // two shared variables live at the same time at the same place
	SharedPlace       = verdict.SharedPlace       // a shared variable at another place than the layout gives it
	SharedSize        = verdict.SharedSize        // shared memory too small for what a kernel uses
	CodeSchedule      = verdict.CodeSchedule      // a result is used before it is there
	PointerMissing    = verdict.PointerMissing    // data whose pointer is omitted, as the input's own definition of what it points to lost
)

// Why nothing can be said.
const (
	NotELF     = verdict.NotELF     // no ELF magic, or shorter than an ELF header
	WrongClass = verdict.WrongClass // not 64-bit little-endian
	NotDevice  = verdict.NotDevice  // e_machine is not EM_CUDA
	BadTable   = verdict.BadTable   // section or program header table outside the file
	BadSection = verdict.BadSection // a section's bytes are outside the file
	BadSymbols = verdict.BadSymbols // symbol table, name or section index out of range
	BadRecords = verdict.BadRecords // relocations, attributes, call graph or notes that don't parse
	BadOptions = verdict.BadOptions // options that contradict each other or the inputs
	TooMuch    = verdict.TooMuch    // the work would pass the budget
)
