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
		if a.attr != cuda.AttrExterns {
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
	only := len(c.kernels) == 1 // nvlink charges the only kernel of a link with everything
	set := func(format cuda.InfoFormat, attr cuda.InfoAttr, value string, also ...string) {
		for i := range list {
			if list[i].attr == attr {
				list[i].rest, list[i].also = value, also
				return
			}
		}
		list = append(list, fact{format: format, attr: attr, rest: value, also: also, file: b.mod.name})
	}
	count := func(format cuda.InfoFormat, attr cuda.InfoAttr, least, all uint64, also ...string) {
		switch {
		case !only || all == least:
			if least > 0 {
				set(format, attr, halfOf(least), also...)
			}
		case least > 0 || slices.ContainsFunc(list, func(f fact) bool { return f.attr == attr }):
			set(format, attr, halfOf(least), append(also, halfOf(all))...)
		default:
			list = append(list, fact{format: format, attr: attr, rest: halfOf(all), also: also, file: b.mod.name, optional: true})
		}
	}
	switch {
	case !n.known:
		set(cuda.FormatSized, cuda.AttrCrsStackSize, bytesOf(1<<32-1))
	case n.crs > 0:
		set(cuda.FormatSized, cuda.AttrCrsStackSize, bytesOf(uint32(n.crs)))
	}
	if c.release >= 130 {
		var also []string
		if own := uint64(b.section.flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift); own == n.barriers && own > 0 && b.area.out != nil && b.area.out.flags&cuda.SHFBarrierMask == b.section.flags&cuda.SHFBarrierMask {
			for n := n.below; n <= own; n++ {
				also = append(also, halfOf(n)) // the flags of older code have its own still
			}
		}
		for _, f := range c.graph.functions { // of all that is there, but for flags of older code
			if only && f.code != nil && f.live && f.code.barrierCount() > n.barriers {
				also = append(also, halfOf(f.code.barrierCount()))
			}
		}
		count(cuda.FormatByte, cuda.AttrNumBarriers, n.barriers, c.allNeed.barriers, also...)
	}
	if _, has := b.attribute(cuda.AttrSparseMmaMask); has && c.sm >= masksFrom {
		count(cuda.FormatHalf, cuda.AttrSparseMmaMask, n.sparse, c.allNeed.sparse)
	}
	if n.maskless && c.maskedInput() {
		for i := range list {
			if list[i].attr == cuda.AttrSparseMmaMask {
				list[i].also = append(slices.Clip(list[i].also), halfOf(n.sparse|secondNameMask))
			}
		}
	}
	if c.sm < forwardProgress && (n.launches || only && c.allNeed.launches) {
		set(cuda.FormatNone, cuda.AttrNeedCnpWrapper, "\x00\x00") // it launches kernels through the old interface
	}
	if n.mbarriers > 0 || only && c.allNeed.mbarriers > 0 {
		all := n.mbarriers
		if only {
			all = c.allWaiting()
		}
		count(cuda.FormatHalf, cuda.AttrNumMbarriers, n.mbarriers, all)
	}
	if a := c.byKey[areaKey{".nv.constant0.", b}]; c.out.side == sassSide && a != nil && a.slots {
		for _, attr := range [...]cuda.InfoAttr{cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank} {
			list = append(list, fact{format: cuda.FormatByte, attr: attr, rest: "\x00\x00", file: b.mod.name})
		}
	}
	if n.least || n.many {
		for _, attr := range [...]cuda.InfoAttr{cuda.AttrCrsStackSize, cuda.AttrExterns, cuda.AttrCtaidzUsed, cuda.AttrReservedSmemUsed, cuda.AttrNumBarriers, cuda.AttrNumMbarriers} {
			if !slices.ContainsFunc(list, func(f fact) bool { return f.attr == attr }) && (attr != cuda.AttrExterns || len(n.externs) == 0) {
				list = append(list, fact{attr: attr, optional: true, anything: true, file: b.mod.name})
			}
		}
		for i := range list {
			switch list[i].attr {
			case cuda.AttrCrsStackSize, cuda.AttrNumBarriers, cuda.AttrNumMbarriers, cuda.AttrSparseMmaMask:
				list[i].least = true
			}
		}
	}
	for _, x := range [...]struct {
		attr      cuda.InfoAttr
		need, all bool
	}{{cuda.AttrCtaidzUsed, n.ctaidz, c.allNeed.ctaidz}, {cuda.AttrReservedSmemUsed, n.reserved, c.allNeed.reserved}} {
		if x.need {
			set(cuda.FormatNone, x.attr, "\x00\x00")
		} else if only && x.all {
			list = append(list, fact{format: cuda.FormatNone, attr: x.attr, rest: "\x00\x00", file: b.mod.name, optional: true})
		}
	}
	return list
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
