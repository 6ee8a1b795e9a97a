package engine

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// emit writes the planned image. Sections lie side by side, so that several
// are filled at a time; what patches them goes in order, for two relocation
// sections may patch one place.
func (l *linker) emit(img *image) ([]byte, error) {
	out := l.newImage(img.size)
	l.putHeader(out, img)
	img.shstr.put(out[l.secs[l.shstrtab].off:])
	img.str.put(out[l.secs[l.strtab].off:])
	l.putSymbols(out, img)
	inParts(len(img.order), func(from, to int) {
		for _, id := range img.order[from:to] {
			l.putContent(out, img, id)
		}
	})
	if err := l.applyAll(out, img); err != nil {
		return nil, err
	}
	inParts(len(img.order), func(from, to int) {
		for _, id := range img.order[from:to] {
			l.putRelocs(out, id)
		}
		l.putSectionHeaders(out, img, from, to)
	})
	return out, nil
}

// newImage returns zeroed memory for the image.
func (l *linker) newImage(size uint64) []byte {
	if l.opt.Alloc != nil {
		return l.opt.Alloc(int(size))[:size]
	}
	return make([]byte, size)
}

func (l *linker) putHeader(out []byte, img *image) {
	h := cubin.Header{
		Ident:     [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, l.prof.osabi, l.prof.abi},
		Type:      cuda.ETExec,
		Machine:   cuda.EMCuda,
		Version:   l.prof.eversion,
		ShOff:     img.shoff,
		Flags:     l.headerFlags(),
		EhSize:    cubin.HeaderSize,
		PhEntSize: cubin.ProgSize,
		PhNum:     uint16(len(img.progs)),
		ShEntSize: cubin.SectionSize,
		ShNum:     uint16(len(img.order) + 1),
		ShStrNdx:  uint16(l.secs[l.shstrtab].index),
	}
	putSectionCount(out, &h, len(img.order)+1)
	if l.isRelocatable() {
		h.Type = cuda.ETRel
	}
	if len(img.progs) > 0 {
		h.PhOff = img.progs[0].Off
	}
	h.Put((*[cubin.HeaderSize]byte)(out))
	for i := range img.progs {
		img.progs[i].Put((*[cubin.ProgSize]byte)(out[h.PhOff+uint64(i)*cubin.ProgSize:]))
	}
}

func (l *linker) putSymbols(out []byte, img *image) {
	at := l.secs[l.symtab].off
	null := cubin.Symbol{Value: l.nullValue}
	null.Put((*[cubin.SymbolSize]byte)(out[at:]))
	at += cubin.SymbolSize
	for i, id := range img.symbols {
		s := &l.syms[id]
		e := cubin.Symbol{NameOff: img.names[id], Info: s.info, Other: s.other, Value: s.value, Size: s.size}
		if s.sec >= 0 {
			l.putShndx(out, i+1, &e, s.sec)
		}
		if l.prof.notes && !s.is(symDefined|symLaid) && s.typ() != cuda.STTFunc && s.binding() == cuda.STBWeak && s.is(symGlobal) {
			e.Info = uint8(cuda.STBGlobal)<<4 | s.info&0xf
		}
		if s.typ() != cuda.STTFunc && !l.isRelocatable() {
			if s.isShared() {
				e.Value, e.Other = l.sharedSymbol(s)
			}
			if s.typ() == cuda.STTCudaObject {
				e.Info = e.Info&0xf0 | uint8(cuda.STTObject)
			}
			e.Other &= 0x1f
		}
		e.Put((*[cubin.SymbolSize]byte)(out[at:]))
		at += cubin.SymbolSize
	}
}

// putContent writes a section's bytes: those the link made, or the chunks of
// the inputs.
func (l *linker) putContent(out []byte, img *image, id secID) {
	s := &l.secs[id]
	if b := img.content[id]; b != nil {
		copy(out[s.off:], b)
		return
	}
	if !l.hasBits(id) {
		return
	}
	body := out[s.off : s.off+s.size]
	for _, c := range s.chunks {
		if c.off < s.size {
			copy(body[c.off:], c.data)
		}
	}
}

// applyAll patches what the linker resolves.
func (l *linker) applyAll(out []byte, img *image) error {
	for i := range l.secs {
		s := &l.secs[i]
		if s.target == absent || s.deleted {
			continue
		}
		t := &l.secs[s.target]
		if t.index == 0 || !l.hasBits(s.target) {
			continue
		}
		body := out[t.off : t.off+t.size]
		for j := len(s.relocs) - 1; j >= 0; j-- {
			r := &s.relocs[j]
			switch r.fate {
			case cleared:
				n := uint64(8)
				if r.typ == cuda.R_CUDA_UNUSED_CLEAR32 {
					n = 4
				}
				if r.off+n <= t.size {
					clear(body[r.off : r.off+n])
				}
			case applied:
				if r.off >= t.size {
					continue // of a type without a field
				}
				v := l.value(secID(i), r)
				old, err := applyAt(body[r.off:], &descriptor.Table[r.typ], &v)
				if err != nil {
					return l.relocFault(secID(i), r, err.Error())
				}
				if !v.Rela {
					r.addend = int64(old)
				}
			}
		}
	}
	return nil
}

// applyAt patches a place. A field may end behind its section: what is inside
// is written as if it didn't.
func applyAt(place []byte, d *descriptor.Descriptor, v *descriptor.Values) (uint64, error) {
	if len(place) >= d.Span() {
		return d.Apply(place, v)
	}
	var whole [descriptor.MaxSpan]byte
	copy(whole[:], place)
	old, err := d.Apply(whole[:], v)
	copy(place, whole[:])
	return old, err
}

// putRelocs writes the records that stay, last read first.
func (l *linker) putRelocs(out []byte, id secID) {
	s := &l.secs[id]
	if s.target == absent {
		return
	}
	if s.typ == cuda.SHTCudaResolvedRela {
		l.putResolved(out, id)
		return
	}
	at := s.off
	for j := len(s.relocs) - 1; j >= 0; j-- {
		r := &s.relocs[j]
		if r.fate != kept {
			continue
		}
		e := cubin.Reloc{Off: r.off, Type: r.newTyp, Addend: r.addend + int64(r.base)}
		if r.sym != absent {
			e.Symbol = l.syms[r.sym].index
		}
		if s.typ == cuda.SHTRel {
			e.PutRel((*[cubin.RelSize]byte)(out[at:]))
		} else {
			e.PutRela((*[cubin.RelaSize]byte)(out[at:]))
		}
		at += relocSize(s.typ)
	}
}

// putSectionHeaders writes some of the image's section headers.
func (l *linker) putSectionHeaders(out []byte, img *image, from, to int) {
	symtab := l.secs[l.symtab].index
	for i := from; i < to; i++ {
		id := img.order[i]
		s := &l.secs[id]
		h := cubin.Section{NameOff: s.nameOff, Type: l.lowered(s.typ), Flags: s.flags, Off: s.off, Size: s.size, Align: s.align}
		switch s.typ {
		case cuda.SHTSymtab:
			h.Link, h.Info, h.EntSize = l.secs[l.strtab].index, uint32(img.locals+1), cubin.SymbolSize
		case cuda.SHTSymtabShndx:
			h.Link, h.EntSize = symtab, wordSize
		case cuda.SHTCudaInfo:
			h.Link = symtab
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			h.Link, h.EntSize = symtab, 8
		case cuda.SHTCudaRelocInfo:
			h.EntSize = 8
		case cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela:
			h.Link, h.EntSize = symtab, relocSize(s.typ)
			h.Info = l.secs[s.target].index
		}
		if s.owner != absent {
			h.Info = l.secs[s.owner].index
		}
		if s.fun != absent {
			h.Link = symtab
			h.Info = uint32(s.regs)<<24 | l.syms[l.funs[s.fun].sym].index
		}
		unifiedHeader(&h, symtab)
		l.noteHeader(id, &h)
		h.Put((*[cubin.SectionSize]byte)(out[img.shoff+uint64(i+1)*cubin.SectionSize:]))
	}
}
