package resolve

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Which of several weak definitions the output has.
//
// The language says that they are the same, so any of them is right, but it must
// be one of them and whole. The output tells: the definition whose bytes are most
// like its own counts. That nvlink takes the function with fewer registers, of
// equals the one whose .target is higher, then the first, is its habit.
//
// Source: links of weak functions and objects by nvlink 11.8.89 to 13.0.88.

// candidate is one weak definition.
type candidate struct {
	mod    *link.Module
	symbol *image.Symbol
}

// chooseWeak finds the definitions that the output has.
func (c *Resolved) chooseWeak() error {
	c.Chosen = map[string]*link.Module{}
	if c.Sass != nil {
		for name, m := range c.Sass.Chosen {
			c.Chosen[name] = c.Modules[m.Number]
		}
		return nil
	}
	found, strong := map[string][]candidate{}, map[string]bool{}
	var names []string
	c.definitions(func(m *link.Module, s *image.Symbol) {
		if s.Bind() == cuda.STBWeak {
			if found[s.Name] == nil {
				names = append(names, s.Name)
			}
			found[s.Name] = append(found[s.Name], candidate{m, s})
		}
	})
	if len(names) == 0 {
		return nil
	}
	c.definitions(func(_ *link.Module, s *image.Symbol) {
		if s.Bind() != cuda.STBWeak && found[s.Name] != nil {
			strong[s.Name] = true
		}
	})
	if err := c.findHomes(); err != nil {
		return err
	}
	var symbols map[string]*image.Symbol
	for _, name := range names {
		list := found[name]
		if len(list) < 2 || strong[name] {
			continue
		}
		if symbols == nil {
			symbols = map[string]*image.Symbol{}
			for i := range c.Out.Symbols {
				if s := &c.Out.Symbols[i]; s.Bind() != cuda.STBLocal && s.Defined() && !s.Special {
					symbols[s.Name] = s
				}
			}
		}
		if err := c.chooseAmong(list, symbols[name], symbols); err != nil {
			return err
		}
	}
	return nil
}

// definitions visits the symbols that define a name for all inputs.
func (c *Resolved) definitions(visit func(m *link.Module, s *image.Symbol)) {
	for _, m := range c.Modules {
		for i := range m.Symbols {
			if s := &m.Symbols[i]; s.Defined() && !s.Special && s.Bind() != cuda.STBLocal && s.Kind() != cuda.STTSection {
				visit(m, s)
			}
		}
	}
}

// chooseAmong takes the candidate that is most like the output's definition, of
// equals nvlink's choice.
func (c *Resolved) chooseAmong(list []candidate, s *image.Symbol, symbols map[string]*image.Symbol) error {
	best := 0
	for i := range list {
		if list[i].before(&list[best], c.Release) {
			best = i
		}
	}
	habit := best
	if s != nil {
		least := -1
		for _, i := range append([]int{habit}, upTo(len(list))...) {
			unlike, err := c.unlike(&list[i], s, symbols)
			if err != nil {
				return err
			}
			if least < 0 || unlike < least {
				best, least = i, unlike
			}
			if least == 0 {
				break
			}
		}
	}
	c.Chosen[list[best].symbol.Name] = list[best].mod
	if b := list[best].mod.Bodies[list[best].symbol.Shndx]; s != nil && b != nil {
		if err := c.strangers(b, &c.Out.Sections[s.Shndx], nil, true); err != nil {
			return err
		}
	}
	if best != habit {
		c.Verdict.Habit(verdict.Finding{Kind: verdict.CodeBytes, File: list[best].mod.Name, Symbol: list[best].symbol.Name, Want: list[habit].mod.Name, Got: list[best].mod.Name, Detail: "which of several weak definitions was taken"})
	}
	return nil
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// before reports whether nvlink prefers a function to another.
func (x *candidate) before(y *candidate, release oracle.Release) bool {
	a, b := x.mod.Bodies[x.symbol.Shndx], y.mod.Bodies[y.symbol.Shndx]
	if a == nil || b == nil {
		return false
	}
	if p, q := a.Registers(release), b.Registers(release); p != q {
		return p < q
	}
	return x.mod.ObjectSM() > y.mod.ObjectSM()
}

// target is the SM of an input's PTX: of its note, of older objects in the flags.

// unlike counts how much a definition differs from the output's.
func (c *Resolved) unlike(x *candidate, s *image.Symbol, symbols map[string]*image.Symbol) (int, error) {
	to := &c.Out.Sections[s.Shndx]
	from := &x.mod.Sections[x.symbol.Shndx]
	size := x.symbol.Size
	if x.symbol.Kind() == cuda.STTFunc {
		size = from.Size
	}
	if err := c.Budget.Spend(x.mod.Name, 1+size/8); err != nil {
		return 0, err
	}
	if b := x.mod.Bodies[x.symbol.Shndx]; x.symbol.Kind() == cuda.STTFunc {
		if b == nil {
			return 1 << 30, nil
		}
		unlike, shift := 0, 0
		if c.Out.Side != image.Whole {
			shift = 6
		}
		err := c.strangers(b, to, &unlike, false)
		return c.unlikeCode(b, to) + c.unlikeAttributes(b, to)<<shift + min(unlike, 60), err
	}
	if (from.Body == nil) != (to.Body == nil) {
		return 1 << 10, nil
	}
	unlike := 0
	if from.Body != nil && !x.mod.Alike(from, x.symbol.Value, size, to.Body, s.Value) {
		unlike = 1 << 10
	}
	names := c.Out.NamesAt(to.Index)
	for _, i := range x.mod.RelocsOf[from.Index] {
		for _, r := range x.mod.Relocs[i].List {
			if r.Offset < x.symbol.Value || r.Offset-x.symbol.Value >= size {
				continue
			}
			if said, there := names[s.Value+r.Offset-x.symbol.Value]; there && !said.Same(x.mod.NamedBy(from, r)) || there != c.staysIn(x.mod, r) {
				unlike += 1 << 8
			}
		}
		if err := c.Budget.Spend(x.mod.Name, uint64(len(x.mod.Relocs[i].List))); err != nil {
			return 0, err
		}
	}
	// Of equal objects the one counts whose neighbours are where they would be.
	base := s.Value - x.symbol.Value
	if s.Value < x.symbol.Value || from.Align > 1 && base%from.Align != 0 || base > to.Size || from.Size > to.Size-base {
		return unlike + 1<<8, nil
	}
	if from.Body != nil && !x.mod.Alike(from, 0, from.Size, to.Body, base) {
		unlike += 1 << 7
	}
	unlike += x.unlikeAround(s, symbols, base)
	return unlike, c.Budget.Spend(x.mod.Name, uint64(len(x.mod.Symbols))/8)
}

// unlikeAround is how many of an object's neighbours lie elsewhere in the output, if its section begins at base.
func (x *candidate) unlikeAround(s *image.Symbol, symbols map[string]*image.Symbol, base uint64) (unlike int) {
	for i := range x.mod.Symbols {
		n := &x.mod.Symbols[i]
		if n.Special || n.Shndx != x.symbol.Shndx || n.Bind() == cuda.STBLocal || n.Kind() == cuda.STTSection {
			continue
		}
		if o := symbols[n.Name]; o == nil || o.Shndx != s.Shndx || o.Value != base+n.Value {
			unlike++
		}
	}
	return unlike
}

// staysIn reports whether a record of data is one that the driver applies.
func (c *Resolved) staysIn(m *link.Module, r image.Record) bool {
	s := &m.Symbols[r.Symbol]
	kind := oracle.Global
	if s.Kind() == cuda.STTFunc {
		kind = oracle.Function
	} else if inBank(m, s) || !s.Defined() && c.constantNames()[s.Name] {
		kind = oracle.Constant
	}
	d, err := oracle.DispositionOf(r.Kind, kind, c.Release, c.SM)
	return err != nil || d.Action != oracle.Patches || c.Relocatable
}

// inBank reports whether a symbol is defined in a constant bank.
func inBank(m *link.Module, s *image.Symbol) bool {
	if !s.Defined() || s.Special {
		return false
	}
	_, constant := link.Bank(&m.Sections[s.Shndx])
	return constant
}

// constantNames are the names that some input defines in a constant bank.
func (c *Resolved) constantNames() map[string]bool {
	if c.constants == nil {
		c.constants = map[string]bool{}
		c.definitions(func(m *link.Module, s *image.Symbol) {
			if inBank(m, s) {
				c.constants[s.Name] = true
			}
		})
	}
	return c.constants
}

// unlikeAttributes counts, up to seven, the output's attributes of a function that are not
// those of a definition and the reverse, but for places in code that was regenerated.
func (c *Resolved) unlikeAttributes(b *link.Body, to *image.Section) int {
	count := map[string]int{}
	counts := func(a image.Attribute) bool {
		return !image.NamesSymbol(a.Attr) && !image.ListsSymbols(a.Attr) && (c.Out.Side == image.Whole || !link.CountsWords(a.Attr))
	}
	key := func(a image.Attribute) string { return string([]byte{byte(a.Format), byte(a.Attr)}) + string(a.Value) }
	add := func(list []image.Attribute, n int) {
		for _, a := range list {
			if counts(a) {
				count[key(a)] += n
			}
		}
	}
	add(b.Attributes(), 1)
	add(c.Out.AttributesOf(to.Index), -1)
	if c.Out.Side != image.Whole {
		add(b.Mod.MercuryAttributes(b.Section.Index, c.Budget), 1)
		add(c.Out.MercuryAttributes(to.Index, c.Budget), -1)
	}
	unlike := 0
	for _, n := range count {
		unlike += max(n, -n)
	}
	return min(unlike, 7)
}

// unlikeCode counts the words of a function that differ, and whether its capsule
// does.
func (c *Resolved) unlikeCode(b *link.Body, to *image.Section) int {
	if c.Out.Side == image.Whole {
		return unlikeBytes(b, to) << 8
	}
	_, unlike := b.MapCode(to.Body)
	unlike <<= 10
	p, q := b.Mod.CapsuleFor(b.Section.Index), c.Out.CapsuleFor(to.Index)
	if p == nil || q == nil || len(p.Body) < 4 || len(q.Body) < 4 {
		return unlike
	}
	differ := max(len(p.Body), len(q.Body)) - min(len(p.Body), len(q.Body))
	for i := 4; i < min(len(p.Body), len(q.Body)); i++ {
		if p.Body[i] != q.Body[i] {
			differ++
		}
	}
	return unlike + min(differ, 1<<6-1)
}

// unlikeBytes counts the words of eight bytes that differ, but for fields: up to
// sm_90 code is scheduled for good.
func unlikeBytes(b *link.Body, to *image.Section) int {
	const width = 8
	long, short := max(b.Section.Size, to.Size), min(b.Section.Size, to.Size)
	unlike := int((long - short) / width)
	for at := uint64(0); at+width <= short; at += width {
		if !b.Mod.Alike(b.Section, at, width, to.Body, at) {
			unlike++
		}
	}
	return unlike
}
