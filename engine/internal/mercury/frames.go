package mercury

import (
	"bytes"
	"encoding/binary"
	"sort"

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
// The finalizer looks the code up by the first symbol of its section, once, and
// writes its length, whatever the Mercury side has there. An
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

// areMarkedFrames reports whether a stretch is entries with that mark, and nothing else.
func areMarkedFrames(b []byte) bool {
	for len(b) > 0 {
		if len(b) < frameHead || binary.LittleEndian.Uint32(b) != frameMark {
			return false
		}
		n := binary.LittleEndian.Uint64(b[4:])
		if n > uint64(len(b)-frameHead) {
			return false
		}
		b = b[n+frameHead:]
	}
	return true
}

// frameEntry is an FDE that stays.
type frameEntry struct {
	chunk  *model.Chunk
	bytes  []byte
	cie    []byte
	sass   []byte // its program on the SASS side of the input, nil where that doesn't count
	record *frameRecord
	lost   *lostMap         // finds its places on the SASS side where its definition lost
	fn     *code            // what it is about; nil for no code, or for code that an FDE before is about
	others []frameProgramOf // programs of FDEs after it about the same code
	cieOff uint64           // where the CIE is on the Mercury side
	base   frameBase        // where its function begins
	shared bool             // the code has functions inside, with FDEs of their own
}

// program returns what an entry says.
func (e *frameEntry) program() frameProgramOf {
	return frameProgramOf{merc: e.bytes[frameProgram:], sass: e.sass, lost: e.lost, base: e.base}
}

// fillFrames makes .debug_frame and its relocations.
func (l *Backend) fillFrames(img *plan, target model.SecID) error {
	rela := l.relaOf(target)
	if rela != model.Absent {
		img.frames = l.frameRecords(l.Parts[rela].Relocs)
	}
	entries, err := l.frameEntries(img, target)
	if err != nil {
		return err
	}
	out := make([]byte, 0, l.Secs[target].Size)
	for i := range entries {
		var ok bool
		if out, ok = l.appendFrame(img, out, &entries[i]); !ok {
			return l.badFrames(entries[i].chunk)
		}
	}
	sass := &img.parts[img.sassOf[target]]
	sass.data, sass.hdr.Size = out, uint64(len(out))
	if rela != model.Absent {
		img.setRelas(rela, l.frameRelas(img, rela), new(model.Arena[byte]))
	}
	return nil
}

// frameEntries returns the FDEs that stay, in the order of the inputs.
func (l *Backend) frameEntries(img *plan, target model.SecID) ([]frameEntry, error) {
	entries := make([]frameEntry, 0, len(img.frames))
	for i := range l.Parts[target].Chunks {
		c := &l.Parts[target].Chunks[i]
		list, ok := splitFrames(c.Data)
		if !ok {
			return nil, l.badFrames(c)
		}
		var sass map[frameName][]byte
		if l.Release.FramesOfSASS {
			sass = l.sassFrames(c)
		}
		var cie []byte
		var cieOff uint64
		for _, f := range list {
			if f.cie {
				cie, cieOff = c.Data[f.off:f.off+f.size], c.Off+f.off
				continue
			}
			r := img.frames.find(c.Off + f.off + frameLocation)
			if r.sym == model.Absent {
				continue
			}
			if len(cie) <= codeAlignment {
				return nil, l.badFrames(c) // an FDE before any CIE
			}
			e := frameEntry{chunk: c, bytes: c.Data[f.off : f.off+f.size], cie: cie, cieOff: cieOff, record: r}
			fn := l.frameCode(img, r.sym)
			e.shared = fn != nil && l.hasNested(fn.text)
			if e.shared && r.merc > 0 {
				e.base = fn.frameBase(uint64(r.merc))
			}
			e.sass = sass[frameName{r.from, e.base.was}]
			if fn != nil {
				e.lost = l.lostPlaces(fn, &e)
			}
			switch {
			case fn == nil:
			case e.base.merc > 0:
				e.fn = fn
			case fn.frame == 0:
				e.fn, fn.frame = fn, len(entries)+1
			case fn.frame <= len(entries) && entries[fn.frame-1].fn == fn: // not of another section
				first := &entries[fn.frame-1]
				first.others = append(first.others, e.program())
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// appendFrame appends the CIE and the FDE of an entry; false where its program can't be
// read.
func (l *Backend) appendFrame(img *plan, out []byte, e *frameEntry) ([]byte, bool) {
	cieAt := uint64(len(out))
	out = append(out, e.cie...)
	if e.fn != nil {
		out[cieAt+codeAlignment] = sassCodeAlignment
	}
	fde := uint64(len(out))
	out, ok := appendFDE(out, e, l.pairMovesOf(e.fn, e))
	if ok {
		binary.LittleEndian.PutUint64(out[fde+frameHead:], cieAt)
		e.record.place = fde + frameLocation
		if e.base.merc > 0 && !l.Release.MercuryStarts {
			binary.LittleEndian.PutUint64(out[fde+frameLocation:], e.base.is)
		}
		if e.shared {
			img.frames.placeWithin(e.cieOff, uint64(len(e.cie)), cieAt)
		}
	}
	return out, ok
}

// frameRelas returns the records of .debug_frame of the SASS side.
func (l *Backend) frameRelas(img *plan, rela model.SecID) []cubin.Reloc {
	list := make([]cubin.Reloc, 0, len(img.frames))
	relocs := l.Parts[rela].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		r := &relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		// What names no place of the SASS side is about its first byte.
		if typ, ok := sassDataType(r.NewType); ok {
			at := img.frames.find(r.Off)
			list = append(list, cubin.Reloc{Off: at.place, Type: typ, Symbol: l.SymIndex(r.Sym), Addend: at.addend})
		}
	}
	return list
}

// frameRecords are the records of .debug_frame that stay, one for each place on
// the Mercury side, in the order of the places.
type frameRecords []frameRecord

// frameRecord is what is known of a place. Where several records have it, the last
// of them speaks for all on the SASS side.
type frameRecord struct {
	off    uint64      // on the Mercury side
	place  uint64      // on the SASS side; 0 for none
	addend int64       // on the SASS side
	merc   int64       // the addend on the Mercury side
	sym    model.SymID // absent for none
	from   uint32      // the symbol's index in the input
}

func (l *Backend) frameRecords(relocs []model.Reloc) frameRecords {
	list := make(frameRecords, 0, len(relocs))
	for j := range relocs {
		r := &relocs[j]
		if r.Disposition != model.Kept {
			continue
		}
		out := frameRecord{off: r.Off, addend: r.Addend, merc: r.Addend, sym: r.Sym, from: l.MoreOf(r).From}
		if (r.NewType == cuda.R_MERCURY_ABS_PROG_REL64 || r.NewType == cuda.R_MERCURY_ABS_PROG_REL32) && r.Sym != model.Absent {
			if fn := l.opened(l.Syms[r.Sym].Sec); fn != nil {
				out.addend = int64(fn.floorOf(r.Addend))
			}
		}
		list = append(list, out)
	}
	sortByPlace(list, func(r *frameRecord) uint64 { return r.off })
	last := list[:0]
	for _, r := range list {
		if n := len(last); n == 0 || last[n-1].off != r.off {
			last = append(last, r)
			continue
		} else if r.sym == model.Absent {
			r.sym, r.from = last[n-1].sym, last[n-1].from
		}
		last[len(last)-1] = r
	}
	return last
}

// find returns the record of a place on the Mercury side; a new one without a
// symbol where there is none.
func (f frameRecords) find(off uint64) *frameRecord {
	if i := sort.Search(len(f), func(i int) bool { return f[i].off >= off }); i < len(f) && f[i].off == off {
		return &f[i]
	}
	return &frameRecord{sym: model.Absent}
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

// first returns the function symbol by which the finalizer knows a section of code:
// the first, from 13.5 on the first that has a size, as second names have none.
func (img *plan) first(l *Backend) []model.SymID {
	if img.firstSym == nil {
		img.firstSym = model.Blank([]model.SymID(nil), len(l.Secs))
		for _, id := range img.Symbols {
			if s := &l.Syms[id]; s.Fun != model.Absent && s.Sec >= 0 && !l.IsNested(s.Fun) && (s.Size > 0 || !l.Release.FirstOfSize) {
				if img.firstSym[s.Sec] == model.Absent {
					img.firstSym[s.Sec] = id
				}
			}
		}
	}
	return img.firstSym
}

// sassFrames returns the programs of the SASS side of a chunk by the symbol of their
// function: they tell more than those of the Mercury side, but for FDEs that say
// nothing.
func (l *Backend) sassFrames(c *model.Chunk) map[frameName][]byte {
	in := &l.Sides[c.File]
	if int64(c.From) >= int64(len(in.Counterpart)) || in.Counterpart[c.From] == 0 || in.Rela[in.Counterpart[c.From]] == 0 {
		return nil
	}
	s, rela := in.File.Section(int(in.Counterpart[c.From])), in.File.Section(int(in.Rela[in.Counterpart[c.From]]))
	b := in.File.Content(&s)
	list, ok := splitFrames(b)
	table, err := in.File.Relocs(&rela)
	if !ok || err != nil {
		return nil
	}
	symbols := make(map[uint64]frameName, len(list))
	for i := range table.Len() {
		if r := table.At(i); r.Type == cuda.R_CUDA_64 {
			symbols[r.Off] = frameName{r.Symbol, uint64(r.Addend)}
		}
	}
	programs := make(map[frameName][]byte, len(list))
	for _, f := range list {
		if f.cie {
			continue
		}
		program := b[f.off+frameProgram : f.off+f.size]
		if name, ok := symbols[f.off+frameLocation]; ok && len(bytes.Trim(program, "\x00")) > 0 {
			programs[name] = program
		}
	}
	return programs
}

// appendFDE appends an entry's FDE with the addresses of the SASS code; one that is about
// no code says nothing. moves is what it is to say of moves of 64 bits.
func appendFDE(out []byte, e *frameEntry, moves []framePoint) ([]byte, bool) {
	start := len(out)
	out = append(out, e.bytes[:frameProgram]...)
	if e.fn != nil {
		binary.LittleEndian.PutUint64(out[start+frameProgram-8:], e.length())
		var ok bool
		if e.sass != nil && e.lost == nil && len(e.others) == 0 {
			out, ok = moveFrame(out, e.sass, e.fn, e.base)
		} else {
			out, ok = translateFrame(out, e.program(), e.others, e.fn)
		}
		if ok && len(moves) > 0 {
			program := out[start+frameProgram:]
			out, ok = withPairMoves(out[:start+frameProgram], bytes.Clone(program), moves)
		}
		if !ok {
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
