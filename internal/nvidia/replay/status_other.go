//go:build !unix

package replay

import "os"

func status(p *os.ProcessState) int { return p.ExitCode() }

func noFork(write func()) { write() }
