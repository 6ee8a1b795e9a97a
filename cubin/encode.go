package cubin

import (
	"cmp"
	"slices"
)

func (d *Editor) headerBytes() []byte {
	b := make([]byte, HeaderSize)
	d.Header.Put((*[HeaderSize]byte)(b))
	return b
}

func (d *Editor) sectionBytes() []byte {
	b := make([]byte, len(d.parts)*SectionSize)
	for i := range d.parts {
		s := d.parts[i].Section
		if o := d.parts[i].shared; o != i {
			s.Off, s.Size = d.parts[o].Off, d.parts[o].Size
		}
		s.Put((*[SectionSize]byte)(b[i*SectionSize:]))
	}
	return b
}

func (d *Editor) progBytes() []byte {
	b := make([]byte, len(d.progs)*ProgSize)
	for i := range d.progs {
		d.progs[i].Put((*[ProgSize]byte)(b[i*ProgSize:]))
	}
	return b
}

// Encode writes the file: every part at the place its header gives. It is
// refused where sizes and counts don't fit what there is, or where something
// changed would overlap something else; Layout mends both.
func (d *Editor) Encode() ([]byte, error) {
	if err := d.checkCounts(); err != nil {
		return nil, err
	}
	list := d.pieces()
	for k := range list {
		if p := &list[k]; len(*p.tail) > 0 {
			list = append(list, piece{off: p.end(), data: *p.tail, view: p.view, part: pieceTail})
		}
	}
	slices.SortStableFunc(list, func(a, b piece) int { return cmp.Compare(a.off, b.off) })
	size, err := d.checkOverlaps(list)
	if err != nil {
		return nil, err
	}
	out := make([]byte, size)
	end := uint64(0) // everything before it is written
	for k := range list {
		p := &list[k]
		if p.end() <= end {
			continue
		}
		skip := uint64(0)
		if p.off < end {
			skip = end - p.off // the input's own bytes, twice
		}
		copy(out[p.off+skip:], p.data[skip:])
		end = p.end()
	}
	return out, nil
}

// checkCounts compares the counts and sizes in headers with what there is.
func (d *Editor) checkCounts() error {
	h := &d.Header
	n := uint64(h.ShNum)
	if n == 0 {
		n = d.parts[0].Size
	}
	if n != uint64(len(d.parts)) {
		return d.src.fault(BadTable, "", 60, n, "the header's number of sections differs from the %d there are; not laid out", len(d.parts))
	}
	if int(h.PhNum) != len(d.progs) {
		return d.src.fault(BadTable, "", 56, uint64(h.PhNum), "the header's number of program headers differs from the %d there are; not laid out", len(d.progs))
	}
	for i := 1; i < len(d.parts); i++ {
		p := &d.parts[i]
		if !p.NoBits() && p.shared == i && p.Size != uint64(len(p.data)) {
			return d.src.fault(BadExtent, d.SectionName(i), 0, p.Size, "section %d has %d bytes; not laid out", i, len(p.data))
		}
	}
	return nil
}

// checkOverlaps returns the size of the file. Only bytes of the input that
// have kept their place may overlap: they agree.
func (d *Editor) checkOverlaps(list []piece) (uint64, error) {
	size := uint64(0)
	changed := uint64(0) // end of the last piece that was changed or moved
	for k := range list {
		p := &list[k]
		if len(p.data) == 0 {
			continue
		}
		if p.end() < p.off {
			return 0, d.src.fault(BadExtent, d.pieceName(p.part), p.off, uint64(len(p.data)), "the part's end overflows")
		}
		if p.off < size && !p.view || p.off < changed {
			return 0, d.src.fault(BadExtent, d.pieceName(p.part), p.off, uint64(len(p.data)), "the part overlaps another and one of them was changed; not laid out")
		}
		if !p.view {
			changed = p.end()
		}
		size = max(size, p.end())
	}
	if size > d.maxSize() {
		return 0, d.src.fault(OverBudget, "", 0, size, "the file would be larger than 16 MB and eight times its parts")
	}
	return size, nil
}

// maxSize bounds the file: a section's offset must not make it large.
func (d *Editor) maxSize() uint64 { return 16<<20 + 8*d.weight() }

// weight is the size of the input and of what came to it.
func (d *Editor) weight() uint64 {
	sum := uint64(len(d.src.Data))
	for i := range d.parts {
		p := &d.parts[i]
		if p.own {
			sum += SectionSize + uint64(len(p.data))
		}
		sum += uint64(len(p.tail))
	}
	return sum
}

func (d *Editor) pieceName(part int) string {
	switch part {
	case pieceHeader:
		return "ELF header"
	case pieceSections:
		return "section headers"
	case pieceProgs:
		return "program headers"
	case pieceTail:
		return ""
	}
	return d.SectionName(part)
}
