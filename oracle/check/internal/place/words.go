package place

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// mapWords finds the words of all code of the SASS side, and what the output did
// with YIELD.
func (c *Places) mapWords() error {
	for _, a := range c.Areas {
		if !a.Code() || a.Out == nil {
			continue
		}
		if c.Out.Side == image.SassSide && a.Words == nil {
			if err := c.mapWordsOf(a); err != nil {
				return err
			}
		}
		if c.Out.Side != image.MercurySide {
			c.findYields(a)
		}
	}
	return nil
}

func (c *Places) mapWordsOf(a *link.Area) error {
	if err := c.Budget.Spend("output", a.Size/8); err != nil {
		return err
	}
	a.Words, _ = a.Owner.MapCode(a.Out.Body)
	return nil
}
