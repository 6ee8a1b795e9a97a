package power

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Outcome is what became of a fault.
type Outcome string

// The outcomes. All but Killed, Equivalent and Planted are errors.
const (
	Killed     Outcome = "killed"
	Survived   Outcome = "survived"
	Equivalent Outcome = "equivalent" // it survived, with a reason
	Stale      Outcome = "stale"      // the text is not in the file, or more than once
	Broken     Outcome = "broken"     // the program doesn't compile
	Planted    Outcome = "planted"    // it fits, and compiles; nothing was asked
	Excused    Outcome = "excused"    // it has a reason and is found all the same, or its proof fails
)

// Result is one row of the table.
type Result struct {
	Area, Fault string
	Outcome     Outcome
	Detector    string        `json:",omitempty"` // which found it
	Time        time.Duration // until then, or until all had passed
	Note        string        `json:",omitempty"`
}

// Bad reports whether the result has to be mended.
func (r *Result) Bad() bool {
	return r.Outcome != Killed && r.Outcome != Equivalent && r.Outcome != Planted
}

// Root is a repository in which faults are planted.
type Root struct {
	Dir string
	Go  string // the go command; "" for "go"
	// Live are the names of the detectors that may ask NVIDIA's tools.
	Live map[string]bool
}

// plant writes the faulty file and the overlay that puts it in, into dir.
func (r *Root) plant(f *Fault, dir string) (overlay string, err error) {
	file := filepath.Join(r.Dir, filepath.FromSlash(f.File))
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), f.Old); n != 1 {
		return "", fmt.Errorf("%s has the text %d times: %q", f.File, n, f.Old)
	}
	planted := filepath.Join(dir, "planted.go")
	if err := os.WriteFile(planted, []byte(strings.Replace(string(text), f.Old, f.New, 1)), 0o644); err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: planted}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o644)
}

// Fit sees whether a fault's text is in its file once.
func (r *Root) Fit(f *Fault) Result {
	res := Result{Area: f.Area, Fault: f.Name, Outcome: Planted}
	text, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(f.File)))
	if n := strings.Count(string(text), f.Old); err != nil || n != 1 {
		res.Outcome, res.Note = Stale, fmt.Sprintf("%s has the text %d times: %q", f.File, n, f.Old)
	}
	return res
}

// Check plants a fault and compiles the package it is in, no more.
func (r *Root) Check(ctx context.Context, f *Fault) (res Result) {
	res = Result{Area: f.Area, Fault: f.Name, Outcome: Survived}
	began := time.Now()
	defer func() { res.Time = time.Since(began) }()
	dir, err := os.MkdirTemp("", "power")
	if err != nil {
		res.Note = err.Error()
		return res
	}
	defer os.RemoveAll(dir)
	overlay, err := r.plant(f, dir)
	if err != nil {
		res.Outcome, res.Note = Stale, err.Error()
		return res
	}
	if strings.HasSuffix(f.File, ".go") {
		out, err := r.run(ctx, nil, "build", "-overlay", overlay, "./"+filepath.ToSlash(filepath.Dir(f.File)))
		if err != nil {
			res.Outcome, res.Note = Broken, tail(out)
		}
	}
	return res
}

// Try plants a fault and asks the detectors of its area in turn.
func (r *Root) Try(ctx context.Context, f *Fault, detectors []Detector) Result {
	res := r.Check(ctx, f)
	if res.Outcome != Survived || res.Note != "" {
		return res
	}
	dir, err := os.MkdirTemp("", "power")
	if err != nil {
		res.Note = err.Error()
		return res
	}
	defer os.RemoveAll(dir)
	overlay, err := r.plant(f, dir)
	if err != nil {
		res.Outcome, res.Note = Stale, err.Error()
		return res
	}
	began := time.Now()
	for i := range detectors {
		d := &detectors[i]
		failed, note := r.ask(ctx, d, overlay)
		if note != "" {
			res.Outcome, res.Note = Broken, note
			return res
		}
		if failed {
			res.Outcome, res.Detector, res.Time = Killed, d.Name, time.Since(began)
			if f.Equivalent != "" {
				res.Outcome, res.Note = Excused, "found, though it has a reason not to be: "+f.Equivalent
			}
			return res
		}
	}
	res.Time = time.Since(began)
	if f.Equivalent == "" {
		return res
	}
	res.Outcome, res.Note = Equivalent, f.Equivalent
	if f.Proof != "" {
		if err := r.prove(ctx, f.Proof, overlay); err != nil {
			res.Outcome, res.Note = Excused, err.Error()
		}
	}
	return res
}

// ask runs a detector. A package that doesn't compile is no find.
func (r *Root) ask(ctx context.Context, d *Detector, overlay string) (failed bool, note string) {
	args := append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-count=1"}, d.Args...)
	env := []string{"TWINLINK_WITNESS=" + filepath.Join(r.Dir, "no-tools")}
	if r.Live[d.Name] {
		env = nil
	}
	out, err := r.run(ctx, env, append(args, d.Packages...)...)
	if err == nil {
		if strings.Contains(out, "no tests to run") || strings.Contains(out, "no test files") {
			return false, d.Name + ": " + tail(out)
		}
		return false, ""
	}
	if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") || !strings.Contains(out, "FAIL") {
		return false, tail(out)
	}
	return true, ""
}

// prove runs the test that shows a fault to change nothing.
func (r *Root) prove(ctx context.Context, proof, overlay string) error {
	pkg, test, _ := strings.Cut(proof, " ")
	out, err := r.run(ctx, nil, "test", "-overlay", overlay, "-vet=off", "-count=1", "-run", "^"+test+"$", pkg)
	if err != nil || strings.Contains(out, "no tests to run") {
		return fmt.Errorf("the proof %s fails: %s", proof, tail(out))
	}
	return nil
}

func (r *Root) run(ctx context.Context, env []string, args ...string) (string, error) {
	name := r.Go
	if name == "" {
		name = "go"
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = r.Dir
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return err.Error(), err
	}
	return string(out), err
}

// tail returns the last lines of an output, on one line.
func tail(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-4):], " | ")
}
