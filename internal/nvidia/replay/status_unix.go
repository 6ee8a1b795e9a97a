//go:build unix

package replay

import (
	"os"
	"syscall"
)

// status is how a shell says how a program ended.
func status(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return signalled + int(w.Signal())
	}
	return p.ExitCode()
}

// noFork writes a program: a fork while it is open would make it busy for exec.
func noFork(write func()) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	write()
}
