//go:build unix

package nvidia

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has cmd start as the leader of a new process group, so that it can
// be killed together with its children.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills every process of the group that pid leads.
func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// deathSignal returns the signal that ended a process, 0 where none did.
func deathSignal(state *os.ProcessState) syscall.Signal {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal()
	}
	return 0
}

// isCPULimit reports whether the kernel ended a process for its processor time.
func isCPULimit(s syscall.Signal) bool { return s == syscall.SIGXCPU }
