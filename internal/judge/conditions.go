package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/twinlink/twinlink/fuzz/power"
	"github.com/twinlink/twinlink/fuzz/power/condition"
	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle/check"
)

// A linker in whose source one condition fails, as an author of wrong links who knows nothing of the check.

// faulty is the linker in this source with a call around each condition, see package condition of fuzz/power.
type faulty struct {
	program string
	places  int
	dir     string // for outputs
}

// faultyLimit ends a link that a fault made endless.
const faultyLimit = 20 * time.Second

// buildFaulty builds the linker of the working folder.
func buildFaulty(ctx context.Context, dir string) (*faulty, error) {
	root := power.Root{Dir: "."}
	overlay, places, err := root.Conditions("engine/", dir)
	if err != nil {
		return nil, err
	}
	if len(places) == 0 {
		return nil, errors.New("no conditions: the working folder is not the repository's")
	}
	f := &faulty{program: filepath.Join(dir, "linker"), places: len(places), dir: dir}
	if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", f.program, "./cmd/twinlink").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %.500s", err, out)
	}
	return f, nil
}

// link makes a link of a bed, with a fault or none. It returns nothing where the linker refused or ended otherwise, and
// what each condition came to.
func (f *faulty) link(ctx context.Context, folder string, l *link, fault int) (output, seen []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, faultyLimit)
	defer cancel()
	log, out := filepath.Join(f.dir, "seen"), filepath.Join(f.dir, "out.cubin")
	if err := os.WriteFile(log, make([]byte, f.places), 0o600); err != nil {
		return nil, nil, err
	}
	_ = os.Remove(out)
	args := append([]string{"link", "--toolkit", l.Release, "-arch=" + l.Arch, "-o", out}, l.Args...)
	for _, in := range l.Inputs {
		args = append(args, filepath.Join(folder, in))
	}
	c := exec.CommandContext(ctx, f.program, args...)
	c.Env = append(os.Environ(), "TWINLINK_CONDITIONS="+log, "TWINLINK_CONDITION="+strconv.Itoa(fault))
	failed := c.Run()
	if seen, err = os.ReadFile(log); err != nil {
		return nil, nil, err
	}
	if failed != nil {
		return nil, seen, nil
	}
	output, _ = os.ReadFile(out)
	return output, seen, nil
}

// outcomes is what became of faults.
type outcomes struct{ tried, refused, same, rejected, unjudged, accepted int }

// conditionsAll lets n conditions fail, drawn among those that a link of the bed comes to, and says what the check makes
// of links that changed. A link is drawn for each.
func conditionsAll(ctx context.Context, dir, only string, seed uint64, n int, each bool) error {
	list, err := linksIn(dir, only)
	if err != nil || len(list) == 0 {
		return errors.Join(err, fmt.Errorf("%d links", len(list)))
	}
	work, err := os.MkdirTemp("", "judge")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	f, err := buildFaulty(ctx, work)
	if err != nil {
		return err
	}
	r := splitmix.New(seed)
	var sum outcomes
	for sum.tried < n {
		folder := list[r.Below(len(list))]
		if err := f.tryLink(ctx, r, folder, min(n-sum.tried, faultsOfLink), &sum, each); err != nil {
			return err
		}
	}
	fmt.Printf("%d conditions failed: %d refused, %d links the same, %d rejected, %d not judged, %d accepted\n", sum.tried, sum.refused, sum.same, sum.rejected, sum.unjudged, sum.accepted)
	return nil
}

// faultsOfLink is how many faults one link is made with.
const faultsOfLink = 20

// tryLink makes one link with several faults, one at a time.
func (f *faulty) tryLink(ctx context.Context, r *splitmix.Random, folder string, n int, sum *outcomes, each bool) error {
	l, inputs, _, err := load(folder)
	if err != nil {
		return err
	}
	right, seen, err := f.link(ctx, folder, &l, 0)
	if err != nil {
		return err
	}
	options := l.options()
	if v := check.Check(inputs, right, options); len(right) == 0 || !v.Agrees() {
		sum.tried++ // so that a bed without right links ends
		sum.refused++
		return nil
	}
	var faults []int // that change what some condition came to
	for place, did := range seen {
		for kind, needs := range condition.Infects {
			if did&needs != 0 {
				faults = append(faults, len(condition.Infects)*place+kind+1) // see condition.Fault
			}
		}
	}
	for range n {
		fault := faults[r.Below(len(faults))]
		sum.tried++
		output, _, err := f.link(ctx, folder, &l, fault)
		if err != nil {
			return err
		}
		switch {
		case len(output) == 0:
			sum.refused++
		case bytes.Equal(output, right):
			sum.same++
		default:
			v := check.Check(inputs, output, options)
			sum.count(&l, &v, fault, output, each)
		}
	}
	return nil
}

// count notes what the check says of a link with a fault, and keeps those that it accepts.
func (sum *outcomes) count(l *link, v *check.Verdict, fault int, output []byte, each bool) {
	switch {
	case v.Outcome() == check.NotJudged:
		sum.unjudged++
	case !v.Agrees():
		sum.rejected++
	default:
		sum.accepted++
		if each {
			fmt.Printf("%s, fault %d: accepted\n", l.Name, fault)
		}
		if keep != "" {
			_ = os.MkdirAll(keep, 0o777)
			_ = os.WriteFile(filepath.Join(keep, fmt.Sprintf("%s-%d.cubin", l.Name, fault)), output, 0o666)
		}
	}
}
