package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Shared memory.
//
// A variable of .nv.shared.k belongs to one kernel; those of .nv_debug.shared
// belong to nobody and may be used by several kernels through common
// functions. Variables with several users are given a place first, the same
// for all: those that no kernel uses together may share one. Above them each
// kernel places what it alone uses. An array of unknown length comes last,
// at the same offset for all kernels that meet in a function using one. None
// of the symbols is left in a plain link; only the fields tell.
//
// st_value of such a symbol is its alignment, not an offset.
//
// Source: 318 links of random shared variables by nvlink 11.8.89 to 13.0.88.

const (
	// From sm_90 on the system keeps the first kilobyte; sh_size counts it,
	// the addresses don't.
	reservedShared = 0x400
	externAlign    = 16
)

type shared struct {
	pool, externs []*identity               // of .nv_debug.shared; arrays of unknown length
	own           map[*identity][]*identity // by kernel
	owned         map[*identity]bool        // those of a kernel
	align         uint64                    // of .nv_debug.shared
	start, end    map[*identity]uint64      // by kernel
	extern        map[*identity]uint64      // offset of the arrays, by kernel
	classes       uint64                    // end of the places for several users
	multi         []*identity
}

// findShared sorts the shared variables by whom they belong to.
func (c *check) findShared() {
	s := &shared{own: map[*identity][]*identity{}, owned: map[*identity]bool{}, start: map[*identity]uint64{}, end: map[*identity]uint64{}, extern: map[*identity]uint64{}}
	c.shared = s
	for _, m := range c.modules {
		for i := range m.sections {
			if x := &m.sections[i]; x.kind == cuda.SHTCudaShared && m.ownerOf(x) == nil {
				s.align = max(s.align, x.align)
			}
		}
	}
	for _, id := range c.ids {
		switch {
		case id.kind() != cuda.STTCudaObject || id.space() != cuda.STOShared:
		case id.externShared():
			s.externs = append(s.externs, id)
		case id.def == nil || id.def.special:
		default:
			id.align = max(id.def.value, 1)
			if owner := id.mod.ownerOf(&id.mod.sections[id.def.shndx]); owner != nil && owner.owner != nil {
				// Also where this definition of the kernel lost.
				s.own[owner.owner] = append(s.own[owner.owner], id)
				s.owned[id] = true
				continue
			}
			s.pool = append(s.pool, id)
		}
	}
}

func (c *check) usersOf(id *identity) []*identity {
	if u := c.uses[id]; u != nil {
		return u.kernels
	}
	return nil
}

// placeShared gives every shared variable its offset.
func (c *check) placeShared() error {
	c.findShared()
	s := c.shared
	all := append(append([]*identity(nil), s.pool...), s.externs...)
	all = inOrder(all)
	all = sorted(all, func(a, b *identity) bool { return a.size > b.size }, true)
	null := uint64(0) // nothing may lie at address 0
	if c.options.ReserveNull {
		null = 1
	}
	s.classes = null
	single := map[*identity][]*identity{}
	var classes [][]*identity
	for _, v := range all {
		u := c.uses[v]
		if v.externShared() || u == nil {
			continue
		}
		if len(u.kernels) == 1 {
			single[u.kernels[0]] = append(single[u.kernels[0]], v)
			continue
		}
		s.multi = append(s.multi, v)
		at := 0
		for at < len(classes) {
			if err := c.budget.spend("", uint64(1+len(u.kernels))); err != nil {
				return err
			}
			if !c.meets(v, classes[at]) {
				break
			}
			at++
		}
		if at == len(classes) {
			classes = append(classes, nil)
		}
		classes[at] = append(classes[at], v)
	}
	for _, class := range classes {
		align, size := uint64(1), uint64(0)
		for _, v := range class {
			align, size = max(align, v.align), max(size, v.size)
		}
		base := roundUp(s.classes, align)
		for _, v := range class {
			v.value, v.placed = base, true
			for _, k := range c.usersOf(v) {
				s.start[k] = max(s.start[k], base+v.size)
			}
		}
		s.classes = base + size
	}
	for _, k := range c.kernels {
		list := append(append([]*identity(nil), s.own[k]...), single[k]...)
		list = sorted(list, packedBefore, false)
		end := max(s.start[k], null)
		align := uint64(1)
		for _, v := range list {
			v.value, v.placed = roundUp(end, v.align), true
			end = v.value + v.size
			align = max(align, v.align)
		}
		s.end[k] = end
		if end == null {
			end = 0
		}
		if a := c.sharedArea(k, align, end); a != nil {
			for _, v := range list {
				v.at.area = a
			}
		}
	}
	c.placeExterns(null)
	c.placePool()
	return nil
}

// packedBefore is the order in which a kernel's variables are packed.
func packedBefore(a, b *identity) bool {
	if a.align != b.align {
		return a.align > b.align
	}
	return a.size < b.size
}

// placePool makes the section of the pool, which stays, empty, where code names
// an array of unknown length and the variables ask for no more than its
// alignment. Whether code that lost counts depends; then it may be there. With
// -g and --preserve-relocs it holds the variables with several users.
func (c *check) placePool() {
	s := c.shared
	symbols := c.debug || c.preserve
	if len(s.externs) == 0 && !(symbols && len(s.multi) > 0) {
		return
	}
	a := c.area(".nv_debug.shared", ".nv_debug.shared", nil)
	a.kind, a.flags, a.align, a.empty = cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc, externAlign, true
	a.optional = true
	for _, x := range s.externs {
		if c.uses[x] != nil && (len(s.multi) == 0 || s.align <= externAlign) {
			a.optional = false
		}
		x.at.area = a
	}
	if !symbols {
		if c.out.side == sassSide {
			a.size = c.reserved
		}
		return
	}
	if len(s.multi) > 0 {
		if a.align = s.align; len(s.externs) > 0 {
			a.align = max(a.align, externAlign)
		}
		a.optional = false
		a.size = s.classes
	}
	a.size += c.reserved
	for _, v := range s.multi {
		v.at.area = a
	}
}

// inOrder sorts by the moment of definition, stable.
func inOrder(list []*identity) []*identity {
	moment := func(d *identity) int {
		if d.def != nil {
			return d.defined
		}
		return d.mentioned
	}
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && moment(list[j]) < moment(list[j-1]); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}

// meets reports whether a kernel uses a variable together with one of others.
func (c *check) meets(v *identity, others []*identity) bool {
	mine := map[*identity]bool{}
	for _, k := range c.usersOf(v) {
		mine[k] = true
	}
	for _, o := range others {
		for _, k := range c.usersOf(o) {
			c.steps++
			if mine[k] {
				return true
			}
		}
	}
	return false
}

// sharedArea makes the kernel's section, where it needs one.
func (c *check) sharedArea(k *identity, align, size uint64) *area {
	s := c.shared
	unused := size == 0 && align == 1
	if k.code == nil || unused && len(s.pool)+len(s.externs) == 0 {
		return nil
	}
	a := c.area(".nv.shared.", ".nv.shared."+k.name, k.code)
	a.kind, a.flags = cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc
	a.align, a.size = max(a.align, align), size
	// Where only dead code names a variable, some links of all releases have
	// an empty section for kernels that use none. When is not known, and
	// nothing depends on it.
	a.optional = unused || size == 0 && c.out.side != whole && len(s.multi) > 0 && s.align > externAlign
	if len(s.multi) > 0 {
		a.align = max(a.align, s.align)
	}
	a.size += c.reserved
	return a
}

// placeExterns gives the arrays of unknown length their offsets, group by
// group.
func (c *check) placeExterns(null uint64) {
	s := c.shared
	group := map[*identity]int{} // by kernel
	for i, k := range c.kernels {
		group[k] = i
	}
	needs := map[*identity]bool{}
	join := func(kernels []*identity) {
		for _, k := range kernels {
			needs[k] = true
			from, to := group[k], group[kernels[0]]
			for _, other := range c.kernels {
				if group[other] == from {
					group[other] = to
				}
			}
		}
	}
	for _, x := range s.externs {
		u := c.uses[x]
		if u == nil {
			continue
		}
		if c.debug {
			// A symbol that is emitted has one value, so its users form
			// one group.
			x.value = roundUp(null, externAlign)
			join(u.kernels)
			continue
		}
		for _, code := range u.functions {
			for _, f := range code.names {
				if f.kernel() {
					needs[f] = true
				} else {
					join(f.users)
				}
			}
		}
	}
	offset := map[int]uint64{}
	for _, k := range c.kernels {
		if needs[k] {
			offset[group[k]] = max(offset[group[k]], roundUp(s.end[k], externAlign))
		}
	}
	for _, k := range c.kernels {
		if !needs[k] {
			continue
		}
		s.extern[k] = offset[group[k]]
		if c.debug {
			for _, x := range s.externs {
				if slices.Contains(c.usersOf(x), k) {
					x.value = s.extern[k]
				}
			}
		}
		c.sharedArea(k, externAlign, s.extern[k])
		if a := c.byKey[areaKey{".nv.shared.", k.code}]; a != nil {
			a.align = max(a.align, externAlign)
		}
	}
}

// externOffset is the offset of an array of unknown length as code sees it.
func (c *check) externOffset(x *identity, code *body) uint64 {
	if c.debug {
		return x.value
	}
	if code != nil {
		for _, f := range code.names {
			if offset, ok := c.shared.extern[f]; ok {
				return offset
			}
			for _, k := range f.users {
				if offset, ok := c.shared.extern[k]; ok {
					return offset
				}
			}
		}
	}
	return 1<<64 - 1
}
