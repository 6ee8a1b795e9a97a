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
			first, err := m.linkAlone(ctx, release, arch[mu.Base], data)
			if err != nil {
				return err
			}
			second, err := m.linkAlone(ctx, release, arch[mu.Base], data)
			if err != nil {
				return err
			}
			r, again := result(first, plain[link]), result(second, plain[link])
			if r.Unsteady = r != again; r.Unsteady || known[key(mu)][release].Unsteady {
				// What such a run leaves is by chance: what is recorded stays.
				r.Unsteady, r.SHA256 = true, ""
				if old := known[key(mu)][release]; old.Unsteady {
					r = old
				}
			}
			mu.Results[release] = r
		}
	}
	return nil
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

// key tells mutants apart by what they are.
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
