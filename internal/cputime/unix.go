//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Now returns the processor time used so far, in all threads.
func Now() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
