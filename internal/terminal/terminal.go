// Package terminal knows whether a person reads what is written, and colours
// reports for one.
package terminal

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// Is reports whether a writer is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Colours reports whether text for this writer is to be coloured: it is a
// terminal that can, and NO_COLOR (no-color.org) isn't set.
func Colours(w io.Writer) bool { return Is(w) && allowed(os.Getenv) }

func allowed(env func(string) string) bool { return env("NO_COLOR") == "" && env("TERM") != "dumb" }
