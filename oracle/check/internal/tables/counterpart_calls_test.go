package tables

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestCounterpartCalls wants a call graph and prototypes on the Mercury side where the other has some.
func TestCounterpartCalls(t *testing.T) {
	const calls, prototypes = ".nv.callgraph", ".nv.prototype"
	for i, x := range []struct {
		release    oracle.Release
		sass, merc string // tables that a side has; one in capitals is empty
		want       string
	}{
		{135, calls + " " + prototypes, calls + " " + prototypes, ""},
		{135, calls + " " + prototypes, prototypes, calls},
		{135, calls + " " + prototypes, calls, prototypes},
		{136, calls + " " + prototypes, "", calls + " " + prototypes},
		{135, calls, calls, ""},
		{135, strings.ToUpper(calls), "", ""},
		{135, "", calls, ""}, // told on the other side
		{134, calls, "", ""},
	} {
		f := &image.Image{Side: image.MercurySide, All: []image.Section{{}}}
		for n, names := range []string{x.sass, x.merc} {
			for name := range strings.FieldsSeq(names) {
				kind := map[string][2]cuda.SectionType{calls: {cuda.SHTCudaCallgraph, cuda.SHTMercCallgraph}, prototypes: {cuda.SHTCudaPrototype, cuda.SHTMercPrototype}}[strings.ToLower(name)][n]
				s := image.Section{Name: strings.ToLower(name), Kind: kind, Size: 8}
				if name != s.Name {
					s.Size = 0
				}
				f.All = append(f.All, s)
			}
		}
		l := &link.Link{Release: x.release, Side: f.Side, Budget: image.NewBudget(1 << 20), Out: &link.Output{Image: f}}
		l.Sass = &link.Link{Out: &link.Output{}}
		c := &check{apply.New(l)}
		if err := c.compareCounterpartCalls(); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, found := range c.Verdict.Findings {
			if found.Kind.String() != "section.missing" {
				t.Error(i, found)
			}
			list = append(list, found.Section)
		}
		if got := strings.Join(list, " "); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
		for _, other := range []*link.Link{nil, {}} {
			c = &check{apply.New(l)}
			c.Sass = other
			c.Verdict.Findings = nil
			if err := c.compareCounterpartCalls(); err != nil || len(c.Verdict.Findings) > 0 {
				t.Error("a file with one side", err)
			}
		}
	}
}
