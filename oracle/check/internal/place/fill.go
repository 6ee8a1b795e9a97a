package place

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// fill joins the bytes of the parts. Bytes between them explain themselves: the
// output's count.
func (c *Places) fill(a *link.Area) error {
	if image.NoBits(a.Kind) || a.Owner != nil && !a.Owner.Live || a.Moved {
		return nil
	}
	size := a.Size
	if a.Out != nil && !a.Code() {
		size = a.Out.Size
	}
	if size > uint64(c.Total)*8+1<<20 {
		return &verdict.Refusal{Kind: verdict.TooMuch, Section: a.Name, Value: size}
	}
	if err := c.Budget.Spend("", size/16); err != nil {
		return err
	}
	a.Want = make([]byte, size)
	if a.Out != nil && !a.Code() {
		copy(a.Want, a.Out.Body)
	}
	for _, p := range a.Parts {
		if !p.Placed && a.Out != nil {
			continue
		}
		for _, piece := range p.Pieces() {
			body, _ := image.Cut(p.Section.Body, piece.From, piece.Size)
			if piece.To <= uint64(len(a.Want)) {
				copy(a.Want[piece.To:], body)
			}
			a.Covered = append(a.Covered, link.Span{From: piece.To, To: piece.To + piece.Size})
		}
	}
	slices.SortFunc(a.Covered, func(x, y link.Span) int { return cmp.Compare(x.From, y.From) })
	return nil
}
