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
// together anew: of each unit the header, and the sequences whose function
// lives and was not lost to another definition, by the number of its symbol.
// The Mercury side keeps everything in the inputs' order.
//
// A unit is {u32 length, u16 version, u32 header length, …}; a sequence ends
// with the extended opcode 1, and its function stands in the operand of the
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

// fillLines makes a line program's section and its relocations.
func (l *Backend) fillLines(img *plan, id model.SecID) error {
	name := l.Names.Str(l.Secs[id].Name)
	rela := l.RelocSection(id, l.Names.ID(".rela"+name))
	living := make(map[lineKey]int)
	bySym := make(map[lineKey]model.SymID)
	inHeader := make(map[int32][]*model.Reloc) // by input: what the link resolves
	if rela != model.Absent {
		for j := range l.Parts[rela].Relocs {
			switch r := &l.Parts[rela].Relocs[j]; r.Disposition {
			case model.Kept:
				if r.Sym == model.Absent {
					continue
				}
				living[lineKey{r.File, l.MoreOf(r).From}]++
				bySym[lineKey{r.File, l.MoreOf(r).From}] = r.Sym
			case model.Applied:
				inHeader[r.File] = append(inHeader[r.File], r)
			}
		}
	}
	var out []byte
	var list []cubin.Reloc
	for _, c := range l.Parts[id].Chunks {
		in := &l.Sides[c.File]
		k := in.Twin[c.From]
		if k == 0 {
			continue
		}
		sec := in.File.Section(int(k))
		body := in.File.Content(&sec)
		places, err := in.Addresses(k)
		if err != nil {
			return err
		}
		if name == ".debug_line" {
			l.lineStarts[c.File] = uint64(len(out))
		}
		for pos := uint64(0); pos < uint64(len(body)); {
			u, ok := splitUnit(body[pos:])
			if !ok {
				return l.badLines(in, name, pos)
			}
			start := len(out)
			out = append(out, body[pos:pos+u.program]...)
			for _, r := range inHeader[c.File] {
				if at := r.Off - c.Off; at >= pos && at < pos+u.program {
					v := l.Value(rela, r)
					if _, err := mercDescriptor(r.Type).Apply(out[uint64(start)+at-pos:], &v); err != nil {
						return l.RelocFault(rela, r, err.Error())
					}
				}
			}
			var keep []lineSequence
			for _, s := range u.sequences {
				r, ok := places[pos+s.from+s.place]
				key := lineKey{c.File, r.Symbol}
				if !ok || living[key] == 0 {
					continue
				}
				living[key]--
				if sym := bySym[key]; img.first(l)[l.Syms[sym].Sec] != sym {
					if b, place, ok := l.otherName(in, &c, key); ok {
						keep = append(keep, lineSequence{bytes: b, place: place, sym: sym, index: l.Syms[sym].Index, typ: r.Type})
						continue
					}
				}
				keep = append(keep, lineSequence{bytes: body[pos+s.from : pos+s.to], place: s.place, sym: bySym[key],
					index: l.Syms[bySym[key]].Index, typ: r.Type})
			}
			slices.SortStableFunc(keep, func(a, b lineSequence) int { return cmp.Compare(a.index, b.index) })
			for _, s := range keep {
				if fn := l.opened(l.Syms[s.sym].Sec); fn != nil && fn.result != nil {
					stays := l.Release.ClosesLines
					moved, ok := u.shape.moveLines(s.bytes, func(at uint64) uint64 {
						to := uint64(fn.movedStart(uint32(at)))
						stays = stays && to == at
						return to
					})
					if !ok {
						return l.badLines(in, name, pos)
					}
					if !stays {
						s.bytes = moved
					}
				}
				list = append(list, cubin.Reloc{Off: uint64(len(out)) + s.place, Type: s.typ, Symbol: s.index})
				out = append(out, s.bytes...)
			}
			if len(keep) == 0 && l.Release.ClosesLines {
				out = append(out, 0, 1, 1) // the end of a sequence
			}
			binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-start-4))
			pos += u.size
		}
	}
	sass := &img.parts[img.sassOf[id]]
	sass.data, sass.hdr.Size = out, uint64(len(out))
	img.setRelas(rela, list)
	return nil
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

// lineRange is where a sequence stands in its unit and its address in it.
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
