package sass

import (
	"io"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/output"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// file is the planned output in pieces: the header, the sections, the table of
// section headers in parts, the program headers.
type file struct {
	*Backend
	*model.Program // of Backend

	img    *output.Plan
	list   []output.Piece
	faults output.Faults
}

func newFile(l *Backend, img *output.Plan) *file {
	f := &file{Backend: l, Program: l.Program, img: img, list: make([]output.Piece, 0, len(img.Order)+len(img.Order)/output.HeadersAtOnce+int(img.Size/output.Window)+8)}
	f.list = append(f.list, output.Piece{Of: output.Header})
	for i, id := range img.Order {
		n := 1
		if s := &l.Secs[id]; s.Size > output.Window {
			n = f.parts(id)
		} else if s.Size == 0 || !l.HasBits(id) {
			continue
		}
		f.list = output.Pieces(f.list, int32(i), n)
	}
	f.list = output.Pieces(f.list, output.Headers, output.HeaderPieces(len(img.Order)+1))
	f.list = append(f.list, output.Piece{Of: output.Progs})
	return f
}

// parts returns how many pieces a large section is: 0 for one without bytes.
func (f *file) parts(id model.SecID) int {
	s := &f.Secs[id]
	switch {
	case !f.HasBits(id):
		return 0
	case f.isNames(id):
		return output.PartsOf(s.Size, names.Block)
	case id == f.Symtab:
		return output.PartsOf(s.Size, output.SymbolsAtOnce*cubin.SymbolSize)
	case f.img.Content(id) == nil && f.IsOfChunks(id) && !f.IsPatched(id):
		return len(f.Parts[id].Chunks)
	}
	return 1
}

// isNames reports whether a section is one of the string tables.
func (f *file) isNames(id model.SecID) bool { return id == f.Strtab || id == f.Shstrtab }

func (f *file) Len() int { return len(f.list) }

// Extent returns where a piece lies.
func (f *file) Extent(i int) (off, size uint64) {
	p := f.list[i]
	outline := output.Outline{Size: f.img.Size, Shoff: f.img.Shoff, Sections: len(f.img.Order) + 1, Segments: len(f.img.Progs)}
	if off, size, ok := outline.Extent(p); ok {
		return off, size
	}
	id := f.img.Order[p.Of]
	s := &f.Secs[id]
	switch {
	case !p.IsPart:
		return s.Off, s.Size
	case f.isNames(id):
		return p.Extent(s.Off, s.Size, names.Block)
	case id == f.Symtab:
		return p.Extent(s.Off, s.Size, output.SymbolsAtOnce*cubin.SymbolSize)
	}
	c := &f.Parts[id].Chunks[p.Part]
	return s.Off + c.Off, c.Size
}

// Found returns the bytes of a section that one input gave as it stands.
func (f *file) Found(i int) []byte {
	p := f.list[i]
	if p.Of < 0 {
		return nil
	}
	id := f.img.Order[p.Of]
	s := &f.Parts[id]
	switch b := f.img.Content(id); {
	case f.isNames(id) || id == f.Symtab:
		return nil
	case p.IsPart:
		return s.Chunks[p.Part].Data
	case s.FirstRel != model.Absent:
		return nil
	case b != nil:
		return b
	case len(s.Chunks) == 1 && s.Chunks[0].Off == 0 && s.Chunks[0].Size == f.Secs[id].Size:
		return s.Chunks[0].Data
	}
	return nil
}

// Fill fills a piece.
func (f *file) Fill(i int, b []byte) {
	switch p := f.list[i]; p.Of {
	case output.Header:
		h := f.FileHeader(f.img, len(f.img.Order))
		h.Put((*[cubin.HeaderSize]byte)(b))
	case output.Headers:
		f.putSectionHeaders(b, f.img, int(p.Part)*output.HeadersAtOnce)
	case output.Progs:
		for k := range f.img.Progs {
			f.img.Progs[k].Put((*[cubin.ProgSize]byte)(b[k*cubin.ProgSize:]))
		}
	default:
		f.putSection(b, f.img.Order[p.Of], int(p.Part))
	}
}

func (f *file) putSection(b []byte, id model.SecID, part int) {
	switch id {
	case f.Shstrtab:
		f.img.Shstr.Put(b, part)
	case f.Strtab:
		f.img.Str.Put(b, part)
	case f.Symtab:
		f.putSymbols(b, f.img, part*output.SymbolsAtOnce)
	case f.Shndx:
		f.putShndx(b, f.img)
	default:
		s := &f.Secs[id]
		if s.Target != model.Absent {
			f.putRelocs(b, id)
			return
		}
		if made := f.img.Content(id); made != nil {
			copy(b, made)
		} else {
			for _, c := range f.Parts[id].Chunks {
				if c.Off < s.Size {
					copy(b[c.Off:], c.Data)
				}
			}
		}
		for in := f.Parts[id].FirstRel; in != model.Absent; in = f.Parts[in].NextRel {
			f.apply(b, in)
		}
	}
}

// emit writes the planned file. What is listed of resolved relocations is known
// only when all are resolved.
func (l *Backend) emit(img *output.Plan, to io.WriterAt) ([]byte, error) {
	f := newFile(l, img)
	if !l.Opt.PreserveRelocs {
		return output.EmitEdited(f, img.Size, to, &f.faults, nil)
	}
	return output.EmitEdited(f, img.Size, to, &f.faults, func(file []byte) {
		for id := range l.Resolved {
			if s := &l.Secs[id]; s.Index > 0 {
				l.PutResolved(file[s.Off:], id)
			}
		}
	})
}

// putSymbols writes symbols, those from a number on.
func (l *Backend) putSymbols(b []byte, img *output.Plan, from int) {
	for k := range len(b) / cubin.SymbolSize {
		if from+k == 0 {
			null := cubin.Symbol{Value: l.NullValue}
			null.Put((*[cubin.SymbolSize]byte)(b))
			continue
		}
		id := img.Symbols[from+k-1]
		s := &l.Syms[id]
		e := cubin.Symbol{NameOff: img.Names[id], Info: s.Info, Other: s.Other, Value: s.Value, Size: s.Size}
		if s.Sec >= 0 {
			e.Shndx = shndx(l.Secs[s.Sec].Index)
		} else if s.Is(model.SymCommon) {
			e.Shndx = cuda.SHNCommon
		}
		if (l.Release.Notes || l.Release.TakesNewer) && !s.Is(model.SymDefined|model.SymLaid) && s.Type() != cuda.STTFunc && s.Binding() == cuda.STBWeak && s.Is(model.SymGlobal) && !s.IsShared() {
			e.Info = uint8(cuda.STBGlobal)<<4 | s.Info&0xf
		}
		if l.Release.CapAtZero && l.SymName(id) == ".nv.reservedSmem.cap" {
			e.Value = 0
		}
		if l.IsRelocatable() && resolve.IsLocalUndefined(s) {
			e.Info = uint8(cuda.STBLocal)<<4 | uint8(cuda.STTCudaObject)
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
		if !l.Release.ListsDescSizes && s.Sec < 0 && s.Binding() == cuda.STBWeak && model.IsDescSize(l.SymName(id)) {
			e.Info = uint8(cuda.STBWeak)<<4 | uint8(cuda.STTCudaObject)
		}
		e.Put((*[cubin.SymbolSize]byte)(b[k*cubin.SymbolSize:]))
	}
}

// entrySection is the number of .nv.uft.entry among the sections as they are
// made, which stands for the symbol table's in sh_link.
const entrySection = 5

// apply patches a section with what the link resolves of one of its relocation
// sections.
func (f *file) apply(body []byte, in model.SecID) {
	s := &f.Secs[in]
	if s.Deleted {
		return
	}
	relocs := f.Parts[in].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		switch r.Disposition {
		case model.Cleared:
			n := uint64(8)
			if r.Type == cuda.R_CUDA_UNUSED_CLEAR32 {
				n = 4
			}
			output.Clear(body, r.Off, n)
		case model.Applied:
			if r.Off >= uint64(len(body)) {
				continue // of a type without a field
			}
			v := f.Value(in, r)
			old, err := output.ApplyAt(body[r.Off:], &descriptor.Table[r.Type], &v)
			if err != nil {
				f.faults.Add(false, in, j, 0, f.RelocFault(in, r, err.Error()))
				return
			}
			if !v.Rela {
				r.Addend = int64(old)
			}
		}
	}
}

// putRelocs writes the records that stay, last read first.
func (l *Backend) putRelocs(b []byte, id model.SecID) {
	s := &l.Secs[id]
	size, relocs := model.RelocSize(s.Type), l.Parts[id].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		e := cubin.Reloc{Off: r.Off, Type: r.NewType, Addend: r.Addend + int64(r.Base)}
		if r.Sym != model.Absent {
			e.Symbol = l.Syms[r.Sym].Index
		}
		if s.Type == cuda.SHTRel {
			e.PutRel((*[cubin.RelSize]byte)(b))
		} else {
			e.PutRela((*[cubin.RelaSize]byte)(b))
		}
		b = b[size:]
	}
}

// putSectionHeaders writes section headers, those from a number on.
func (l *Backend) putSectionHeaders(b []byte, img *output.Plan, from int) {
	symtab := l.Secs[l.Symtab].Index
	if l.Release.LinksEntry {
		symtab = entrySection
	}
	for i := range len(b) / cubin.SectionSize {
		if from+i == 0 {
			putSectionCount(b, len(img.Order)+1)
			continue
		}
		id := img.Order[from+i-1]
		s := &l.Secs[id]
		h := cubin.Section{NameOff: img.NameOff[from+i-1], Type: l.Lowered(s.Type), Flags: s.Flags, Off: s.Off, Size: s.Size, Align: s.Align}
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
			h.Link, h.EntSize = symtab, model.RelocSize(s.Type)
			h.Info = l.Secs[s.Target].Index
		}
		if s.Owner != model.Absent {
			h.Info = l.Secs[s.Owner].Index
		}
		if s.Fun != model.Absent {
			h.Link = symtab
			h.Info = uint32(s.Regs)<<24 | l.Syms[l.Funs[s.Fun].Sym].Index
		}
		output.UnifiedHeader(&h, s.Type, symtab)
		l.NoteHeader(id, &h)
		h.Put((*[cubin.SectionSize]byte)(b[i*cubin.SectionSize:]))
	}
}
