//go:build unix

package power

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group, which ends with it.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
