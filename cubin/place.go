package cubin

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

const (
	xindex     = uint16(cuda.SHNXindex)
	tableAlign = 8 // of the section header table, up to 13.0; 13.5 aligns by 1
)

// findHollow finds Mercury clones of shared memory whose room another section
// or a table takes.
func (d *Editor) findHollow() {
	var clones []*Part
	starts := []uint64{d.Header.ShOff}
	if len(d.progs) > 0 {
		starts = append(starts, d.Header.PhOff)
	}
	for i := 1; i < len(d.parts); i++ {
		switch p := &d.parts[i]; {
		case p.mayBeHollow():
			clones = append(clones, p)
		case len(p.data) > 0:
			starts = append(starts, p.Off)
		}
	}
	slices.Sort(starts)
	for _, p := range clones {
		k, _ := slices.BinarySearch(starts, p.Off)
		if k < len(starts) && starts[k]-p.Off < p.Size {
			p.hollow, p.data = true, nil
		}
	}
}

func (p *Part) mayBeHollow() bool {
	return NoBitsSpace(p.Type) && p.Flags&cuda.SHFMercury != 0
}

// pairShared finds sections of equal offset and size. Empty ones are counterparts only
// where the second is of the Mercury group.
func (d *Editor) pairShared() {
	order := make([]int, 0, len(d.parts))
	for i := 1; i < len(d.parts); i++ {
		if !d.parts[i].NoBits() {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		p, q := &d.parts[a], &d.parts[b]
		return cmp.Or(cmp.Compare(p.Off, q.Off), cmp.Compare(p.Size, q.Size), cmp.Compare(a, b))
	})
	for k := 1; k < len(order); k++ {
		p, first := &d.parts[order[k]], d.parts[order[k-1]].shared
		q := &d.parts[first]
		if p.Off == q.Off && p.Size == q.Size && (p.Size > 0 || p.Flags&^q.Flags&cuda.SHFMercury != 0) {
			p.shared, p.data = first, nil
		}
	}
}

// piece is a stretch of the file: a table, a section's bytes, a tail.
type piece struct {
	off  uint64
	data []byte
	view bool    // the input has these bytes at this place
	tail *[]byte // where what follows belongs
	part int     // section, or one of the pieces below
}

const (
	pieceHeader   = -1
	pieceSections = -2
	pieceProgs    = -3
	pieceTail     = -4
)

func (p *piece) end() uint64 { return p.off + uint64(len(p.data)) }

// pieces returns all stretches but the tails, by place. The bytes of header
// and tables are those of the fields as they stand.
func (d *Editor) pieces() []piece {
	list := d.tables(d.headerBytes(), d.sectionBytes(), d.progBytes())
	for k := range list {
		in, ok := Window(d.src.Data, list[k].off, uint64(len(list[k].data)))
		list[k].view = ok && string(in) == string(list[k].data)
	}
	return d.withParts(list)
}

// untouched returns the pieces of an Editor that nothing was done to: its header and tables are
// the input's.
func (d *Editor) untouched() []piece {
	data := d.src.Data
	header, ok := Window(data, 0, HeaderSize)
	sections, ok2 := Window(data, d.Header.ShOff, uint64(len(d.parts))*SectionSize)
	progs, ok3 := Window(data, d.Header.PhOff, uint64(len(d.progs))*ProgSize)
	if !ok || !ok2 || !ok3 {
		return d.pieces()
	}
	return d.withParts(d.tables(header, sections, progs))
}

// tables returns the pieces that are no sections, with room for those that are.
func (d *Editor) tables(header, sections, progs []byte) []piece {
	list := make([]piece, 0, len(d.parts)+3)
	list = append(list, piece{off: 0, data: header, tail: &d.lead, part: pieceHeader},
		piece{off: d.Header.ShOff, data: sections, tail: &d.shtail, part: pieceSections})
	if len(d.progs) > 0 {
		list = append(list, piece{off: d.Header.PhOff, data: progs, tail: &d.phtail, part: pieceProgs})
	}
	return list
}

// withParts adds the sections, and sorts all by place.
func (d *Editor) withParts(list []piece) []piece {
	for i := 1; i < len(d.parts); i++ {
		p := &d.parts[i]
		if p.shared == i && !p.NoBits() {
			list = append(list, piece{off: p.Off, data: p.data, view: !p.own && p.Off == p.from, tail: &p.tail, part: i})
		}
	}
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(a.off, b.off) })
	return list
}

// takeTails gives what is between the pieces of the input to the piece that
// ends last before it, but for zeros that alignment asks for.
func (d *Editor) takeTails() {
	list := d.untouched()
	last := &list[0]
	for k := range list {
		p := &list[k]
		if gap, ok := Window(d.src.Data, last.end(), p.off-last.end()); ok && !d.isPadding(gap, last.end(), p) {
			*last.tail = gap
		}
		if p.end() >= last.end() {
			last = p
		}
	}
	if rest, ok := Window(d.src.Data, last.end(), uint64(len(d.src.Data))-last.end()); ok && len(rest) > 0 {
		*last.tail = rest
	}
}

// isPadding reports whether a gap is the zeros that the alignment of the piece
// after it asks for.
func (d *Editor) isPadding(gap []byte, from uint64, next *piece) bool {
	align, i := uint64(1), 0
	switch {
	case next.part > 0:
		align, i = d.parts[next.part].Align, next.part
	case next.part == pieceSections:
		align, i = d.tableMod, len(d.parts)
	}
	// Sections without bytes may be between; the largest alignment counts.
	for i--; i > 0 && (d.parts[i].NoBits() || d.parts[i].shared != i); i-- {
		if d.parts[i].NoBits() {
			align = max(align, d.parts[i].Align)
		}
	}
	want, ok := roundUp(from, align)
	if !ok || want != next.off {
		return false
	}
	for _, b := range gap {
		if b != 0 {
			return false
		}
	}
	return true
}

// roundUp returns the next multiple of align, or false where it doesn't fit.
func roundUp(v, align uint64) (uint64, bool) {
	if align < 2 || v%align == 0 {
		return v, true
	}
	up := v - v%align + align
	return up, up > v
}
