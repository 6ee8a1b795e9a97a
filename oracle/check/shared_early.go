package check

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Shared memory in the relocatable output of 13.0.
//
// Nothing is known yet of who shares with whom: all variables that belong to
// no kernel get a place in .nv_debug.shared, and those of a kernel stay in its
// section. Their records are carried out all the same, and with st_value, which
// is an alignment: what a later link makes of such code is not what the program
// says. (13.5 keeps the records.)
//
// An array of unknown length that a kernel itself names keeps its record, which
// then names a symbol made for it, externsharedinstance; one that a function
// names is taken to lie at 0.
//
// Source: links with -r by nvlink 13.0.88.

const externInstance = "externsharedinstance"

func (c *check) placeSharedEarly() error {
	c.findShared()
	s := c.shared
	pool := append(append([]*identity(nil), s.pool...), s.externs...)
	align := uint64(1)
	if len(s.externs) > 0 {
		align = externAlign
	}
	if align = max(align, s.align); len(pool) > 0 {
		a := c.area(".nv_debug.shared", ".nv_debug.shared", nil)
		a.kind, a.flags = cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc
		a.size, a.align = extent(s.pool, align)
		a.late = len(s.pool) == 0
		for _, id := range pool {
			id.value, id.at.area = 0, a
			if id.def != nil {
				id.value = id.def.value
			}
		}
	}
	named := slices.ContainsFunc(s.externs, func(x *identity) bool { return len(c.usersOf(x)) > 0 })
	for _, k := range c.kernels {
		list := s.own[k]
		if k.code == nil || len(list) == 0 && !named {
			continue
		}
		a := c.area(".nv.shared.", ".nv.shared."+k.name, k.code)
		a.kind, a.flags, a.align, a.empty = cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc, max(1, s.align), true
		if len(list) > 0 {
			a.size, a.align = extent(list, s.align)
		}
		// Where arrays of unknown length are around, which kernels get
		// room for one is not known.
		a.late, a.optional, a.roomy = len(list) == 0, len(list) == 0, named
		for _, id := range list {
			id.value, id.at.area = id.def.value, a
		}
	}
	return nil
}

// settle takes the size and alignment of a section that may have room for an
// array of unknown length from the output, where they are possible ones.
func (c *check) settle(a *area) {
	if c.options.Loose && a.kind == cuda.SHTCudaShared && a.out != nil {
		a.size, a.align = a.out.size, a.out.align // see compareShared
	}
	if !a.roomy || a.out == nil {
		return
	}
	for _, size := range [...]uint64{max(a.size, externAlign), roundUp(a.size, externAlign)} {
		if a.out.size == size {
			a.size = size
		}
	}
	for _, align := range [...]uint64{8, externAlign} {
		if a.out.align == max(a.align, align) {
			a.align = a.out.align
		}
	}
}

// extent is how far variables reach and their alignment, by a rule that knows
// no padding: the sizes added up, and the alignment on top where it is no less
// than that.
func extent(list []*identity, align uint64) (uint64, uint64) {
	sum := uint64(0)
	for _, v := range list {
		sum, align = sum+v.size, max(align, v.align)
	}
	if align >= sum {
		sum += align
	}
	return sum, align
}

// earlyExtern is what becomes of a record against an array of unknown length.
func (c *check) earlyExtern(a *area, r record, d decision) decision {
	if a.owner == nil || !a.owner.kernel() {
		d.in.S = 0
		return d
	}
	if c.instance == nil {
		c.instance = &identity{name: externInstance, order: len(c.ids), early: true, info: 16*byte(cuda.STBWeak) + byte(cuda.STTCudaObject), other: cuda.STOShared | cuda.STOInternal}
		c.ids = append(c.ids, c.instance)
	}
	d.keepFor = c.instance
	return d
}
