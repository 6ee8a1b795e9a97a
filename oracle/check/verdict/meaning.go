package verdict

// Gravity is how much a finding matters to who runs the program.
type Gravity uint8

const (
	WrongProgram Gravity = iota + 1 // the program that runs is another one, or may not run
	Misleading                      // a debugger or another tool may be misled
	Habit                           // not as nvlink does it, and correct
)

// Gravity says how much the finding matters.
func (f Finding) Gravity() Gravity {
	switch {
	case f.Kind == NoteValue, f.Kind == SymbolOrder, IsDebug(trimRel(f.Section)):
		return Misleading
	case f.Kind == ResolvedMissing, f.Kind == ResolvedStray, f.Unneeded:
		return Misleading
	}
	return WrongProgram
}

// meanings say what a finding of each kind means, for a reader who doesn't know
// the format.
var meanings = map[Kind]string{
	Unreadable:        "The file can't be read as a linked device program.",
	OtherProgram:      "The file is a link of other inputs.",
	InputConflict:     "The inputs conflict, so no output can be correct: one of them is dropped silently.",
	HeaderField:       "The driver may refuse the file, or take it for another kind of file.",
	SegmentCover:      "The driver may load too little, or with the wrong permissions.",
	SectionMissing:    "Data that the program uses is not in the file.",
	SectionStray:      "The file has data that comes from none of the inputs.",
	SectionHeader:     "A section is described wrongly, so the driver or a tool may misinterpret it.",
	SectionSize:       "A section is too small for its contents.",
	SectionBytes:      "The program's data differs from the inputs'.",
	SectionOverlap:    "Two parts of the file share bytes, so one of them is wrong.",
	FunctionMissing:   "A kernel or function that the program needs is not in the file.",
	FunctionStray:     "The file has code that comes from none of the inputs.",
	CodeBytes:         "An instruction is not the input's: another program runs.",
	PointerMissing:    "A pointer stays zero, because its object's own definition of the target was replaced by another one.",
	CodeSchedule:      "An instruction uses a value before it is available: the program sometimes computes a wrong result.",
	SymbolMissing:     "A symbol that the driver or another record needs is missing.",
	SymbolStray:       "The file has a symbol that comes from none of the inputs.",
	SymbolSection:     "A symbol refers to another section: the wrong memory is used.",
	SymbolValue:       "A symbol has a wrong value: the wrong memory is used.",
	SymbolOutside:     "A symbol refers to memory outside its section.",
	SymbolAlignment:   "An object is not aligned as its type needs: access to it may fault.",
	SymbolOverlap:     "Two objects share memory: writing one changes the other.",
	SymbolSize:        "An object or function has another size than its definition.",
	SymbolType:        "A symbol has the wrong type.",
	SymbolBinding:     "A symbol has the wrong binding: it is visible where it should not be, or vice versa.",
	SymbolOther:       "A symbol has wrong flags: a kernel may not be found, or memory may be taken for another address space.",
	SymbolOrder:       "A tool that trusts the order of the symbols may miss some.",
	RelocationField:   "An address in code or data is wrong: another variable, function or constant is used.",
	RelocationMissing: "An address that the driver has to fill in stays unfilled.",
	RelocationStray:   "The driver will write an address where none belongs.",
	RelocationType:    "The driver will write an address in another form than the instruction needs.",
	RelocationSymbol:  "The driver will write the address of something else.",
	RelocationAddend:  "The driver will write an address that is off by some bytes.",
	ResolvedMissing:   "A tool that reads the preserved relocations misses one.",
	ResolvedStray:     "A tool that reads the preserved relocations finds one that was not applied.",
	FactMissing:       "An attribute is missing that tells the driver what the kernel needs: registers, stack, barriers or parameters.",
	FactStray:         "A function has an attribute that comes from none of the inputs.",
	FactValue:         "An attribute gives the driver a wrong number of registers, stack bytes, barriers or parameters.",
	CallMissing:       "The call graph lacks an edge, so a later link or the driver may compute too small a stack.",
	CallStray:         "The call graph has an edge that no input has.",
	NoteValue:         "A note states the wrong tool, release or inputs.",
	CompatValue:       "The driver may assume that the file needs other features than it does.",
	SharedOverlap:     "Two shared variables that one kernel uses overlap: writing one changes the other.",
	SharedPlace:       "A shared variable is used at a wrong offset.",
	SharedSize:        "The kernel reserves less shared memory than it uses.",
}

// Meaning is one sentence on what the finding means.
func (f Finding) Meaning() string { return meanings[f.Kind] }
