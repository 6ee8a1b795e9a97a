package nvidia

import (
	"fmt"
	"syscall"
	"time"
)

// Outcome is how a run ended.
type Outcome uint8

const (
	// Silent: exit 0, but the output is missing or no ELF file. It is the zero
	// value so that an unset outcome never reads as a success.
	Silent Outcome = iota
	// Success: exit 0 and every output that was asked for is there.
	Success
	// Refused: another exit status. nvlink gives 255 where only references stay
	// undefined and 1 for all else.
	Refused
	// Crashed: the tool died of a signal.
	Crashed
	// Hung: the time limit came first; the tool and its children were killed.
	Hung
)

func (o Outcome) String() string {
	switch o {
	case Silent:
		return "silent"
	case Success:
		return "success"
	case Refused:
		return "refused"
	case Crashed:
		return "crashed"
	case Hung:
		return "hung"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Result is what a run left behind. The scratch folder is gone by then.
type Result struct {
	Outcome  Outcome
	Tool     Tool
	ExitCode int            // -1 where a signal ended it
	Signal   syscall.Signal // 0 where none did
	Duration time.Duration  // from start to the end of the last child

	Stdout, Stderr []byte // at most Limits.Text bytes each
	// Bytes that the tool wrote beyond Limits.Text and that were thrown away.
	StdoutLost, StderrLost int64

	// Output holds the bytes of the file that Link or Assemble asked for, also
	// where the tool wrote it and then failed. nil: no such file, or not a
	// plain one, or one larger than Limits.File.
	Output []byte
	// Files holds the outputs that Run was asked for, by name, as Output.
	Files map[string][]byte

	// Unreliable names inputs of a link for which exit 0 means nothing, and why.
	Unreliable []string
	// Hollow: the output of a link holds tables but nothing that was linked.
	Hollow bool
}

// Linked reports whether a link is to be believed: Success, an output that
// holds something, and no input that nvlink is known to pass over. It is
// stricter than Success: a link of an empty module is a Success and hollow.
func (r *Result) Linked() bool {
	return r.Outcome == Success && !r.Hollow && len(r.Unreliable) == 0
}

// Message returns what the tool said: standard error, or standard output where
// that is empty.
func (r *Result) Message() string {
	if len(r.Stderr) > 0 {
		return string(r.Stderr)
	}
	return string(r.Stdout)
}

// String tells the outcome in one line, such as
// "nvlink 11.8.89 crashed (segmentation fault) after 3ms".
func (r *Result) String() string {
	s := fmt.Sprintf("%s %s %s", r.Tool.Name, r.Tool.Version, r.Outcome)
	switch r.Outcome {
	case Crashed:
		s += fmt.Sprintf(" (%s)", r.Signal)
	case Refused:
		s += fmt.Sprintf(" (exit %d)", r.ExitCode)
	}
	return s + " after " + r.Duration.Round(time.Millisecond).String()
}
