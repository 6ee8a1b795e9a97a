package power

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// bench builds the test programs of the detectors, each once with all faults in it, and runs them with one of them.
type bench struct {
	root    *Root
	dir     string // for what is built
	program *program

	mu     sync.Mutex
	tests  map[string]*test    // by folder of the package
	known  map[string]*suite   // by what the detector runs and the folder
	probes map[string]*probe   // by the program, the test and its arguments
	folder map[string][]string // by a detector's packages
	found  map[string]int      // how much a test found, see bench.order
}

// test is a built test program.
type test struct {
	once sync.Once
	path string // "" where the package has no tests
	dir  string // the package's folder
	err  error
}

// newBench plants the faults that can share a program, and omits those with which it doesn't compile.
func newBench(ctx context.Context, root *Root, faults []*Fault, dir string) (*bench, error) {
	b := &bench{root: root, dir: dir, tests: map[string]*test{}, known: map[string]*suite{}, probes: map[string]*probe{}, folder: map[string][]string{}, found: map[string]int{}}
	for try := 0; ; try++ {
		var err error
		if b.program, err = root.share(faults, dir); err != nil {
			return nil, err
		}
		if len(b.program.files) == 0 {
			return b, nil
		}
		args := []string{"build", "-o", os.DevNull, "-gcflags=-e", "-overlay", b.program.overlay}
		folders := map[string]bool{}
		for file := range b.program.files {
			if folder := "./" + filepath.ToSlash(filepath.Dir(file)); !folders[folder] {
				folders[folder] = true
				args = append(args, folder)
			}
		}
		out, err := root.run(ctx, nil, args...)
		if err == nil {
			return b, nil
		}
		bad := b.program.blamed(out)
		if len(bad) == 0 || try > 40 {
			return nil, fmt.Errorf("power: the program with all faults doesn't compile: %s", tail(out))
		}
		var rest []*Fault
		for _, f := range faults {
			if !bad[f.ID()] {
				rest = append(rest, f)
			}
		}
		faults = rest
	}
}

var position = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(\S+\.go):(\d+):(\d+):`)
})

// blamed returns the faults in whose code the compiler found an error: where it is in no copy of a function, all of the
// file that are none.
func (p *program) blamed(out string) map[string]bool {
	bad := map[string]bool{}
	for _, m := range position().FindAllStringSubmatch(out, -1) {
		for file, s := range p.files {
			if !strings.HasSuffix(filepath.ToSlash(m[1]), file) && filepath.Base(m[1]) != flat(file) {
				continue
			}
			line, _ := strconv.Atoi(m[2])
			at := 0
			for range line - 1 {
				at += bytes.IndexByte(s.text[at:], '\n') + 1
			}
			inCopy, any := map[string]bool{}, false
			for _, sp := range s.spans {
				inCopy[sp.id] = true
				if sp.from <= at && at < sp.to {
					bad[sp.id], any = true, true
				}
			}
			for id := range s.shared {
				if !any && !inCopy[id] {
					bad[id] = true
				}
			}
		}
	}
	return bad
}

// build returns the test program of a package.
func (b *bench) build(ctx context.Context, folder string) *test {
	b.mu.Lock()
	t := b.tests[folder]
	if t == nil {
		t = &test{dir: folder}
		b.tests[folder] = t
	}
	b.mu.Unlock()
	t.once.Do(func() {
		path := filepath.Join(b.dir, strings.NewReplacer("/", "~", `\`, "~", ":", "~").Replace(folder)+".test")
		out, err := b.root.run(ctx, nil, "test", "-c", "-vet=off", "-overlay", b.program.overlay, "-o", path, folder)
		if err != nil {
			t.err = fmt.Errorf("%s: %s", folder, tail(out))
			return
		}
		if _, err := os.Stat(path); err == nil {
			t.path = path
		}
	})
	return t
}
