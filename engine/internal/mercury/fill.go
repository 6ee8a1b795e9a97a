package mercury

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// fillPart gives any other section its content.
func (l *Backend) fillPart(img *plan, id model.SecID) error {
	sass := &img.parts[img.sassOf[id]]
	if img.mercOf[id] < 0 {
		sass.data = img.Content(id)
		return nil
	}
	merc := &img.parts[img.mercOf[id]]
	switch s := &l.Secs[id]; s.Type {
	case cuda.SHTCudaResolvedRela:
		img.setRelas(id, l.resolvedRelocs(id), new(model.Arena[byte]))
		fallthrough
	case cuda.SHTRela:
		merc.hdr.Size = s.Size
		return nil
	}
	if err := l.fillPair(img, id, sass, merc); err != nil {
		return err
	}
	setSizes(sass, merc)
	return nil
}

// fillPair gives a section that has a clone its bytes on both sides.
func (l *Backend) fillPair(img *plan, id model.SecID, sass, merc *part) (err error) {
	s := &l.Secs[id]
	if s.Fun != model.Absent {
		fn := l.opened(id)
		sass.data, merc.data = fn.sass, fn.record
		return nil
	}
	switch s.Type {
	case cuda.SHTCudaInfo:
		merc.data = img.Content(id)
		sass.data = l.nestedInfo(l.calledInfo(img, merc.data))
	case cuda.SHTCudaCallgraph:
		merc.data = img.Content(id)
		sass.data = l.calledGraph(img, merc.data)
	case cuda.SHTCudaPrototype, cuda.SHTCudaUFTEntry, cuda.SHTCudaUDTEntry:
		merc.data = img.Content(id)
		sass.data = merc.data
	case cuda.SHTCudaSharedReserved:
		if l.Release.HollowReserved {
			merc.nobits, merc.hdr.Size = true, s.Size
			return nil
		}
		merc.data, err = l.reservedBytes(img, id)
	case cuda.SHTMercImageHeaders:
		merc.data = make([]byte, s.Size)
		sass.data = make([]byte, l.Slots+s.Size)
	default:
		err = l.fillData(img, id, sass, merc)
	}
	return err
}

// resolvedRelocs is what a section of resolved records tells on the SASS side.
func (l *Backend) resolvedRelocs(id model.SecID) []cubin.Reloc {
	list := make([]cubin.Reloc, 0, len(l.Resolved[id]))
	for _, p := range l.Resolved[id] {
		r := &l.Parts[p.Sec].Relocs[p.At]
		list = append(list, cubin.Reloc{Off: uint64(l.MoreOf(r).SASSOff), Type: l.MoreOf(r).SASSType, Symbol: l.SymIndex(r.Sym), Addend: r.Addend + int64(r.Base)})
	}
	return list
}

// fillData gives data and debug sections their bytes on both sides.
func (l *Backend) fillData(img *plan, id model.SecID, sass, merc *part) error {
	s, chunks := &l.Secs[id], l.Parts[id].Chunks
	merc.chunks = chunks
	shared := l.sharesBytes(id, chunks)
	if s.Type != cuda.SHTCudaConstant0+2 && l.writesData(id) && !(shared && l.Release.SharesWritten) {
		sass.chunks, sass.copied = chunks, true
		return nil
	}
	if l.Release.ClosesLines && s.Size > 0 && l.isLines(id) {
		return l.fillLines(img, id)
	}
	name := l.Names.Str(s.Name)
	if shared && name == ".nv_debug_info_reg_sass" {
		if err := l.fillRegisters(img, id, false); err != nil || !l.holds(sass.data, chunks) {
			return err
		}
		sass.data = nil
	}
	if shared || s.Size == 0 && l.isEmpty(chunks) {
		sass.chunks = chunks
		merc.twin = int(img.sassOf[id])
		return nil
	}
	switch {
	case name == ".debug_frame":
		return l.fillFrames(img, id)
	case name == ".debug_line", name == ".nv_debug_line_sass":
		return l.fillLines(img, id)
	case name == ".nv_debug_info_reg_sass":
		return l.fillRegisters(img, id, false)
	case name == ".nv_debug_info_reg_type":
		return l.fillRegisters(img, id, true)
	}
	if s.Type != cuda.SHTProgbits {
		// Made of the Mercury section's bytes, whatever the input's SASS has.
		sass.chunks, sass.copied = chunks, true
		if s.Type == cuda.SHTCudaConstant0+2 {
			l.fillTargets(id, sass)
		}
		return nil
	}
	sass.hdr.Size = 0
	for _, c := range chunks {
		in := &l.Sides[c.File]
		if int64(c.From) >= int64(len(in.Counterpart)) || in.Counterpart[c.From] == 0 {
			continue
		}
		t := in.File.Section(int(in.Counterpart[c.From]))
		off := model.AlignUp(sass.hdr.Size, t.Align)
		sass.chunks = append(sass.chunks, model.Chunk{Off: off, Size: t.Size, Align: t.Align, Data: in.File.Content(&t)})
		sass.hdr.Size = off + t.Size
	}
	return nil
}

// fillTargets writes the addresses of code into compiler constants. What is no target of the
// code that is kept, as of a jump table whose definition was replaced, becomes 0; a function
// inside a kernel is called through its address.
func (l *Backend) fillTargets(id model.SecID, sass *part) {
	targets := make(jumpTargets)
	for rela := l.Parts[id].FirstRel; rela != model.Absent; rela = l.Parts[rela].NextRel {
		for j := len(l.Parts[rela].Relocs) - 1; j >= 0; j-- { // in the order in which they are written
			r := &l.Parts[rela].Relocs[j]
			if r.Disposition != model.Kept || r.Sym == model.Absent || l.Syms[r.Sym].Sec < 0 {
				continue
			}
			text := l.Syms[r.Sym].Sec
			fn := l.opened(text)
			if fn == nil || r.NewType != cuda.R_MERCURY_PROG_REL32 && r.NewType != cuda.R_MERCURY_PROG_REL64 {
				continue
			}
			if sass.data == nil {
				sass.data = make([]byte, sass.hdr.Size)
				for _, c := range sass.chunks {
					copy(sass.data[c.Off:], c.Data)
				}
				sass.chunks = nil
			}
			var at uint64
			if nested := r.Sym != l.Funs[l.Secs[text].Fun].Sym; nested || targets.has(l, text, uint64(r.Addend)) {
				at = fn.sassOf(l.Syms[r.Sym].Value + uint64(r.Addend))
			}
			if b, ok := cubin.Window(sass.data, r.Off, 4); ok {
				binary.LittleEndian.PutUint32(b, uint32(at))
			}
		}
	}
}

// isEmpty reports whether the SASS side of a section has no bytes either.
func (l *Backend) isEmpty(chunks []model.Chunk) bool {
	for _, c := range chunks {
		in := &l.Sides[c.File]
		if int64(c.From) < int64(len(in.Counterpart)) && in.Counterpart[c.From] != 0 {
			if t := in.File.Section(int(in.Counterpart[c.From])); t.Size > 0 {
				return false
			}
		}
	}
	return true
}

// holds reports whether bytes are those of the inputs, one after the other.
func (l *Backend) holds(b []byte, chunks []model.Chunk) bool {
	for _, c := range chunks {
		f := l.Sides[c.File].File
		s := f.Section(int(c.From))
		var ok bool
		if b, ok = bytes.CutPrefix(b, f.Content(&s)); !ok {
			return false
		}
	}
	return len(b) == 0
}

// sharesBytes reports whether both sides of a section are one stretch of the
// image, as they are in the inputs. Of .debug_info it is enough that they are alike there, from 13.5 on.
func (l *Backend) sharesBytes(id model.SecID, chunks []model.Chunk) bool {
	alike := l.Release.SharesAlike && l.Names.Str(l.Secs[id].Name) == ".debug_info"
	for _, c := range chunks {
		if c.File == model.Absent {
			return false
		}
		in := &l.Sides[c.File]
		if int64(c.From) >= int64(len(in.Counterpart)) || in.Counterpart[c.From] == 0 {
			return false
		}
		a, b := in.File.Section(int(c.From)), in.File.Section(int(in.Counterpart[c.From]))
		if a.Off != b.Off && !(alike && bytes.Equal(in.File.Content(&a), in.File.Content(&b))) {
			return false
		}
	}
	return len(chunks) > 0
}

// sassAddend translates the addend of an address of code.
func (l *Backend) sassAddend(r *model.Reloc) int64 {
	if r.Sym == model.Absent {
		return r.Addend
	}
	if s := &l.Syms[r.Sym]; s.Sec >= 0 && r.Addend > 0 && r.Addend <= math.MaxUint32 && r.Addend%capsule.WordSize == 0 {
		if fn := l.opened(s.Sec); fn != nil {
			return int64(fn.sassOfAddend(uint64(r.Addend)))
		}
	}
	return r.Addend
}

// sassOfAddend translates an addend. Debug information of a definition that lost may have one inside an
// instruction of the code that is kept: that is where the next begins, and 0 inside the last one. After the code it is
// the code's end (nvlink 13.0.88, 13.1.115).
func (fn *code) sassOfAddend(off uint64) uint64 {
	fn.rely(off)
	if fn.lastBegins() < off && off < uint64(fn.cap.MercSize) {
		return 0
	}
	return fn.sassOf(off)
}

// lastBegins returns where the last instruction begins in Mercury.
func (fn *code) lastBegins() uint64 {
	nodes := fn.cap.Nodes
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].Kind != capsule.Skip {
			return uint64(nodes[i].Merc)
		}
	}
	return 0
}

// relaOf returns the RELA section of a section, by its name; absent for none.
func (l *Backend) relaOf(id model.SecID) model.SecID {
	name := ".rela" + l.Names.Str(l.Secs[id].Name)
	for in := l.Parts[id].FirstRel; in != model.Absent; in = l.Parts[in].NextRel {
		if l.Names.Str(l.Secs[in].Name) == name {
			return in
		}
	}
	return model.Absent
}

// setRelas gives a relocation section its records on the SASS side, in bytes that are cut
// from room.
func (img *plan) setRelas(id model.SecID, list []cubin.Reloc, room *model.Arena[byte]) {
	if id != model.Absent && img.sassOf[id] >= 0 {
		p := &img.parts[img.sassOf[id]]
		p.data = room.List(len(list) * cubin.RelaSize)[:len(list)*cubin.RelaSize]
		putRelas(p.data, list)
		img.parts[img.sassOf[id]].hdr.Size = uint64(len(list)) * cubin.RelaSize
	}
}

// sassRelocs appends the records of a relocation section on the SASS side: those of
// the Mercury side, in their order.
func (l *Backend) sassRelocs(img *plan, list []cubin.Reloc, id model.SecID) []cubin.Reloc {
	target := l.Secs[id].Target
	var fn *code
	if l.Secs[target].Fun != model.Absent {
		fn = l.opened(target)
	}
	shift := uint64(0)
	if l.Secs[target].Type == cuda.SHTMercImageHeaders {
		shift = l.Slots
	}
	relocs := l.Parts[id].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		out := cubin.Reloc{Off: r.Off + shift, Symbol: l.SymIndex(r.Sym), Addend: r.Addend}
		ok := false
		if fn == nil {
			ok = l.sassOfData(&out, r)
		} else {
			ok = l.sassOfCode(&out, r, fn)
		}
		if ok {
			list = append(list, out)
		}
	}
	if fn != nil {
		list = l.appendCalls(img, list, fn)
	}
	if fn != nil && l.IsRelocatable() {
		list = fn.appendYields(list)
		if l.Lockstep && fn.lacksYields() && l.leavesRecords(target) {
			list = fn.appendNewYields(list)
		}
	}
	return list
}

// sassOfData makes a record of data that of the SASS side; false where that has none.
func (l *Backend) sassOfData(out *cubin.Reloc, r *model.Reloc) (ok bool) {
	out.Type, ok = sassDataType(r.NewType)
	switch {
	case r.NewType == cuda.R_MERCURY_ABS_PROG_REL64 || r.NewType == cuda.R_MERCURY_ABS_PROG_REL32:
		out.Addend = l.sassAddend(r)
	case r.NewType == cuda.R_MERCURY_PROG_REL32 && l.IsRelocatable() && (r.Sym == model.Absent || l.Syms[r.Sym].Type() == cuda.STTSection):
		out.Type, ok = cuda.R_CUDA_32, true
		out.Addend = int64(l.lineStarts[lineStart{r.File, uint64(r.Addend)}])
	}
	return ok
}

// sassOfCode does the same for a record of code.
func (l *Backend) sassOfCode(out *cubin.Reloc, r *model.Reloc, fn *code) (ok bool) {
	kernel := false
	if r.Sym != model.Absent {
		sym := &l.Syms[r.Sym]
		if sym.IsReservedShared() && !l.IsRelocatable() {
			return false
		}
		kernel = sym.Other&cuda.STOEntry != 0 && sym.Fun != model.Absent
	}
	if l.isReserved(r.Sym) {
		return false
	}
	out.Off = uint64(l.MoreOf(r).SASSOff)
	form := immediate
	if word, ok := cubin.Window(fn.sass, out.Off, capsule.WordSize); ok {
		form = operandOf(word)
	}
	out.Type, ok = sassCodeType(r, l.MoreOf(r).SASSType, form, kernel)
	if (r.NewType == cuda.R_MERCURY_ABS_PROG_REL32_LO || r.NewType == cuda.R_MERCURY_ABS_PROG_REL32_HI) && form != inBank {
		out.Addend = int64(fn.floorOf(r.Addend))
	}
	return ok
}
