package lto

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Job is PTX to be assembled.
type Job struct {
	Name string // of the input, for messages
	Text []byte
	Arch string
	// Whole makes an image that needs no link, instead of an object for one.
	Whole   bool
	Options []string // of ptxas besides
}

// assembleTime bounds one run of ptxas.
const assembleTime = 30 * time.Minute

// Assemble runs ptxas. said is what it printed.
func (t *Tools) Assemble(ctx context.Context, j *Job) (cubin []byte, said string, err error) {
	if t.ptxas == "" {
		return nil, "", &Error{Name: j.Name, Reason: "no ptxas of " + t.release + " is found beside the toolkit's nvlink, in the witness folder or in PATH: name one with --ptxas"}
	}
	dir, err := os.MkdirTemp("", "twinlink-ptxas-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	// With -g the file's name is in the note: nvlink calls it elf.o.
	const input, output = "lto.ptx", "elf.o"
	if err := os.WriteFile(filepath.Join(dir, input), j.Text, 0o600); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, assembleTime)
	defer cancel()
	args := []string{"-m64", "-arch=" + j.Arch}
	if !j.Whole {
		args = append(args, "-c")
	}
	args = append(append(args, j.Options...), input, "-o", output)
	ptxas, err := filepath.Abs(t.ptxas)
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, ptxas, args...)
	cmd.Dir = dir
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Run()
	said = printed.String()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return nil, said, &Error{Name: j.Name, Reason: "ptxas " + t.release + " refuses it: " + strings.TrimSpace(said)}
	case err != nil:
		return nil, said, err
	}
	cubin, err = os.ReadFile(filepath.Join(dir, output))
	return cubin, said, err
}
