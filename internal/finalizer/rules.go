package finalizer

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Rules is a set of rules.
type Rules uint8

const (
	Observed Rules = iota // nvlink 13.0.88
	Document              // "Capsule Mercury & Finalization"
)

// ParseRules reads the name of a set.
func ParseRules(name string) (Rules, bool) {
	switch name {
	case "observed":
		return Observed, true
	case "document", "seed": // as it was called before
		return Document, true
	}
	return 0, false
}

// pair is a source and a target.
type pair struct{ from, to cuda.SM }

// flag is a condition on the accelerated flag.
type flag uint8

const (
	either      flag = iota
	plain            // 0
	accelerated      // not 0
	notOne           // what one test of the tool asks instead of 0
)

// rule allows pairs to objects of some classes and levels; nil stands for any.
type rule struct {
	classes []uint8
	levels  []uint8
	flag    flag
	pairs   []pair
	mma     uint8 // what the low half of INST_TCGEN05_MMA must be; 0 for anything
}

// siblings are the pairs inside a family.
var siblings = []pair{{100, 103}, {120, 121}}

// observedRules is what nvlink 13.0.88 accepts off target from sm_100 on: any
// row that fits. Suffixes of the target play no role.
//
// Source: links of five sources for five targets, with every class from 0 to 5,
// level from 0 to 6 and both values of the accelerated flag.
var observedRules = []rule{
	{flag: notOne, pairs: []pair{{120, 121}}},
	{classes: []uint8{1, 2}, levels: []uint8{0, 1, 2, 3, 4}, flag: plain, pairs: siblings},
	{classes: []uint8{1, 2}, levels: []uint8{2, 3}, flag: accelerated, pairs: siblings},
	{classes: []uint8{3}, levels: []uint8{2, 3}, flag: accelerated, pairs: []pair{{100, 103}}, mma: 5},
	{classes: []uint8{3}, levels: []uint8{2, 3}, flag: accelerated, pairs: []pair{{120, 121}}},
	{classes: []uint8{1}, levels: []uint8{3}, pairs: []pair{{100, 120}, {103, 120}}},
	{classes: []uint8{1}, levels: []uint8{4}, pairs: []pair{{100, 110}, {100, 121}, {103, 110}, {103, 121}, {110, 120}, {110, 121}}},
}

// fits reports whether a row allows x for a target.
func (r *rule) fits(x *Facts, target cuda.SM) bool {
	switch {
	case r.classes != nil && !slices.Contains(r.classes, x.Class):
		return false
	case r.levels != nil && !slices.Contains(r.levels, x.Level):
		return false
	case r.flag == plain && x.Accelerator != 0, r.flag == accelerated && x.Accelerator == 0, r.flag == notOne && x.Accelerator == 1:
		return false
	case r.mma != 0 && x.MMA&0xf != r.mma:
		return false
	}
	return slices.Contains(r.pairs, pair{x.SM, target})
}

// seedLevels are the levels of the document: what each allows off target.
var seedLevels = [...]struct {
	name          string
	intra, across bool
}{
	{"default", false, false},
	{"none", false, false},
	{"intra-family", true, false},
	{"intra+inter", true, true},
}

// remapped are numbers that the document's compatibility checker takes for
// others.
var remapped = map[cuda.SM]cuda.SM{104: 120, 130: 107, 101: 110}

// fastpathBits are the bits of attribute 11 by target. The document lists no
// bit for 120; the tools set 0x10 there.
var fastpathBits = map[cuda.SM]uint64{100: 0x01, 103: 0x08, 110: 0x02, 121: 0x40}
