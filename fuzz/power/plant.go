package power

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	Untried    Outcome = "untried"    // there was no time for it
	Excused    Outcome = "excused"    // it has a reason and is found all the same, or its proof fails
)

// Result is one row of the table.
type Result struct {
	Area, Fault string
	Hash        string // Fault.Hash
	Outcome     Outcome
	Detector    string        `json:",omitempty"` // which found it
	Time        time.Duration // until then, or until all had passed
	Note        string        `json:",omitempty"`
}

// Bad reports whether the result has to be fixed.
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
	at := f.find(text)
	if at < 0 {
		return "", fmt.Errorf("%s has the text %d times: %q", f.File, strings.Count(string(text), f.Old), f.Old)
	}
	planted := filepath.Join(dir, "planted.go")
	if err := os.WriteFile(planted, slices.Concat(text[:at], []byte(f.New), text[at+len(f.Old):]), 0o644); err != nil {
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
	res := Result{Area: f.Area, Fault: f.Name, Hash: f.Hash(), Outcome: Planted}
	text, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(f.File)))
	if err != nil || f.find(text) < 0 {
		res.Outcome, res.Note = Stale, fmt.Sprintf("%s has the text %d times: %q", f.File, strings.Count(string(text), f.Old), f.Old)
	}
	return res
}

// Check plants a fault and compiles the package it is in, no more.
func (r *Root) Check(ctx context.Context, f *Fault) (res Result) {
	return r.compiled(ctx, f, func(string, *Result) {})
}

// compiled plants a fault and compiles the package it is in. Where that does, the
// overlay is used for more before it goes.
func (r *Root) compiled(ctx context.Context, f *Fault, use func(overlay string, res *Result)) (res Result) {
	res = Result{Area: f.Area, Fault: f.Name, Hash: f.Hash(), Outcome: Survived}
	began := time.Now()
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
		out, err := r.run(ctx, nil, "build", "-o", os.DevNull, "-overlay", overlay, "./"+filepath.ToSlash(filepath.Dir(f.File)))
		if err != nil {
			res.Outcome, res.Note = Broken, tail(out)
		}
	}
	res.Time = time.Since(began)
	if res.Outcome == Survived {
		use(overlay, &res)
	}
	return res
}

// Try plants a fault alone and asks the detectors of its area in turn.
func (r *Root) Try(ctx context.Context, f *Fault, detectors []Detector) Result {
	return r.compiled(ctx, f, func(overlay string, res *Result) {
		began := time.Now()
		for i := range detectors {
			failed, note := r.runTests(ctx, &detectors[i], overlay)
			if res.Time = time.Since(began); note != "" {
				res.Outcome, res.Note = Broken, note
				return
			}
			if failed {
				res.Outcome, res.Detector = Killed, detectors[i].Name
				*res = res.excused(f)
				return
			}
		}
		*res = res.lives(f, func() error { return r.prove(ctx, f.Proof, overlay) })
	})
}

// excused marks a fault that is found in spite of its reason.
func (res Result) excused(f *Fault) Result {
	if f.Equivalent != "" {
		res.Outcome, res.Note = Excused, "found, though it has a reason not to be: "+f.Equivalent
	}
	return res
}

// lives marks a fault that was not found and has a reason.
func (res Result) lives(f *Fault, prove func() error) Result {
	if f.Equivalent == "" {
		return res
	}
	res.Outcome, res.Note = Equivalent, f.Equivalent
	if f.Proof != "" {
		if err := prove(); err != nil {
			res.Outcome, res.Note = Excused, err.Error()
		}
	}
	return res
}

// runTests runs a detector. A package that doesn't compile is no find.
func (r *Root) runTests(ctx context.Context, d *Detector, overlay string) (failed bool, note string) {
	args := append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-count=1"}, d.Args...)
	var env []string
	if !r.Live[d.Name] {
		none, err := os.MkdirTemp("", "no-tools")
		if err != nil {
			return false, err.Error()
		}
		defer os.Remove(none)
		env = []string{"TWINLINK_WITNESS=" + none, "TWINLINK_CUDA=", "TWINLINK_REQUIRE_WITNESS="}
	}
	out, err := r.run(ctx, env, append(args, d.Packages...)...)
	if err == nil {
		if !ranTests(out) {
			return false, d.Name + ": " + tail(out)
		}
		return false, ""
	}
	if strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]") || !strings.Contains(out, "FAIL") {
		return false, tail(out)
	}
	return true, ""
}

// ranTests reports whether some package of a run of go test had a test to run.
func ranTests(out string) bool {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "ok ") && !strings.Contains(line, "no tests to run") {
			return true
		}
	}
	return false
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
