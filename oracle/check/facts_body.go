package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// bodyFacts are the records that .nv.info.<function> must have.
func (c *check) bodyFacts(b *body) []fact {
	var list []fact
	for _, a := range b.attributes() {
		f := b.mod.factOf(a, func(index uint32) ref { return c.inRef(b.mod, index) })
		f.file = b.mod.name
		if a.attr != cuda.AttrExterns && !c.losesFragments(b, a) {
			list = append(list, f)
		}
	}
	owner := b.owner
	if owner == nil {
		return list
	}
	kernel := b.kernel() && !c.relocatable
	if _, told := b.attribute(cuda.AttrNumBarriers); c.release >= 130 && !kernel && !told && b.barrierCount() > 0 {
		list = append(list, fact{optional: c.keepsFlags(b.area), format: cuda.FormatByte, attr: cuda.AttrNumBarriers, rest: string([]byte{byte(b.barrierCount()), 0}), file: b.mod.name})
	}
	if c.unversioned(b) {
		list = append(list, fact{format: cuda.FormatHalf, attr: cuda.AttrMercuryIsaVersion, rest: firstMercury, file: b.mod.name})
	}
	externs := c.externs(b)
	if kernel {
		own := slices.Clone(list)
		list = c.kernelFacts(list, b)
		if !owner.asked {
			allowOwn(list, own)
		}
		externs = c.needOf(owner).externs
		if owner.asked && len(c.kernels) == 1 && len(externs) != len(c.allNeed.externs) {
			// nvlink charges the only kernel of a link with everything.
			list = append(list, fact{format: cuda.FormatSized, attr: cuda.AttrExterns, about: strings.Join(c.allNeed.externs, " "), also: []string{strings.Join(externs, " ")}, file: b.mod.name, optional: len(externs) == 0})
			return list
		}
	}
	list = append(list, c.extraMasks(b)...)
	if len(externs) > 0 {
		slices.Sort(externs)
		f := fact{format: cuda.FormatSized, attr: cuda.AttrExterns, about: strings.Join(externs, " "), file: b.mod.name, optional: kernel && !owner.asked, least: kernel && c.needOf(owner).least}
		if f.optional {
			own := c.externs(b)
			slices.Sort(own)
			f.also = append(f.also, strings.Join(own, " "))
		}
		list = append(list, f)
	}
	return list
}

// firstMercury is the version of Mercury that the finalizer says for code of 12.8 and 12.9.
const firstMercury = "\x00\x01"

// unversioned reports whether code for sm_100 and up doesn't say its version of Mercury.
//
// Source: objects of ptxas 12.8.93 and 12.9.86 linked by nvlink 13.0 to 13.5.
func (c *check) unversioned(b *body) bool {
	_, told := b.attribute(cuda.AttrMercuryIsaVersion)
	return c.out.side != whole && !told
}

// allowOwn lets a kernel that nobody asked for keep its own values: with
// --preserve-relocs it stays, and what it calls counts for nothing.
func allowOwn(list, own []fact) {
	for i := range list {
		f := &list[i]
		j := slices.IndexFunc(own, func(g fact) bool { return g.attr == f.attr && g.key == f.key })
		switch {
		case j < 0:
			f.optional = true
		case f.rest != own[j].rest:
			f.also = append(slices.Clone(f.also), own[j].rest)
		}
		if f.attr == cuda.AttrNumBarriers && j >= 0 {
			f.rest, f.least = own[j].rest, true // of some that it calls
		} else if f.attr == cuda.AttrNumBarriers {
			f.rest, f.least = "\x00\x00", true
		}
	}
}

// externs names the functions of a body's list that nobody defines, and the
// kernels.
func (c *check) externs(b *body) []string {
	var names []string
	for _, a := range b.attributes() {
		if a.attr != cuda.AttrExterns {
			continue
		}
		for at := uint64(0); at+4 <= uint64(len(a.value)); at += 4 {
			id := c.inRef(b.mod, word(a.value, at)).id
			if id != nil && (id.def == nil || id.kernel()) {
				names = append(names, id.name)
			}
		}
	}
	return names
}

// kernelFacts adds what a kernel takes over from what it reaches.
func (c *check) kernelFacts(list []fact, b *body) []fact {
	n := c.needOf(b.owner)
	k := kernelFactList{list: list, file: b.mod.name, only: len(c.kernels) == 1}
	switch {
	case !n.known:
		k.set(cuda.FormatSized, cuda.AttrCrsStackSize, bytesOf(1<<32-1))
	case n.crs > 0:
		k.set(cuda.FormatSized, cuda.AttrCrsStackSize, bytesOf(uint32(n.crs)))
	}
	if c.release >= 130 {
		k.count(cuda.FormatByte, cuda.AttrNumBarriers, n.barriers, c.allNeed.barriers, c.olderBarriers(b, n, k.only)...)
	}
	if _, has := b.attribute(cuda.AttrSparseMmaMask); has && c.sm >= masksFrom {
		k.count(cuda.FormatHalf, cuda.AttrSparseMmaMask, n.sparse, c.allNeed.sparse)
	}
	if n.maskless && c.maskedInput() {
		for i := range k.list {
			if k.list[i].attr == cuda.AttrSparseMmaMask {
				k.list[i].also = append(slices.Clip(k.list[i].also), halfOf(n.sparse|secondNameMask))
			}
		}
	}
	if c.sm < forwardProgress && (n.launches || k.only && c.allNeed.launches) {
		k.set(cuda.FormatNone, cuda.AttrNeedCnpWrapper, noValue) // it launches kernels through the old interface
	}
	if n.mbarriers > 0 || k.only && c.allNeed.mbarriers > 0 {
		all := n.mbarriers
		if k.only {
			all = c.allWaiting()
		}
		k.count(cuda.FormatHalf, cuda.AttrNumMbarriers, n.mbarriers, all)
	}
	if n.waits && !k.has(cuda.AttrNumMbarriers) {
		k.list = append(k.list, fact{format: cuda.FormatHalf, attr: cuda.AttrNumMbarriers, rest: noValue, optional: k.only || c.release < 124, file: k.file})
	}
	c.tensorFacts(&k, b)
	if a := c.byKey[areaKey{".nv.constant0.", b}]; c.out.side == sassSide && a != nil && a.slots {
		for _, attr := range [...]cuda.InfoAttr{cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank} {
			k.list = append(k.list, fact{format: cuda.FormatByte, attr: attr, rest: noValue, file: k.file})
		}
	}
	if n.least || n.many {
		k.atLeast(len(n.externs) != 0)
	}
	k.flag(cuda.AttrCtaidzUsed, n.ctaidz, c.allNeed.ctaidz)
	k.flag(cuda.AttrReservedSmemUsed, n.reserved, c.allNeed.reserved)
	return k.list
}

// olderBarriers returns the other numbers of barriers that a kernel may have: where flags of
// older code have its own still.
func (c *check) olderBarriers(b *body, n *need, only bool) (also []string) {
	if own := uint64(b.section.flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift); own == n.barriers && own > 0 && b.area.out != nil && b.area.out.flags&cuda.SHFBarrierMask == b.section.flags&cuda.SHFBarrierMask {
		for count := n.below; count <= own; count++ {
			also = append(also, halfOf(count))
		}
	}
	for _, f := range c.graph.functions {
		if only && f.code != nil && f.live && f.code.barrierCount() > n.barriers {
			also = append(also, halfOf(f.code.barrierCount()))
		}
	}
	return also
}

// noValue is what an attribute without one has in its place.
const noValue = "\x00\x00"

// kernelFactList is a list of a kernel's attributes.
type kernelFactList struct {
	list []fact
	file string
	only bool // nvlink charges the only kernel of a link with everything
}

func (k *kernelFactList) has(attr cuda.InfoAttr) bool {
	return slices.ContainsFunc(k.list, func(f fact) bool { return f.attr == attr })
}

// set gives an attribute a value.
func (k *kernelFactList) set(format cuda.InfoFormat, attr cuda.InfoAttr, value string, also ...string) {
	for i := range k.list {
		if k.list[i].attr == attr {
			k.list[i].rest, k.list[i].also = value, also
			return
		}
	}
	k.list = append(k.list, fact{format: format, attr: attr, rest: value, also: also, file: k.file})
}

// count gives an attribute what the kernel needs, or what all code does where it is charged with that.
func (k *kernelFactList) count(format cuda.InfoFormat, attr cuda.InfoAttr, least, all uint64, also ...string) {
	switch {
	case !k.only || all == least:
		if least > 0 {
			k.set(format, attr, halfOf(least), also...)
		}
	case least > 0 || k.has(attr):
		k.set(format, attr, halfOf(least), append(also, halfOf(all))...)
	default:
		k.list = append(k.list, fact{format: format, attr: attr, rest: halfOf(all), also: also, file: k.file, optional: true})
	}
}

// flag adds an attribute without a value.
func (k *kernelFactList) flag(attr cuda.InfoAttr, need, all bool) {
	if need {
		k.set(cuda.FormatNone, attr, noValue)
	} else if k.only && all {
		k.list = append(k.list, fact{format: cuda.FormatNone, attr: attr, rest: noValue, file: k.file, optional: true})
	}
}

// atLeast takes larger numbers, and any that lack, where the kernel's calls aren't all known.
func (k *kernelFactList) atLeast(externs bool) {
	for _, attr := range [...]cuda.InfoAttr{cuda.AttrCrsStackSize, cuda.AttrExterns, cuda.AttrCtaidzUsed, cuda.AttrReservedSmemUsed, cuda.AttrNumBarriers, cuda.AttrNumMbarriers,
		cuda.AttrTcgen051ctaUsed, cuda.AttrTcgen052ctaUsed, attrCancelsClusters, cuda.AttrAtEntryFragements, cuda.AttrVrcCtaInitCount} {
		if !k.has(attr) && (attr != cuda.AttrExterns || !externs) {
			k.list = append(k.list, fact{attr: attr, optional: true, anything: true, file: k.file})
		}
	}
	for i := range k.list {
		switch k.list[i].attr {
		case cuda.AttrCrsStackSize, cuda.AttrNumBarriers, cuda.AttrNumMbarriers, cuda.AttrSparseMmaMask, cuda.AttrVrcCtaInitCount:
			k.list[i].least = true
		}
	}
}

// allWaiting counts the transaction barriers of all live functions.
func (c *check) allWaiting() uint64 {
	all := uint64(0)
	for _, f := range c.graph.functions {
		if f.live {
			own := c.ownNeed(f)
			all += own.mbarriers
		}
	}
	return all
}

// extraMasks are masks of sparse matrix instructions that a linker may give code that has
// none: a second name of code, and below sm_90 too, where one input has masks
// and another none.
func (c *check) extraMasks(b *body) []fact {
	if c.release < 119 || c.relocatable {
		return nil
	}
	var list []fact
	extra := func(mask uint64) {
		list = append(list, fact{format: cuda.FormatHalf, attr: cuda.AttrSparseMmaMask, rest: halfOf(mask), file: b.mod.name, optional: true})
	}
	for _, f := range b.names {
		if f != b.owner && f.live && c.sm >= masksFrom {
			extra(secondNameMask)
		}
	}
	if _, has := b.attribute(cuda.AttrSparseMmaMask); has || len(list) > 0 || !c.maskedInput() {
		return list
	}
	if extra(secondNameMask); b.kernel() {
		list[0].rest = halfOf(c.needOf(b.owner).sparse | secondNameMask)
	}
	return list
}

// maskedInput reports whether some input has masks.
func (c *check) maskedInput() bool {
	return slices.ContainsFunc(c.modules, func(m *module) bool { return m.masks })
}

func halfOf(n uint64) string { return string([]byte{byte(n), byte(n >> 8)}) }

// Since 12.x code for sm_90 has a mask of its sparse matrix instructions. A
// second name of code has none of its own, and is given one with the highest
// bit, which counts for the code as well; a kernel's mask has the bits of all that it reaches.
const (
	masksFrom       = 90
	secondNameMask  = 0x8000
	forwardProgress = 70
)
