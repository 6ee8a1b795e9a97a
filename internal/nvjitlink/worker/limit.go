package worker

import "syscall"

// limitSelf bounds what the library can take of the machine. A refused call is
// no failure: the parent's time limit stands. There is no core file: writing one
// would take most of the time of a crash.
func limitSelf(memory, file uint64) {
	for _, l := range [...]struct {
		resource int
		value    uint64
	}{{syscall.RLIMIT_CORE, 0}, {syscall.RLIMIT_FSIZE, file}, {syscall.RLIMIT_AS, memory}} {
		limit := syscall.Rlimit{Cur: l.value, Max: l.value}
		_ = syscall.Setrlimit(l.resource, &limit)
	}
}
