package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// maxMessage is how much of a message is kept.
const maxMessage = 300

// ask lets both releases of nvlink link every mutant alone.
func (m *maker) ask(ctx context.Context, list []corpus.Mutant, arch map[string]string) error {
	known, err := recorded()
	if err != nil {
		return err
	}
	plain := map[string][]byte{} // links of the bases, by release and name
	for i := range list {
		mu := &list[i]
		data, err := mu.Apply(bytes.Clone(m.made[mu.Base]))
		if err != nil {
			return err
		}
		for _, release := range releases {
			if slices.Contains(m.absent, release) {
				mu.Results[release] = known[key(mu)][release]
				continue
			}
			link := release + " " + mu.Base
			if _, ok := plain[link]; !ok {
				res, err := m.linkAlone(ctx, release, arch[mu.Base], m.made[mu.Base])
				if err != nil {
					return err
				}
				plain[link] = res.Output
			}
			r, err := m.end(ctx, release, arch[mu.Base], mu.Name, data, plain[link], known[key(mu)][release])
			if err != nil {
				return fmt.Errorf("%s by %s: %w", mu.Name, release, err)
			}
			mu.Results[release] = r
		}
	}
	return nil
}

// tries is how often a mutant is linked whose end isn't the recorded one each time.
const tries = 12

// end links a mutant until it is known whether it still ends as it is recorded. One
// that does so only at times is unsteady, which -update records.
func (m *maker) end(ctx context.Context, release, arch, name string, data, plain []byte, old corpus.MutantResult) (corpus.MutantResult, error) {
	if old.Unsteady { // what such a run leaves is by chance: what is recorded stays
		return old, nil
	}
	var first corpus.MutantResult
	steady, asRecorded := true, 0
	for n := range tries {
		res, err := m.linkAlone(ctx, release, arch, data)
		if err != nil {
			return first, err
		}
		r := result(res, plain)
		if n == 0 {
			first = r
		}
		steady = steady && r == first
		if r == old {
			asRecorded++
		}
		if steady && asRecorded == 2 || !steady && asRecorded > 0 {
			break
		}
	}
	if steady {
		return first, nil
	}
	if asRecorded > 0 && !m.update {
		fmt.Printf("note: %s by %s doesn't end each time as it is recorded; -update marks it\n", name, release)
		return old, nil
	}
	first.Unsteady, first.SHA256 = true, ""
	return first, nil
}

// recorded returns the results that are committed, by mutant and release.
func recorded() (map[string]map[string]corpus.MutantResult, error) {
	list, err := corpus.Mutants()
	if err != nil {
		return nil, err
	}
	known := map[string]map[string]corpus.MutantResult{}
	for i := range list {
		known[key(&list[i])] = list[i].Results
	}
	return known, nil
}

// key distinguishes mutants by what they are.
func key(m *corpus.Mutant) string { return fmt.Sprint(m.Base, m.Edits) }

func (m *maker) linkAlone(ctx context.Context, release, arch string, data []byte) (*nvidia.Result, error) {
	return m.set.Link(ctx, release, []string{"-arch=" + arch}, []nvidia.File{{Name: "in0.cubin", Data: data}})
}

func result(res *nvidia.Result, plain []byte) corpus.MutantResult {
	r := corpus.MutantResult{Outcome: res.Outcome.String(), Exit: res.ExitCode, Signal: int(res.Signal), Message: message(res.Message()), Output: "changed"}
	switch {
	case res.Output == nil:
		r.Output = "none"
	case len(res.Output) == 0:
		r.Output = "empty"
	case bytes.Equal(res.Output, plain):
		r.Output = "same"
	default:
		sum := sha256.Sum256(res.Output)
		r.SHA256 = hex.EncodeToString(sum[:])
	}
	return r
}

// message is the lines of a message, one of each, as far as there is room.
func message(text string) string {
	var lines []string
	for line := range bytes.Lines([]byte(text)) {
		if s := string(bytes.TrimRight(line, "\r\n")); !slices.Contains(lines, s) && len(lines) < 4 {
			lines = append(lines, s)
		}
	}
	var b []byte
	for i, s := range lines {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, s...)
	}
	return string(b[:min(len(b), maxMessage)])
}
