package main

import (
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle/check"
)

// harmless are kinds of which some change nothing that a program would notice, or are named as what they lead to.
var harmless = map[string]bool{".nv.constant0. shorter": true, "parameters' bank longer": true, "variable's symbol changes places with another": true}

// Of defects planted into links by nvlink 11.8.89 to 13.0.88 nearly all are rejected,
// and named. What is left are changes that no program notices, such as a stack that is
// larger than needed and now is a byte smaller. "judge plant" plants more of them
// into fresh links.
func TestPlantedDefects(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	type good struct {
		link   link
		inputs []check.Input
		output []byte
	}
	var links []good
	for i, c := range cases {
		if i%7 != 0 || !c.Linked() || c.Output == nil || !c.Complete() {
			continue
		}
		g := good{link: link{Name: c.ID(), Release: c.Release, Arch: c.Arch, Args: c.Args}, output: c.Output}
		for _, in := range c.Inputs {
			g.inputs = append(g.inputs, check.Input{Name: in.Name, Data: in.Data})
		}
		if check.Check(g.inputs, g.output, g.link.options()).Agrees() {
			links = append(links, g)
		}
	}
	if len(links) < 50 {
		t.Fatalf("only %d links to plant into", len(links))
	}
	r := splitmix.At(2)
	tallies := map[string]*tally{}
	planted, kinds := 0, map[string]bool{}
	for tries := 0; planted < 1500 && tries < 40000; tries++ {
		g := &links[r.Below(len(links))]
		x := &faults[tries%len(faults)]
		if plantOne(x, &g.link, g.inputs, g.output, r, tallies) {
			planted++
			kinds[x.name] = true
		}
	}
	left := 0
	for kind, n := range tallies {
		left += n.planted - n.named
		if n.named < n.planted && !harmless[kind] {
			t.Errorf("%s: %d of %d are not rejected by name", kind, n.planted-n.named, n.planted)
		}
		for _, x := range n.examples {
			t.Logf("%s: %s", kind, x)
		}
	}
	if planted < 1500 || len(kinds) < 215 {
		t.Errorf("only %d defects of %d kinds", planted, len(kinds))
	}
	if 1000*left > 8*planted {
		t.Errorf("%d of %d defects are not rejected by name", left, planted)
	}
	t.Logf("%d defects of %d kinds, %d not rejected by name", planted, len(kinds), left)
}

// A finding names what it is about.
func TestNames(t *testing.T) {
	f := check.Finding{Kind: check.SymbolValue, Symbol: "k", Section: ".text.k"}
	if !names(&f, ".text.k") || !names(&f, "k") || names(&f, "other") {
		t.Error("names is wrong")
	}
}
