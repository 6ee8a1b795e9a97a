package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// What kernels say of tensor memory and clusters on behalf of the functions that they reach.
//
//	74  VRC_CTA_INIT_COUNT    the largest
//	79  AT_ENTRY_FRAGEMENTS   the words of all, the kernel's own first; a function has none in a finished image
//	81  TCGEN05_1CTA_USED     where one has it
//	82  TCGEN05_2CTA_USED     where one has it
//	98  (no name is known)    where one has it; it cancels the launch of clusters
//
// The only kernel of a link is charged with what everything that is there says, but nvlink
// leaves its 74 as it was.
//
// Source: 64 kernels that reach functions directly, through others and in cycles, for sm_100a and 103a, and with other
// values put into the inputs, by nvlink 13.0, 13.3 and 13.5; nvlink links no object of 12.x with tcgen05.

const attrCancelsClusters cuda.InfoAttr = 98

// tensorFrom is the first release that this is known of.
const tensorFrom = 130

// tensorNeed is what a function and all it may call say of these.
type tensorNeed struct {
	counts                uint64 // VRC_CTA_INIT_COUNT
	fragments             uint64 // a bit for each word
	strange               bool   // a word has no bit
	single, pair, cancels bool
}

func (n *tensorNeed) more(o *tensorNeed) {
	n.counts, n.fragments, n.strange = max(n.counts, o.counts), n.fragments|o.fragments, n.strange || o.strange
	n.single, n.pair, n.cancels = n.single || o.single, n.pair || o.pair, n.cancels || o.cancels
}

func (n *tensorNeed) add(a attribute) {
	switch a.attr {
	case cuda.AttrVrcCtaInitCount:
		n.counts = number(a.value, 0, 1)
	case cuda.AttrAtEntryFragements:
		n.strange = n.strange || len(a.value)%4 != 0
		for at := uint64(0); at+4 <= uint64(len(a.value)); at += 4 {
			if w := word(a.value, at); w < 64 {
				n.fragments |= 1 << w
			} else {
				n.strange = true
			}
		}
	case cuda.AttrTcgen051ctaUsed:
		n.single = true
	case cuda.AttrTcgen052ctaUsed:
		n.pair = true
	case attrCancelsClusters:
		n.cancels = true
	}
}

// fragmentsOf are a kernel's own words and behind them those that others add.
func fragmentsOf(own []byte, all uint64) string {
	list := string(own)
	var has tensorNeed
	has.add(attribute{attr: cuda.AttrAtEntryFragements, value: own})
	for w := range uint32(64) {
		if all&^has.fragments>>w&1 != 0 {
			list += bytesOf(w)
		}
	}
	return list
}

// tensorFacts adds them to a kernel's.
func (c *check) tensorFacts(k *kernelFactList, b *body) {
	if c.release < tensorFrom {
		return
	}
	n, all := &c.needOf(b.owner).tensor, &c.allNeed.tensor
	k.flag(cuda.AttrTcgen051ctaUsed, n.single, all.single)
	k.flag(cuda.AttrTcgen052ctaUsed, n.pair, all.pair)
	k.flag(attrCancelsClusters, n.cancels, all.cancels)
	if own, has := b.attribute(cuda.AttrVrcCtaInitCount); has || n.counts > 0 {
		var also []string
		if k.only && has && !c.options.Strict {
			also = []string{string(own)}
		}
		k.set(cuda.FormatByte, cuda.AttrVrcCtaInitCount, halfOf(n.counts), also...)
	}
	own, _ := b.attribute(cuda.AttrAtEntryFragements)
	switch value, charged := fragmentsOf(own, n.fragments), fragmentsOf(own, all.fragments); {
	case n.strange || k.only && all.strange:
		k.list = slices.DeleteFunc(k.list, func(f fact) bool { return f.attr == cuda.AttrAtEntryFragements })
		k.list = append(k.list, fact{attr: cuda.AttrAtEntryFragements, optional: true, anything: true, file: k.file})
	case value != "":
		k.set(cuda.FormatSized, cuda.AttrAtEntryFragements, value)
		if k.only && charged != value {
			k.set(cuda.FormatSized, cuda.AttrAtEntryFragements, value, charged)
		}
	case k.only && charged != "":
		k.list = append(k.list, fact{format: cuda.FormatSized, attr: cuda.AttrAtEntryFragements, rest: charged, optional: true, file: k.file})
	}
	if b.owner.asked {
		return
	}
	for i := range k.list { // one that stays, though nobody asked for it, loses them as a function does
		if k.list[i].attr == cuda.AttrAtEntryFragements {
			k.list[i].optional = true
		}
	}
}

// losesFragments reports whether code says no more what it wants at a kernel's entry.
func (c *check) losesFragments(b *body, a attribute) bool {
	return a.attr == cuda.AttrAtEntryFragements && !c.relocatable && !b.kernel() && c.release >= tensorFrom
}
