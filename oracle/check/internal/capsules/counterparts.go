package capsules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Records that both sides of a file have.
//
// The constants of the program are on both sides, .nv.constant3 and
// .nv.merc.nv.constant.user, and so do the slots for images of a kernel, after its
// parameters and in a section of their own. The records for the driver are the same on
// both: what may be omitted on one, as of a table whose definition lost, is omitted
// on the other.
//
// Source: 2,300 links for sm_100 and up by nvlink and nvJitLink 13.0 to 13.5.

// initialized is the section of variables that have a value.
const initialized = ".nv.global.init"

// counterpartRecord is a record as both sides have it: a stripper may number the symbols of one
// side again, so the name counts.
type counterpartRecord struct {
	offset uint64
	symbol string
}

// compareCounterparts holds the records of the Mercury side against those of the other.
func (c *check) compareCounterparts() error {
	if c.Sass == nil || c.Sass.Out == nil || c.Relocatable {
		return nil
	}
	pairs := [][2]*image.Section{{c.Sass.Out.Lookup(link.UserBank), c.Out.Lookup(link.UserBankMerc)}, {c.Sass.Out.Lookup(initialized), c.Out.Lookup(initialized)}}
	asTheyAre := len(pairs)
	for _, k := range c.Kernels {
		other := c.Sass.Names[k.Name]
		bank := c.SlotBank(k)
		if k.Local || other == nil || bank == nil {
			continue
		}
		if a := c.Sass.ByKey[link.AreaKey{Base: ".nv.constant0.", Owner: other.Code}]; a != nil {
			pairs = append(pairs, [2]*image.Section{a.Out, bank.Out})
		}
	}
	for i, p := range pairs {
		if p[0] == nil || p[1] == nil {
			continue
		}
		sass, merc := recordsOf(c.Sass.Out, p[0]), recordsOf(c.Out, p[1])
		if err := c.Budget.Spend("output", uint64(len(sass)+len(merc))); err != nil {
			return err
		}
		if i >= asTheyAre {
			rebase(sass)
			rebase(merc)
		}
		if i == 1 {
			sass, merc = placesOf(sass), placesOf(merc) // the symbols are another's matter
		}
		c.compareCounterpart(p[1], sass, merc)
	}
	return nil
}

func (c *check) compareCounterpart(s *image.Section, sass, merc map[counterpartRecord]uint64) {
	tell := func(kind verdict.Kind, at uint64, r counterpartRecord, detail string) {
		c.Verdict.Add(verdict.Finding{Kind: kind, Section: s.Name, Offset: at, Symbol: r.symbol, Detail: detail})
	}
	for _, r := range sortedCounterparts(sass) {
		if _, there := merc[r]; !there {
			tell(verdict.RelocationMissing, r.offset, r, "the SASS side has this record")
		}
	}
	for _, r := range sortedCounterparts(merc) {
		if _, there := sass[r]; !there {
			tell(verdict.RelocationStray, merc[r], r, "the SASS side has no such record")
		}
	}
}

// recordsOf are the records of a section, with their places.
func recordsOf(o *link.Output, s *image.Section) map[counterpartRecord]uint64 {
	found := map[counterpartRecord]uint64{}
	for _, i := range o.ListsOf[s.Index] {
		if o.Lists[i].Section.Kind == cuda.SHTCudaResolvedRela {
			continue
		}
		for _, r := range o.Lists[i].List {
			name := ""
			if int(r.Symbol) < len(o.Symbols) {
				name = o.Symbols[r.Symbol].Name
			}
			if int(r.Symbol) < len(o.Refs) && o.Refs[r.Symbol].ID.Inside() {
				continue // objects of -ewp have it on the Mercury side alone
			}
			found[counterpartRecord{r.Offset, name}] = r.Offset
		}
	}
	return found
}

// placesOf are records without what they name.
func placesOf(found map[counterpartRecord]uint64) map[counterpartRecord]uint64 {
	places := map[counterpartRecord]uint64{}
	for _, at := range found {
		places[counterpartRecord{offset: at}] = at
	}
	return places
}

// rebase counts places from the first: slots follow the parameters on one side.
func rebase(found map[counterpartRecord]uint64) {
	first := uint64(1<<64 - 1)
	for r := range found {
		first = min(first, r.offset)
	}
	for _, r := range sortedCounterparts(found) {
		at := found[r]
		delete(found, r)
		found[counterpartRecord{r.offset - first, r.symbol}] = at
	}
}

func sortedCounterparts(found map[counterpartRecord]uint64) []counterpartRecord {
	return slices.SortedFunc(maps.Keys(found), func(x, y counterpartRecord) int {
		if n := cmp.Compare(x.offset, y.offset); n != 0 {
			return n
		}
		return cmp.Compare(x.symbol, y.symbol)
	})
}
