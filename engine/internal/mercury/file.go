package mercury

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// file is the planned output in pieces: the header, the sections of both sides,
// the table of section headers in parts, the program headers.
type file struct {
	*Backend
	*model.Program // of Backend

	img    *plan
	of     []model.SecID // by part: its section, absent for what the finalizer makes
	list   []output.Piece
	faults output.Faults
}

// emit writes the planned file.
func (l *Backend) emit(img *plan, to io.WriterAt) ([]byte, error) {
	f := &file{Backend: l, Program: l.Program, img: img, of: model.Blank([]model.SecID(nil), len(img.parts))}
	for id := range l.Secs {
		for _, i := range [...]int32{img.sassOf[id], img.mercOf[id]} {
			if i >= 0 {
				f.of[i] = model.SecID(id)
			}
		}
	}
	f.cut()
	img.first(l) // before several ask for it
	for i := range img.parts {
		p, id := &img.parts[i], f.of[i]
		switch {
		case id < 0:
		case p.hdr.Size == 0 && l.Secs[id].Fun != model.Absent:
			f.putSASS(nil, id) // what can't be patched is an error there too
		case i == int(img.sassOf[id]) && p.data != nil && p.hdr.Size > output.Window && l.Names.Str(l.Secs[id].Name) == debugFrame:
			f.putSASS(p.data, id) // the link's own bytes, and too many to have them twice
			p.final = true
		}
	}
	frames := f.emptyFrames()
	if frames == model.Absent {
		return output.EmitEdited(f, img.Size, to, &f.faults, nil)
	}
	return output.EmitEdited(f, img.Size, to, &f.faults, func(file []byte) {
		f.writeFrames(file[img.parts[img.sassOf[frames]].hdr.Off:], frames)
	})
}

// emptyFrames returns a .debug_frame that is empty on the SASS side and has
// records, absent for none. The finalizer writes them after it: it doesn't hold
// their places against the section's size.
func (f *file) emptyFrames() model.SecID {
	for _, id := range f.img.Order {
		if s := &f.Secs[id]; s.Type == cuda.SHTProgbits && s.Fun == model.Absent && f.Parts[id].FirstRel != model.Absent && f.img.parts[f.img.sassOf[id]].hdr.Size == 0 && f.Names.Str(s.Name) == debugFrame {
			return id
		}
	}
	return model.Absent
}

const debugFrame = ".debug_frame"

// cut makes the list of pieces.
func (f *file) cut() {
	img := f.img
	f.list = make([]output.Piece, 0, len(img.parts)+len(img.parts)/output.HeadersAtOnce+int(img.Size/output.Window)+8)
	f.list = append(f.list, output.Piece{Of: output.Header})
	for i := range img.parts {
		p := &img.parts[i]
		if p.nobits || p.twin >= 0 || p.hdr.Size == 0 {
			continue
		}
		n := 1
		if p.hdr.Size > output.Window {
			n = f.partsOf(i)
		}
		f.list = output.Pieces(f.list, int32(i), n)
	}
	f.list = output.Pieces(f.list, output.Headers, output.HeaderPieces(len(img.parts)+1))
	f.list = append(f.list, output.Piece{Of: output.Progs})
}

// isNames reports whether a part is one of the string tables.
func (f *file) isNames(i int) bool {
	return i == int(f.img.sassOf[f.Strtab]) || i == int(f.img.sassOf[f.Shstrtab])
}

// isSymbols reports whether a part is one of the symbol tables.
func (f *file) isSymbols(i int) bool {
	return i == int(f.img.sassOf[f.Symtab]) || i == f.img.mercSymtab
}

// partsOf returns how many pieces a large section is.
func (f *file) partsOf(i int) int {
	p, id := &f.img.parts[i], f.of[i]
	switch {
	case i == int(f.img.sassOf[f.Strtab]):
		return output.PartsOf(p.hdr.Size, names.Block)
	case i == int(f.img.sassOf[f.Shstrtab]):
		own := uint64(f.img.Shstr.Size)
		return output.PartsOf(own, names.Block) + output.PartsOf(p.hdr.Size-own, names.Block)
	case f.isSymbols(i):
		return output.PartsOf(p.hdr.Size, output.SymbolsAtOnce*cubin.SymbolSize)
	case p.data == nil && id >= 0 && f.Secs[id].Fun == model.Absent && f.Secs[id].Target == model.Absent && model.AreWhole(p.chunks, p.hdr.Size) && f.isAsRead(i):
		return len(p.chunks)
	}
	return 1
}

// isAsRead reports whether nothing changes the bytes of a part of chunks, nor finds
// anything wrong with them.
func (f *file) isAsRead(i int) bool {
	id := f.of[i]
	switch {
	case f.Parts[id].FirstRel == model.Absent:
		return true
	case i != int(f.img.mercOf[id]) || f.IsPatched(id):
		return false
	case f.Names.Str(f.Secs[id].Name) == debugFrame:
		return !slices.ContainsFunc(f.img.parts[i].chunks, func(c model.Chunk) bool { return !areMarkedFrames(c.Data) })
	}
	return true
}

func (f *file) Len() int { return len(f.list) }

// Extent returns where a piece lies.
func (f *file) Extent(i int) (off, size uint64) {
	p := f.list[i]
	outline := output.Outline{Size: f.img.Size, Shoff: f.img.Shoff, Sections: len(f.img.parts) + 1, Segments: len(f.img.Progs)}
	if off, size, ok := outline.Extent(p); ok {
		return off, size
	}
	h := &f.img.parts[p.Of].hdr
	switch {
	case !p.IsPart:
		return h.Off, h.Size
	case p.Of == f.img.sassOf[f.Strtab]:
		return p.Extent(h.Off, h.Size, names.Block)
	case p.Of == f.img.sassOf[f.Shstrtab]:
		from, size := f.img.namesExtent(int(p.Part), h.Size)
		return h.Off + from, size
	case f.isSymbols(int(p.Of)):
		return p.Extent(h.Off, h.Size, output.SymbolsAtOnce*cubin.SymbolSize)
	}
	c := &f.img.parts[p.Of].chunks[p.Part]
	return h.Off + c.Off, c.Size
}

// Found returns the bytes of a section that one input gave as it stands.
func (f *file) Found(i int) []byte {
	piece := f.list[i]
	if piece.Of < 0 {
		return nil
	}
	p, id := &f.img.parts[piece.Of], f.of[piece.Of]
	switch {
	case id < 0 || f.Secs[id].Fun != model.Absent:
		return nil
	case piece.IsPart && !f.isNames(int(piece.Of)) && !f.isSymbols(int(piece.Of)):
		return p.chunks[piece.Part].Data
	case f.Parts[id].FirstRel != model.Absent && !p.final:
		return nil
	case p.data != nil:
		return p.data
	case len(p.chunks) == 1 && p.chunks[0].Off == 0 && p.chunks[0].Size == p.hdr.Size:
		return p.chunks[0].Data
	}
	return nil
}

// Fill fills a piece.
func (f *file) Fill(i int, b []byte) {
	switch p := f.list[i]; p.Of {
	case output.Header:
		f.putMercuryHeader(b, f.img)
	case output.Headers:
		f.putSectionHeaders(b, int(p.Part)*output.HeadersAtOnce)
	case output.Progs:
		for k := range f.img.Progs {
			f.img.Progs[k].Put((*[cubin.ProgSize]byte)(b[k*cubin.ProgSize:]))
		}
	default:
		f.putPart(b, int(p.Of), int(p.Part))
	}
}

// putSectionHeaders writes section headers, those from a number on.
func (f *file) putSectionHeaders(b []byte, from int) {
	for i := range len(b) / cubin.SectionSize {
		at := (*[cubin.SectionSize]byte)(b[i*cubin.SectionSize:])
		if from+i > 0 {
			f.img.parts[from+i-1].hdr.Put(at)
		} else if n := len(f.img.parts) + 1; n >= cuda.SHNLoReserve {
			null := cubin.Section{Size: uint64(n)}
			null.Put(at)
		}
	}
}

func (f *file) putPart(b []byte, i, part int) {
	img, wide := f.img, f.img.wide.early || f.img.wide.late
	switch {
	case i == int(img.sassOf[f.Shstrtab]):
		if p := &img.parts[i]; p.hdr.Size > output.Window {
			f.putNames(img, b, part)
		} else {
			f.putAllNames(img, b)
		}
		return
	case i == int(img.sassOf[f.Strtab]):
		img.Str.Put(b, part)
		return
	case i == int(img.sassOf[f.Symtab]):
		f.putSASSSymbols(b, img, part*output.SymbolsAtOnce)
		return
	case i == img.mercSymtab:
		f.putMercurySymbols(b, img, part*output.SymbolsAtOnce)
		return
	case wide && (i == img.wide.sass || i == img.wide.merc):
		f.putWide(b, img, i == img.wide.merc)
		return
	}
	p, id := &img.parts[i], f.of[i]
	copy(b, p.data)
	for _, c := range p.chunks {
		copy(b[c.Off:], c.Data)
	}
	switch {
	case id < 0:
	case i == int(img.sassOf[id]):
		f.putSASS(b, id)
	default:
		f.putMercury(b, id)
	}
}

// putMercury makes a section of the Mercury side of its inputs' bytes.
func (f *file) putMercury(b []byte, id model.SecID) {
	s := &f.Secs[id]
	if s.Target != model.Absent {
		f.putMercuryRelocs(b, id)
		return
	}
	if s.Fun != model.Absent {
		binary.LittleEndian.PutUint32(b, uint32(f.img.sassOf[id]+1))
	}
	f.patchMercury(b, id)
}

func (f *file) patchMercury(b []byte, id model.SecID) {
	if !f.HasBits(id) {
		return
	}
	for in := f.Parts[id].FirstRel; in != model.Absent; in = f.Parts[in].NextRel {
		if !f.Secs[in].Deleted {
			f.applyMercury(b, in)
		}
	}
	for in := f.Parts[id].FirstRel; in != model.Absent; in = f.Parts[in].NextRel {
		if !f.Secs[in].Deleted && f.Names.Str(f.Secs[id].Name) == debugFrame && !framesMarked(b) {
			f.faults.Add(true, in, math.MaxInt, 0, f.finalizerFault("Dwarf version 2 is not supported"))
		}
	}
}

// putSASS makes a section of the SASS side of its bytes: first what the link
// resolves, then what the finalizer does of the records that stay.
func (f *file) putSASS(b []byte, id model.SecID) {
	if !f.HasBits(id) {
		return
	}
	k := f.img.mercOf[id]
	shared := k >= 0 && f.img.parts[k].twin >= 0
	if shared {
		f.patchMercury(b, id)
	}
	for in := f.Parts[id].FirstRel; in != model.Absent; in = f.Parts[in].NextRel {
		if !f.Secs[in].Deleted && !shared {
			f.applySide(b, in)
		}
	}
	if f.Names.Str(f.Secs[id].Name) == debugFrame {
		f.writeFrames(b, id)
		return
	}
	for in := f.Parts[id].FirstRel; in != model.Absent; in = f.Parts[in].NextRel {
		if s := &f.Secs[in]; !s.Deleted {
			f.finalize(b, in)
		}
	}
}

// applyMercury patches a section of the Mercury side with what the link resolves
// of one of its relocation sections.
func (f *file) applyMercury(b []byte, in model.SecID) {
	s := &f.Secs[in]
	code := f.Secs[s.Target].Fun != model.Absent
	relocs := f.Parts[in].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		var err error
		switch {
		case r.Disposition == model.Cleared && code && f.MoreOf(r).AtField:
			// Eight bytes end in the next instruction, in which the finalizer
			// then finds none.
			err = f.finalizerFault("")
		case r.Disposition == model.Cleared:
			output.Clear(b, r.Off, 8)
		case r.Disposition == model.Applied:
			err = f.applyField(b, in, r, code)
		}
		if err != nil {
			f.faults.Add(false, in, j, 0, err)
			return
		}
	}
}

// applyField patches the field of a record.
func (f *file) applyField(b []byte, in model.SecID, r *model.Reloc, code bool) error {
	if code && f.MoreOf(r).AtField && mercDescriptor(r.NewType).Span() > 4 {
		return f.finalizerFault("")
	}
	at := r.Off
	if code {
		at = uint64(f.MoreOf(r).CapOff)
	}
	if at >= uint64(len(b)) && !code || code && at == 0 {
		return nil // a type without a field, an instruction that isn't stored
	}
	if at >= uint64(len(b)) {
		return f.RelocFault(in, r, "reloc address not found")
	}
	v := f.Value(in, r)
	v.Rela = true
	if _, err := output.ApplyAt(b[at:], mercDescriptor(r.NewType), &v); err != nil {
		return f.RelocFault(in, r, err.Error())
	}
	return nil
}

// applySide does the same for a section of the SASS side.
func (f *file) applySide(b []byte, in model.SecID) {
	s := &f.Secs[in]
	code := f.Secs[s.Target].Fun != model.Absent
	sass, merc := &f.img.parts[f.img.sassOf[s.Target]], f.img.mercOf[s.Target]
	if merc < 0 || !code && sass.data != nil && !sass.copied {
		return
	}
	size := f.img.parts[merc].hdr.Size
	relocs := f.Parts[in].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		if r.Disposition != model.Applied {
			continue
		}
		var err error
		if v := f.Value(in, r); code {
			v.Rela = true
			err = f.applySASS(b, in, r, v)
		} else if v.Rela = true; r.Off < min(size, uint64(len(b))) {
			if _, fault := output.ApplyAt(b[r.Off:], mercDescriptor(r.NewType), &v); fault != nil {
				err = f.RelocFault(in, r, fault.Error())
			}
		}
		if err != nil {
			f.faults.Add(false, in, j, 1, err)
			return
		}
	}
}

// finalize does what the finalizer does of the records that stay.
func (f *file) finalize(b []byte, in model.SecID) {
	s := &f.Secs[in]
	code := f.Secs[s.Target].Fun != model.Absent
	relocs := f.Parts[in].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		f.applyLineStart(b, code, r)
		if err := f.writeKept(b, in, r); err != nil {
			f.faults.Add(true, in, j, 0, err)
			return
		}
	}
}

// writeFrames does the same for .debug_frame.
func (f *file) writeFrames(b []byte, id model.SecID) {
	for in := f.Parts[id].FirstRel; in != model.Absent; in = f.Parts[in].NextRel {
		relocs := f.Parts[in].Relocs
		for j := len(relocs) - 1; j >= 0 && !f.Secs[in].Deleted; j-- {
			if r := &relocs[j]; r.Disposition == model.Kept {
				f.writeFrame(b, f.img, r)
			}
		}
	}
}
