package sass

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
	"github.com/twinlink/twinlink/engine/internal/parallel"
)

// emit writes the planned image. Sections lie side by side, so that several
// are filled at a time; what patches them goes in order, for two relocation
// sections may patch one place.
func (l *Backend) emit(img *output.Plan) ([]byte, error) {
	out := l.NewImage(img.Size)
	l.putHeader(out, img)
	img.Shstr.Put(out[l.Secs[l.Shstrtab].Off:])
	img.Str.Put(out[l.Secs[l.Strtab].Off:])
	l.putSymbols(out, img)
	parallel.Do(len(img.Order), func(from, to int) {
		for _, id := range img.Order[from:to] {
			l.putContent(out, img, id)
		}
	})
	if err := l.applyAll(out, img); err != nil {
		return nil, err
	}
	parallel.Do(len(img.Order), func(from, to int) {
		for _, id := range img.Order[from:to] {
			l.putRelocs(out, id)
		}
		l.putSectionHeaders(out, img, from, to)
	})
	return out, nil
}

func (l *Backend) putHeader(out []byte, img *output.Plan) {
	h := cubin.Header{
		Ident:     [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, l.Release.Osabi, l.Release.Abi},
		Type:      cuda.ETExec,
		Machine:   cuda.EMCuda,
		Version:   l.Release.Eversion,
		ShOff:     img.Shoff,
		Flags:     l.HeaderFlags(),
		EhSize:    cubin.HeaderSize,
		PhEntSize: cubin.ProgSize,
		PhNum:     uint16(len(img.Progs)),
		ShEntSize: cubin.SectionSize,
		ShNum:     uint16(len(img.Order) + 1),
		ShStrNdx:  uint16(l.Secs[l.Shstrtab].Index),
	}
	putSectionCount(out, &h, len(img.Order)+1)
	if l.IsRelocatable() {
		h.Type = cuda.ETRel
	}
	if len(img.Progs) > 0 {
		h.PhOff = img.Progs[0].Off
	}
	h.Put((*[cubin.HeaderSize]byte)(out))
	for i := range img.Progs {
		img.Progs[i].Put((*[cubin.ProgSize]byte)(out[h.PhOff+uint64(i)*cubin.ProgSize:]))
	}
}

func (l *Backend) putSymbols(out []byte, img *output.Plan) {
	at := l.Secs[l.Symtab].Off
	null := cubin.Symbol{Value: l.NullValue}
	null.Put((*[cubin.SymbolSize]byte)(out[at:]))
	at += cubin.SymbolSize
	for i, id := range img.Symbols {
		s := &l.Syms[id]
		e := cubin.Symbol{NameOff: img.Names[id], Info: s.Info, Other: s.Other, Value: s.Value, Size: s.Size}
		if s.Sec >= 0 {
			l.putShndx(out, i+1, &e, s.Sec)
		}
		if l.Release.Notes && !s.Is(model.SymDefined|model.SymLaid) && s.Type() != cuda.STTFunc && s.Binding() == cuda.STBWeak && s.Is(model.SymGlobal) {
			e.Info = uint8(cuda.STBGlobal)<<4 | s.Info&0xf
		}
		if s.Type() != cuda.STTFunc && !l.IsRelocatable() {
			if s.IsShared() {
				e.Value, e.Other = l.SharedSymbol(s)
			}
			if s.Type() == cuda.STTCudaObject {
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
func (l *Backend) putContent(out []byte, img *output.Plan, id model.SecID) {
	s := &l.Secs[id]
	if b := img.Content[id]; b != nil {
		copy(out[s.Off:], b)
		return
	}
	if !l.HasBits(id) {
		return
	}
	body := out[s.Off : s.Off+s.Size]
	for _, c := range s.Chunks {
		if c.Off < s.Size {
			copy(body[c.Off:], c.Data)
		}
	}
}

// applyAll patches what the linker resolves.
func (l *Backend) applyAll(out []byte, img *output.Plan) error {
	for i := range l.Secs {
		s := &l.Secs[i]
		if s.Target == model.Absent || s.Deleted {
			continue
		}
		t := &l.Secs[s.Target]
		if t.Index == 0 || !l.HasBits(s.Target) {
			continue
		}
		body := out[t.Off : t.Off+t.Size]
		for j := len(s.Relocs) - 1; j >= 0; j-- {
			r := &s.Relocs[j]
			switch r.Disposition {
			case model.Cleared:
				n := uint64(8)
				if r.Type == cuda.R_CUDA_UNUSED_CLEAR32 {
					n = 4
				}
				if r.Off+n <= t.Size {
					clear(body[r.Off : r.Off+n])
				}
			case model.Applied:
				if r.Off >= t.Size {
					continue // of a type without a field
				}
				v := l.Value(model.SecID(i), r)
				old, err := output.ApplyAt(body[r.Off:], &descriptor.Table[r.Type], &v)
				if err != nil {
					return l.RelocFault(model.SecID(i), r, err.Error())
				}
				if !v.Rela {
					r.Addend = int64(old)
				}
			}
		}
	}
	return nil
}

// putRelocs writes the records that stay, last read first.
func (l *Backend) putRelocs(out []byte, id model.SecID) {
	s := &l.Secs[id]
	if s.Target == model.Absent {
		return
	}
	if s.Type == cuda.SHTCudaResolvedRela {
		l.PutResolved(out, id)
		return
	}
	at := s.Off
	for j := len(s.Relocs) - 1; j >= 0; j-- {
		r := &s.Relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		e := cubin.Reloc{Off: r.Off, Type: r.NewType, Addend: r.Addend + int64(r.Base)}
		if r.Sym != model.Absent {
			e.Symbol = l.Syms[r.Sym].Index
		}
		if s.Type == cuda.SHTRel {
			e.PutRel((*[cubin.RelSize]byte)(out[at:]))
		} else {
			e.PutRela((*[cubin.RelaSize]byte)(out[at:]))
		}
		at += output.RelocSize(s.Type)
	}
}

// putSectionHeaders writes some of the image's section headers.
func (l *Backend) putSectionHeaders(out []byte, img *output.Plan, from, to int) {
	symtab := l.Secs[l.Symtab].Index
	for i := from; i < to; i++ {
		id := img.Order[i]
		s := &l.Secs[id]
		h := cubin.Section{NameOff: s.NameOff, Type: l.Lowered(s.Type), Flags: s.Flags, Off: s.Off, Size: s.Size, Align: s.Align}
		switch s.Type {
		case cuda.SHTSymtab:
			h.Link, h.Info, h.EntSize = l.Secs[l.Strtab].Index, uint32(img.Locals+1), cubin.SymbolSize
		case cuda.SHTSymtabShndx:
			h.Link, h.EntSize = symtab, wordSize
		case cuda.SHTCudaInfo:
			h.Link = symtab
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			h.Link, h.EntSize = symtab, 8
		case cuda.SHTCudaRelocInfo:
			h.EntSize = 8
		case cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela:
			h.Link, h.EntSize = symtab, output.RelocSize(s.Type)
			h.Info = l.Secs[s.Target].Index
		}
		if s.Owner != model.Absent {
			h.Info = l.Secs[s.Owner].Index
		}
		if s.Fun != model.Absent {
			h.Link = symtab
			h.Info = uint32(s.Regs)<<24 | l.Syms[l.Funs[s.Fun].Sym].Index
		}
		output.UnifiedHeader(&h, symtab)
		l.NoteHeader(id, &h)
		h.Put((*[cubin.SectionSize]byte)(out[img.Shoff+uint64(i+1)*cubin.SectionSize:]))
	}
}
