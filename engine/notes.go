package engine

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// CommandLine is the part of nvlink's command line that .note.nv.tkinfo
// records: text is in the tool's order and spelling.
type CommandLine struct {
	Tool   string // "" is nvlink
	Object string // base name of the output; recorded with -g only
	Text   string // "-arch sm_90 "
}

// buildNotes makes .note.nv.tkinfo, .note.nv.cuinfo and .nv.compat, which ends
// with more.
func (l *linker) buildNotes(img *image, more []byte) {
	if !l.prof.notes {
		return
	}
	l.setContent(img, l.tkinfo, l.tkinfoBytes())
	l.setContent(img, l.cuinfo, l.cuinfoBytes())
	if l.compatsec != absent {
		b := l.compat.bytes(l.arch)
		l.setContent(img, l.compatsec, append(b, more...))
	}
}

// tkinfoBytes is the link's own note and then those of every input.
func (l *linker) tkinfoBytes() []byte {
	rec := l.opt.Record
	t := cubin.Tkinfo{Version: cuda.NoteTkinfoVersion, Object: rec.Object, Tool: rec.Tool,
		Release: l.prof.version, Build: l.prof.build, Options: rec.Text}
	if t.Tool == "" {
		t.Tool = "nvlink"
	}
	b := cubin.AppendNote(nil, cuda.NoteTypeTkinfo, cuda.NoteOwner, cubin.AppendTkinfo(nil, &t))
	if l.isRelocatable() {
		return b
	}
	for _, f := range l.files {
		for i := 1; i < f.NumSections(); i++ {
			if s := f.Section(i); s.Type == cuda.SHTNote && s.Flags&cuda.SHFTkinfo != 0 {
				b = append(b, f.Content(&s)...)
			}
		}
	}
	return b
}

// cuinfoBytes is the note of the SM and API the image needs: the lowest SM the
// inputs were written for, and no higher than the target.
func (l *linker) cuinfoBytes() []byte {
	sm := l.arch.sm
	for _, f := range l.files {
		sm = min(sm, virtualSM(f))
	}
	desc := binary.LittleEndian.AppendUint16(nil, cuda.NoteCuinfoVersion)
	desc = binary.LittleEndian.AppendUint16(desc, uint16(sm))
	desc = binary.LittleEndian.AppendUint32(desc, l.prof.toolkit)
	return cubin.AppendNote(nil, cuda.NoteTypeCuinfo, cuda.NoteOwner, desc)
}

// noteHeader links the notes' headers: cuinfo names tkinfo and .nv.compat.
func (l *linker) noteHeader(id secID, h *cubin.Section) {
	if id != l.cuinfo {
		return
	}
	h.Link = l.secs[l.tkinfo].index
	if l.compatsec != absent {
		h.Flags |= cuda.SHFInfoLink
		h.Info = l.secs[l.compatsec].index
	}
}

// headerFlags is e_flags of the image.
func (l *linker) headerFlags() uint32 {
	if !l.prof.notes {
		return l.legacyFlags()
	}
	index := min(l.secs[l.cuinfo].index, 0xff)
	return index<<cuda.EFCuinfoShift | uint32(l.arch.sm)<<cuda.EFSMShift | l.dialect.fileKind
}

// legacyFlags is e_flags up to 12.x: unified textures whatever the inputs
// have, and the lowest virtual SM among them (seen with 11.8.89 and 12.4.131).
func (l *linker) legacyFlags() uint32 {
	virtual := uint32(cuda.EFLegacyVirtualSM)
	for _, f := range l.files {
		if !f.Header.New() {
			virtual = min(virtual, f.Header.Flags&cuda.EFLegacyVirtualSM)
		}
	}
	flags := virtual | cuda.EFLegacy64Bit | cuda.EFLegacyTexUnified | uint32(l.arch.sm)
	if l.arch.accelerated {
		flags |= cuda.EFLegacyAccelerator
	}
	return flags
}

// relAction is .nv.rel.action.
func (l *linker) relAction() []byte {
	return relActionBytes(l.prof)
}
