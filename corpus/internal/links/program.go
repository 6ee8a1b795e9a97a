package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/corpus/internal/manifest"
)

// program makes one program's files and returns how they differ from the committed ones.
func (r *regen) program(p *manifest.Program) ([]string, error) {
	w := &work{regen: r, program: p, made: map[string][]byte{}, outputs: map[string][]byte{}}
	for i := range p.Cases {
		c := &p.Cases[i]
		if r.release != "" && c.Release != r.release {
			w.keep(c)
			continue
		}
		err := w.run(c)
		if missing := (*missingTool)(nil); errors.As(err, &missing) && !w.required[missing.release] && !w.update {
			w.note("%s/%s not checked: %v", p.Name, c.Name, err)
			w.keep(c)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	r.mu.Lock()
	r.programs++
	r.mu.Unlock()
	stale, err := w.compareFolders()
	return append(w.differences, stale...), err
}

// work is the state of one program's regeneration.
type work struct {
	*regen
	program     *manifest.Program
	made        map[string][]byte // files by path in the program's folder; nil: not looked at
	outputs     map[string][]byte // linked cubins by case
	differences []string
}

func (w *work) differ(format string, args ...any) {
	w.differences = append(w.differences, w.program.Name+"/"+fmt.Sprintf(format, args...))
}

// keep leaves the files of a case alone that this run is not about.
func (w *work) keep(c *manifest.Case) {
	for _, in := range c.Inputs {
		w.leave(in.File)
	}
	w.leave(c.Output)
	w.leave(c.Stderr)
}

func (w *work) leave(name string) {
	if _, ok := w.made[name]; name != "" && !ok {
		w.made[name] = nil
	}
}

// run makes one case.
func (w *work) run(c *manifest.Case) error {
	dir, err := os.MkdirTemp("", "regen")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	complete := true
	for i := range c.Inputs {
		in := &c.Inputs[i]
		data, err := w.input(c, in)
		if errors.Is(err, fs.ErrNotExist) && in.Witness != "" {
			w.note("%s/%s not checked: %v", w.program.Name, c.Name, err)
			w.keep(c)
			return nil
		}
		if err != nil {
			return err
		}
		complete = complete && in.Witness == ""
		if err := os.WriteFile(filepath.Join(dir, in.Name), data, 0o644); err != nil {
			return err
		}
	}
	res, err := w.tools.run(c.Release, "nvlink", dir, c.Args...)
	if err != nil {
		return err
	}
	if len(res.stdout) > 0 {
		return fmt.Errorf("nvlink wrote to standard output: %q", res.stdout)
	}
	w.mu.Lock()
	w.cases++
	w.mu.Unlock()
	output, err := os.ReadFile(filepath.Join(dir, "out.cubin"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.outputs[c.Name] = output
	w.compare(c, res, output, complete)
	return nil
}

// compare holds a run against the manifest and notes its files.
func (w *work) compare(c *manifest.Case, res result, output []byte, complete bool) {
	got := *c
	got.Exit, got.SHA256, got.Output, got.Stderr = res.exit, "", "", ""
	if output != nil {
		got.SHA256 = hash(output)
		if complete {
			got.Output = path.Join(c.Name, "out.cubin")
			w.made[got.Output] = output
		}
	}
	if len(res.stderr) > 0 {
		got.Stderr = path.Join(c.Name, "stderr")
		w.made[got.Stderr] = res.stderr
	}
	if w.update {
		*c = got
		return
	}
	for _, f := range []struct {
		name      string
		got, want any
	}{{"exit", got.Exit, c.Exit}, {"sha256", got.SHA256, c.SHA256}, {"output", got.Output, c.Output}, {"stderr", got.Stderr, c.Stderr}} {
		if f.got != f.want {
			w.differ("%s: %s is %v, manifest.json says %v", c.Name, f.name, f.got, f.want)
		}
	}
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// input returns the bytes of an input.
func (w *work) input(c *manifest.Case, in *manifest.Input) ([]byte, error) {
	switch {
	case in.Case != "":
		data := w.outputs[in.Case]
		if data == nil {
			return nil, fmt.Errorf("input %s: case %s gave no output before this one", in.Name, in.Case)
		}
		return data, nil
	case in.Witness != "":
		data, err := w.tools.archive(c.Release, in.Witness)
		if err != nil {
			return nil, err
		}
		if sum := hash(data); w.update {
			in.SHA256 = sum
		} else if sum != in.SHA256 {
			w.differ("%s: %s is another file than the manifest's", c.Name, in.Witness)
		}
		return data, nil
	}
	if data := w.made[in.File]; data != nil {
		return data, nil
	}
	data, err := w.compile(c, in)
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", in.Name, err)
	}
	w.made[in.File] = data
	return data, nil
}

// compile runs ptxas as the corpus wants it: in an empty folder, source and cubin named alike.
func (w *work) compile(c *manifest.Case, in *manifest.Input) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(w.root, w.program.Name, in.Source))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "regen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, in.Source), text, 0o644); err != nil {
		return nil, err
	}
	release, arch := in.Release, in.Arch
	if release == "" {
		release = c.Release
	}
	if arch == "" {
		arch = c.Arch
	}
	out := strings.TrimSuffix(in.Source, ".ptx") + ".cubin"
	args := append([]string{"-arch=" + arch}, in.Flags...)
	if !in.Whole {
		args = append([]string{"-c"}, args...)
	}
	res, err := w.tools.run(release, "ptxas", dir, append(args, in.Source, "-o", out)...)
	if err != nil {
		return nil, err
	}
	if res.exit != 0 {
		return nil, fmt.Errorf("ptxas of release %s, exit %d: %s", release, res.exit, res.stderr)
	}
	return os.ReadFile(filepath.Join(dir, out))
}
