package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// callsTwice is the release from which on the call graph and the prototypes stand on the
// Mercury side too, as on the other.
//
// Source: 533 links by nvlink 13.5.37, final and -r; those of 13.0.88 have none.
const callsTwice oracle.Release = 135

// compareTwinCalls holds the call graph of the Mercury side against that of the other.
func (c *check) compareTwinCalls() error {
	if c.sass == nil || c.sass.out == nil {
		return nil
	}
	for _, kinds := range [...][2]cuda.SectionType{{cuda.SHTCudaCallgraph, cuda.SHTMercCallgraph}, {cuda.SHTCudaPrototype, cuda.SHTMercPrototype}} {
		sass, merc := c.sass.out.tableOf(kinds[0]), c.out.tableOf(kinds[1])
		if sass == nil {
			continue // which is told there
		}
		want, err := c.sass.out.pairsIn(sass, kinds[0], c.budget)
		if err != nil {
			return c.unreadable(err)
		}
		if merc == nil {
			if c.release >= callsTwice && len(want) > 0 {
				c.verdict.add(Finding{Kind: SectionMissing, Section: sass.name})
			}
			continue
		}
		got, err := c.out.pairsIn(merc, kinds[0], c.budget)
		if err != nil {
			return c.unreadable(err)
		}
		there := sass.name
		c.compareHeader(merc, wantHeader{kind: kinds[1], flags: cuda.SHFMercury, link: uint32(c.out.symtab), align: 4, entry: 8})
		for _, pair := range slices.Sorted(maps.Keys(want)) {
			if got[pair] < want[pair] {
				c.verdict.add(Finding{Kind: CallMissing, Section: there, Want: pair, Detail: "the SASS side has this pair"})
			}
		}
		for _, pair := range slices.Sorted(maps.Keys(got)) {
			if got[pair] > want[pair] {
				c.verdict.add(Finding{Kind: CallStray, Section: there, Got: pair, Detail: "the SASS side has no such pair"})
			}
		}
	}
	return nil
}

// tableOf is the section of a type, whichever side it is of; nil: none.
func (f *output) tableOf(kind cuda.SectionType) *section {
	for i := range f.all {
		if f.all[i].kind == kind {
			return &f.all[i]
		}
	}
	return nil
}

// pairsIn counts the entries of a call graph or of prototypes, headings included; a stripper
// may number the symbols of one side anew, so names count.
func (f *output) pairsIn(s *section, kind cuda.SectionType, b *budget) (map[string]int, error) {
	table := *s
	table.kind = kind
	pairs, err := f.readPairs(&table, b)
	if err != nil {
		return nil, err
	}
	symbol := func(index uint32) string {
		if int(index) >= len(f.symbols) {
			return fmt.Sprintf("symbol %d", index)
		}
		return f.symbols[index].name
	}
	count := map[string]int{}
	for at := uint64(0); at < s.size && kind == cuda.SHTCudaCallgraph; at += 8 {
		if x, y := word(s.body, at), word(s.body, at+4); x == 0 && y >= cuda.CallgraphEdges {
			count[fmt.Sprintf("heading %x", y)]++
		}
	}
	for _, p := range pairs {
		to := ""
		if p.heading == cuda.CallgraphCalls || p.heading == cuda.CallgraphEdges {
			to = symbol(p.y)
		} else {
			to, _ = text(f.strings(), uint64(p.y))
		}
		count[fmt.Sprintf("%x: %s -> %s", p.heading, symbol(p.x), to)]++
	}
	return count, nil
}
