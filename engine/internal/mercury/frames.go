package mercury

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// .debug_frame of the SASS side is made from the Mercury side: for each FDE
// whose function lives, its CIE and the FDE with the addresses of the SASS code.
// What the Mercury side keeps of dead functions and losing definitions is not
// there.
//
// Entries are {u32 0xffffffff, u64 length, u64 CIE or -1, …}. An FDE goes on with
// u64 place and u64 length of its function; a CIE with u8 version, a string and
// the code alignment, which is 4 on the SASS side and 1 on the Mercury side.
//
// The finalizer looks the code up by the first symbol of its section, once. An
// FDE that names another symbol (a second name), or code that had an FDE before,
// keeps the Mercury length and says nothing; its CIE keeps its code alignment,
// too.

const (
	frameMark     = 0xffffffff
	frameHead     = 12 // mark and length
	frameLocation = 20 // where an FDE's initial location stands
	frameProgram  = 36 // where an FDE's instructions begin
	noCIE         = 1<<64 - 1

	codeAlignment     = 22 // where a CIE without augmentation has it
	sassCodeAlignment = 4
)

// frame is an entry of a .debug_frame.
type frame struct {
	off, size uint64
	cie       bool
}

// splitFrames finds the entries of a section; ok is false where it is none.
func splitFrames(b []byte) (list []frame, ok bool) {
	for pos := uint64(0); pos < uint64(len(b)); {
		head, ok := cubin.Window(b, pos, frameLocation)
		if !ok || binary.LittleEndian.Uint32(head) != frameMark {
			return nil, false
		}
		f := frame{pos, binary.LittleEndian.Uint64(head[4:]) + frameHead, binary.LittleEndian.Uint64(head[frameHead:]) == noCIE}
		least := uint64(frameProgram)
		if f.cie {
			least = codeAlignment + 1
		}
		if _, ok := cubin.Window(b, pos, f.size); !ok || f.size < least {
			return nil, false
		}
		list = append(list, f)
		pos += f.size
	}
	return list, true
}

// framesMarked reports whether every entry has the mark of the 64-bit format, as
// far as the lengths lead from one to the next.
func framesMarked(b []byte) bool {
	for pos := uint64(0); pos < uint64(len(b)); {
		head, ok := cubin.Window(b, pos, frameHead)
		if !ok {
			return true
		}
		if binary.LittleEndian.Uint32(head) != frameMark {
			return false
		}
		n := binary.LittleEndian.Uint64(head[4:])
		if n > uint64(len(b)) {
			return true
		}
		pos += n + frameHead
	}
	return true
}

// fillFrames makes .debug_frame and its relocations.
func (l *Backend) fillFrames(img *plan, target model.SecID) error {
	rela := l.RelocSection(target, l.Names.ID(".rela.debug_frame"))
	count := 0
	if rela != model.Absent {
		count = len(l.Secs[rela].Relocs)
	}
	at := make(map[uint64]*model.Reloc, count)
	if rela != model.Absent {
		for j := range l.Secs[rela].Relocs {
			if r := &l.Secs[rela].Relocs[j]; r.Disposition == model.Kept && r.Sym != model.Absent {
				at[r.Off] = r
			}
		}
	}
	out := make([]byte, 0, l.Secs[target].Size)
	place := make(map[uint64]uint64, count)
	had := make(map[*code]bool, len(l.order))
	for _, c := range l.Secs[target].Chunks {
		list, ok := splitFrames(c.Data)
		if !ok {
			return l.badFrames(&c)
		}
		var cie []byte
		for _, f := range list {
			entry := c.Data[f.off : f.off+f.size]
			if f.cie {
				cie = entry
				continue
			}
			r := at[c.Off+f.off+frameLocation]
			if r == nil {
				continue
			}
			fn := l.frameCode(img, r.Sym)
			if had[fn] {
				fn = nil
			}
			had[fn] = true
			if len(cie) <= codeAlignment {
				return l.badFrames(&c) // an FDE before any CIE
			}
			cieAt := uint64(len(out))
			out = append(out, cie...)
			if fn != nil {
				out[cieAt+codeAlignment] = sassCodeAlignment
			}
			fde := uint64(len(out))
			if out, ok = appendFDE(out, entry, fn); !ok {
				return l.badFrames(&c)
			}
			binary.LittleEndian.PutUint64(out[fde+frameHead:], cieAt)
			place[r.Off] = fde + frameLocation
		}
	}
	img.frameAt = place
	if rela != model.Absent {
		img.frameAddend = l.frameAddends(l.Secs[rela].Relocs)
	}
	sass := &img.parts[img.sassOf[target]]
	sass.data, sass.hdr.Size = out, uint64(len(out))
	if rela == model.Absent {
		return nil
	}
	list := make([]cubin.Reloc, 0, len(place))
	relocs := l.Secs[rela].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		// What names no place of the SASS side is about its first byte.
		if typ, ok := sassDataType(r.NewType); ok {
			list = append(list, cubin.Reloc{Off: place[r.Off], Type: typ, Symbol: l.SymIndex(r.Sym), Addend: img.frameAddend[r.Off]})
		}
	}
	img.setRelas(rela, list)
	return nil
}

// frameAddends returns the addends of the records that stay, by place. Where
// several have a place, the last of them speaks for all on the SASS side.
func (l *Backend) frameAddends(relocs []model.Reloc) map[uint64]int64 {
	addends := make(map[uint64]int64, len(relocs))
	for j := range relocs {
		r := &relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		addends[r.Off] = r.Addend
		if r.NewType != cuda.R_MERCURY_ABS_PROG_REL64 && r.NewType != cuda.R_MERCURY_ABS_PROG_REL32 || r.Sym == model.Absent || l.Syms[r.Sym].Sec < 0 {
			continue
		}
		if fn := l.opened(l.Syms[r.Sym].Sec); fn != nil {
			addends[r.Off] = int64(fn.floorOf(r.Addend))
		}
	}
	return addends
}

// frameCode returns the code that an FDE's symbol stands for if it is the first
// symbol of its section.
func (l *Backend) frameCode(img *plan, sym model.SymID) *code {
	s := &l.Syms[sym]
	if s.Sec < 0 || img.first(l)[s.Sec] != sym {
		return nil
	}
	return l.opened(s.Sec)
}

// first returns the first function symbol of each section of code.
func (img *plan) first(l *Backend) []model.SymID {
	if img.firstSym == nil {
		img.firstSym = model.Blank([]model.SymID(nil), len(l.Secs))
		for _, id := range img.Symbols {
			if s := &l.Syms[id]; s.Fun != model.Absent && s.Sec >= 0 {
				if img.firstSym[s.Sec] == model.Absent {
					img.firstSym[s.Sec] = id
				}
			}
		}
	}
	return img.firstSym
}

// appendFDE appends an FDE whose addresses are those of the SASS code; nil for
// one that is about no code.
func appendFDE(out, entry []byte, fn *code) ([]byte, bool) {
	start := len(out)
	out = append(out, entry[:frameProgram]...)
	if fn != nil {
		length := binary.LittleEndian.Uint64(entry[frameProgram-8:])
		binary.LittleEndian.PutUint64(out[start+frameProgram-8:], fn.sassOf(length))
		var ok bool
		if out, ok = translateFrame(out, entry[frameProgram:], fn); !ok {
			return out, false
		}
	}
	for (len(out)-start)%8 != 0 {
		out = append(out, 0)
	}
	binary.LittleEndian.PutUint64(out[start+4:], uint64(len(out)-start-frameHead))
	return out, true
}

func (l *Backend) badFrames(c *model.Chunk) error {
	return &cubin.Error{Kind: cubin.BadRecord, File: l.FileName(c.File), Section: ".debug_frame", Offset: c.Off, Value: c.Size,
		Detail: "not a sequence of 64-bit call frame entries"}
}
