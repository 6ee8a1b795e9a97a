package power

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// folders returns the folders of a detector's packages that have tests.
func (b *bench) folders(ctx context.Context, d *Detector) ([]string, error) {
	key := strings.Join(d.Packages, " ")
	b.mu.Lock()
	defer b.mu.Unlock()
	if list := b.folder[key]; list != nil {
		return list, nil
	}
	out, err := b.root.run(ctx, nil, append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}"}, d.Packages...)...)
	if err != nil {
		return nil, fmt.Errorf("detector %s: %s", d.Name, tail(out))
	}
	list := strings.Fields(out)
	if len(list) == 0 && d.Name != ownTests {
		return nil, fmt.Errorf("detector %s: no package of %v has tests", d.Name, d.Packages)
	}
	b.folder[key] = list
	return list, nil
}

// errLate is a detector that didn't come back.
var errLate = errors.New("it doesn't end")

// start runs a test program, with the fault of a number, with none, or with the name of a file for the places it comes
// to, and reports whether it failed.
func (b *bench) start(ctx context.Context, s *suite, args []string, what string, limit time.Duration) (failed bool, out string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	work, err := os.MkdirTemp("", "power")
	if err != nil {
		return false, "", err
	}
	defer os.RemoveAll(work)
	dir := s.test.dir
	args = slices.Concat([]string{"-test.paniconexit0"}, args)
	if s.detector.fuzzes() { // what it finds is written to the working folder
		if dir, err = corpusOf(s.test.dir, work); err != nil {
			return false, "", err
		}
		args = append(args, "-test.fuzzcachedir", filepath.Join(work, "cache"))
	}
	none := filepath.Join(work, "no-tools")
	if err := os.Mkdir(none, 0o755); err != nil {
		return false, "", err
	}
	// A fault may ask for any amount of memory. The shell's number is the group's.
	const script = `ulimit -v 16000000; echo -n "$TWINLINK_FAULT" > "$0$$"; exec "$@"`
	group := filepath.Join(b.dir, "group")
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", script, group, s.test.path}, args...)...)
	ownGroup(c)
	c.Dir = dir
	c.WaitDelay = 5 * time.Second
	c.Env = append(os.Environ(), "TWINLINK_FAULT="+what, "TWINLINK_FUZZ_SAVE="+work, "TWINLINK_REQUIRE_WITNESS=", "TMPDIR="+work)
	if b.root.Live[s.detector.Name] {
		c.Env = append(c.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+b.program.overlay))
	} else {
		c.Env = append(c.Env, "TWINLINK_WITNESS="+none, "TWINLINK_CUDA=")
	}
	text, err := c.CombinedOutput()
	if c.Process != nil {
		os.Remove(group + strconv.Itoa(c.Process.Pid))
	}
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return true, errLate.Error(), nil
	case err == nil && strings.Contains(string(text), "no tests to run"):
		return false, "", fmt.Errorf("detector %s: no tests to run", s.detector.Name)
	case err == nil:
		return false, string(text), nil
	case !errors.As(err, new(*exec.ExitError)):
		return false, "", err
	}
	return true, string(text), nil
}

// corpusOf makes a folder to fuzz in, which has what the package's own has.
func corpusOf(folder, work string) (string, error) {
	dir := filepath.Join(work, "fuzz")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Name() != "testdata" {
			continue
		}
		if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(folder, "testdata"))); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// try asks the detectors about a fault of the shared program.
func (b *bench) try(ctx context.Context, f *Fault, detectors []Detector) Result {
	res := b.root.Fit(f)
	if res.Outcome == Stale {
		return res
	}
	res.Outcome = Survived
	began := time.Now()
	batches, err := b.batches(ctx, f, detectors)
	if err != nil {
		res.Outcome, res.Note = Broken, err.Error()
		return res
	}
	if len(batches) == 0 {
		res.Note = "reached by no test"
	}
	for _, list := range batches {
		failed, which, err := b.ask(ctx, f, list)
		if res.Time = time.Since(began); err != nil {
			res.Outcome, res.Note = Broken, err.Error()
			return res
		}
		if failed {
			res.Outcome, res.Detector, res.Note = Killed, list[0].suite.detector.Name, which
			return res.excused(f)
		}
	}
	return res.lives(f, func() error {
		pkg, name, _ := strings.Cut(f.Proof, " ")
		return b.prove(ctx, f, &Detector{Name: "proof", Packages: []string{pkg}, Args: []string{"-run", "^" + name + "$"}})
	})
}

// prove runs the test that shows a fault to change nothing.
func (b *bench) prove(ctx context.Context, f *Fault, d *Detector) error {
	suites, err := b.suites(ctx, d)
	if err != nil {
		return err
	}
	for _, s := range suites {
		failed, which, err := b.ask(ctx, f, s.tests)
		if failed {
			err = fmt.Errorf("the proof %s fails: %s", f.Proof, which)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ask runs some probes of one suite with a fault.
func (b *bench) ask(ctx context.Context, f *Fault, list []*probe) (failed bool, which string, err error) {
	limit := 10 * time.Second
	for _, p := range list {
		if b.measure(ctx, p); p.err != nil {
			return false, "", p.err
		}
		limit += 20 * p.took
	}
	s := list[0].suite
	failed, out, err := b.start(ctx, s, s.selection(list...), strconv.Itoa(b.program.numbers[f]+1), limit)
	if !failed || err != nil {
		return false, "", err
	}
	which = first(out)
	name, _, _ := strings.Cut(which, " ")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.found[name]++
	b.found[f.File+name] += 4
	return true, which, nil
}

// batches puts the probes that come to a fault's place into groups of one suite that are run together, those that are
// likely to find it soon first.
func (b *bench) batches(ctx context.Context, f *Fault, detectors []Detector) ([][]*probe, error) {
	var tests, last []*probe
	seen := map[*probe]bool{}
	place := b.program.shared[f.ID()]
	for i := range detectors {
		suites, err := b.suites(ctx, &detectors[i])
		if err != nil {
			return nil, err
		}
		for _, s := range suites {
			for _, p := range s.tests {
				if seen[p] {
					continue
				}
				if seen[p] = true; s.detector.fuzzes() {
					last = append(last, p)
					continue
				}
				if b.measure(ctx, p); p.err != nil {
					return nil, p.err
				}
				if p.places[place] != 0 {
					tests = append(tests, p)
				}
			}
		}
	}
	b.order(f, tests)
	var list [][]*probe
	used := map[*probe]bool{}
	budget := 200 * time.Millisecond
	for i, p := range tests {
		if used[p] {
			continue
		}
		batch, took := []*probe{p}, p.took
		for _, q := range tests[i+1:] {
			if !used[q] && q.suite == p.suite && took+q.took <= budget {
				batch, took = append(batch, q), took+q.took
				used[q] = true
			}
		}
		list = append(list, batch)
		budget *= 2
	}
	for _, p := range last {
		list = append(list, []*probe{p})
	}
	return list, nil
}

// order puts tests first that are quick and have found other faults, of the same file most of all. The same test may
// be part of two detectors; the second is not run.
func (b *bench) order(f *Fault, tests []*probe) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rate := func(p *probe) float64 {
		return float64(1+b.found[p.name]+b.found[f.File+p.name]) / (p.took.Seconds() + 0.02)
	}
	slices.SortStableFunc(tests, func(p, q *probe) int { return cmp.Compare(rate(q), rate(p)) })
}

// first names the test that failed.
func first(out string) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") || line == errLate.Error() {
			return strings.TrimPrefix(line, "--- FAIL: ")
		}
	}
	return ""
}

// said returns what the test that failed says, or else the last lines.
func said(out string) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.Contains(line, "_test.go:") {
			return line
		}
	}
	return tail(out)
}
