package check

import (
	"cmp"
	"maps"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Records that both sides of a file have.
//
// The constants of the program stand on both sides, .nv.constant3 and
// .nv.merc.nv.constant.user, and so do the slots for images of a kernel, behind its
// parameters and in a section of their own. The records for the driver are the same on
// both: what may be left out on one, as of a table whose definition lost, is left out
// on the other.
//
// Source: 2,300 links for sm_100 and up by nvlink and nvJitLink 13.0 to 13.5.

const (
	userBank     = ".nv.constant3"
	userBankMerc = ".nv.constant.user"
)

// initialized is the section of variables that have a value.
const initialized = ".nv.global.init"

// twinRecord is a record as both sides have it: a stripper may number the symbols of one
// side anew, so the name counts.
type twinRecord struct {
	offset uint64
	symbol string
}

// compareTwins holds the records of the Mercury side against those of the other.
func (c *check) compareTwins() error {
	if c.sass == nil || c.sass.out == nil || c.relocatable {
		return nil
	}
	pairs := [][2]*section{{c.sass.out.lookup(userBank), c.out.lookup(userBankMerc)}, {c.sass.out.lookup(initialized), c.out.lookup(initialized)}}
	asTheyAre := len(pairs)
	for _, k := range c.kernels {
		other := c.sass.names[k.name]
		bank := c.slotBank(k)
		if k.local || other == nil || other.code == nil || bank == nil || bank.out == nil {
			continue
		}
		if a := c.sass.byKey[areaKey{".nv.constant0.", other.code}]; a != nil {
			pairs = append(pairs, [2]*section{a.out, bank.out})
		}
	}
	for i, p := range pairs {
		if p[0] == nil || p[1] == nil {
			continue
		}
		sass, merc := c.sass.recordsOf(p[0]), c.recordsOf(p[1])
		if err := c.budget.spend("output", uint64(len(sass)+len(merc))); err != nil {
			return err
		}
		if i >= asTheyAre {
			rebase(sass)
			rebase(merc)
		}
		if i == 1 {
			sass, merc = placesOf(sass), placesOf(merc) // the symbols are another's matter
		}
		c.compareTwin(p[1], sass, merc)
	}
	return nil
}

func (c *check) compareTwin(s *section, sass, merc map[twinRecord]uint64) {
	tell := func(kind Kind, at uint64, r twinRecord, detail string) {
		c.verdict.add(Finding{Kind: kind, Section: s.name, Offset: at, Symbol: r.symbol, Detail: detail})
	}
	for _, r := range sortedTwins(sass) {
		if _, there := merc[r]; !there {
			tell(RelocationMissing, r.offset, r, "the SASS side has this record")
		}
	}
	for _, r := range sortedTwins(merc) {
		if _, there := sass[r]; !there {
			tell(RelocationStray, merc[r], r, "the SASS side has no such record")
		}
	}
}

// lookup is the first section of a name, nil for none.
func (o *output) lookup(name string) *section {
	for i := range o.sections {
		if o.sections[i].name == name {
			return &o.sections[i]
		}
	}
	return nil
}

// recordsOf are the records of a section, with their places.
func (c *check) recordsOf(s *section) map[twinRecord]uint64 {
	found := map[twinRecord]uint64{}
	for _, i := range c.out.listsOf[s.index] {
		if c.out.lists[i].section.kind == cuda.SHTCudaResolvedRela {
			continue
		}
		for _, r := range c.out.lists[i].list {
			name := ""
			if int(r.symbol) < len(c.out.symbols) {
				name = c.out.symbols[r.symbol].name
			}
			found[twinRecord{r.offset, name}] = r.offset
		}
	}
	return found
}

// placesOf are records without what they name.
func placesOf(found map[twinRecord]uint64) map[twinRecord]uint64 {
	places := map[twinRecord]uint64{}
	for _, at := range found {
		places[twinRecord{offset: at}] = at
	}
	return places
}

// rebase counts places from the first: slots follow the parameters on one side.
func rebase(found map[twinRecord]uint64) {
	first := uint64(1<<64 - 1)
	for r := range found {
		first = min(first, r.offset)
	}
	for _, r := range sortedTwins(found) {
		at := found[r]
		delete(found, r)
		found[twinRecord{r.offset - first, r.symbol}] = at
	}
}

func sortedTwins(found map[twinRecord]uint64) []twinRecord {
	return slices.SortedFunc(maps.Keys(found), func(x, y twinRecord) int {
		if n := cmp.Compare(x.offset, y.offset); n != 0 {
			return n
		}
		return cmp.Compare(x.symbol, y.symbol)
	})
}
