package cubin

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Where the tools put things: after the ELF header the sections in the order
// of their numbers, each at the next multiple of its alignment; one without
// bytes has that offset too, and the section after it starts there. Then the
// section headers at a multiple of eight (from 13.5 on, of one) and at once the
// program headers.
//
//	 0    64                                       8
//	+-----+---------+---------+~~~~~~+----------+--+-----------+--------+
//	| ELF |.shstrtab| tail of |.str- | tail, or | :| section   | program|
//	|     |         | it      | tab  | padding  | :| headers   | headers|
//	+-----+---------+---------+~~~~~~+----------+--+-----------+--------+

// Layout gives every part the size of its bytes and a place by this rule, in
// the order in which the parts stand now; program headers follow the sections
// they cover. A file of the tools that nothing was done to stays as it is.
func (d *Editor) Layout() error {
	order := d.fileOrder()
	limit := d.maxSize()
	pos := uint64(HeaderSize + len(d.lead))
	for _, i := range order {
		p := &d.parts[i]
		at, ok := roundUp(pos, p.Align)
		if !ok || at > limit {
			return d.src.fault(OverBudget, d.SectionName(i), pos, p.Align, "section %d: alignment makes the file too large", i)
		}
		p.Off, pos = at, at
		if !p.NoBits() {
			p.Size = uint64(len(p.data))
			pos += p.Size + uint64(len(p.tail))
		}
		if pos > limit {
			return d.src.fault(OverBudget, d.SectionName(i), at, p.Size, "section %d: the file is larger than 16 MB and eight times its parts", i)
		}
	}
	for i := range d.parts {
		p := &d.parts[i]
		o := &d.parts[p.shared]
		p.Off, p.Size = o.Off, o.Size
	}
	d.placeTables(pos)
	return d.placeSegments()
}

// fileOrder returns the sections that have a place of their own, by it. A
// section that has none yet comes after the one before it.
func (d *Editor) fileOrder() []int {
	order := make([]int, 0, len(d.parts))
	for i := 1; i < len(d.parts); i++ {
		if d.parts[i].shared == i {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.parts[a].Off, d.parts[b].Off) })
	return order
}

// placeTables sets the fields about the tables, which begin at pos.
func (d *Editor) placeTables(pos uint64) {
	h := &d.Header
	escaped := h.ShNum == 0 || len(d.parts) >= cuda.SHNLoReserve
	h.ShNum = uint16(len(d.parts))
	if escaped {
		h.ShNum, d.parts[0].Size = 0, uint64(len(d.parts))
	}
	h.ShOff, _ = roundUp(pos, d.tableMod)
	pos = h.ShOff + uint64(len(d.parts))*SectionSize + uint64(len(d.shtail))
	h.PhNum = uint16(len(d.progs))
	if len(d.progs) > 0 {
		h.PhOff = pos
	}
}
