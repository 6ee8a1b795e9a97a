// Package claims is the ledger of what the seed documents state and what came of checking it.
//
// README.md says how a verdict is reached and what the columns of claims.tsv mean.
package claims

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed claims.tsv
var table string

//go:embed readings.tsv
var readings string

// Verdict is what became of a claim.
type Verdict string

// The verdicts.
const (
	Confirmed     Verdict = "confirmed"
	Refuted       Verdict = "refuted"
	Open          Verdict = "open"
	NotObservable Verdict = "not-observable"
)

// Verdicts lists them in the order in which sums are printed.
var Verdicts = []Verdict{Confirmed, Refuted, Open, NotObservable}

// Claim is one statement and its verdict.
type Claim struct {
	ID        string
	Document  string
	Place     string // heading in the document
	System    string
	Statement string
	Kind      string
	Verdict   Verdict
	Truth     string   // Refuted: what is true; Open: what is missing; NotObservable: why
	By        []string // what decided it, in the forms of README.md

	Reading *Reading // By has "reading": the two places
}

// Reading is what decides a claim by reading: two places of the documents, or a
// place and what its numbers come to. They say the same, or contradict.
type Reading struct {
	Document, Says string
	Other, Against string // Other is a document, or "arithmetic"
}

const columns = "id\tdocument\tplace\tsystem\tstatement\tkind\tverdict\ttruth\tby"

const readingColumns = "id\tdocument\tsays\tother\tsays"

var load = sync.OnceValues(func() ([]Claim, error) {
	list, err := parse(table)
	if err != nil {
		return nil, err
	}
	return list, addReadings(list, readings)
})

// addReadings gives each claim that is decided by reading its two places. A
// claim that lacks them, and places that nothing asks for, are errors.
func addReadings(list []Claim, text string) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != readingColumns {
		return fmt.Errorf("readings.tsv: the first line is %q", lines[0])
	}
	places := map[string]*Reading{}
	for i, line := range lines[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 5 || slices.Contains(f, "") || f[2] == f[4] || places[f[0]] != nil {
			return fmt.Errorf("readings.tsv:%d: not an id and two places", i+2)
		}
		places[f[0]] = &Reading{f[1], f[2], f[3], f[4]}
	}
	used := map[string]bool{}
	for i := range list {
		if c := &list[i]; slices.Contains(c.By, "reading") {
			if c.Reading = places[c.ID]; c.Reading == nil {
				return fmt.Errorf("%s: by reading, but readings.tsv has no locations", c.ID)
			}
			used[c.ID] = true
		}
	}
	for id := range places {
		if !used[id] {
			return fmt.Errorf("readings.tsv: %s is not decided by reading", id)
		}
	}
	return nil
}

// All returns the ledger in its order. It is shared: callers must not change it.
func All() ([]Claim, error) { return load() }

func parse(text string) ([]Claim, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != columns {
		return nil, fmt.Errorf("claims.tsv: the first line is %q", lines[0])
	}
	var list []Claim
	for i, line := range lines[1:] {
		f := strings.Split(line, "\t")
		if len(f) != strings.Count(columns, "\t")+1 {
			return nil, fmt.Errorf("claims.tsv:%d: %d columns", i+2, len(f))
		}
		c := Claim{ID: f[0], Document: f[1], Place: f[2], System: f[3], Statement: f[4], Kind: f[5], Verdict: Verdict(f[6]), Truth: f[7], By: strings.Split(f[8], "; ")}
		if !slices.Contains(Verdicts, c.Verdict) {
			return nil, fmt.Errorf("claims.tsv:%d: verdict %q", i+2, c.Verdict)
		}
		list = append(list, c)
	}
	return list, nil
}

// Filter selects claims; an empty field selects all.
type Filter struct {
	System  string
	Verdict Verdict
}

// Apply returns the claims that the filter selects, in order.
func (f Filter) Apply(list []Claim) []Claim {
	var out []Claim
	for _, c := range list {
		if (f.System == "" || c.System == f.System) && (f.Verdict == "" || c.Verdict == f.Verdict) {
			out = append(out, c)
		}
	}
	return out
}

// Systems returns the systems of the ledger, sorted.
func Systems(list []Claim) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.System)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
