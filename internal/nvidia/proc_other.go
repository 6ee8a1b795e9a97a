//go:build !unix

package nvidia

import (
	"os"
	"os/exec"
	"syscall"
)

// Without process groups only the tool itself is killed, and a crash looks like
// a refusal with a large exit code.

func ownGroup(*exec.Cmd) {}

func killGroup(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return os.ErrProcessDone
	}
	return p.Kill()
}

func deathSignal(*os.ProcessState) syscall.Signal { return 0 }

func isCPULimit(syscall.Signal) bool { return false }
