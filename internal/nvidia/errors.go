package nvidia

import (
	"fmt"
	"slices"
	"strings"
)

// NotFoundError says that no tool of that name serves that release.
type NotFoundError struct {
	Name    string   // "nvlink"
	Release string   // "12.4"; "" where any would have done
	Looked  []string // the places searched
	Unfit   []*UnfitError
}

// Short names the tool and the remedy and nothing of this machine:
// "nvlink 12.4 is not installed (make witness)".
func (e *NotFoundError) Short() string {
	s := e.Name
	if e.Release != "" {
		s += " " + e.Release
	}
	s += " is not installed"
	switch release := parseRelease(e.Release).Release(); {
	case e.Release == "" || slices.Contains(Standard[:], release):
		s += " (make witness)"
	case release == "13.5":
		s += " (make witness-all)"
	}
	return s
}

func (e *NotFoundError) Error() string {
	s := e.Short()
	if len(e.Looked) > 0 {
		s += "; looked in " + strings.Join(e.Looked, ", ")
	}
	for _, u := range e.Unfit {
		s += "; " + u.Error()
	}
	return s
}

// Standard lists the releases that "make witness" fetches, oldest first.
var Standard = [...]string{"11.8", "12.4", "13.0"}

// UnfitError says why a file that bears a tool's name was not taken.
type UnfitError struct {
	Path   string
	Reason string
	Err    error // what the system said; may be nil
}

func (e *UnfitError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err)
	}
	return e.Path + ": " + e.Reason
}

func (e *UnfitError) Unwrap() error { return e.Err }

// FileNameError says that a name can't be used inside a scratch folder.
type FileNameError struct {
	Name, Reason string
}

func (e *FileNameError) Error() string {
	return fmt.Sprintf("file name %q: %s", e.Name, e.Reason)
}

// ArgumentError says that an argument list can't be run as asked.
type ArgumentError struct {
	Arg, Reason string
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("argument %q: %s", e.Arg, e.Reason)
}

// StartError says that a tool could not be started at all.
type StartError struct {
	Path string
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("start %s: %v", e.Path, e.Err) }

func (e *StartError) Unwrap() error { return e.Err }
