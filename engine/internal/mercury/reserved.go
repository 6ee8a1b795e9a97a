package mercury

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// reservedBytes is what is in the clone of .nv.shared.reserved.0, a section
// that has no bytes: what is at its offset in the file that the finalizer
// reads. No section after it has bytes there either, so that is the padding of those
// that are aligned, and the section headers: the null one, that of .shstrtab, and half
// of that of .strtab after it. More is not known.
func (l *Backend) reservedBytes(img *plan, id model.SecID) ([]byte, error) {
	const known = 2*cubin.SectionSize + cubin.SectionSize/2
	size := l.Secs[id].Size
	padding := l.paddingBehind(img, id)
	if size > padding+known {
		return nil, diag.Refuse(diag.Unsupported, "", "reserved shared memory of %d bytes: the contents of the copy of its section are not known", size)
	}
	names := img.plainNames()
	headers := [...]cubin.Section{
		{NameOff: 1, Type: cuda.SHTStrtab, Off: cubin.HeaderSize, Size: names, Align: 1},
		{NameOff: uint32(len("\x00.shstrtab\x00")), Type: cuda.SHTStrtab, Off: cubin.HeaderSize + names},
	}
	var table [(1 + len(headers)) * cubin.SectionSize]byte
	for i := range headers {
		headers[i].Put((*[cubin.SectionSize]byte)(table[(1+i)*cubin.SectionSize:]))
	}
	data := make([]byte, size)
	if padding < size {
		copy(data[padding:], table[:])
	}
	return data, nil
}

// plainNames is the size of .shstrtab without the names of the finalizer's sections.
func (img *plan) plainNames() uint64 {
	names := uint64(img.Shstr.Size)
	for i := range img.banks {
		names -= uint64(len(img.banks[i].name) + 1)
	}
	return names
}

// paddingBehind is how far after a section the section headers begin, in the file that
// the finalizer reads. That is one group of sections: those of the Mercury side under the
// names and in the order of the SASS side, with code that is no capsule yet.
func (l *Backend) paddingBehind(img *plan, id model.SecID) uint64 {
	at, from := uint64(cubin.HeaderSize), uint64(0)
	for _, sec := range img.Order {
		size, align := l.plainExtent(img, sec)
		at = model.AlignUp(at, align)
		if sec == id {
			from = at
		}
		if l.HasBits(sec) {
			at += size
		}
	}
	return model.AlignUp(at, 8) - from
}

// plainExtent is the size and the alignment of a section in that file. Code has the size
// that Mercury's addresses count, and the alignment of its capsule.
func (l *Backend) plainExtent(img *plan, id model.SecID) (size, align uint64) {
	s, p := &l.Secs[id], &img.parts[img.sassOf[id]]
	if at := img.mercOf[id]; at >= 0 {
		p = &img.parts[at]
	}
	size, align = p.hdr.Size, p.hdr.Align
	switch {
	case id == l.Shstrtab:
		size = img.plainNames()
	case id == l.Strtab:
		size = img.plainStrings
	case id == l.Symtab:
		size = uint64(len(img.Symbols)+1) * cubin.SymbolSize
	case id == l.Compatsec:
		size -= img.ownCompat
	case s.Fun != model.Absent:
		size = l.Syms[l.Funs[s.Fun].Sym].Size
	case p.twin >= 0:
		size = img.parts[p.twin].hdr.Size
	}
	return size, align
}
