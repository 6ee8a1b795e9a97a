package place

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// placeByRecords takes the places that the records say which name functions: they
// stay, and name the same function in the input and in the output. Where they leave a
// choice, as where several inputs have a frame for a function of which one definition
// stands, the others go first.
func (c *Places) placeByRecords(a *link.Area, open []*link.Part) (left []*link.Part, err error) {
	if a.Owner != nil || !verdict.IsDebug(a.Name) || len(open) == 0 {
		return open, nil
	}
	if err := c.indexFunctions(a); err != nil {
		return nil, err
	}
	choices := make([][]uint64, len(open))
	for i, p := range open {
		if choices[i], err = c.recordPlaces(a, p); err != nil {
			return nil, err
		}
		if len(choices[i]) == 1 {
			if p.Placed, err = c.fits(a, p, choices[i][0], nil); err != nil {
				return nil, err
			}
			if p.Placed {
				p.Base = choices[i][0]
			}
		}
	}
	taken := a.TakenSpans()
	for i, p := range open {
		for _, at := range choices[i] {
			if p.Placed || len(choices[i]) == 1 {
				break
			}
			if p.Placed, err = c.fits(a, p, at, taken); err != nil {
				return nil, err
			}
			if p.Placed {
				p.Base = at
				taken = append(taken, link.Span{From: at, To: at + p.Section.Size})
			}
		}
		if !p.Placed {
			left = append(left, p)
		}
	}
	return left, nil
}

// indexFunctions notes where the records of the output name what.
func (c *Places) indexFunctions(a *link.Area) error {
	a.ByFunction = map[uint32][]uint64{}
	for _, i := range c.Out.ListsOf[a.Out.Index] {
		if err := c.Budget.Spend("output", uint64(len(c.Out.Lists[i].List))); err != nil {
			return err
		}
		for _, r := range c.Out.Lists[i].List {
			a.ByFunction[r.Symbol] = append(a.ByFunction[r.Symbol], r.Offset)
		}
	}
	return nil
}

// recordPlaces are the places where most of a part's records have one of the output
// that names the same function, the first first.
func (c *Places) recordPlaces(a *link.Area, p *link.Part) ([]uint64, error) {
	votes := map[uint64]int{}
	most, looked := 0, 0
	for _, i := range p.Mod.RelocsOf[p.Section.Index] {
		for _, r := range p.Mod.Relocs[i].List {
			id := p.Mod.Refs[r.Symbol].ID.First()
			if id == nil || !id.Function() || id.Out == 0 || id.Mod != p.Mod || looked > maxVotes || image.IsFunctionSize(r.Kind) {
				continue
			}
			for _, at := range a.ByFunction[uint32(id.Out)] {
				if looked++; at >= r.Offset {
					votes[at-r.Offset]++
					most = max(most, votes[at-r.Offset])
				}
			}
		}
	}
	var best []uint64
	for at, n := range votes {
		if n == most {
			best = append(best, at)
		}
	}
	sortPlaces(best, p.Base)
	return best, c.Budget.Spend(p.Mod.Name, uint64(looked))
}

// maxVotes bounds how many records of one part are asked.
const maxVotes = 4096

// recordsAgree reports whether the records of a part name at a place what the
// output's do there. A part without any agrees.
func (c *Places) recordsAgree(a *link.Area, p *link.Part, at uint64) (bool, error) {
	if !c.byRecords || a.Owner != nil || len(p.Mod.RelocsOf[p.Section.Index]) == 0 {
		return true, nil
	}
	names := c.Out.NamesAt(a.Out.Index)
	if len(names) == 0 {
		return true, nil
	}
	same := 0
	for _, i := range p.Mod.RelocsOf[p.Section.Index] {
		if err := c.Budget.Spend(p.Mod.Name, 1+uint64(len(p.Mod.Relocs[i].List))/4); err != nil {
			return false, err
		}
		for _, r := range p.Mod.Relocs[i].List {
			name, there := names[at+r.Offset]
			if there && !name.Same(p.Mod.NamedBy(p.Section, r)) {
				return false, nil
			}
			if there {
				same++
			}
		}
	}
	return same > 0, nil
}
