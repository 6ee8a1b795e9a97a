package check

import (
	"cmp"
	"slices"
)

// placeByContent looks for the bytes of parts that nothing names: where the
// order of the inputs has them, else wherever there is room.
//
// A part that is the beginning of another may take that one's place; so where some find
// none, the longest are asked first.
func (c *check) placeByContent(a *area, open []*part) error {
	guesses := make([]uint64, len(open))
	for i, p := range open {
		guesses[i] = p.base
	}
	left, taken, err := c.searchAll(a, open, false)
	if err != nil {
		return err
	}
	if len(left) > 0 && len(left) < len(open) && isDebug(a.name) {
		again := func(list []*part, eager bool) error {
			for i, p := range open {
				p.base, p.placed, p.moves = guesses[i], false, nil
			}
			left, taken, err = c.searchAll(a, list, eager)
			return err
		}
		least := len(left)
		longest := slices.Clone(open)
		slices.SortStableFunc(longest, func(x, y *part) int { return cmp.Compare(y.section.size, x.section.size) })
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
		room := p.base <= a.out.size && p.section.size <= a.out.size-p.base
		for _, s := range taken {
			room = room && (p.base >= s.to || s.from >= p.base+p.section.size || s.from == s.to)
		}
		if room && (a.owner != nil || c.neededPart(a, p) || isDebug(a.name)) {
			p.placed = true
			taken = append(taken, span{p.base, p.base + p.section.size})
		}
	}
	return nil
}

// searchAll places the parts that it can, and returns the others and what is taken. eager: a
// part that doesn't fit where the order of the inputs has it is looked for before the next.
func (c *check) searchAll(a *area, open []*part, eager bool) (left []*part, taken []span, err error) {
	taken = a.takenSpans()
	open, err = c.placeByNames(a, open, &taken)
	if err != nil {
		return nil, nil, err
	}
	// Where the output has no record of the same name at the same place, the bytes
	// alone decide, of what is left.
	for _, c.byRecords = range [...]bool{true, false} {
		left = nil
		for _, p := range open {
			ok, err := c.fits(a, p, p.base, taken)
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
			p.placed = true
			taken = append(taken, span{p.base, p.base + p.section.size})
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

// pack lays parts one behind the other, the first that fits: a part may fit where the order of the
// inputs has it, as it is the end of another, and stand elsewhere all the same. It reports
// whether all have a place.
func (c *check) pack(a *area, open []*part) (all bool, err error) {
	for _, c.byRecords = range [...]bool{true, false} {
		for _, p := range open {
			p.placed, p.moves = false, nil
		}
		taken := a.takenSpans()
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
			p.base, p.placed = roundUp(at, max(p.section.align, 1)), true
			at = p.base + p.section.size
			taken = append(taken, span{p.base, at})
			left = slices.Delete(left, i, i+1)
		}
		if len(left) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// firstThatFits is the first of some parts that may begin at a place or behind its padding; -1: none.
func (c *check) firstThatFits(a *area, list []*part, at uint64, taken []span) (int, error) {
	for i, p := range list {
		if ok, err := c.fits(a, p, roundUp(at, max(p.section.align, 1)), taken); ok || err != nil {
			return i, err
		}
	}
	return -1, nil
}
