//go:build !unix

package fuzz

import "time"

var start = time.Now()

// processTime returns the time since the start: there is none of the process's
// own here.
func processTime() time.Duration { return time.Since(start) }
