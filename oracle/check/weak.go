package check

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
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
	mod    *module
	symbol *symbol
}

// chooseWeak finds the definitions that the output has.
func (c *check) chooseWeak() error {
	c.chosen = map[string]*module{}
	if c.sass != nil {
		for name, m := range c.sass.chosen {
			c.chosen[name] = c.modules[m.number]
		}
		return nil
	}
	found, strong := map[string][]candidate{}, map[string]bool{}
	var names []string
	c.definitions(func(m *module, s *symbol) {
		if s.bind() == cuda.STBWeak {
			if found[s.name] == nil {
				names = append(names, s.name)
			}
			found[s.name] = append(found[s.name], candidate{m, s})
		}
	})
	if len(names) == 0 {
		return nil
	}
	c.definitions(func(_ *module, s *symbol) {
		if s.bind() != cuda.STBWeak && found[s.name] != nil {
			strong[s.name] = true
		}
	})
	if err := c.findHomes(); err != nil {
		return err
	}
	var symbols map[string]*symbol
	for _, name := range names {
		list := found[name]
		if len(list) < 2 || strong[name] {
			continue
		}
		if symbols == nil {
			symbols = map[string]*symbol{}
			for i := range c.out.symbols {
				if s := &c.out.symbols[i]; s.bind() != cuda.STBLocal && s.defined() && !s.special {
					symbols[s.name] = s
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
func (c *check) definitions(visit func(m *module, s *symbol)) {
	for _, m := range c.modules {
		for i := range m.symbols {
			if s := &m.symbols[i]; s.defined() && !s.special && s.bind() != cuda.STBLocal && s.kind() != cuda.STTSection {
				visit(m, s)
			}
		}
	}
}

// chooseAmong takes the candidate that is most like the output's definition, of
// equals nvlink's choice.
func (c *check) chooseAmong(list []candidate, s *symbol, symbols map[string]*symbol) error {
	best := 0
	for i := range list {
		if list[i].before(&list[best], c.release) {
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
	c.chosen[list[best].symbol.name] = list[best].mod
	if b := list[best].mod.bodies[list[best].symbol.shndx]; s != nil && b != nil {
		if err := c.strangers(b, &c.out.sections[s.shndx], nil, true); err != nil {
			return err
		}
	}
	if best != habit {
		c.verdict.habit(Finding{Kind: CodeBytes, File: list[best].mod.name, Symbol: list[best].symbol.name, Want: list[habit].mod.name, Got: list[best].mod.name, Detail: "which of several weak definitions was taken"})
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
	a, b := x.mod.bodies[x.symbol.shndx], y.mod.bodies[y.symbol.shndx]
	if a == nil || b == nil {
		return false
	}
	if p, q := a.registers(release), b.registers(release); p != q {
		return p < q
	}
	return x.mod.target() > y.mod.target()
}

// target is the SM of an input's PTX: of its note, of older objects in the flags.
func (m *module) target() uint64 { return m.objectSM() }

// unlike counts how much a definition differs from the output's.
func (c *check) unlike(x *candidate, s *symbol, symbols map[string]*symbol) (int, error) {
	to := &c.out.sections[s.shndx]
	from := &x.mod.sections[x.symbol.shndx]
	size := x.symbol.size
	if x.symbol.kind() == cuda.STTFunc {
		size = from.size
	}
	if err := c.budget.spend(x.mod.name, 1+size/8); err != nil {
		return 0, err
	}
	if b := x.mod.bodies[x.symbol.shndx]; x.symbol.kind() == cuda.STTFunc {
		if b == nil {
			return 1 << 30, nil
		}
		unlike, shift := 0, 0
		if c.out.side != whole {
			shift = 6
		}
		err := c.strangers(b, to, &unlike, false)
		return c.unlikeCode(b, to) + c.unlikeAttributes(b, to)<<shift + min(unlike, 60), err
	}
	if (from.body == nil) != (to.body == nil) {
		return 1 << 10, nil
	}
	unlike := 0
	if from.body != nil && !x.mod.alike(from, x.symbol.value, size, to.body, s.value) {
		unlike = 1 << 10
	}
	names := c.out.namesAt(to.index)
	for _, i := range x.mod.relocsOf[from.index] {
		for _, r := range x.mod.relocs[i].list {
			if r.offset < x.symbol.value || r.offset-x.symbol.value >= size {
				continue
			}
			if said, there := names[s.value+r.offset-x.symbol.value]; there && !said.same(x.mod.namedBy(from, r)) || there != c.staysIn(x.mod, r) {
				unlike += 1 << 8
			}
		}
		if err := c.budget.spend(x.mod.name, uint64(len(x.mod.relocs[i].list))); err != nil {
			return 0, err
		}
	}
	// Of equal objects the one counts whose neighbours are where they would be.
	base := s.value - x.symbol.value
	if s.value < x.symbol.value || from.align > 1 && base%from.align != 0 || base > to.size || from.size > to.size-base {
		return unlike + 1<<8, nil
	}
	if from.body != nil && !x.mod.alike(from, 0, from.size, to.body, base) {
		unlike += 1 << 7
	}
	for i := range x.mod.symbols {
		n := &x.mod.symbols[i]
		if n.special || n.shndx != x.symbol.shndx || n.bind() == cuda.STBLocal || n.kind() == cuda.STTSection {
			continue
		}
		if o := symbols[n.name]; o == nil || o.shndx != s.shndx || o.value != base+n.value {
			unlike++
		}
	}
	return unlike, c.budget.spend(x.mod.name, uint64(len(x.mod.symbols))/8)
}

// staysIn reports whether a record of data is one that the driver carries out.
func (c *check) staysIn(m *module, r record) bool {
	s := &m.symbols[r.symbol]
	kind := oracle.Global
	if s.kind() == cuda.STTFunc {
		kind = oracle.Function
	} else if m.inBank(s) || !s.defined() && c.constantNames()[s.name] {
		kind = oracle.Constant
	}
	d, err := oracle.DispositionOf(r.kind, kind, c.release, c.sm)
	return err != nil || d.Action != oracle.Patches || c.relocatable
}

// inBank reports whether a symbol is defined in a constant bank.
func (m *module) inBank(s *symbol) bool {
	if !s.defined() || s.special {
		return false
	}
	_, constant := bank(&m.sections[s.shndx])
	return constant
}

// constantNames are the names that some input defines in a constant bank.
func (c *check) constantNames() map[string]bool {
	if c.constants == nil {
		c.constants = map[string]bool{}
		c.definitions(func(m *module, s *symbol) {
			if m.inBank(s) {
				c.constants[s.name] = true
			}
		})
	}
	return c.constants
}

// unlikeAttributes counts, up to seven, the output's attributes of a function that are not
// those of a definition and the reverse, but for places in code that was made anew.
func (c *check) unlikeAttributes(b *body, to *section) int {
	count := map[string]int{}
	counts := func(a attribute) bool {
		return !namesSymbol(a.attr) && !listsSymbols(a.attr) && (c.out.side == whole || !countsWords(a.attr))
	}
	key := func(a attribute) string { return string([]byte{byte(a.format), byte(a.attr)}) + string(a.value) }
	add := func(list []attribute, n int) {
		for _, a := range list {
			if counts(a) {
				count[key(a)] += n
			}
		}
	}
	add(b.attributes(), 1)
	add(c.out.attributesOf(to.index), -1)
	if c.out.side != whole {
		add(b.mod.mercuryAttributes(b.section.index, c.budget), 1)
		add(c.out.mercuryAttributes(to.index, c.budget), -1)
	}
	unlike := 0
	for _, n := range count {
		unlike += max(n, -n)
	}
	return min(unlike, 7)
}

// attributesOf are the records of .nv.info for a section of code.
func (o *output) attributesOf(code int) []attribute {
	if o.infoOf == nil {
		o.infoOf = map[int][]attribute{}
		for i, list := range o.infos {
			if n := int(o.sections[i].info); n != 0 {
				o.infoOf[n] = append(o.infoOf[n], list...)
			}
		}
	}
	return o.infoOf[code]
}

// unlikeCode counts the words of a function that differ, and whether its capsule
// does.
func (c *check) unlikeCode(b *body, to *section) int {
	if c.out.side == whole {
		return b.unlikeBytes(to) << 8
	}
	_, unlike := b.mapCode(to.body)
	unlike <<= 10
	p, q := b.mod.capsuleFor(b.section.index), c.out.capsuleFor(to.index)
	if p == nil || q == nil || len(p.body) < 4 || len(q.body) < 4 {
		return unlike
	}
	differ := max(len(p.body), len(q.body)) - min(len(p.body), len(q.body))
	for i := 4; i < min(len(p.body), len(q.body)); i++ {
		if p.body[i] != q.body[i] {
			differ++
		}
	}
	return unlike + min(differ, 1<<6-1)
}

// unlikeBytes counts the words of eight bytes that differ, but for fields: up to
// sm_90 code is scheduled for good.
func (b *body) unlikeBytes(to *section) int {
	const width = 8
	long, short := max(b.section.size, to.size), min(b.section.size, to.size)
	unlike := int((long - short) / width)
	for at := uint64(0); at+width <= short; at += width {
		if !b.mod.alike(b.section, at, width, to.body, at) {
			unlike++
		}
	}
	return unlike
}

// capsuleFor is the capsule of a section of SASS.
func (f *image) capsuleFor(index int) *section {
	if f.capsuleOf == nil {
		f.capsuleOf = map[int]*section{}
		for i := range f.all {
			if s := &f.all[i]; s.kind == cuda.SHTCudaCapmerc {
				f.capsuleOf[int(word(s.body, 0))] = s
			}
		}
	}
	return f.capsuleOf[index]
}
