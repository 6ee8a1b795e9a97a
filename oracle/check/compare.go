package check

import (
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/calls"
	"github.com/twinlink/twinlink/oracle/check/internal/capsules"
	"github.com/twinlink/twinlink/oracle/check/internal/code"
	"github.com/twinlink/twinlink/oracle/check/internal/debug"
	"github.com/twinlink/twinlink/oracle/check/internal/facts"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/records"
	"github.com/twinlink/twinlink/oracle/check/internal/shared"
	"github.com/twinlink/twinlink/oracle/check/internal/symbols"
	"github.com/twinlink/twinlink/oracle/check/internal/tables"
)

type comparison = func(*apply.Applied) error

// comparisons of a file with one side, and of the SASS side.
var comparisons = []comparison{tables.File, tables.Layout, tables.Notes, code.Bytes, debug.Frames, debug.Lines, code.Registers, tables.Headers, symbols.Symbols,
	symbols.Objects, records.Kept, records.Resolved, shared.Compare, facts.Compare, calls.Compare}

// mercuryComparisons are about the Mercury side's own tables: the file and its notes belong to the other.
var mercuryComparisons = []comparison{capsules.Capsules, code.Bytes, tables.Headers, symbols.Symbols, symbols.Objects, records.Kept, capsules.Counterparts, tables.CounterpartCalls, records.Resolved, facts.Compare,
	calls.Compare}

// compare holds the output against what must be.
func (c *check) compare() error {
	list := comparisons
	if c.Side == image.MercurySide {
		list = mercuryComparisons
	}
	for _, step := range list {
		if err := step(c.Applied); err != nil {
			return err
		}
	}
	return nil
}
