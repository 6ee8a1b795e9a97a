package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/corpus/relocs"
)

// generate asks nvlink about every vector of the plan and compares the files of
// the corpus with what it answered, or writes them.
func (r *regen) generate(ctx context.Context) error {
	// The templates may have been written a moment ago.
	var err error
	if r.manifest, err = relocs.ReadManifest(os.DirFS(r.root)); err != nil {
		return err
	}
	planned := map[string]bool{}
	for _, t := range r.manifest.Templates {
		if t.Drawn {
			continue
		}
		name := t.Name + ".json"
		planned[name] = true
		if !strings.Contains(t.Name, r.only) {
			continue
		}
		groups, err := plan(r.manifest, t)
		if err != nil {
			return err
		}
		if err := r.fill(ctx, groups); err != nil {
			return err
		}
		text, err := relocs.Format(t, groups)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := r.settleData(filepath.Join(r.root, "data", name), t, groups, text); err != nil {
			return err
		}
	}
	return r.stale(planned)
}

// fill adds the results to all vectors of the groups.
func (r *regen) fill(ctx context.Context, groups []relocs.Group) error {
	queue := make(chan *relocs.Vector)
	var done sync.WaitGroup
	var lock sync.Mutex
	var failures []error
	for range workers {
		done.Go(func() {
			for v := range queue {
				if err := r.answer(ctx, v); err != nil {
					lock.Lock()
					failures = append(failures, err)
					lock.Unlock()
				}
			}
		})
	}
	for _, g := range groups {
		for _, v := range g.Vectors {
			queue <- v
		}
	}
	close(queue)
	done.Wait()
	return errors.Join(failures...)
}

// answer asks all releases about one vector. Releases that did the same share a
// result.
func (r *regen) answer(ctx context.Context, v *relocs.Vector) error {
	inputs, err := v.Inputs()
	if err != nil {
		return err
	}
	for _, release := range v.Template.Releases {
		got, err := r.ask(ctx, v, inputs, release)
		if err != nil {
			return err
		}
		got.Verdict = verdict(v, got)
		at := len(v.Results)
		for i := range v.Results {
			if v.Results[i].Same(got) {
				at = i
			}
		}
		if at == len(v.Results) {
			v.Results = append(v.Results, got)
			continue
		}
		same := &v.Results[at]
		same.Releases = append(same.Releases, got.Releases...)
		same.Images = append(same.Images, got.Images...)
	}
	return nil
}

// settleData compares a file of vectors with what it should be, or writes it,
// and says which vectors differ.
func (r *regen) settleData(path string, t *relocs.Template, groups []relocs.Group, want []byte) error {
	old, err := os.ReadFile(path)
	if err == nil && string(old) != string(want) && !r.update {
		lines := map[string]bool{}
		for line := range strings.Lines(string(old)) {
			lines[strings.TrimRight(line, ",\n")] = true
		}
		for line := range strings.Lines(string(want)) {
			if !lines[strings.TrimRight(line, ",\n")] {
				fmt.Printf("%s: nvlink says %s", filepath.Base(path), line)
			}
		}
	}
	return r.settle(path, want)
}

// stale finds files of vectors that no template has.
func (r *regen) stale(planned map[string]bool) error {
	entries, err := os.ReadDir(filepath.Join(r.root, "data"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(r.root, "data", e.Name())
		switch {
		case planned[e.Name()]:
		case r.update:
			if err := os.Remove(path); err != nil {
				return err
			}
		default:
			r.differ("%s belongs to no template", e.Name())
		}
	}
	return nil
}
