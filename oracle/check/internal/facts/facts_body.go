package facts

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/reach"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// bodyFacts are the records that .nv.info.<function> must have.
func (c *check) bodyFacts(b *link.Body) []link.Fact {
	list := c.ownFacts(b)
	owner := b.Owner
	if owner == nil {
		return list
	}
	kernel := b.Kernel() && !c.Relocatable
	if _, told := b.Attribute(cuda.AttrNumBarriers); c.NewForm() && !kernel && !told && b.BarrierCount() > 0 {
		list = append(list, link.Fact{Optional: c.KeepsFlags(b.Area), Format: cuda.FormatByte, Attr: cuda.AttrNumBarriers, Rest: string([]byte{byte(b.BarrierCount()), 0}), File: b.Mod.Name})
	}
	if c.Unversioned(b) && !c.FirstMercury() {
		list = append(list, link.Fact{Format: cuda.FormatHalf, Attr: cuda.AttrMercuryIsaVersion, Rest: firstMercury, File: b.Mod.Name})
	}
	switch {
	case kernel:
		own := slices.Clone(list)
		list = c.kernelFacts(list, b, len(c.Kernels) == 1)
		if !owner.Asked {
			allowOwn(list, own)
		}
		list = append(list, c.kernelExterns(b)...)
	case c.asKernelOf(b):
		list = append(c.asKernel(list, b), c.driverExterns(b, c.Externs(b)))
	default:
		list = append(list, c.functionExterns(b)...)
	}
	return append(list, c.extraMasks(b)...)
}

// ownFacts are the attributes that code has of its own and keeps.
func (c *check) ownFacts(b *link.Body) (list []link.Fact) {
	for _, a := range b.Attributes() {
		f := factOf(b.Mod.Image, a, func(index uint32) link.Ref { return c.InRef(b.Mod, index) })
		f.File = b.Mod.Name
		if a.Attr != cuda.AttrExterns && !c.losesFragments(b, a) {
			list = append(list, f)
		}
	}
	return list
}

// externs is a list of names, if there are any.
func (c *check) externs(b *link.Body, names []string) []link.Fact {
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []link.Fact{{Format: cuda.FormatSized, Attr: cuda.AttrExterns, About: strings.Join(names, " "), File: b.Mod.Name}}
}

// functionExterns are the names in a function's list. nvlink writes that of a definition that lost where the other has
// none.
func (c *check) functionExterns(b *link.Body) []link.Fact {
	list := c.externs(b, c.Externs(b))
	if len(list) > 0 || !b.Owner.Several {
		return list
	}
	for _, other := range b.Owner.Definitions {
		if extra := c.externs(other, c.Externs(other)); len(list) == 0 && len(extra) > 0 {
			list = extra
			list[0].Optional = true
		} else if len(extra) > 0 {
			list[0].Also = append(list[0].Also, extra[0].About)
		}
	}
	return list
}

// kernelExterns are the names of what a kernel reaches. nvlink charges the only kernel of a link with everything; one that
// nobody asked for may name its own.
func (c *check) kernelExterns(b *link.Body) []link.Fact {
	n := c.NeedOf(b.Owner)
	list := c.externs(b, n.Externs)
	switch asked := b.Owner.Asked; {
	case asked && len(c.Kernels) == 1 && len(n.Externs) < len(c.AllNeed.Externs):
		list = c.externs(b, c.AllNeed.Externs)
		list[0].Also, list[0].Optional = []string{strings.Join(n.Externs, " ")}, len(n.Externs) == 0
	case len(list) > 0:
		if list[0].Optional, list[0].Least = !asked, n.Least; !asked {
			own := c.Externs(b)
			slices.Sort(own)
			list[0].Also = []string{strings.Join(own, " ")}
		}
	}
	switch {
	case !n.Takes:
	case len(list) == 0:
		list = append(list, link.Fact{Attr: cuda.AttrExterns, Optional: true, Anything: true, File: b.Mod.Name})
	default:
		list[0].Least = true
	}
	return list
}

// firstMercury is the version of Mercury that the finalizer says for code of 12.8 and 12.9, from 13.0 on.
const firstMercury = "\x00\x01"

// allowOwn lets a kernel that nobody asked for keep its own values: with
// --preserve-relocs it stays, and what it calls counts for nothing.
func allowOwn(list, own []link.Fact) {
	for i := range list {
		f := &list[i]
		value, has := ownValue(own, f)
		switch {
		case !has:
			f.Optional = true
		case f.Rest != value:
			f.Also = append(slices.Clone(f.Also), value)
		}
		if f.Attr == cuda.AttrNumBarriers && has {
			f.Rest, f.Least = value, true // of some that it calls
		} else if f.Attr == cuda.AttrNumBarriers {
			f.Rest, f.Least = "\x00\x00", true
		}
	}
}

// ownValue is the value that a list has of an attribute: of one that is there several times, as each parameter's, the same
// if it has that.
func ownValue(own []link.Fact, f *link.Fact) (value string, has bool) {
	for i := range own {
		g := &own[i]
		switch {
		case g.Attr != f.Attr || g.Key != f.Key:
		case g.Rest == f.Rest:
			return g.Rest, true
		case !has:
			value, has = g.Rest, true
		}
	}
	return value, has
}

// kernelFacts adds what a kernel takes over from what it reaches.
func (c *check) kernelFacts(list []link.Fact, b *link.Body, only bool) []link.Fact {
	n := c.NeedOf(b.Owner)
	k := kernelFactList{list: list, file: b.Mod.Name, only: only, barriers: max(c.MostBarriers, 1)}
	switch {
	case !n.Known:
		k.set(cuda.FormatSized, cuda.AttrCrsStackSize, sass.BytesOf(1<<32-1))
	case n.Crs > 0:
		k.set(cuda.FormatSized, cuda.AttrCrsStackSize, sass.BytesOf(uint32(n.Crs)))
	}
	if c.NewForm() {
		k.count(cuda.FormatByte, cuda.AttrNumBarriers, n.Barriers, c.AllNeed.Barriers, c.olderBarriers(b, n, k.only)...)
	}
	if _, has := b.Attribute(cuda.AttrSparseMmaMask); has && c.SM >= masksFrom {
		k.count(cuda.FormatHalf, cuda.AttrSparseMmaMask, n.Sparse, c.AllNeed.Sparse)
	}
	if n.Maskless || b.HoldsFunctions() {
		for i := range k.list {
			if k.list[i].Attr == cuda.AttrSparseMmaMask {
				k.list[i].Also = append(slices.Clip(k.list[i].Also), halfOf(n.Sparse|link.SecondNameMask))
			}
		}
	}
	if c.SM < link.ForwardProgress && (n.Launches || k.only && c.AllNeed.Launches) {
		k.set(cuda.FormatNone, cuda.AttrNeedCnpWrapper, noValue) // it launches kernels through the old interface
	}
	waiting := n.Mbarriers
	if k.only {
		waiting = c.allWaiting()
	}
	k.count(cuda.FormatHalf, cuda.AttrNumMbarriers, n.Mbarriers, waiting)
	if n.Waits && !k.has(cuda.AttrNumMbarriers) {
		k.list = append(k.list, link.Fact{Format: cuda.FormatHalf, Attr: cuda.AttrNumMbarriers, Rest: noValue, Optional: k.only || c.Release < 124, File: k.file})
	}
	c.tensorFacts(&k, b)
	if a := c.ByKey[link.AreaKey{Base: ".nv.constant0.", Owner: b}]; c.Out.Side == image.SassSide && a != nil && a.Slots {
		for _, attr := range [...]cuda.InfoAttr{cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank} {
			k.list = append(k.list, link.Fact{Format: cuda.FormatByte, Attr: attr, Rest: noValue, File: k.file})
		}
	}
	if n.Least || n.Many {
		k.atLeast(len(n.Externs) != 0)
	}
	k.flag(cuda.AttrCtaidzUsed, n.Ctaidz, c.AllNeed.Ctaidz)
	k.flag(cuda.AttrReservedSmemUsed, n.Reserved, c.AllNeed.Reserved)
	return k.list
}

// olderBarriers returns the other numbers of barriers that a kernel may have: where flags of
// older code have its own still.
func (c *check) olderBarriers(b *link.Body, n *reach.Need, only bool) (also []string) {
	if own := uint64(b.Section.Flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift); own == n.Barriers && own > 0 && b.Area.Out != nil && b.Area.Out.Flags&cuda.SHFBarrierMask == b.Section.Flags&cuda.SHFBarrierMask {
		for count := n.Below; count <= own; count++ {
			also = append(also, halfOf(count))
		}
	}
	for _, f := range c.Graph.Functions {
		if only && f.Code != nil && f.Live && f.Code.BarrierCount() > n.Barriers {
			also = append(also, halfOf(f.Code.BarrierCount()))
		}
	}
	return also
}

// noValue is what an attribute without one has in its place.
const noValue = "\x00\x00"

// kernelFactList is a list of a kernel's attributes.
type kernelFactList struct {
	list []link.Fact
	file string
	only bool // nvlink charges the only kernel of a link with everything

	barriers uint64 // the most that any code has
}

func (k *kernelFactList) has(attr cuda.InfoAttr) bool {
	return slices.ContainsFunc(k.list, func(f link.Fact) bool { return f.Attr == attr })
}

// set gives an attribute a value.
func (k *kernelFactList) set(format cuda.InfoFormat, attr cuda.InfoAttr, value string, also ...string) {
	for i := range k.list {
		if k.list[i].Attr == attr {
			k.list[i].Rest, k.list[i].Also = value, also
			return
		}
	}
	k.list = append(k.list, link.Fact{Format: format, Attr: attr, Rest: value, Also: also, File: k.file})
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
		k.list = append(k.list, link.Fact{Format: format, Attr: attr, Rest: halfOf(all), Also: also, File: k.file, Optional: true})
	}
}

// flag adds an attribute without a value.
func (k *kernelFactList) flag(attr cuda.InfoAttr, need, all bool) {
	if need {
		k.set(cuda.FormatNone, attr, noValue)
	} else if k.only && all {
		k.list = append(k.list, link.Fact{Format: cuda.FormatNone, Attr: attr, Rest: noValue, File: k.file, Optional: true})
	}
}

// atLeast takes larger numbers, and any that lack, where the kernel's calls aren't all known.
func (k *kernelFactList) atLeast(externs bool) {
	for _, attr := range [...]cuda.InfoAttr{cuda.AttrCrsStackSize, cuda.AttrExterns, cuda.AttrCtaidzUsed, cuda.AttrReservedSmemUsed, cuda.AttrNumBarriers, cuda.AttrNumMbarriers,
		cuda.AttrTcgen051ctaUsed, cuda.AttrTcgen052ctaUsed, sass.AttrCancelsClusters, cuda.AttrAtEntryFragements, cuda.AttrVrcCtaInitCount} {
		if !k.has(attr) && (attr != cuda.AttrExterns || !externs) {
			k.list = append(k.list, link.Fact{Attr: attr, Optional: true, Anything: true, File: k.file})
		}
	}
	for i := range k.list {
		switch k.list[i].Attr {
		case cuda.AttrCrsStackSize, cuda.AttrNumBarriers, cuda.AttrNumMbarriers, cuda.AttrSparseMmaMask, cuda.AttrVrcCtaInitCount:
			k.list[i].Least = true
		}
		if k.list[i].Attr == cuda.AttrNumBarriers {
			k.list[i].Most = k.barriers
		}
	}
}

// allWaiting counts the transaction barriers of all live functions.
func (c *check) allWaiting() uint64 {
	all := uint64(0)
	for _, f := range c.Graph.Functions {
		if f.Live {
			own := c.OwnNeed(f)
			all += own.Mbarriers
		}
	}
	return all
}

// extraMasks are masks of sparse matrix instructions that a linker may give code that has
// none: a second name of code, and below sm_90 too, where one input has masks
// and another none.
func (c *check) extraMasks(b *link.Body) []link.Fact {
	if c.Release < 119 || c.Relocatable {
		return nil
	}
	var list []link.Fact
	extra := func(mask uint64) {
		list = append(list, link.Fact{Format: cuda.FormatHalf, Attr: cuda.AttrSparseMmaMask, Rest: halfOf(mask), File: b.Mod.Name, Optional: true})
	}
	for _, f := range b.Names {
		if f != b.Owner && f.Live && c.SM >= masksFrom && !b.HoldsFunctions() {
			extra(link.SecondNameMask)
		}
	}
	if _, has := b.Attribute(cuda.AttrSparseMmaMask); has || len(list) > 0 || !c.maskedInput() {
		return list
	}
	if extra(link.SecondNameMask); b.Kernel() {
		list[0].Rest = halfOf(c.NeedOf(b.Owner).Sparse | link.SecondNameMask)
	}
	return list
}

// maskedInput reports whether some input has masks.
func (c *check) maskedInput() bool {
	return slices.ContainsFunc(c.Modules, func(m *link.Module) bool { return m.Masks })
}

func halfOf(n uint64) string { return string([]byte{byte(n), byte(n >> 8)}) }

// Since 12.x code for sm_90 has a mask of its sparse matrix instructions. A
// second name of code has none of its own, and is given one with the highest
// bit, which counts for the code as well; a kernel's mask has the bits of all that it reaches.
// Functions inside a kernel (-ewp) have no mask apart: the kernel's may get the bit for them.
const (
	masksFrom = 90
)
