package verify_test

import (
	"errors"
	"flag"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/internal/vectorlink"
)

var update = flag.Bool("update", false, "write testdata/open.tsv anew; a cause that isn't known is ?")

// open is a vector on which the engine doesn't do what nvlink did.
type open struct {
	id, release string
	what        string // relocs.Difference.What
	cause       string
}

func (o open) key() string { return o.id + " " + o.release + ": " + o.what }

// openVectors reads testdata/open.tsv.
func openVectors(t *testing.T) map[string]open {
	t.Helper()
	text, err := os.ReadFile("testdata/open.tsv")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]open{}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			t.Fatalf("open.tsv: %q has %d fields, want 4", line, len(f))
		}
		o := open{f[0], f[1], f[2], f[3]}
		list[o.key()] = o
	}
	return list
}

// shortShare is of how many vectors "go test -short" runs one.
const shortShare = 16

// TestVectors runs every vector of corpus/relocs through the engine, as each
// release. What isn't as nvlink did it is in testdata/open.tsv with its cause:
// one vector more or less, and the test fails.
func TestVectors(t *testing.T) {
	var mu sync.Mutex
	total, found := 0, map[string]open{}
	texts := map[string]error{}
	queue := make(chan *relocs.Vector, 64)
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for v := range queue {
				faults, err := judgeVector(v)
				mu.Lock()
				total += len(v.Releases())
				for _, f := range faults {
					var d *relocs.Difference
					if !errors.As(f, &d) {
						t.Errorf("%s: %v", v.ID, f)
						continue
					}
					o := open{id: v.ID, release: d.Release, what: d.What, cause: "?"}
					found[o.key()], texts[o.key()] = o, f
				}
				if err != nil {
					t.Errorf("%s: %v", v.ID, err)
				}
				mu.Unlock()
			}
		})
	}
	n, asked := 0, map[string]bool{}
	for v := range relocs.Vectors() {
		if n++; !testing.Short() || n%shortShare == 0 {
			queue <- v
			asked[v.ID] = true
		}
	}
	close(queue)
	done.Wait()
	if total < 60000 && !testing.Short() {
		t.Errorf("only %d runs", total)
	}
	listed := openVectors(t)
	if *update && !testing.Short() {
		writeOpen(t, found, listed)
		return
	}
	for key := range found {
		if _, ok := listed[key]; !ok {
			t.Error(texts[key])
		}
	}
	for key, o := range listed {
		if _, ok := found[key]; !ok && asked[o.id] {
			t.Errorf("%s: as nvlink does it now: take the line out of testdata/open.tsv (-update)", key)
		}
		if o.cause == "" || o.cause == "?" {
			t.Errorf("%s: no cause is named", key)
		}
	}
	t.Logf("%d of %d runs as nvlink", total-len(found), total)
}

// writeOpen writes what was found, with the causes that were listed.
func writeOpen(t *testing.T, found, listed map[string]open) {
	t.Helper()
	var lines []string
	for key, o := range found {
		if was, ok := listed[key]; ok {
			o.cause = was.cause
		}
		lines = append(lines, strings.Join([]string{o.id, o.release, o.what, o.cause}, "\t")+"\n")
	}
	slices.Sort(lines)
	text, err := os.ReadFile("testdata/open.tsv")
	if err != nil {
		t.Fatal(err)
	}
	head := ""
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			head += line
		}
	}
	if err := os.WriteFile("testdata/open.tsv", []byte(head+strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// judgeVector returns how the engine differs from the releases it was run as.
func judgeVector(v *relocs.Vector) (faults []error, err error) {
	inputs, err := v.Inputs()
	if err != nil {
		return nil, err
	}
	for _, release := range v.Releases() {
		if err := v.Compare(release, inputs, vectorlink.Link(v, release, inputs)); err != nil {
			faults = append(faults, err)
		}
	}
	return faults, nil
}
