package facts

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// tensorFacts adds them to a kernel's.
func (c *check) tensorFacts(k *kernelFactList, b *link.Body) {
	if !c.NewForm() {
		return
	}
	n, all := &c.NeedOf(b.Owner).Tensor, &c.AllNeed.Tensor
	k.flag(cuda.AttrTcgen051ctaUsed, n.Single, all.Single)
	k.flag(cuda.AttrTcgen052ctaUsed, n.Pair, all.Pair)
	k.flag(sass.AttrCancelsClusters, n.Cancels, all.Cancels)
	if own, has := b.Attribute(cuda.AttrVrcCtaInitCount); has || n.Counts > 0 {
		var also []string
		if k.only && has && !c.Options.Strict {
			also = []string{string(own)}
		}
		k.set(cuda.FormatByte, cuda.AttrVrcCtaInitCount, halfOf(n.Counts), also...)
	}
	own, _ := b.Attribute(cuda.AttrAtEntryFragements)
	switch value, charged := sass.FragmentsOf(own, n.Fragments), sass.FragmentsOf(own, all.Fragments); {
	case n.Strange || k.only && all.Strange:
		k.list = slices.DeleteFunc(k.list, func(f link.Fact) bool { return f.Attr == cuda.AttrAtEntryFragements })
		k.list = append(k.list, link.Fact{Attr: cuda.AttrAtEntryFragements, Optional: true, Anything: true, File: k.file})
	case value != "":
		k.set(cuda.FormatSized, cuda.AttrAtEntryFragements, value)
		if k.only && charged != value {
			k.set(cuda.FormatSized, cuda.AttrAtEntryFragements, value, charged)
		}
	case k.only && charged != "":
		k.list = append(k.list, link.Fact{Format: cuda.FormatSized, Attr: cuda.AttrAtEntryFragements, Rest: charged, Optional: true, File: k.file})
	}
	if b.Owner.Asked {
		return
	}
	for i := range k.list { // one that stays, though nobody asked for it, loses them as a function does
		if k.list[i].Attr == cuda.AttrAtEntryFragements {
			k.list[i].Optional = true
		}
	}
}

// losesFragments reports whether code says no more what it wants at a kernel's entry.
func (c *check) losesFragments(b *link.Body, a image.Attribute) bool {
	return a.Attr == cuda.AttrAtEntryFragements && !c.Relocatable && !b.Kernel() && c.NewForm()
}
