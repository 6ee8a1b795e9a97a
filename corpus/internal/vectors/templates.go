package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// source returns the PTX of a program for a ptxas release and an architecture.
func (r *regen) source(program, ptx, arch string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(r.root, "templates", program+".ptx.in"))
	if err != nil {
		return nil, err
	}
	return []byte(strings.NewReplacer("VERSION", ptx, "ARCH", arch).Replace(string(text))), nil
}

// compile makes every template's objects with ptxas and compares them with, or
// writes them over, what is there.
func (r *regen) compile(ctx context.Context) error {
	done := map[string]bool{}
	for _, t := range r.manifest.Templates {
		for _, name := range t.Modules() {
			file := t.File(name)
			if done[file] || !strings.Contains(t.Name, r.only) {
				continue
			}
			done[file] = true
			data, err := r.assemble(ctx, t, name)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if err := r.settle(filepath.Join(r.root, "templates", file), data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *regen) assemble(ctx context.Context, t *relocs.Template, program string) ([]byte, error) {
	ptx := ""
	for _, tool := range r.manifest.Tools {
		if tool.Release == t.Ptxas {
			ptx = tool.PTX
		}
	}
	text, err := r.source(program, ptx, t.Arch)
	if err != nil {
		return nil, err
	}
	args := append([]string{"-arch=" + t.Arch}, t.Flags...)
	res, err := r.tools.Assemble(ctx, t.Ptxas, args, nvidia.File{Name: program + ".ptx", Data: text})
	if err != nil {
		return nil, err
	}
	if res.Outcome != nvidia.Success {
		return nil, fmt.Errorf("%s: %s", res, res.Message())
	}
	return res.Output, nil
}

// settle compares a file with what it should be, or writes it with -update.
func (r *regen) settle(path string, want []byte) error {
	got, err := os.ReadFile(path)
	if err == nil && bytes.Equal(got, want) {
		return nil
	}
	if r.update {
		return os.WriteFile(path, want, 0o644)
	}
	r.differ("%s is not what the tools make of it", filepath.Base(path))
	return nil
}
