//go:build !unix

package cputime

import "time"

var start = time.Now()

// Now returns the time since the start: there is none of the process's own here.
func Now() time.Duration { return time.Since(start) }
