package engine

import (
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// Input is one object: its Name as the user gave it, and its bytes in Data, which the
// link borrows.
type Input = input.Input

// Options say what to link for and how. The zero value but for Arch is a
// plain final link. Fields, with nvlink's option where there is one:
//
//	Arch                  string     the target: "sm_90", "sm_90a"
//	Toolkit               string     the release to behave as: "11.8", "12.4", "13.0" to "13.5"; "" by the inputs
//	Output                string     the image's name in messages
//	Debug                 bool       -g
//	Relocatable           bool       -r
//	PreserveRelocs        bool       --preserve-relocs
//	ForceRela             bool       --force-rela
//	KernelsUsed           []string   -kernels-used: parts of names; nil is no filter
//	VariablesUsed         []string   -variables-used
//	HostUse               *HostUse   what host code refers to; nil: not known
//	Empty                 bool       a link without inputs is allowed
//	APIVersion            uint32     --cuda-api-version: 120 for 12.0; 0 is any
//	ToolsPatch            bool       -astoolspatch
//	AllowUndefined        bool       --allow-undefined-globals
//	ReserveNull           bool       --reserve-null-pointer
//	SuppressDebug         bool       --suppress-debug-info
//	NoReserved            bool       --disable-smem-reservation=true
//	DumpCallgraph         bool       --dump-callgraph: among the messages
//	Demangle              func(string) string           names in it; nil leaves them
//	Calls                 func(caller, callee string)   called for each call; nil is not
//	Scratch               []byte     zeros for tables, for a large link as much as its inputs; nil: the heap
//	OnPhase               func(name string)             called as each phase begins; nil is not
//	ExtraWarnings         bool       -extrawarn
//	SuppressStackWarning  bool       --suppress-stack-size-warning
//	WarningsAsErrors      bool       -Werror
//	Host                  []byte     --nv-host: the content of .nv.host
//	Record                CommandLine
type Options = input.Options

// CommandLine is the part of nvlink's command line that .note.nv.tkinfo
// records from 13.0 on: Tool, "" for nvlink unless Named; Object, the output's base name, with -g;
// and Text, "-arch sm_90 ".
type CommandLine = input.CommandLine

// HostUse lists what host code refers to, by name or by a pattern in which * stands for any
// characters: Kernels, and InternalKernels with internal linkage.
type HostUse = input.HostUse

// DriverDefines reports whether a function is one that the driver of a release
// has ("13.0"), which no input has to define.
func DriverDefines(toolkit, name string) bool {
	return release.Choose(toolkit, 0).DriverDefines(name)
}

// Output is a finished link.
type Output struct {
	Image   []byte
	Release string       // the release it behaves as
	Diags   []Diagnostic // warnings
	Left    int          // sections that were made and aren't in the image
}

// LinkError is a link that was refused: what was said (Diags []Diagnostic), the Exit status
// nvlink has for it, and in Err the fault after a Malformed message. Image is what was made
// in spite of errors that aren't fatal, nil where the link ended before, and Left is as in Output.
type LinkError = diag.LinkError

// Diagnostic is one message, of a Severity and a Kind. Text is nvlink's wording; File, Section,
// Symbol, Offset and Value name the place for programs and are empty where they don't apply.
type Diagnostic = diag.Diagnostic

// Severity is how nvlink ranks a message; each has a prefix of its own.
type Severity = diag.Severity

// Severities.
const (
	Info    = diag.Info    // reported under -v
	Warning = diag.Warning // the link goes on
	Error   = diag.Error   // the link goes on to the phase's end, and fails
	Fatal   = diag.Fatal   // the link ends
	Plain   = diag.Plain   // output that was asked for, without a prefix
)

// DiagKind says what a message is about, for programs.
type DiagKind = diag.Kind

// Kinds of messages.
const (
	Malformed          = diag.Malformed          // an input is not a well-formed cubin
	WrongArch          = diag.WrongArch          // an input is for another architecture
	WrongToolkit       = diag.WrongToolkit       // an input is newer, or too old
	BadOption          = diag.BadOption          // an option has no valid value
	NoInput            = diag.NoInput            // nothing to link
	MultipleDefinition = diag.MultipleDefinition // two strong definitions of a name
	SizeMismatch       = diag.SizeMismatch       // two sizes of a name
	SpaceMismatch      = diag.SpaceMismatch      // two memory spaces of a name
	EntryMismatch      = diag.EntryMismatch      // a kernel here, a function there
	Undefined          = diag.Undefined          // a reference nothing defines
	RegisterLimit      = diag.RegisterLimit      // a kernel with a register limit calls code that needs more
	SharedLimit        = diag.SharedLimit        // a kernel that uses more shared memory than the target has
	ConstantLimit      = diag.ConstantLimit      // more constants than a bank holds
	ImageLimit         = diag.ImageLimit         // a kernel with more textures, samplers or surfaces than the target has
	SharedPlaced       = diag.SharedPlaced       // a kernel whose shared memory is placed already reaches another variable
	ReservedShared     = diag.ReservedShared     // a kernel uses what an option doesn't let be reserved
	Uncalled           = diag.Uncalled           // an address taken, and no call
	StackUnknown       = diag.StackUnknown       // recursion hides a kernel's stack size
	StackLimit         = diag.StackLimit         // a kernel's stack is larger than its limit
	Tcgen05Groups      = diag.Tcgen05Groups      // a kernel has tcgen05 of single CTAs and of pairs
	Unsupported        = diag.Unsupported        // an option or input that is not implemented
	MergeFailed        = diag.MergeFailed        // the sum of merge errors
	PrototypeMismatch  = diag.PrototypeMismatch  // two signatures of a name
	Displaced          = diag.Displaced          // code that reads other data than its own, as nvlink has it
	NullPointer        = diag.NullPointer        // a pointer that is zero, as nvlink has it
	Uncounted          = diag.Uncounted          // a function that data points to, and that kernels don't count, as nvlink has it
	NewerInput         = diag.NewerInput         // an input newer than the release, linked as its nvJitLink does
	LostConstant       = diag.LostConstant       // a constant or shared variable of another object, to which nothing leads after -r, as nvlink has it
	LostDebug          = diag.LostDebug          // debug information of a definition that lost, which may differ from nvlink's
	Rescheduled        = diag.Rescheduled        // a kernel whose code may differ from nvlink's
	Internal           = diag.Internal           // what nvlink calls an internal error
	Budget             = diag.Budget             // the input asks for too much
	Lost               = diag.Lost               // what nvlink drops silently
)
