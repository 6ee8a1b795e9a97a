package objects

import "fmt"

// Feature switches something on that most links do without.
type Feature uint16

// The features.
const (
	Clash       Feature = 1 << iota // two strong definitions of a name are kept
	Undefined                       // a name that is used need not be defined
	Mismatch                        // a module may have its own idea of a variable's size
	AnyType                         // records of any type, not of those that ptxas writes alone
	Cycles                          // calls may lead back
	Indirect                        // calls through pointers, with prototypes
	OlderTarget                     // modules compiled for an older virtual architecture
	Textures                        // textures, samplers and surfaces
	Barriers                        // named barriers
	Outside                         // records past the end of a section
	numFeatures = iota
)

// Target is a release and an architecture.
type Target struct {
	Release string // of ptxas and nvlink
	SM      int
}

// Targets are those that objects are made for.
var Targets = [...]Target{
	{"11.8", 52}, {"11.8", 75}, {"11.8", 80}, {"12.4", 52}, {"12.4", 75}, {"12.4", 80}, {"12.4", 90}, {"13.0", 75}, {"13.0", 80}, {"13.0", 90},
}

// Options are nvlink's options of which a link gets one, or none.
var Options = [...][]string{nil, nil, nil, {"-r"}, {"-g"}, {"--preserve-relocs"}, {"--force-rela"}, {"-kernels-used=k1"}, {"-variables-used=v1"},
	{"--reserve-null-pointer"}, {"-r", "-g"}}

// Link is a link of modules.
type Link struct {
	Target    uint8 // of Targets
	Option    uint8 // of Options
	Features  Feature
	Functions []FunctionName
	Variables []VariableName
	Modules   []Module
}

// FunctionName is what all modules know of a function.
type FunctionName struct {
	Kernel    bool
	Prototype uint8
}

// VariableName is what all modules know of a variable.
type VariableName struct {
	Space   Space
	Size    uint8 // in units of four bytes, from one on
	Align   uint8 // power of two, 2 to 6
	Managed bool
}

// Space is where a variable lies.
type Space uint8

// The spaces. A variable of Textures' kinds has no size.
const (
	Global Space = iota // zeros
	Initialized
	Constant
	Shared
	DynamicShared
	Texture
	Sampler
	Surface
	numSpaces
)

// Role is what a module does with a name.
type Role uint8

// The roles. A name that a module uses and has no part for is undefined in it.
const (
	Strong Role = iota
	Weak
	Local  // a name of the module's own
	Common // variables without a value alone
	numRoles
)

// Module is one object.
type Module struct {
	Older     uint8 // steps below the link's architecture
	Functions []Function
	Variables []Variable
}

// Function is a definition.
type Function struct {
	Name      uint8 // of Link.Functions
	Role      Role  // a kernel is Strong
	Registers uint8
	Barriers  uint8
	Frame     uint8 // in units of 8 bytes
	Length    uint8 // in units of 128 bytes, from one on
	Params    uint8 // in words, of a kernel
	MaxReg    uint8
	Marks     uint8 // attributes without a value, see marks
	Bank2     uint8 // words of .nv.constant2
	Calls     []Call
	Records   []Record
}

// Call is one call of a function.
type Call struct {
	Function uint8 // called, or of which the address is taken
	Pointer  bool  // through a pointer, by the prototype of Function
}

// Variable is a definition.
type Variable struct {
	Name    uint8
	Role    Role
	More    uint8    // added to the size, under Mismatch
	Records []Record // of initialized variables
}

// Record is a relocation record.
type Record struct {
	At       uint16 // modulo the section
	Type     uint8  // of common types, or under AnyType of all
	Function bool   // what it names: a function, or a variable
	Name     uint8
	Addend   int16
	Rel      bool // below release 13.0
}

// limits of what is read.
const (
	maxNames   = 8
	maxModules = 6
	maxDefs    = 6
	maxCalls   = 4
	maxRecords = 5
)

func (l *Link) has(f Feature) bool { return l.Features&f != 0 }

// Arch is the link's architecture, "sm_80".
func (l *Link) Arch() string { return fmt.Sprintf("sm_%d", l.target().SM) }

// Release is nvlink's, "12.4".
func (l *Link) Release() string { return l.target().Release }

func (l *Link) target() Target { return Targets[int(l.Target)%len(Targets)] }

// Args are the link's options but for -arch, inputs and output.
func (l *Link) Args() []string { return Options[int(l.Option)%len(Options)] }
