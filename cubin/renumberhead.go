package cubin

import "github.com/twinlink/twinlink/cuda"

// renumberHeader maps sh_link and sh_info of section i, which stays.
func (d *Editor) renumberHeader(i int, r *renumbering) error {
	p := &d.parts[i]
	link, ok := r.section(p.Link)
	if !ok && p.Type != cuda.SHTNote {
		return d.src.fault(BadIndex, d.SectionName(i), 0, uint64(p.Link), "section %d is kept, but the one in its sh_link is removed", i)
	}
	switch d.infoKind(i) {
	case infoSection:
		to, ok := r.section(p.Info)
		switch {
		case ok:
		case p.Type == cuda.SHTNote:
			p.Flags &^= cuda.SHFInfoLink // as nvlink writes cuinfo without .nv.compat
		default:
			return d.src.fault(BadIndex, d.SectionName(i), 0, uint64(p.Info), "section %d is kept, but the one in its sh_info is removed", i)
		}
		p.Info = to
	case infoSymbol:
		p.Info, _ = r.symbol(p.Link, p.Info)
	case infoCode:
		to, _ := r.symbol(p.Link, p.Info&codeSymbolMask)
		p.Info = p.Info&^codeSymbolMask | to&codeSymbolMask
	case infoLocals:
		p.Info = r.locals(i, p.Info)
	}
	p.Link = link
	return nil
}

// locals returns sh_info of a symbol table: one more than the last number that
// a LOCAL symbol gets.
func (r *renumbering) locals(tab int, info uint32) uint32 {
	moved, ok := r.symbols[tab]
	if !ok {
		return info
	}
	last := 0
	for k := 0; k < len(moved) && uint64(k) < uint64(info); k++ {
		last = max(last, moved[k])
	}
	return uint32(last) + 1
}

// renumberFile maps the numbers that the file's header holds.
func (d *Editor) renumberFile(r *renumbering) error {
	names := d.namesIndex()
	to := r.sections[names]
	if to == 0 {
		return d.src.fault(BadIndex, d.SectionName(names), 62, uint64(names), "the section names can't be removed")
	}
	if d.Header.ShStrNdx == xindex || to >= cuda.SHNLoReserve {
		d.Header.ShStrNdx, d.parts[0].Link = xindex, uint32(to)
	} else {
		d.Header.ShStrNdx = uint16(to)
	}
	if i := d.cuinfoIndex(); i != 0 {
		n := min(r.sections[i], cuinfoEscape)
		d.Header.Flags = d.Header.Flags<<(32-cuda.EFCuinfoShift)>>(32-cuda.EFCuinfoShift) | uint32(n)<<cuda.EFCuinfoShift
	}
	return nil
}

// moveParts puts the sections where their numbers say. What has no new number
// goes; a number that no old section gets is left empty for Insert.
func (d *Editor) moveParts(r *renumbering) {
	d.inheritShared(r)
	size := 0
	for _, n := range r.sections {
		size = max(size, n+1)
	}
	out := make([]Part, size)
	for i := range d.parts {
		if n := r.sections[i]; n != 0 || i == 0 {
			out[n] = d.parts[i]
			out[n].shared = r.sections[d.parts[i].shared]
		}
	}
	d.parts = out
	d.renumberSegments(r.sections)
}

// inheritShared gives the bytes of a section that goes to the first of its
// sections that share bytes that stays.
func (d *Editor) inheritShared(r *renumbering) {
	heirs := make(map[int]int)
	for i := 1; i < len(d.parts); i++ {
		p := &d.parts[i]
		head := p.shared
		if head == i || r.sections[i] == 0 || r.sections[head] != 0 {
			continue
		}
		if heirs[head] == 0 {
			o := &d.parts[head]
			p.data, p.tail, p.from, p.own, p.Off, p.Size = o.data, o.tail, o.from, o.own, o.Off, o.Size
			heirs[head] = i
		}
		p.shared = heirs[head]
	}
}
