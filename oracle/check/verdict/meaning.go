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
	InputConflict:     "The inputs contradict each other, so no output can be right: one of them is dropped without a word.",
	HeaderField:       "The driver may refuse the file, or take it for another kind of file.",
	SegmentCover:      "The driver may load too little, or with the wrong permissions.",
	SectionMissing:    "Data that the program uses is not in the file.",
	SectionStray:      "The file holds data that comes from none of the inputs.",
	SectionHeader:     "A section is described wrongly, so the driver or a tool may take it for something else.",
	SectionSize:       "A section is not as long as what lies in it.",
	SectionBytes:      "Data of the program is not what the inputs say.",
	SectionOverlap:    "Two parts of the file share bytes, so one of them is wrong.",
	FunctionMissing:   "A kernel or function that the program needs is not in the file.",
	FunctionStray:     "The file holds code that comes from none of the inputs.",
	CodeBytes:         "An instruction is not the input's: another program runs.",
	PointerMissing:    "A pointer of the program stays zero, since the object that holds it has a definition of its own that another took the place of.",
	CodeSchedule:      "An instruction uses a value before it is there: the program computes something else now and then.",
	SymbolMissing:     "A name that the driver or another record asks for is not there.",
	SymbolStray:       "The file has a name that comes from none of the inputs.",
	SymbolSection:     "A name stands for something in another section: the wrong memory is used.",
	SymbolValue:       "A name stands for another place: the wrong memory is used.",
	SymbolOutside:     "A name stands for memory outside of its section.",
	SymbolAlignment:   "An object is not aligned as its type needs: access to it may fault.",
	SymbolOverlap:     "Two objects share memory: writing one changes the other.",
	SymbolSize:        "An object or function has another size than it was defined with.",
	SymbolType:        "A name stands for another sort of thing.",
	SymbolBinding:     "A name is visible to others where it should not be, or the other way round.",
	SymbolOther:       "A name is marked otherwise: a kernel may not be found, or memory be taken for another space.",
	SymbolOrder:       "A tool that trusts the order of the symbols may miss some.",
	RelocationField:   "An address in code or data is wrong: another variable, function or constant is used.",
	RelocationMissing: "An address that the driver has to fill in stays unfilled.",
	RelocationStray:   "The driver will write an address where none belongs.",
	RelocationType:    "The driver will write an address in another form than the instruction needs.",
	RelocationSymbol:  "The driver will write the address of something else.",
	RelocationAddend:  "The driver will write an address that is off by some bytes.",
	ResolvedMissing:   "A tool that reads the preserved relocations misses one.",
	ResolvedStray:     "A tool that reads the preserved relocations finds one that was not carried out.",
	FactMissing:       "The driver is not told something that the kernel needs: registers, stack, barriers, parameters.",
	FactStray:         "The driver is told something about a function that no input says.",
	FactValue:         "The driver is told a wrong number: of registers, stack bytes, barriers or parameters.",
	CallMissing:       "The call graph lacks an edge, so a later link or the driver may compute too small a stack.",
	CallStray:         "The call graph has an edge that no input has.",
	NoteValue:         "A note tells the wrong tool, release or inputs.",
	CompatValue:       "The driver may take the file to need other features than it does.",
	SharedOverlap:     "Two shared variables that one kernel uses lie on each other: writing one changes the other.",
	SharedPlace:       "A shared variable is used at a place that nobody gave it.",
	SharedSize:        "The kernel asks for less shared memory than it uses.",
}

// Meaning is one sentence on what the finding means.
func (f Finding) Meaning() string { return meanings[f.Kind] }
