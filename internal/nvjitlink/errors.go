package nvjitlink

import "strings"

// CannotAskError says what nvJitLink has no way to be asked.
type CannotAskError struct {
	What   string // "--preserve-relocs"
	Reason string
}

func (e *CannotAskError) Error() string {
	return "nvJitLink can't be used: " + e.What + ": " + e.Reason
}

// NoWorkerError says that the worker's program was not found.
type NoWorkerError struct {
	Looked []string
}

func (e *NoWorkerError) Error() string {
	return "no " + WorkerName + " (make build); looked in " + strings.Join(e.Looked, ", ")
}
