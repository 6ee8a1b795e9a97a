//go:build unix

package main

import (
	"os"
	"syscall"
)

// peakMemory is the most memory that an ended process held: KiB on Linux,
// bytes on macOS.
func peakMemory(ended *os.ProcessState) int64 {
	if usage, ok := ended.SysUsage().(*syscall.Rusage); ok {
		return int64(usage.Maxrss)
	}
	return 0
}
