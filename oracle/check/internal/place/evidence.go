package place

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// What the fields of the output's code tell.
//
// A final image has no symbols for shared memory and for the constants of the
// compiler; the fields of the code are all that is left of where they lie.
// Reading one backwards gives the number that the recipe was given, whoever
// chose it. The first field that names an object tells its place; all others
// are held against it.

// bits reads a field of an instruction, one bit after the other from the top.
func bits(place []byte, f oracle.Field) (uint64, bool) {
	n := uint64(0)
	for i := f.Width; i > 0; i-- {
		at := f.Start + i - 1
		b, ok := image.Cut(place, uint64(at/8), 1)
		if !ok || f.Width > 64 {
			return 0, false
		}
		n = 2*n + uint64(b[0]>>(at%8)%2)
	}
	return n, true
}

// Tell reads S out of a patched place: the number with which the recipe makes
// these bytes of the bytes before. The first field must hold the address, whole
// or without its lowest bits.
func Tell(kind uint32, before, after []byte, in oracle.Inputs) (uint64, bool) {
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

// maxShared is more than any kernel has of shared memory.
const maxShared = 1 << 20

// findEvidence reads the fields of live code that name constants and shared
// variables.
func (c *Places) findEvidence() error {
	c.Observed = map[link.ObservedKey]uint64{}
	c.Aligned = map[link.ObservedKey]uint64{}
	c.Uses, c.LostUses = map[*link.Identity]*Use{}, map[*link.Identity]bool{}
	for _, m := range c.Modules {
		for _, list := range m.Relocs {
			code := m.Bodies[list.Target]
			if code == nil {
				continue
			}
			if err := c.Budget.Spend(m.Name, uint64(len(list.List))); err != nil {
				return err
			}
			for _, r := range list.List {
				c.noteUse(m, code, r)
				if code.Disposition == link.Won && code.Live && code.Area != nil && code.Area.Out != nil {
					if err := c.readField(m, code, r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// Use is what is known of an object that code names.
type Use struct {
	Functions []*link.Body // live code with a record that names it, in order
	dead      bool         // dead code names it
}

func (c *Places) noteUse(m *link.Module, code *link.Body, r image.Record) {
	id := m.Refs[r.Symbol].ID
	if id == nil || id.Function() {
		return
	}
	if code.Disposition != link.Won {
		c.LostUses[id] = true
		return
	}
	c.noteAlignment(code, id, &m.Symbols[r.Symbol])
	u := c.Uses[id]
	if u == nil {
		u = new(Use)
		c.Uses[id] = u
	}
	if !code.Live {
		u.dead = true
	} else if n := len(u.Functions); n == 0 || u.Functions[n-1] != code {
		// Records of one code stand together.
		u.Functions = append(u.Functions, code)
	}
}

// readField reads what one field tells.
func (c *Places) readField(m *link.Module, code *link.Body, r image.Record) error {
	key, in, ok := c.subject(m, code, r)
	if !ok {
		return nil
	}
	if _, known := c.Observed[key]; known {
		return nil
	}
	if at, known := c.hint(m, r, key); known {
		c.Observed[key] = at
		return nil
	}
	kind := oracle.Constant
	if in.SectionType == cuda.SHTCudaShared {
		kind = oracle.Hidden
	}
	disposition, err := oracle.DispositionOf(r.Kind, kind, c.Release, c.SM)
	if err != nil || disposition.Action != oracle.Patches {
		return nil
	}
	if err := c.Budget.Spend(m.Name, 8); err != nil {
		return err
	}
	at, stored := c.Locate(code.Area, r.Offset)
	if !stored {
		return nil
	}
	before, _ := image.Cut(code.Section.Body, at, min(16, uint64(len(code.Section.Body))-min(at, uint64(len(code.Section.Body)))))
	moved := c.MovedTo(code.Area, at)
	after, ok := image.Cut(code.Area.Out.Body, moved, min(16, uint64(len(code.Area.Out.Body))-min(moved, uint64(len(code.Area.Out.Body)))))
	if !ok {
		return nil
	}
	if s, ok := Tell(disposition.As, before, after, in); ok {
		if key.ID != nil && key.ID.ExternShared() && s&(s+1) == 0 && s >= maxShared {
			s = 1<<64 - 1 // a field of 24 bits has so many of the ones that stand for no place
		}
		c.Observed[key] = s
		c.keepHint(m, r, key, s)
	}
	return nil
}

// subject is what a record names, where its place has to be told.
func (c *Places) subject(m *link.Module, code *link.Body, r image.Record) (key link.ObservedKey, in oracle.Inputs, ok bool) {
	s := &m.Symbols[r.Symbol]
	id := m.Refs[r.Symbol].ID
	in = oracle.Inputs{Rela: r.Rela, A: r.Addend, P: r.Offset}
	switch {
	case id == nil && s.Kind() == cuda.STTSection && !s.Special:
		in.SectionType = m.Sections[s.Shndx].Kind
		if _, constant := link.BankOf(in.SectionType); !constant || m.OwnerOf(&m.Sections[s.Shndx]) == nil {
			return key, in, false
		}
		return link.ObservedKey{Sec: link.PlaceOf{Mod: m, Section: s.Shndx}}, in, true
	case id == nil || id.Function() || id.Image():
		return key, in, false
	case id.Space() == cuda.STOShared:
		in.SectionType = cuda.SHTCudaShared
		if key.ID = id; id.ExternShared() {
			key.Code = code
		}
		if id.Def != nil {
			in.Slot = uint32(id.Def.Value)
		}
		return key, in, !c.Relocatable
	case id.Def == nil || id.Def.Special:
		return key, in, false
	}
	in.SectionType = id.Mod.Sections[id.Def.Shndx].Kind
	if _, constant := link.BankOf(in.SectionType); !constant {
		return key, in, false
	}
	key.ID = id
	return key, in, true
}

// hintKey names what a field tells of in a way that both sides of a file share:
// symbols have the same indices on both.
type hintKey struct {
	module, symbol, code int
}

func (c *Places) hintKeyOf(m *link.Module, r image.Record, key link.ObservedKey) hintKey {
	h := hintKey{module: m.Number, symbol: int(r.Symbol)}
	if key.Code != nil {
		h.code = int(link.SymbolOf(key.Code.Section.Info))
	}
	return h
}

func (c *Places) keepHint(m *link.Module, r image.Record, key link.ObservedKey, at uint64) {
	if c.Hints == nil {
		c.Hints = map[hintKey]uint64{}
	}
	c.Hints[c.hintKeyOf(m, r, key)] = at
}

func (c *Places) hint(m *link.Module, r image.Record, key link.ObservedKey) (uint64, bool) {
	if c.Side != image.MercurySide {
		return 0, false
	}
	at, known := c.Hints[c.hintKeyOf(m, r, key)]
	return at, known
}
