package output

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// BuildNotes makes .note.nv.tkinfo, .note.nv.cuinfo and .nv.compat, which ends
// with more.
func (l *Planner) BuildNotes(img *Plan, more []byte) {
	if !l.Release.Notes {
		return
	}
	l.setContent(img, l.Tkinfo, l.tkinfoBytes())
	l.setContent(img, l.Cuinfo, l.cuinfoBytes())
	if l.Compatsec != model.Absent {
		b := l.Compat.Bytes(l.Arch, l.Release)
		l.setContent(img, l.Compatsec, append(b, more...))
	}
}

// tkinfoBytes is the link's own note and then those of every input.
func (l *Planner) tkinfoBytes() []byte {
	rec := l.Opt.Record
	t := cubin.Tkinfo{Version: l.tkinfoVersion(), Object: rec.Object, Tool: rec.Tool,
		Release: l.Release.Version, Build: l.Release.Build, Options: rec.Text}
	if t.Tool == "" && !rec.Named {
		t.Tool = "nvlink"
	}
	b := cubin.AppendNote(nil, cuda.NoteTypeTkinfo, cuda.NoteOwner, cubin.AppendTkinfo(nil, &t))
	if l.IsRelocatable() {
		return b
	}
	for _, f := range l.Files {
		for i := range f.OfType(cuda.SHTNote) {
			if s := f.Section(i); s.Flags&cuda.SHFTkinfo != 0 {
				b = append(b, f.Content(&s)...)
			}
		}
	}
	return b
}

// tkinfoVersion is the number of the form, which at first was the toolkit's.
func (l *Planner) tkinfoVersion() uint32 {
	if l.Release.FirstNotes {
		return l.Release.Toolkit
	}
	return cuda.NoteTkinfoVersion
}

// cuinfoBytes is the note of the SM and API the image needs: the lowest SM the
// inputs were written for, and no higher than the target.
func (l *Planner) cuinfoBytes() []byte {
	sm := l.Arch.SM
	if !l.Release.TellsTarget {
		for _, f := range l.Files {
			sm = min(sm, l.VirtualSM(f))
		}
	}
	if l.Release.FirstNotes {
		desc := cubin.AppendCuinfo(nil, cubin.Cuinfo{Version: 1, SM: uint16(sm), API: 1})
		return cubin.AppendNote(nil, cuda.NoteTypeCuinfo, cuda.NoteOwner, binary.LittleEndian.AppendUint32(desc, 1))
	}
	desc := cubin.AppendCuinfo(nil, cubin.Cuinfo{Version: cuda.NoteCuinfoVersion, SM: uint16(sm), API: l.Release.Toolkit})
	return cubin.AppendNote(nil, cuda.NoteTypeCuinfo, cuda.NoteOwner, desc)
}

// NoteHeader links the notes' headers: cuinfo names tkinfo and .nv.compat.
func (l *Planner) NoteHeader(id model.SecID, h *cubin.Section) {
	if l.Release.NotesAreData && l.Secs[id].Type == cuda.SHTNote {
		if c := l.Parts[id].Chunks; len(c) > 0 { // that of the first input stays
			s := l.Files[c[0].File].Section(int(c[0].From))
			h.Link = s.Link
		}
		return
	}
	if id != l.Cuinfo {
		return
	}
	h.Link = l.Secs[l.Tkinfo].Index
	if l.Compatsec != model.Absent {
		h.Flags |= cuda.SHFInfoLink
		h.Info = l.Secs[l.Compatsec].Index
	}
}

// FileHeader is the header of a file with so many sections.
func (l *Planner) FileHeader(img *Plan, sections int) cubin.Header {
	h := cubin.Header{
		Ident:     [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, l.Release.Osabi, l.Release.Abi},
		Type:      cuda.ETExec,
		Machine:   cuda.EMCuda,
		Version:   l.Release.Eversion,
		ShOff:     img.Shoff,
		Flags:     l.headerFlags(),
		EhSize:    cubin.HeaderSize,
		PhEntSize: cubin.ProgSize,
		PhNum:     uint16(len(img.Progs)),
		ShEntSize: cubin.SectionSize,
		ShNum:     uint16(sections + 1),
		ShStrNdx:  uint16(l.Secs[l.Shstrtab].Index),
	}
	if sections+1 >= cuda.SHNLoReserve {
		h.ShNum = 0
	}
	if l.IsRelocatable() {
		h.Type = cuda.ETRel
	}
	if len(img.Progs) > 0 {
		h.PhOff = img.Progs[0].Off
	}
	return h
}

// headerFlags is e_flags of the image.
func (l *Planner) headerFlags() uint32 {
	if !l.Release.Notes {
		return l.legacyFlags()
	}
	index := min(l.Secs[l.Cuinfo].Index, 0xff)
	flags := index<<cuda.EFCuinfoShift | uint32(l.Arch.SM)<<cuda.EFSMShift | l.Dialect.FileKind
	if l.Release.FirstNotes && l.Arch.Accelerated {
		flags |= cuda.EFAccelerator
	}
	return flags
}

// legacyFlags is e_flags up to 12.x: unified textures whatever the inputs
// have, and the lowest virtual SM among them (seen with 11.8.89 and 12.4.131).
func (l *Planner) legacyFlags() uint32 {
	virtual := uint32(cuda.EFLegacyVirtualSM)
	if len(l.Files) == 0 {
		virtual = uint32(l.Arch.SM) << 16
	}
	for _, f := range l.Files {
		virtual = min(virtual, uint32(l.VirtualSM(f))<<16)
	}
	flags := virtual | cuda.EFLegacy64Bit | cuda.EFLegacyTexUnified | uint32(l.Arch.SM)
	if l.Arch.Accelerated {
		flags |= cuda.EFLegacyAccelerator
	}
	return flags
}

// relAction is .nv.rel.action.
func (l *Planner) relAction() []byte {
	return relActionBytes(l.Release)
}
