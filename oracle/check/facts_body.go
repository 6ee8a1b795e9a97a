package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// bodyFacts are the records that .nv.info.<function> must have.
func (c *check) bodyFacts(b *body, needs map[*identity]need) ([]fact, error) {
	var list []fact
	for _, a := range b.mod.infoOf(b) {
		f := b.mod.factOf(a, func(index uint32) ref { return c.inRef(b.mod, index) })
		f.file = b.mod.name
		if a.attr != cuda.AttrExterns {
			list = append(list, f)
		}
	}
	owner := b.owner
	if owner == nil {
		return list, nil
	}
	kernel := b.kernel() && !c.relocatable
	reached := []*identity{owner}
	if _, told := b.attribute(cuda.AttrNumBarriers); c.release >= 130 && !kernel && !told && b.barrierCount() > 0 {
		list = append(list, fact{format: cuda.FormatByte, attr: cuda.AttrNumBarriers, rest: string([]byte{byte(b.barrierCount()), 0}), file: b.mod.name})
	}
	if kernel {
		reached = c.charged(owner)
		if err := c.paySteps(); err != nil {
			return nil, err
		}
		list = c.kernelFacts(list, b, reached, needs)
	}
	var externs []string
	for _, f := range reached {
		if f.code == nil {
			continue
		}
		for _, name := range c.externs(f.code) {
			if !slices.Contains(externs, name) {
				externs = append(externs, name)
			}
		}
	}
	if c.release >= 119 && c.sm >= masksFrom && !c.relocatable {
		for _, f := range b.names {
			if f != owner && f.live {
				list = append(list, fact{format: cuda.FormatHalf, attr: cuda.AttrSparseMmaMask, rest: "\x00\x80", file: b.mod.name})
			}
		}
	}
	if len(externs) > 0 {
		slices.Sort(externs)
		list = append(list, fact{format: cuda.FormatSized, attr: cuda.AttrExterns, about: strings.Join(externs, " "), file: b.mod.name})
	}
	return list, nil
}

// externs names the functions of a body's list that nobody defines, and the
// kernels.
func (c *check) externs(b *body) []string {
	var names []string
	for _, a := range b.mod.infoOf(b) {
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
func (c *check) kernelFacts(list []fact, b *body, reached []*identity, needs map[*identity]need) []fact {
	n := needs[b.owner]
	set := func(format cuda.InfoFormat, attr cuda.InfoAttr, value string) {
		for i := range list {
			if list[i].attr == attr {
				list[i].rest = value
				return
			}
		}
		list = append(list, fact{format: format, attr: attr, rest: value, file: b.mod.name})
	}
	switch {
	case !n.known:
		set(cuda.FormatSized, cuda.AttrCrsStackSize, bytesOf(1<<32-1))
	case n.crs > 0:
		set(cuda.FormatSized, cuda.AttrCrsStackSize, bytesOf(uint32(n.crs)))
	}
	if c.release >= 130 {
		if most := mostBarriers(reached); most > 0 {
			set(cuda.FormatByte, cuda.AttrNumBarriers, string([]byte{byte(most), 0}))
		}
	}
	if c.sm >= masksFrom {
		if mask := c.sparseMask(b, reached); mask != 0 {
			set(cuda.FormatHalf, cuda.AttrSparseMmaMask, string([]byte{byte(mask), byte(mask >> 8)}))
		}
	}
	if c.sm < forwardProgress && slices.ContainsFunc(reached, func(f *identity) bool { return f.code == nil && strings.HasPrefix(f.name, "cnp") }) {
		set(cuda.FormatNone, cuda.AttrNeedCnpWrapper, "\x00\x00") // it launches kernels through the old interface
	}
	// Transaction barriers add up along a path of calls.
	most := uint64(0)
	for _, f := range reached {
		if f.code != b {
			most = max(most, c.barriersFrom(f, needs))
		}
	}
	v, _ := b.attribute(cuda.AttrNumMbarriers)
	if mbarriers := number(v, 0, 2) + most; mbarriers > 0 {
		set(cuda.FormatHalf, cuda.AttrNumMbarriers, string([]byte{byte(mbarriers), byte(mbarriers >> 8)}))
	}
	if a := c.byKey[areaKey{".nv.constant0.", b}]; c.out.side == sassSide && a != nil && a.slots {
		for _, attr := range [...]cuda.InfoAttr{cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank} {
			list = append(list, fact{format: cuda.FormatByte, attr: attr, rest: "\x00\x00", file: b.mod.name})
		}
	}
	for _, attr := range [...]cuda.InfoAttr{cuda.AttrCtaidzUsed, cuda.AttrReservedSmemUsed} {
		for _, f := range reached {
			if f.code == nil || f.code == b {
				continue
			}
			if _, ok := f.code.attribute(attr); ok {
				set(cuda.FormatNone, attr, "\x00\x00")
			}
		}
	}
	return list
}

// Since 12.x code for sm_90 has a mask of its sparse matrix instructions. A
// second name of code has none of its own, and is given one with the highest
// bit, which counts for the code as well; a kernel's mask has the bits of all that it reaches.
const (
	masksFrom       = 90
	secondNameMask  = 0x8000
	forwardProgress = 70
)

func (c *check) sparseMask(b *body, reached []*identity) uint64 {
	if _, ok := b.attribute(cuda.AttrSparseMmaMask); !ok {
		return 0
	}
	mask := uint64(0)
	for _, f := range reached {
		if f.code == nil {
			continue
		}
		v, _ := f.code.attribute(cuda.AttrSparseMmaMask)
		mask |= number(v, 0, 2)
		for _, name := range f.code.names {
			if name.live && name.first() != name {
				mask |= secondNameMask
			}
		}
	}
	return mask
}

// charged lists the functions whose needs a kernel takes over: those it
// reaches, and for the only kernel of a link all.
func (c *check) charged(k *identity) []*identity {
	if len(c.kernels) != 1 {
		return c.reach(k)
	}
	list := []*identity{k}
	for _, f := range c.ids {
		if f != k && f.function() && f.live {
			list = append(list, f)
		}
	}
	return list
}

// mostBarriers is the most barriers of a list of functions.
func mostBarriers(list []*identity) uint64 {
	most := uint64(0)
	for _, f := range list {
		if f.code != nil {
			most = max(most, f.code.barrierCount())
		}
	}
	return most
}

// barrierCount is the number of barriers of a function: the attribute, in
// older objects the bits of the section flags.
func (b *body) barrierCount() uint64 {
	if v, ok := b.attribute(cuda.AttrNumBarriers); ok {
		return number(v, 0, 1)
	}
	return uint64(b.section.flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift)
}
