//go:build linux && (amd64 || arm64)

package nvidia

import (
	"syscall"
	"time"
	"unsafe"
)

// limitProcess sets kernel limits on a process that has just started. A process
// already gone, or a system call refused, is no failure: the time limit stands.
//
// No core file: with one crash in four, writing them would take most of the
// time. Processor time is limited beside the wall clock so that a tool which
// spins does not outlive us for ever where we are killed ourselves; a thread's
// worth more than the wall clock allows, since a tool may have several.
func limitProcess(pid int, l Limits) {
	cpu := uint64(4*l.Time/time.Second) + 2
	if l.CPU > 0 {
		cpu = uint64((l.CPU + time.Second - 1) / time.Second)
	}
	setLimit(pid, syscall.RLIMIT_CORE, 0, 0)
	// At the first a process gets SIGXCPU, which tells it from other ends; at the second it is killed.
	setLimit(pid, syscall.RLIMIT_CPU, cpu, cpu+1)
	setLimit(pid, syscall.RLIMIT_FSIZE, uint64(l.File), uint64(l.File))
	setLimit(pid, syscall.RLIMIT_AS, uint64(l.Memory), uint64(l.Memory))
}

func setLimit(pid, resource int, soft, hard uint64) {
	limit := syscall.Rlimit{Cur: soft, Max: hard}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), uintptr(resource),
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
}
