package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/corpus/internal/expect"
	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/internal/vectorlink"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/report"
)

// relocations is the reference of all types.
func relocations(context.Context) (*report.Report, error) {
	scores, err := scoreVectors()
	if err != nil {
		return nil, err
	}
	r := &report.Report{Title: "Relocation types of EM_CUDA", Command: "site"}
	for _, recipe := range oracle.Recipes() {
		t := report.RelocationType{Number: recipe.Number, Name: recipe.Name, Bits: 64, Recipe: recipe.String(), Entry: entry(recipe.Number)}
		for _, s := range recipe.Steps() {
			t.Fields = append(t.Fields, report.Field{First: int(s.Field.Start), Width: int(s.Field.Width), Role: role(s)})
			if s.Field.Last() > 63 {
				t.Bits = 128
			}
		}
		for _, source := range slices.Sorted(maps.Keys(scores[recipe.Number])) {
			t.Results = append(t.Results, *scores[recipe.Number][source])
		}
		r.Relocations = append(r.Relocations, t)
	}
	return r, nil
}

// role tells a field that holds the number of a constant bank from one that
// holds the value.
func role(s oracle.Step) string {
	if strings.Contains(s.Expr.String(), "BANK") {
		return "bank"
	}
	return "value"
}

// entry is the engine's descriptor in words.
func entry(number uint32) string {
	var d *descriptor.Descriptor
	switch {
	case number < uint32(len(descriptor.Table)):
		d = &descriptor.Table[number]
	case number >= cuda.MercuryBase && number-cuda.MercuryBase < cuda.MercuryRelocCount:
		d = &descriptor.Mercury()[number-cuda.MercuryBase]
	default:
		return ""
	}
	var lines []string
	for i := range descriptor.Slots {
		if s := d.Slot(i); s != (descriptor.Slot{}) {
			lines = append(lines, fmt.Sprintf("slot %d: bits %d..%d, action %d", i, s.First, s.First+s.Width-1, s.Action))
		}
	}
	return strings.Join(lines, "\n")
}

type scoreboard map[uint32]map[string]*report.Score

// scoreVectors runs every vector through the engine and the oracle.
func scoreVectors() (scoreboard, error) {
	manifest, err := relocs.Templates()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var first error
	scores := scoreboard{}
	queue := make(chan *relocs.Vector, 64)
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for v := range queue {
				if err := scores.add(&mu, manifest, v); err != nil {
					mu.Lock()
					first = errors.Join(first, err)
					mu.Unlock()
				}
			}
		})
	}
	for v := range relocs.Vectors() {
		queue <- v
	}
	close(queue)
	done.Wait()
	return scores, first
}

func (s scoreboard) add(mu *sync.Mutex, manifest *relocs.Manifest, v *relocs.Vector) error {
	inputs, err := v.Inputs()
	if err != nil {
		return fmt.Errorf("%s: %w", v.ID, err)
	}
	oracles, err := expect.New(manifest, v, inputs)
	if err != nil {
		return fmt.Errorf("%s: %w", v.ID, err)
	}
	for _, release := range v.Releases() {
		engineSame := v.Compare(release, inputs, vectorlink.Link(v, release, inputs)) == nil
		result, _ := v.Result(release)
		err := oracles.Check(release, result)
		var unknown *expect.Unknown
		mu.Lock()
		for i := range v.Records {
			s.count(v.Records[i].Type, "engine", engineSame, v.ID)
			if !errors.As(err, &unknown) {
				s.count(v.Records[i].Type, "oracle", err == nil, v.ID)
			}
			s.count(v.Records[i].Type, "nvlink "+release, true, v.ID)
		}
		mu.Unlock()
	}
	return nil
}

func (s scoreboard) count(typ uint32, source string, same bool, id string) {
	if s[typ] == nil {
		s[typ] = map[string]*report.Score{}
	}
	score := s[typ][source]
	if score == nil {
		score = &report.Score{Source: source}
		s[typ][source] = score
	}
	score.Total++
	switch {
	case same:
		score.Same++
	case score.Example == "" || id < score.Example:
		score.Example = id
	}
}
