package nvjitlink

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has the worker lead a group, to be killed with its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(p *os.Process) {
	if syscall.Kill(-p.Pid, syscall.SIGKILL) != nil {
		_ = p.Kill()
	}
}

const setPipeSize = 1031 // F_SETPIPE_SZ

// widen lets a pipe hold more, so that the two sides wait for each other less
// often. Where the system refuses, the pipe works as it is.
func widen(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, 1<<20) })
	}
}
