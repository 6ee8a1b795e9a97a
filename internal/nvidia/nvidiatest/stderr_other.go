//go:build !linux

package nvidiatest

import (
	"io"
	"os"
)

// stderrOfParent returns where a line is sure to be seen: here only with -v, for a
// single package, or where a test fails.
func stderrOfParent() io.Writer { return os.Stderr }
