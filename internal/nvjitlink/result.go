package nvjitlink

import (
	"fmt"
	"strings"
	"time"
)

// Outcome is what came of a question.
type Outcome uint8

// The outcomes.
const (
	// Linked: success and an ELF file, or PTX where that was asked for.
	Linked Outcome = iota + 1
	// Refused: the library returned an error. Step, Input and Code say where.
	Refused
	// Crashed: the worker's process ended inside the library.
	Crashed
	// Hung: the time limit came first.
	Hung
	// Garbled: success without an image, an impossible size, an answer that is
	// none, or printing without end.
	Garbled
	// NotAsked: the question can't be put to this library; Reason says why.
	NotAsked
	// Unfit: the library or the worker doesn't serve: not loadable, of another
	// release, not there.
	Unfit
)

var outcomeNames = [...]string{"unset", "linked", "refused", "crashed", "hung", "garbled", "not asked", "unfit"}

// String names the outcome.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome %d", uint8(o))
}

// Step is the call at which a link ended.
type Step uint8

// The steps, in order.
const (
	Create Step = iota
	AddData
	Complete
	Get
	Done
)

var stepNames = [...]string{"create", "add input", "complete", "get", "done"}

// String names the step.
func (s Step) String() string {
	if int(s) < len(stepNames) {
		return stepNames[s]
	}
	return fmt.Sprintf("step %d", uint8(s))
}

// Code is nvJitLinkResult, as the header of 13.5 numbers it.
type Code uint32

var codeNames = [...]string{
	"success", "unrecognized option", "missing arch", "invalid input", "PTX compile", "NVVM compile", "internal error", "thread pool",
	"unrecognized input", "finalizer", "null input", "incompatible options", "incorrect input type", "arch mismatch",
	"outdated library", "missing fatbin", "unrecognized arch", "unsupported arch", "LTO not enabled",
}

// String names the code.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("code %d", uint32(c))
}

// Result is what came of one question.
type Result struct {
	Outcome Outcome
	Step    Step
	Input   int // Step AddData: the input that was refused
	Code    Code

	Output []byte // the image, or PTX; only of Linked
	Log    string // the library's error log
	Info   string // its info log
	Text   string // what it printed: warnings, and errors that the code doesn't tell
	Lost   uint64 // bytes of Text thrown away

	Signal string // Crashed: "SIGABRT", "SIGSEGV"; "" where the process ended by itself
	Reason string // of all but Linked and Refused: one line

	// Deaths is how often the worker died or hung at this question after others:
	// then a new worker is asked once, and what it does is the result. A death
	// in the first place is the doing of an earlier question.
	Deaths int

	// Time is from the last answer, or the worker's start, to this one. In a
	// batch that is the time of one link.
	Time time.Duration
}

// Complained reports whether the library printed an error. From 12.6 on it does
// so of two definitions of one name, drops one of them and returns success.
func (r *Result) Complained() bool {
	for line := range strings.Lines(r.Text) {
		line = strings.TrimPrefix(line, "@E@") // where inputs were PTX
		if strings.HasPrefix(line, "error ") || strings.HasPrefix(line, "fatal ") {
			return true
		}
	}
	return false
}

// Message is what the library said of a failure or as warnings.
func (r *Result) Message() string {
	var parts []string
	for _, s := range []string{r.Log, r.Text} {
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// String says the outcome in one line.
func (r *Result) String() string {
	switch r.Outcome {
	case Linked:
		return fmt.Sprintf("linked, %d bytes", len(r.Output))
	case Refused:
		if r.Step == AddData {
			return fmt.Sprintf("refused input %d: %s", r.Input, r.Code)
		}
		return fmt.Sprintf("refused (%s): %s", r.Step, r.Code)
	case Crashed:
		if r.Signal != "" {
			return "crashed (" + r.Signal + ")"
		}
	}
	return r.Outcome.String() + ": " + r.Reason
}
