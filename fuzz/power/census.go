package power

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A drawn fault is tried on every test that comes to it, which takes seconds, so that a hundred are what can be tried.
// The census makes every condition fail, one after the other in one program, on recorded links that come to it: a link
// takes a millisecond; those of self-check on recorded checks. What no link tells may still be identified by other tests.

// Failing is what a condition with a fault does.
type Failing int

// The faults, in the order of package condition.
const (
	AlwaysFalse Failing = iota
	AlwaysTrue
	TurnedWhereEqual
	failings
)

func (f Failing) String() string {
	return [...]string{"always false", "always true", "inverted if both are equal"}[f]
}

// Judged is a condition with a fault, and what the recorded links say of it.
type Judged struct {
	Place
	Failing Failing
	Links   int    // that come to it and are as they were; 0 where FoundBy is not ""
	FoundBy string // the link that told it
	Nothing string // why nothing can tell it, "" for no reason known
}

// tries is the package whose tests try the conditions of a folder: recorded self-checks, checks of links, or links.
func tries(under string) string {
	switch folder, _, _ := strings.Cut(under, "/"); folder {
	case "selfcheck", "capsule", "mercury":
		return "selfcheck"
	case "oracle":
		return "oracle/check"
	}
	return "cmd/twinlink"
}

// Census judges every condition of the packages that decide something, below a folder. It keeps what it found in a file,
// and goes on where that ends.
func (r *Root) Census(ctx context.Context, under, results string) ([]Judged, error) {
	dir, err := os.MkdirTemp("", "census")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	overlay, places, err := r.Conditions(under, dir)
	if err != nil {
		return nil, err
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("no condition below %q", under)
	}
	program := filepath.Join(dir, "census.test")
	if out, err := r.run(ctx, nil, "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./"+tries(under)); err != nil {
		return nil, fmt.Errorf("the program with hooks: %s", tail(out))
	}
	if results, err = filepath.Abs(results); err != nil {
		return nil, err
	}
	for {
		if err := r.census(ctx, under, program, results, len(places)); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(results)
		if err != nil {
			return nil, err
		}
		if bytes.HasSuffix(text, []byte("\n")) {
			return judgeAll(places, string(text), under)
		}
		// A fault ended the program: it is told, and the others are tried by another.
		if err := os.WriteFile(results, append(text, "found by a crash\n"...), 0o644); err != nil {
			return nil, err
		}
	}
}

// census runs the program once. That it fails is no error: a fault may have ended it.
func (r *Root) census(ctx context.Context, under, program, results string, places int) error {
	began := time.Now()
	c := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 16000000; exec "$0" "$@"`, program, "-test.run", "^TestConditions$", "-test.timeout", "24h",
		"-conditions", results, "-conditions-count", strconv.Itoa(places))
	ownGroup(c)
	c.Dir = filepath.Join(r.Dir, filepath.FromSlash(tries(under)))
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if info, missing := os.Stat(results); missing != nil || err != nil && info.ModTime().Before(began) {
		return fmt.Errorf("the program with hooks: %s", tail(string(out)))
	}
	return nil
}

func judgeAll(places []Place, text, under string) ([]Judged, error) {
	list, err := judge(places, text)
	if err != nil {
		return nil, err
	}
	nothing, err := readNothing(nothingText)
	if err != nil {
		return nil, err
	}
	return list, excuse(list, nothing, under)
}

// judge reads a file of results: see TestConditions.
func judge(places []Place, text string) ([]Judged, error) {
	var list []Judged
	for line := range strings.Lines(text) {
		w := strings.SplitN(strings.TrimSpace(line), " ", 3)
		n, err := strconv.Atoi(w[0])
		if err != nil || len(w) < 2 || n < 0 || n/int(failings) >= len(places) {
			return nil, fmt.Errorf("a line of results: %q", line)
		}
		j := Judged{Place: places[n/int(failings)], Failing: Failing(n % int(failings))}
		if !j.may() {
			continue
		}
		switch {
		case len(w) == 3 && w[1] == "told":
			j.FoundBy = w[2]
		case len(w) == 3 && w[1] == "lives":
			j.Links, err = strconv.Atoi(w[2])
		case w[1] != "unseen":
			err = fmt.Errorf("no such word")
		}
		if err != nil {
			return nil, fmt.Errorf("a line of results: %q: %w", line, err)
		}
		list = append(list, j)
	}
	return list, nil
}

// may reports whether the condition can have the fault.
func (j *Judged) may() bool {
	switch j.Failing {
	case TurnedWhereEqual:
		return j.In == "order"
	case AlwaysTrue:
		return j.In != "order" && j.In != "for" // it would not end
	}
	return j.In != "order"
}
