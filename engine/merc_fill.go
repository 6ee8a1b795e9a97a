package engine

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// fillParts gives every part its content, or the size of what is written later.
func (l *linker) fillParts(img *mercImage) error {
	img.relas = make(map[secID][]cubin.Reloc)
	for _, id := range img.order {
		s := &l.secs[id]
		sass := &img.parts[img.sassOf[id]]
		if img.mercOf[id] < 0 {
			sass.data = img.content[id]
			continue
		}
		merc := &img.parts[img.mercOf[id]]
		switch {
		case s.fun != absent:
			fn := l.decoded[id]
			sass.data, merc.data = fn.sass, fn.record
		case s.typ == cuda.SHTCudaInfo:
			merc.data = img.content[id]
			if sass.data = merc.data; s.owner != absent {
				var err error
				if sass.data, err = l.sassInfo(img, s.owner, merc.data); err != nil {
					return err
				}
			}
		case s.typ == cuda.SHTRela:
			merc.hdr.Size = s.size
			if l.names.str(l.secs[s.target].name) == ".debug_frame" {
				continue
			}
			if !l.isLines(s.target) {
				img.setRelas(id, l.sassRelocs(id))
			}
			continue
		case s.typ == cuda.SHTCudaResolvedRela:
			merc.hdr.Size = s.size
			img.setRelas(id, l.resolvedRelocs(id))
			continue
		case s.typ == cuda.SHTCudaSharedReserved:
			merc.data = l.reservedBytes(img, s.size)
		case s.typ == cuda.SHTMercImageHeaders:
			merc.data = make([]byte, s.size)
			sass.data = make([]byte, l.slots+s.size)
		default:
			if err := l.fillData(img, id, sass, merc); err != nil {
				return err
			}
		}
		if sass.data != nil {
			sass.hdr.Size = uint64(len(sass.data))
		}
		if merc.data != nil {
			merc.hdr.Size = uint64(len(merc.data))
		}
	}
	return nil
}

// resolvedRelocs is what a section of resolved records tells on the SASS side.
func (l *linker) resolvedRelocs(id secID) []cubin.Reloc {
	list := make([]cubin.Reloc, 0, len(l.resolved[id]))
	for _, p := range l.resolved[id] {
		r := &l.secs[p.sec].relocs[p.at]
		list = append(list, cubin.Reloc{Off: uint64(r.sassOff), Type: r.sassTyp, Symbol: l.symIndex(r.sym), Addend: r.addend + int64(r.base)})
	}
	return list
}

// reservedBytes is what stands in the clone of .nv.shared.reserved.0, a section
// that has no bytes: what lies at its offset in the file that the finalizer
// reads, which is the null header and then that of .shstrtab.
func (l *linker) reservedBytes(img *mercImage, size uint64) []byte {
	names := uint64(img.shstr.size)
	for i := range img.banks {
		names -= uint64(len(img.banks[i].name) + 1)
	}
	h := cubin.Section{NameOff: 1, Type: cuda.SHTStrtab, Off: cubin.HeaderSize, Size: names, Align: 1}
	var table [2 * cubin.SectionSize]byte
	h.Put((*[cubin.SectionSize]byte)(table[cubin.SectionSize:]))
	out := make([]byte, size)
	copy(out, table[:])
	return out
}

// fillData gives data and debug sections their bytes on both sides.
func (l *linker) fillData(img *mercImage, id secID, sass, merc *part) error {
	s := &l.secs[id]
	merc.chunks = s.chunks
	if s.typ != cuda.SHTCudaConstant0+2 && l.writesData(id) {
		sass.chunks, sass.copied = s.chunks, true
		return nil
	}
	if l.sharesBytes(s) {
		sass.chunks = s.chunks
		merc.twin = int(img.sassOf[id])
		return nil
	}
	name := l.names.str(s.name)
	switch {
	case name == ".debug_frame":
		return l.fillFrames(img, id)
	case name == ".debug_line", name == ".nv_debug_line_sass":
		return l.fillLines(img, id)
	case name == ".nv_debug_info_reg_sass":
		return l.fillRegisters(img, id)
	}
	if s.typ != cuda.SHTProgbits {
		// Made of the Mercury section's bytes, whatever the input's SASS has.
		sass.chunks, sass.copied = s.chunks, true
		if s.typ == cuda.SHTCudaConstant0+2 {
			l.fillTargets(id, sass)
		}
		return nil
	}
	sass.hdr.Size = 0
	for _, c := range s.chunks {
		in := &l.sides[c.file]
		if int64(c.from) >= int64(len(in.twin)) || in.twin[c.from] == 0 {
			continue
		}
		t := in.file.Section(int(in.twin[c.from]))
		off := alignUp(sass.hdr.Size, t.Align)
		sass.chunks = append(sass.chunks, chunk{off: off, size: t.Size, align: t.Align, data: in.file.Content(&t)})
		sass.hdr.Size = off + t.Size
	}
	return nil
}

// fillTargets writes the addresses of code into compiler constants.
func (l *linker) fillTargets(id secID, sass *part) {
	for _, rela := range l.secs[id].rels {
		for j := range l.secs[rela].relocs {
			r := &l.secs[rela].relocs[j]
			if r.fate != kept || r.sym == absent || l.syms[r.sym].sec < 0 {
				continue
			}
			fn := l.decoded[l.syms[r.sym].sec]
			if fn == nil || r.newTyp != cuda.R_MERCURY_PROG_REL32 && r.newTyp != cuda.R_MERCURY_PROG_REL64 {
				continue
			}
			if sass.data == nil {
				sass.data = make([]byte, sass.hdr.Size)
				for _, c := range sass.chunks {
					copy(sass.data[c.off:], c.data)
				}
				sass.chunks = nil
			}
			if b, ok := cubin.Window(sass.data, r.off, 4); ok {
				binary.LittleEndian.PutUint32(b, uint32(fn.sassOf(uint64(r.addend))))
			}
		}
	}
}

// sharesBytes reports whether both sides of a section are one stretch of the
// image, as they are in the inputs.
func (l *linker) sharesBytes(s *section) bool {
	for _, c := range s.chunks {
		in := &l.sides[c.file]
		if int64(c.from) >= int64(len(in.twin)) || in.twin[c.from] == 0 {
			return false
		}
		a, b := in.file.Section(int(c.from)), in.file.Section(int(in.twin[c.from]))
		if a.Off != b.Off {
			return false
		}
	}
	return len(s.chunks) > 0
}

// sassAddend translates the addend of an address of code.
func (l *linker) sassAddend(r *reloc) int64 {
	if r.sym == absent {
		return r.addend
	}
	if s := &l.syms[r.sym]; s.sec >= 0 && r.addend >= 0 {
		if fn := l.decoded[s.sec]; fn != nil && r.addend > 0 && fn.begins(uint64(r.addend)) {
			return int64(fn.sassOf(uint64(r.addend)))
		}
	}
	return r.addend
}

// setRelas gives a relocation section its records on the SASS side.
func (img *mercImage) setRelas(id secID, list []cubin.Reloc) {
	if id != absent && img.sassOf[id] >= 0 {
		img.relas[id] = list
		img.parts[img.sassOf[id]].hdr.Size = uint64(len(list)) * cubin.RelaSize
	}
}

// sassRelocs is the records of a relocation section on the SASS side: those of
// the Mercury side, in their order.
func (l *linker) sassRelocs(id secID) []cubin.Reloc {
	s := &l.secs[id]
	var fn *mercFunc
	if l.secs[s.target].fun != absent {
		fn = l.decoded[s.target]
	}
	headers := l.secs[s.target].typ == cuda.SHTMercImageHeaders
	var list []cubin.Reloc
	for j := len(s.relocs) - 1; j >= 0; j-- {
		r := &s.relocs[j]
		if r.fate != kept {
			continue
		}
		out := cubin.Reloc{Off: r.off, Symbol: l.symIndex(r.sym), Addend: r.addend}
		var ok bool
		if headers {
			out.Off += l.slots
		}
		if fn == nil {
			out.Type, ok = sassDataType(r.newTyp)
			switch {
			case r.newTyp == cuda.R_MERCURY_ABS_PROG_REL64 || r.newTyp == cuda.R_MERCURY_ABS_PROG_REL32:
				out.Addend = l.sassAddend(r)
			case r.newTyp == cuda.R_MERCURY_PROG_REL32 && l.isRelocatable():
				out.Type, ok = cuda.R_CUDA_32, true
				out.Addend = int64(l.lineStarts[r.file])
			}
		} else {
			if l.isReserved(r.sym) || r.sym != absent && l.syms[r.sym].isReservedShared() && !l.isRelocatable() {
				continue
			}
			out.Off = uint64(r.sassOff)
			form := immediate
			if word, ok := cubin.Window(fn.sass, out.Off, capsule.WordSize); ok {
				form = operandOf(word)
			}
			out.Type, ok = sassCodeType(r, form, r.sym != absent && l.syms[r.sym].other&cuda.STOEntry != 0 && l.syms[r.sym].fun != absent)
			if (r.newTyp == cuda.R_MERCURY_ABS_PROG_REL32_LO || r.newTyp == cuda.R_MERCURY_ABS_PROG_REL32_HI) && form != inBank {
				out.Addend = int64(fn.floorOf(r.addend))
			}
		}
		if ok {
			list = append(list, out)
		}
	}
	return list
}
