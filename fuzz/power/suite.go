package power

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// suite is a detector's part in one test program.
type suite struct {
	detector *Detector
	test     *test

	once  sync.Once
	tests []*probe
	err   error

	sought sought
}

// probe is what is run to find a fault: a test, or fuzzing.
type probe struct {
	suite *suite
	name  string

	once   sync.Once
	took   time.Duration // without a fault
	places []byte        // 1 at each place it came to without a fault; nil for fuzzing, which may come anywhere
	err    error         // why it can't be used
}

// arguments returns a detector's arguments but for -run, and the pattern that -run has.
func (d *Detector) arguments() (args []string, run string) {
	run = "."
	for i := 0; i < len(d.Args); i++ {
		if d.Args[i] == "-run" && i+1 < len(d.Args) {
			i++
			run = d.Args[i]
			continue
		}
		args = append(args, d.Args[i])
	}
	return args, run
}

// fuzzes reports whether a detector is fuzzing.
func (d *Detector) fuzzes() bool { return slices.Contains(d.Args, "-fuzz") }

// suites returns the parts of a detector in the test programs of its packages.
func (b *bench) suites(ctx context.Context, d *Detector) ([]*suite, error) {
	folders, err := b.folders(ctx, d)
	if err != nil {
		return nil, err
	}
	var list []*suite
	for _, folder := range folders {
		key := d.Name + " " + strings.Join(d.Args, " ") + " " + folder
		b.mu.Lock()
		s := b.known[key]
		if s == nil {
			s = &suite{detector: d}
			b.known[key] = s
		}
		b.mu.Unlock()
		s.once.Do(func() { b.list(ctx, s, folder) })
		if s.err != nil {
			return nil, s.err
		}
		list = append(list, s)
	}
	return list, nil
}

// list finds the tests of a suite.
func (b *bench) list(ctx context.Context, s *suite, folder string) {
	if s.test = b.build(ctx, folder); s.test.err != nil || s.test.path == "" {
		s.err = s.test.err
		return
	}
	if s.detector.fuzzes() {
		s.tests = []*probe{{suite: s, name: s.detector.Args[slices.Index(s.detector.Args, "-fuzz")+1]}}
		return
	}
	_, pattern := s.detector.arguments()
	_, out, err := b.start(ctx, s, []string{"-test.list", pattern}, "", time.Minute)
	if err != nil {
		s.err = err
		return
	}
	for line := range strings.Lines(out) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example") {
			s.tests = append(s.tests, b.probe(s, name))
		}
	}
	if len(s.tests) == 0 {
		s.err = fmt.Errorf("detector %s: no tests to run in %s", s.detector.Name, folder)
	}
}

// probe returns a test of a suite: the same where another detector has it with the same arguments.
func (b *bench) probe(s *suite, name string) *probe {
	args, _ := s.detector.arguments()
	key := fmt.Sprint(s.test.dir, " ", name, " ", args, b.root.Live[s.detector.Name])
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.probes[key]
	if p == nil {
		p = &probe{suite: s, name: name}
		b.probes[key] = p
	}
	return p
}

// measure wants a probe to pass without a fault, and finds where it comes to and how long that takes.
func (b *bench) measure(ctx context.Context, p *probe) {
	p.once.Do(func() {
		what, fuzzing := "", p.suite.detector.fuzzes()
		if !fuzzing {
			f, err := os.CreateTemp(b.dir, "places")
			if err == nil {
				err = f.Truncate(int64(len(b.program.numbers)))
				f.Close()
			}
			if p.err = err; err != nil {
				return
			}
			what = f.Name()
			defer os.Remove(what)
		}
		began := time.Now()
		failed, out, err := b.start(ctx, p.suite, p.suite.selection(p), what, 15*time.Minute)
		p.took = time.Since(began)
		if p.err = err; failed {
			p.err = fmt.Errorf("detector %s fails without a fault, in %s: %s", p.suite.detector.Name, filepath.Base(p.suite.test.dir), said(out))
		}
		if p.err == nil && !fuzzing {
			p.places, p.err = os.ReadFile(what)
		}
	})
}

// selection are the arguments that run some tests of a suite.
func (s *suite) selection(list ...*probe) []string {
	args, pattern := s.detector.arguments()
	if !s.detector.fuzzes() {
		var names []string
		for _, p := range list {
			names = append(names, p.name)
		}
		pattern = "^(" + strings.Join(names, "|") + ")$"
	}
	args = append(args, "-run", pattern)
	for i, a := range args {
		if strings.HasPrefix(a, "-") {
			args[i] = "-test." + a[1:]
		}
	}
	return append(args, "-test.failfast")
}

// prepare measures the tests of all detectors but those that fuzz, some at once.
func (b *bench) prepare(ctx context.Context, tasks []task, workers int) error {
	var list []*probe
	seen := map[*probe]bool{}
	for _, t := range tasks {
		if _, shared := b.program.shared[t.fault.ID()]; !shared {
			continue
		}
		for i := range t.detectors {
			suites, err := b.suites(ctx, &t.detectors[i])
			if err != nil {
				return err
			}
			for _, s := range suites {
				for _, p := range s.tests {
					if !seen[p] && !s.detector.fuzzes() {
						list = append(list, p)
					}
					seen[p] = true
				}
			}
		}
	}
	queue := make(chan *probe)
	var group sync.WaitGroup
	for range max(workers, 1) {
		group.Go(func() {
			for p := range queue {
				b.measure(ctx, p)
			}
		})
	}
	for _, p := range list {
		queue <- p
	}
	close(queue)
	group.Wait()
	return ctx.Err()
}
