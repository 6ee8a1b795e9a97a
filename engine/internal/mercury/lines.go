package mercury

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Line programs of the SASS side (.debug_line, .nv_debug_line_sass) are put
// together again: of each unit the header, and the sequences whose function
// lives and was not lost to another definition, by the number of its symbol.
// The Mercury side keeps everything in the inputs' order.
//
// A unit is {u32 length, u16 version, u32 header length, …}; a sequence ends
// with the extended opcode 1, and its function is in the operand of the
// extended opcode 2.

// lineKey names a function by the input and its symbol there.
type lineKey struct {
	file int32
	sym  uint32
}

// lineSequence is a sequence of a line program.
type lineSequence struct {
	bytes []byte
	place uint64 // of the address in it
	sym   model.SymID
	index uint32
	typ   uint32
}

// isLines reports whether a section is a line program.
func (l *Backend) isLines(id model.SecID) bool {
	switch l.Names.Str(l.Secs[id].Name) {
	case ".debug_line", ".nv_debug_line_sass":
		return l.Secs[id].Type == cuda.SHTProgbits
	}
	return false
}

// lineWriter makes one line program's section and its relocations.
type lineWriter struct {
	*Backend
	img  *plan
	rela model.SecID // what patches it, absent for none
	name string

	living   map[lineKey]int // how many sequences of a function stay
	bySym    map[lineKey]model.SymID
	inHeader map[int32][]*model.Reloc // by input: what the link resolves

	out  []byte
	list []cubin.Reloc
}

// fillLines makes a line program's section and its relocations.
func (l *Backend) fillLines(img *plan, id model.SecID) error {
	name := l.Names.Str(l.Secs[id].Name)
	w := lineWriter{Backend: l, img: img, rela: l.relaOf(id), name: name,
		living: make(map[lineKey]int), bySym: make(map[lineKey]model.SymID), inHeader: make(map[int32][]*model.Reloc)}
	w.noteRelocs()
	for i := range l.Parts[id].Chunks {
		if err := w.appendInput(&l.Parts[id].Chunks[i]); err != nil {
			return err
		}
	}
	sass := &img.parts[img.sassOf[id]]
	sass.data, sass.hdr.Size = w.out, uint64(len(w.out))
	img.setRelas(w.rela, w.list, new(model.Arena[byte]))
	return nil
}

// noteRelocs notes which functions stay, and what the link resolves itself.
func (w *lineWriter) noteRelocs() {
	if w.rela == model.Absent {
		return
	}
	for j := range w.Parts[w.rela].Relocs {
		switch r := &w.Parts[w.rela].Relocs[j]; r.Disposition {
		case model.Kept:
			if r.Sym != model.Absent {
				key := lineKey{r.File, w.MoreOf(r).From}
				w.living[key]++
				w.bySym[key] = r.Sym
			}
		case model.Applied:
			w.inHeader[r.File] = append(w.inHeader[r.File], r)
		}
	}
}

// lineStart is where a unit of an input begins in .debug_line of the Mercury side.
type lineStart struct {
	file int32
	at   uint64
}

// lineInput is the line program of an input.
type lineInput struct {
	*input.Sides
	chunk  *model.Chunk // of its Mercury side
	body   []byte
	places map[uint64]cubin.Reloc // by place: what tells the address there
}

// appendInput appends what an input says of functions that stay.
func (w *lineWriter) appendInput(c *model.Chunk) error {
	in := lineInput{Sides: &w.Sides[c.File], chunk: c}
	k := in.Counterpart[c.From]
	if k == 0 {
		return nil
	}
	sec := in.File.Section(int(k))
	in.body = in.File.Content(&sec)
	var err error
	if in.places, err = in.Addresses(k); err != nil {
		return err
	}
	merc := uint64(0) // where the unit begins on the Mercury side
	for pos := uint64(0); pos < uint64(len(in.body)); {
		u, ok := splitUnit(in.body[pos:])
		if !ok {
			return w.badLines(in.Sides, w.name, pos)
		}
		if w.name == ".debug_line" {
			w.lineStarts[lineStart{c.File, c.Off + merc}] = uint64(len(w.out))
		}
		if head, ok := cubin.Window(c.Data, merc, 4); ok {
			merc += 4 + uint64(binary.LittleEndian.Uint32(head))
		}
		if err := w.appendUnit(&in, &u, pos); err != nil {
			return err
		}
		pos += u.size
	}
	return nil
}

// appendUnit appends the unit at pos of an input.
func (w *lineWriter) appendUnit(in *lineInput, u *lineUnit, pos uint64) error {
	start := len(w.out)
	w.out = append(w.out, in.body[pos:pos+u.program]...)
	if err := w.patchHeader(in, u, pos, w.out[start:]); err != nil {
		return err
	}
	keep := w.sequences(in, u, pos)
	for i := range keep {
		s := &keep[i]
		if !w.moveSequence(in, u, s) {
			return w.badLines(in.Sides, w.name, pos)
		}
		w.list = append(w.list, cubin.Reloc{Off: uint64(len(w.out)) + s.place, Type: s.typ, Symbol: s.index})
		w.out = append(w.out, s.bytes...)
	}
	if len(keep) == 0 && w.Release.ClosesLines {
		w.out = append(w.out, 0, 1, 1) // the end of a sequence
	}
	binary.LittleEndian.PutUint32(w.out[start:], uint32(len(w.out)-start-4))
	return nil
}

// patchHeader resolves what is in the header of the unit at pos.
func (w *lineWriter) patchHeader(in *lineInput, u *lineUnit, pos uint64, header []byte) error {
	for _, r := range w.inHeader[in.chunk.File] {
		if at := r.Off - in.chunk.Off; at >= pos && at < pos+u.program {
			v := w.Value(w.rela, r)
			if _, err := mercDescriptor(r.Type).Apply(header[at-pos:], &v); err != nil {
				return w.RelocFault(w.rela, r, err.Error())
			}
		}
	}
	return nil
}

// sequences returns those of a unit whose function stays, by the number of its symbol.
func (w *lineWriter) sequences(in *lineInput, u *lineUnit, pos uint64) []lineSequence {
	var keep []lineSequence
	for _, s := range u.sequences {
		r, ok := in.places[pos+s.from+s.place]
		key := lineKey{in.chunk.File, r.Symbol}
		if !ok || w.living[key] == 0 {
			continue
		}
		w.living[key]--
		sym := w.bySym[key]
		q := lineSequence{bytes: in.body[pos+s.from : pos+s.to], place: s.place, sym: sym, index: w.Syms[sym].Index, typ: r.Type}
		if w.img.first(w.Backend)[w.Syms[sym].Sec] != sym {
			if b, place, ok := w.otherName(in.Sides, in.chunk, key); ok {
				q.bytes, q.place = b, place
			}
		}
		keep = append(keep, q)
	}
	slices.SortStableFunc(keep, func(a, b lineSequence) int { return cmp.Compare(a.index, b.index) })
	return keep
}

// moveSequence gives a sequence the addresses that its function's words have now; false
// where it is none.
func (w *lineWriter) moveSequence(in *lineInput, u *lineUnit, s *lineSequence) bool {
	fn := w.opened(w.Syms[s.sym].Sec)
	if fn == nil {
		return true
	}
	lost := w.lostIn(fn, in.chunk.File)
	if fn.result == nil && lost == nil {
		return true
	}
	move, stays := w.lineMover(fn, lost, in.chunk.File), w.Release.ClosesLines || fn.result == nil
	moved, ok := u.shape.moveLines(s.bytes, func(at uint64) uint64 {
		to := move(at)
		stays = stays && to == at
		return to
	})
	if ok && !stays {
		s.bytes = moved
	}
	return ok
}

// lineMover returns what translates the addresses in an input's lines of a function, which
// it has lost if lost isn't nil.
func (w *lineWriter) lineMover(fn *code, lost *lostCode, file int32) func(at uint64) uint64 {
	own := func(at uint64) uint64 { return uint64(fn.movedStart(uint32(at))) }
	if lost == nil {
		return own
	}
	places, known := newLostMap(lost, fn)
	return func(at uint64) uint64 {
		if at == uint64(len(lost.sass)) {
			return uint64(fn.cap.SASSSize())
		}
		to, ok := places.at(uint32(at))
		if !ok || !known {
			w.sayLost(fn, file)
			return own(at)
		}
		return uint64(to)
	}
}

// otherName returns the sequence of a function that the finalizer doesn't find,
// since another symbol of its code comes first: that of the Mercury side, with
// its addresses.
func (l *Backend) otherName(in *input.Sides, c *model.Chunk, key lineKey) (b []byte, place uint64, ok bool) {
	sec := in.File.Section(int(c.From))
	places, err := in.Addresses(c.From)
	if err != nil {
		return nil, 0, false
	}
	body := in.File.Content(&sec)
	for pos := uint64(0); pos < uint64(len(body)); {
		u, ok := splitUnit(body[pos:])
		if !ok {
			return nil, 0, false
		}
		for _, s := range u.sequences {
			if r, ok := places[pos+s.from+s.place]; ok && r.Symbol == key.sym {
				b, ok := u.shape.lastRows(body[pos+s.from : pos+s.to])
				return b, s.place, ok
			}
		}
		pos += u.size
	}
	return nil, 0, false
}

func (l *Backend) badLines(in *input.Sides, section string, off uint64) error {
	return &cubin.Error{Kind: cubin.BadRecord, File: in.File.Name, Section: section, Offset: off, Detail: "not a line program"}
}

// lineUnit is a unit taken apart: offsets from its start.
type lineUnit struct {
	size, program uint64
	shape         lineShape
	sequences     []lineRange
}

// lineRange is where a sequence is in its unit and its address in it.
type lineRange struct{ from, to, place uint64 }

// splitUnit finds the first unit's program and sequences.
func splitUnit(b []byte) (u lineUnit, ok bool) {
	head, ok := cubin.Window(b, 0, 15)
	if !ok {
		return u, false
	}
	u.size = 4 + uint64(binary.LittleEndian.Uint32(head))
	u.program = 10 + uint64(binary.LittleEndian.Uint32(head[6:]))
	base := head[14]
	operands, ok := cubin.Window(b, 15, uint64(max(base, 1)-1))
	if _, fits := cubin.Window(b, 0, u.size); !ok || !fits || u.program > u.size {
		return u, false
	}
	u.shape = lineShape{base: int8(head[12]), width: head[13], opcode: base, operands: operands}
	r := lebReader{b: b[:u.size], pos: u.program}
	for r.pos < u.size {
		s := lineRange{from: r.pos}
		for done := false; !done; {
			if r.pos >= u.size {
				return u, false
			}
			op, ok := u.shape.next(&r)
			switch {
			case !ok:
				return u, false
			case op.kind == lineSays && op.sub == lineEnd:
				done = true
			case op.kind == lineSays && op.sub == lineSetAddress:
				s.place = op.operand - s.from
			}
		}
		s.to = r.pos
		u.sequences = append(u.sequences, s)
	}
	return u, true
}
