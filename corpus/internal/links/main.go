// Command links makes the corpus of relinks with NVIDIA's tools and compares it with what is committed.
//
// It compiles every source and runs every case of corpus/testdata/links/manifest.json with the ptxas and nvlink of the release
// the manifest names, found under -witness, $TWINLINK_WITNESS or .witness, each in a folder called after the release.
// Differences go to standard output and make the exit status 1. With -update the files and the manifest's results
// (exit, output, sha256, stderr) are written instead.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"github.com/twinlink/twinlink/corpus/internal/manifest"
)

func main() {
	root := flag.String("corpus", filepath.Join("corpus", "testdata", "links"), "folder of the corpus")
	witness := flag.String("witness", "", "folder of the tools, by release")
	update := flag.Bool("update", false, "write what differs instead of listing it")
	only := flag.String("program", "", "only this program")
	release := flag.String("release", "", "only cases of this release (not with -update)")
	flag.Parse()
	if flag.NArg() > 0 || *update && *release != "" {
		flag.Usage()
		os.Exit(2)
	}
	r := &regen{root: *root, tools: tools{root: witnessRoot(*witness)}, update: *update, only: *only, release: *release}
	differences, err := r.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "links:", err)
		os.Exit(1)
	}
	for _, n := range r.notes {
		fmt.Println("note:", n)
	}
	for _, d := range differences {
		fmt.Println(d)
	}
	if len(differences) > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d cases of %d programs agree\n", r.cases, r.programs)
}

// regen is one run over the corpus.
type regen struct {
	root    string
	tools   tools
	update  bool
	only    string
	release string

	// required are the releases the manifest names tools of. Cases of others are looked at where the tools are there.
	required map[string]bool

	mu       sync.Mutex
	notes    []string
	cases    int
	programs int
}

// run returns the differences, sorted; with update there are none left.
func (r *regen) run() ([]string, error) {
	name := filepath.Join(r.root, "manifest.json")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(text)
	if err != nil {
		return nil, err
	}
	r.required = map[string]bool{}
	for _, t := range m.Tools {
		r.required[t.Release] = true
	}
	var differences []string
	if r.release == "" && r.only == "" {
		if differences, err = r.checkTools(m); err != nil {
			return nil, err
		}
	}
	results := make([]struct {
		differences []string
		err         error
	}, len(m.Programs))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range m.Programs {
		if r.only != "" && m.Programs[i].Name != r.only {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i].differences, results[i].err = r.program(&m.Programs[i])
		})
	}
	wg.Wait()
	var failures []error
	for i, res := range results {
		differences = append(differences, res.differences...)
		if res.err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", m.Programs[i].Name, res.err))
		}
	}
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	sort.Strings(r.notes)
	sort.Strings(differences)
	if !r.update {
		return differences, nil
	}
	return nil, os.WriteFile(name, m.Format(), 0o644)
}

// checkTools compares the builds that are there with those of the manifest.
func (r *regen) checkTools(m *manifest.Manifest) ([]string, error) {
	var differences []string
	for i := range m.Tools {
		t := &m.Tools[i]
		for tool, want := range map[string]*string{"ptxas": &t.Ptxas, "nvlink": &t.Nvlink} {
			got, err := r.tools.version(t.Release, tool)
			if err != nil {
				return nil, err
			}
			if got != *want && !r.update {
				differences = append(differences, fmt.Sprintf("%s of %s is %q, the corpus was made with %q", tool, t.Release, got, *want))
			}
			*want = got
		}
	}
	return differences, nil
}

func (r *regen) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}
