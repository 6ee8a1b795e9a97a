//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// sample is one run of a program as the system accounts for it.
type sample struct {
	cpu, wall time.Duration
	memory    int64 // KiB, at most
	faults    int64
}

// program is a command to measure.
type program struct {
	name string
	args []string
}

// once runs a program in a folder.
func (p *program) once(dir string) (sample, error) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	s := sample{wall: time.Since(began)}
	if err != nil {
		return s, fmt.Errorf("%s: %w\n%.2000s", p.name, err, out)
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
		s.memory, s.faults = int64(u.Maxrss), int64(u.Minflt+u.Majflt)
	}
	return s, nil
}

// takeTurns runs programs one after the other, so many rounds after one that
// doesn't count. The result has the samples by program.
func takeTurns(dir string, programs []program, rounds int) ([][]sample, error) {
	all := make([][]sample, len(programs))
	for round := range rounds + 1 {
		for i := range programs {
			freshen()
			s, err := programs[i].once(dir)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	return all, nil
}

// freshen has another process touch memory and end. A system that runs in another
// lends its unused memory to that one, and who touches it next pays for getting it
// back: now no program that is measured does. (A child's peak memory counts what its
// parent held, so this process can't.)
func freshen() {
	if self, err := os.Executable(); err == nil {
		_ = exec.Command(self, touchFlag).Run()
	}
}

// touchFlag makes this program touch memory, and nothing else.
const touchFlag = "-touch"

func touch() {
	b := largePages(256 << 20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

// median returns the middle one of some values.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// over applies of to each sample and returns the median.
func over(samples []sample, of func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	return median(values)
}

// ratio returns the median of a's processor time in parts of b's, round by round.
func ratio(a, b []sample) float64 {
	values := make([]float64, len(a))
	for i := range a {
		values[i] = float64(a[i].cpu) / float64(max(b[i].cpu, time.Microsecond))
	}
	return median(values)
}
