package check

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// What the fields of the output's code tell.
//
// A final image has no symbols for shared memory and for the constants of the
// compiler; the fields of the code are all that is left of where they lie.
// Reading one backwards gives the number that the recipe was given, whoever
// chose it. The first field that names an object tells its place; all others
// are held against it.

// toldKey is what a field tells of: an object, or a section of an input by its
// section symbol. Arrays of unknown length have a place for each code.
type toldKey struct {
	id   *identity
	sec  placeOf
	code *body
}

// bits reads a field of an instruction, one bit after the other from the top.
func bits(place []byte, f oracle.Field) (uint64, bool) {
	n := uint64(0)
	for i := f.Width; i > 0; i-- {
		at := f.Start + i - 1
		b, ok := cut(place, uint64(at/8), 1)
		if !ok || f.Width > 64 {
			return 0, false
		}
		n = 2*n + uint64(b[0]>>(at%8)%2)
	}
	return n, true
}

// tell reads S out of a patched place: the number with which the recipe makes
// these bytes of the bytes before. The first field must hold the address, whole
// or without its lowest bits.
func tell(kind uint32, before, after []byte, in oracle.Inputs) (uint64, bool) {
	r, err := oracle.RecipeOf(kind)
	if err != nil || len(r.Steps()) == 0 {
		return 0, false
	}
	f := r.Steps()[0].Field
	read := func(s uint64) (n uint64, bytes []byte) {
		in.S = s
		out, err := oracle.Apply(kind, before, in)
		if err != nil {
			return 0, nil
		}
		n, _ = bits(out.Bytes, f)
		return n, out.Bytes
	}
	zero, first := read(0)
	four, _ := read(4)
	found, ok := bits(after, f)
	if !ok || first == nil || f.Width > 64 {
		return 0, false
	}
	mask := uint64(1)<<f.Width - 1
	if f.Width == 64 {
		mask = 1<<64 - 1
	}
	shift := 0
	switch (four - zero) & mask {
	case 4:
	case 1:
		shift = 2
	default:
		return 0, false
	}
	s := (found - zero) & mask << shift
	_, again := read(s)
	for _, step := range r.Steps() {
		want, _ := bits(again, step.Field)
		if got, ok := bits(after, step.Field); !ok || got != want {
			return s, false
		}
	}
	return s, true
}

// findEvidence reads the fields of live code that name constants and shared
// variables.
func (c *check) findEvidence() error {
	c.told = map[toldKey]uint64{}
	c.aligned = map[toldKey]uint64{}
	c.uses, c.lostUses = map[*identity]*use{}, map[*identity]bool{}
	for _, m := range c.modules {
		for _, list := range m.relocs {
			code := m.bodies[list.target]
			if code == nil {
				continue
			}
			if err := c.budget.spend(m.name, uint64(len(list.list))); err != nil {
				return err
			}
			for _, r := range list.list {
				c.noteUse(m, code, r)
				if code.disposition == won && code.live && code.area != nil && code.area.out != nil {
					if err := c.readField(m, code, r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// use is what is known of an object that code names.
type use struct {
	functions []*body // live code with a record that names it, in order
	dead      bool    // dead code names it
}

func (c *check) noteUse(m *module, code *body, r record) {
	id := m.refs[r.symbol].id
	if id == nil || id.function() {
		return
	}
	if code.disposition != won {
		c.lostUses[id] = true
		return
	}
	c.noteAlignment(code, id, &m.symbols[r.symbol])
	u := c.uses[id]
	if u == nil {
		u = new(use)
		c.uses[id] = u
	}
	if !code.live {
		u.dead = true
	} else if n := len(u.functions); n == 0 || u.functions[n-1] != code {
		// Records of one code stand together.
		u.functions = append(u.functions, code)
	}
}

// readField reads what one field tells.
func (c *check) readField(m *module, code *body, r record) error {
	key, in, ok := c.subject(m, code, r)
	if !ok {
		return nil
	}
	if _, known := c.told[key]; known {
		return nil
	}
	if at, known := c.hint(m, r, key); known {
		c.told[key] = at
		return nil
	}
	kind := oracle.Constant
	if in.SectionType == cuda.SHTCudaShared {
		kind = oracle.Hidden
	}
	disposition, err := oracle.DispositionOf(r.kind, kind, c.release, c.sm)
	if err != nil || disposition.Action != oracle.Patches {
		return nil
	}
	if err := c.budget.spend(m.name, 8); err != nil {
		return err
	}
	at, stored := c.locate(code.area, r.offset)
	if !stored {
		return nil
	}
	before, _ := cut(code.section.body, at, min(16, uint64(len(code.section.body))-min(at, uint64(len(code.section.body)))))
	moved := c.movedTo(code.area, at)
	after, ok := cut(code.area.out.body, moved, min(16, uint64(len(code.area.out.body))-min(moved, uint64(len(code.area.out.body)))))
	if !ok {
		return nil
	}
	if s, ok := tell(disposition.As, before, after, in); ok {
		c.told[key] = s
		c.keepHint(m, r, key, s)
	}
	return nil
}

// subject is what a record names, where its place has to be told.
func (c *check) subject(m *module, code *body, r record) (key toldKey, in oracle.Inputs, ok bool) {
	s := &m.symbols[r.symbol]
	id := m.refs[r.symbol].id
	in = oracle.Inputs{Rela: r.rela, A: r.addend, P: r.offset}
	switch {
	case id == nil && s.kind() == cuda.STTSection && !s.special:
		in.SectionType = m.sections[s.shndx].kind
		if _, constant := bankOf(in.SectionType); !constant || m.ownerOf(&m.sections[s.shndx]) == nil {
			return key, in, false
		}
		return toldKey{sec: placeOf{m, s.shndx}}, in, true
	case id == nil || id.function() || id.image():
		return key, in, false
	case id.space() == cuda.STOShared:
		in.SectionType = cuda.SHTCudaShared
		if key.id = id; id.externShared() {
			key.code = code
		}
		if id.def != nil {
			in.Slot = uint32(id.def.value)
		}
		return key, in, !c.relocatable
	case id.def == nil || id.def.special:
		return key, in, false
	}
	in.SectionType = id.mod.sections[id.def.shndx].kind
	if _, constant := bankOf(in.SectionType); !constant {
		return key, in, false
	}
	key.id = id
	return key, in, true
}

// hintKey names what a field tells of in a way that both sides of a file share:
// symbols have the same indices on both.
type hintKey struct {
	module, symbol, code int
}

func (c *check) hintKeyOf(m *module, r record, key toldKey) hintKey {
	h := hintKey{module: m.number, symbol: int(r.symbol)}
	if key.code != nil {
		h.code = int(symbolOf(key.code.section.info))
	}
	return h
}

func (c *check) keepHint(m *module, r record, key toldKey, at uint64) {
	if c.hints == nil {
		c.hints = map[hintKey]uint64{}
	}
	c.hints[c.hintKeyOf(m, r, key)] = at
}

func (c *check) hint(m *module, r record, key toldKey) (uint64, bool) {
	if c.side != mercurySide {
		return 0, false
	}
	at, known := c.hints[c.hintKeyOf(m, r, key)]
	return at, known
}
