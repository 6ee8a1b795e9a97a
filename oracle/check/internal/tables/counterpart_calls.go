package tables

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// callsTwice is the release from which on the Mercury side has a call graph and prototypes
// of its own.
//
// Source: 533 links by nvlink 13.5.37, final and -r; those of 13.0.88 have none.
const callsTwice oracle.Release = 135

// compareCounterpartCalls wants a call graph and prototypes on the Mercury side where the other has
// some. What they say is held against the inputs, as on the other side.
func (c *check) compareCounterpartCalls() error {
	if c.Sass == nil || c.Sass.Out == nil {
		return nil
	}
	for _, kinds := range [...][2]cuda.SectionType{{cuda.SHTCudaCallgraph, cuda.SHTMercCallgraph}, {cuda.SHTCudaPrototype, cuda.SHTMercPrototype}} {
		sass := c.Out.TableOf(kinds[0])
		if sass != nil && sass.Size > 0 && c.Out.TableOf(kinds[1]) == nil && c.Release >= callsTwice {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionMissing, Section: sass.Name})
		}
	}
	return nil
}
