package place

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// placeByContent looks for the bytes of parts that nothing names: where the
// order of the inputs has them, else wherever there is room.
//
// A part that is the beginning of another may take that one's place; so where some find
// none, the longest are asked first.
func (c *Places) placeByContent(a *link.Area, open []*link.Part) error {
	guesses := make([]uint64, len(open))
	for i, p := range open {
		guesses[i] = p.Base
	}
	left, taken, err := c.searchAll(a, open, false)
	if err != nil {
		return err
	}
	if len(left) > 0 && len(left) < len(open) && verdict.IsDebug(a.Name) {
		again := func(list []*link.Part, eager bool) error {
			for i, p := range open {
				p.Base, p.Placed, p.Moves = guesses[i], false, nil
			}
			left, taken, err = c.searchAll(a, list, eager)
			return err
		}
		least := len(left)
		longest := slices.Clone(open)
		slices.SortStableFunc(longest, func(x, y *link.Part) int { return cmp.Compare(y.Section.Size, x.Section.Size) })
		if err := again(longest, true); err != nil {
			return err
		}
		if len(left) > 0 {
			if all, err := c.pack(a, longest); all || err != nil {
				return err
			}
			best, eager := longest, true
			if len(left) >= least {
				best, eager = open, false
			}
			if err := again(best, eager); err != nil {
				return err
			}
		}
	}
	// Nowhere are just these bytes: so that the first wrong one can be told, the
	// order of the inputs counts where it leaves room.
	for _, p := range left {
		room := p.Base <= a.Out.Size && p.Section.Size <= a.Out.Size-p.Base
		for _, s := range taken {
			room = room && (p.Base >= s.To || s.From >= p.Base+p.Section.Size || s.From == s.To)
		}
		if room && (a.Owner != nil || c.NeededPart(a, p) || verdict.IsDebug(a.Name)) {
			p.Placed = true
			taken = append(taken, link.Span{From: p.Base, To: p.Base + p.Section.Size})
		}
	}
	return nil
}

// searchAll places the parts that it can, and returns the others and what is taken. eager: a
// part that doesn't fit where the order of the inputs has it is looked for before the next.
func (c *Places) searchAll(a *link.Area, open []*link.Part, eager bool) (left []*link.Part, taken []link.Span, err error) {
	taken = a.TakenSpans()
	open, err = c.placeByNames(a, open, &taken)
	if err != nil {
		return nil, nil, err
	}
	// Where the output has no record of the same name at the same place, the bytes
	// alone decide, of what is left.
	for _, c.byRecords = range [...]bool{true, false} {
		left = nil
		for _, p := range open {
			ok, err := c.fits(a, p, p.Base, taken)
			if err != nil {
				return nil, nil, err
			}
			if !ok && eager {
				if ok, err = c.search(a, p, &taken); err != nil {
					return nil, nil, err
				}
				if ok {
					continue
				}
			}
			if !ok {
				left = append(left, p)
				continue
			}
			p.Placed = true
			taken = append(taken, link.Span{From: p.Base, To: p.Base + p.Section.Size})
		}
		for len(left) > 0 {
			next := left[:0:0]
			for _, p := range left {
				found, err := c.search(a, p, &taken)
				if err != nil {
					return nil, nil, err
				}
				if !found {
					next = append(next, p)
				}
			}
			if len(next) == len(left) {
				break
			}
			left = next
		}
		open = left
	}
	return left, taken, nil
}

// pack lays parts one after the other, the first that fits: a part may fit where the order of the
// inputs has it, as it is the end of another, and stand elsewhere all the same. It reports
// whether all have a place.
func (c *Places) pack(a *link.Area, open []*link.Part) (all bool, err error) {
	for _, c.byRecords = range [...]bool{true, false} {
		for _, p := range open {
			p.Placed, p.Moves = false, nil
		}
		taken := a.TakenSpans()
		left := slices.Clone(open)
		for at := uint64(0); ; {
			i, err := c.firstThatFits(a, left, at, taken)
			if err != nil {
				return false, err
			}
			if i < 0 {
				break
			}
			p := left[i]
			p.Base, p.Placed = image.RoundUp(at, max(p.Section.Align, 1)), true
			at = p.Base + p.Section.Size
			taken = append(taken, link.Span{From: p.Base, To: at})
			left = slices.Delete(left, i, i+1)
		}
		if len(left) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// firstThatFits is the first of some parts that may begin at a place or after its padding; -1: none.
func (c *Places) firstThatFits(a *link.Area, list []*link.Part, at uint64, taken []link.Span) (int, error) {
	for i, p := range list {
		if ok, err := c.fits(a, p, image.RoundUp(at, max(p.Section.Align, 1)), taken); ok || err != nil {
			return i, err
		}
	}
	return -1, nil
}
