package nvidiatest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// active says that Main or Wrap is at work, so that skips will be told.
var active bool

var skipped = struct {
	sync.Mutex
	tests map[string]map[string]bool // "nvlink 12.4 is not installed" → names of tests
}{tests: map[string]map[string]bool{}}

// count notes a skip. A test that skips again, as one of a benchmark's rounds
// does, counts once.
func count(test, lack string) {
	skipped.Lock()
	defer skipped.Unlock()
	if skipped.tests[lack] == nil {
		skipped.tests[lack] = map[string]bool{}
	}
	skipped.tests[lack][test] = true
}

// Main runs a package's tests, says what was skipped and exits.
func Main(m *testing.M) { os.Exit(Wrap(m).Run()) }

// Runner is what *testing.M and testscript have in common.
type Runner interface{ Run() int }

// Wrap returns a Runner that says what was skipped once r has run, for a
// package whose TestMain hands its *testing.M to something else.
func Wrap(r Runner) Runner {
	active = true
	nameWitness()
	return teller{r}
}

// nameWitness sets TWINLINK_WITNESS to the .witness beside go.mod where the variable is
// unset: a test that has changed its folder, and what it starts, find the same tools.
func nameWitness() {
	if os.Getenv("TWINLINK_WITNESS") != "" {
		return
	}
	folder, err := nvidia.WitnessFolder(nvidia.Options{})
	if err == nil && folder != "" {
		_ = os.Setenv("TWINLINK_WITNESS", folder)
	}
}

type teller struct{ Runner }

func (t teller) Run() int {
	code := t.Runner.Run()
	tell()
	return code
}

// tell prints one line for each thing that is missing.
func tell() {
	skipped.Lock()
	defer skipped.Unlock()
	if len(skipped.tests) == 0 {
		return
	}
	var text string
	for _, lack := range slices.Sorted(maps.Keys(skipped.tests)) {
		text += line(len(skipped.tests[lack]), lack)
	}
	// "make test" names a file and prints it at the end. The variable is read
	// only where something was skipped, and its value is new each time: so go
	// test takes a whole run from its cache, and never one that has a line to
	// tell.
	if name := os.Getenv("TWINLINK_SKIPS"); name != "" {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err == nil {
			_, err = io.WriteString(f, text)
			err = errors.Join(err, f.Close())
		}
		if err == nil {
			return
		}
	}
	out := stderrOfParent()
	_, _ = io.WriteString(out, text)
	if f, ok := out.(*os.File); ok && f != os.Stderr {
		_ = f.Close()
	}
}

// line says it for one thing that is missing, with the package whose tests these are: a run
// over many packages has a line from each.
func line(n int, lack string) string {
	s := "s"
	if n == 1 {
		s = ""
	}
	pkg := strings.TrimSuffix(filepath.Base(os.Args[0]), ".test")
	return fmt.Sprintf("witness: %d test%s of %s skipped, %s\n", n, s, pkg, lack)
}
