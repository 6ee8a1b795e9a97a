package tables

import (
	"maps"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// callsTwice is the release from which on the call graph and the prototypes are on the
// Mercury side too, as on the other.
//
// Source: 533 links by nvlink 13.5.37, final and -r; those of 13.0.88 have none.
const callsTwice oracle.Release = 135

// compareCounterpartCalls holds the call graph of the Mercury side against that of the other.
func (c *check) compareCounterpartCalls() error {
	if c.Sass == nil || c.Sass.Out == nil {
		return nil
	}
	for _, kinds := range [...][2]cuda.SectionType{{cuda.SHTCudaCallgraph, cuda.SHTMercCallgraph}, {cuda.SHTCudaPrototype, cuda.SHTMercPrototype}} {
		sass, merc := c.Sass.Out.TableOf(kinds[0]), c.Out.TableOf(kinds[1])
		if sass == nil {
			continue // which is told there
		}
		want, err := c.Sass.Out.PairsIn(sass, kinds[0], c.Budget)
		if err != nil {
			return c.Unreadable(err)
		}
		if merc == nil {
			if c.Release >= callsTwice && len(want) > 0 {
				c.Verdict.Add(verdict.Finding{Kind: verdict.SectionMissing, Section: sass.Name})
			}
			continue
		}
		got, err := c.Out.PairsIn(merc, kinds[0], c.Budget)
		if err != nil {
			return c.Unreadable(err)
		}
		there := sass.Name
		c.compareHeader(merc, wantHeader{kind: kinds[1], flags: cuda.SHFMercury, link: uint32(c.Out.Symtab), align: 4, entry: 8})
		for _, pair := range slices.Sorted(maps.Keys(want)) {
			if got[pair] < want[pair] {
				c.Verdict.Add(verdict.Finding{Kind: verdict.CallMissing, Section: there, Want: pair, Detail: "the SASS side has this pair"})
			}
		}
		for _, pair := range slices.Sorted(maps.Keys(got)) {
			if got[pair] > want[pair] {
				c.Verdict.Add(verdict.Finding{Kind: verdict.CallStray, Section: there, Got: pair, Detail: "the SASS side has no such pair"})
			}
		}
	}
	return nil
}
