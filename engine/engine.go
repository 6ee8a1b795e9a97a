package engine

import (
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// Input is one object: its name as the user gave it, and its bytes, which the
// link borrows.
type Input = input.Input

// Options say what to link for and how. The zero value but for Arch is a
// plain final link.
type Options = input.Options

// CommandLine is the part of nvlink's command line that .note.nv.tkinfo
// records.
type CommandLine = input.CommandLine

// HostUse lists what host code refers to.
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

// LinkError is a link that was refused: what was said, and the exit status
// nvlink has for it.
type LinkError = diag.LinkError

// Diagnostic is one message. Text is nvlink's wording; the other fields name
// the place for programs and are empty where they don't apply.
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
	Lost               = diag.Lost               // what nvlink drops without a word
)
