package selfcheck

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Symbols. .nv.merc.symtab has the entries of .symtab in the same order, so
// that an index means the same in both; .symtab goes on with the section
// symbols of .nv.constant0.*. The names are equal but for constant banks. A
// function's value and size count Mercury bytes; shared memory starts at
// 0x400 in the SASS side of an image, at 0 in Mercury.

const (
	// sharedBase is what the system reserves before a kernel's own shared memory.
	sharedBase = 0x400
	// reservedBase is the same within .nv.shared.reserved.0.
	reservedBase = 0x40
)

// reservedName begins the names of the limits of reserved shared memory.
const reservedName = ".nv.reservedSmem."

// systemValues is the values in .symtab of undefined symbols that the system
// gives a value; in Mercury they have 0.
var systemValues = map[string]uint64{
	reservedName + "offset0": reservedBase,
	reservedName + "cap":     sharedBase,
	tensorColumns:            512,
}

// tensorColumns is the columns of a chip's tensor memory: 512, of sm_107 576.
// Source: five files of 13.4 for sm_107a.
const (
	tensorColumns    = "__tcgen05_tmem_max_col_size"
	tensorColumns107 = 576
)

const externShared = "externsharedinstance"

// constant0 begins the names of the section symbols that only .symtab has.
const constant0 = ".nv.constant0."

func (c *checker) symbols() {
	sass, merc := &c.m.SASS, &c.m.Merc
	if merc.Index == 0 || sass.Index == 0 {
		return
	}
	n := min(len(sass.List), len(merc.List))
	for i := 1; i < n; i++ {
		c.symbol(uint32(i), &sass.List[i], &merc.List[i])
	}
	for i := n; i < len(merc.List); i++ {
		c.add(Text, Count, merc.Index, uint64(i)*cubin.SymbolSize, "symbol "+merc.List[i].Name, "a counterpart in .symtab", "none")
	}
	for i := n; i < len(sass.List); i++ {
		if s := &sass.List[i]; s.Type() != cuda.STTSection || !strings.HasPrefix(s.Name, constant0) {
			c.add(Text, Count, sass.Index, uint64(i)*cubin.SymbolSize, "symbol "+s.Name, "a counterpart in .nv.merc.symtab", "none")
		}
	}
	c.locals(sass)
	c.locals(merc)
	c.owners()
}

// locals checks sh_info of a symbol table: the index after the last LOCAL
// symbol, wherever other symbols stand. nvlink -r counts as local the weak
// symbols it makes for external shared memory.
func (c *checker) locals(t *capsule.Symbols) {
	n := lastLocal(t.List)
	for n < len(t.List) && t.List[n].Name == externShared {
		n++
	}
	if c.old {
		// Up to 12.9 the symbols that only .symtab has are not counted.
		k := len(t.List)
		for k > 0 && t.List[k-1].Type() == cuda.STTSection && strings.HasPrefix(t.List[k-1].Name, constant0) {
			k--
		}
		if k = lastLocal(t.List[:k]); t.Locals == k {
			return
		}
	}
	c.number(Text, Metadata, t.Index, 0, "sh_info, the number of local symbols", uint64(n), uint64(t.Locals))
}

// lastLocal returns the index after the last LOCAL symbol.
func lastLocal(list []capsule.Symbol) int {
	n := len(list)
	for n > 0 && list[n-1].Binding() != cuda.STBLocal {
		n--
	}
	return n
}

// owners checks that the symbol that a text and its capsule name is the function's.
func (c *checker) owners() {
	for i := range c.m.Funcs {
		fn := &c.m.Funcs[i]
		s := c.m.SASS.At(fn.Symbol)
		if s == nil || s.Type() != cuda.STTFunc || int(s.Section) != fn.Text || s.Value != 0 {
			c.add(Text, Metadata, fn.Capsule, 0, "sh_info", "the symbol of "+fn.Name, fmt.Sprint("symbol ", fn.Symbol))
		}
		c.number(Text, Metadata, fn.Text, 0, "sh_info", uint64(fn.Symbol), uint64(c.m.Sections[fn.Text].Info))
	}
}

func (c *checker) symbol(i uint32, s, t *capsule.Symbol) {
	at := uint64(i) * cubin.SymbolSize
	index := c.m.SASS.Index
	if want := sassSymbolName(t.Name, s.Name); want != s.Name {
		c.add(Text, Metadata, index, at, "symbol name", want, s.Name)
		return
	}
	info, other := t.Info, t.Other
	if c.image() && t.Type() == cuda.STTCudaObject && !strings.HasPrefix(t.Name, reservedName) {
		info = t.Info&0xf0 | uint8(cuda.STTObject)
		other &^= cuda.STOSpace
	}
	c.symbolField(i, s, "st_info", uint64(info), uint64(s.Info))
	c.symbolField(i, s, "st_other", uint64(other), uint64(s.Other))
	c.symbolSection(i, s, t)
	if fn := c.m.FuncOf(t.Section); fn != nil && t.Type() == cuda.STTFunc {
		c.funcSymbol(i, fn, s, t)
		return
	}
	c.symbolField(i, s, "st_size", t.Size, s.Size)
	c.symbolField(i, s, "st_value", c.dataValue(t), s.Value)
	if s.Type() == cuda.STTObject && s.Defined() && int(s.Section) < len(c.m.Sections) {
		if room := c.m.Sections[s.Section].Size; (s.Value > room || s.Size > room-s.Value) && !c.behindShared(s) {
			c.add(Text, Metadata, index, at+8, "end of symbol "+s.Name, "in its section, at most "+hex(room), hex(s.Value+s.Size))
		}
	}
}

// debugShared is the section in which -g shows shared variables.
const debugShared = ".nv_debug.shared"

// behindShared reports whether a symbol is that of shared memory whose size the launch tells: with -g 12.8 puts
// it after the kernel with the most, whose size is not that of the section.
//
// Source: two links by nvJitLink 12.8.93.
func (c *checker) behindShared(s *capsule.Symbol) bool {
	return c.old && s.Size == 0 && c.m.Sections[s.Section].Name == debugShared
}

// sassSymbolName returns what .symtab calls a symbol of .nv.merc.symtab. 13.5
// has the Mercury names of constant banks in both.
func sassSymbolName(merc, sass string) string {
	if merc == sass {
		return merc
	}
	switch {
	case merc == ".nv.constant.user":
		return ".nv.constant3"
	case merc == ".nv.constant.pic":
		return ".nv.constant4"
	}
	if f, ok := strings.CutPrefix(merc, ".nv.constant.optimizer."); ok {
		return ".nv.constant2." + f
	}
	if f, ok := strings.CutPrefix(merc, imageHeaders); ok {
		return constant0 + f
	}
	return merc
}

// symbolSection compares the sections that two symbols are in.
func (c *checker) symbolSection(i uint32, s, t *capsule.Symbol) {
	want := s.Section
	if s.Defined() {
		if counterpart := c.m.Counterpart(int(s.Section)); counterpart != 0 {
			want = uint32(counterpart)
		} else if name, ok := strings.CutPrefix(t.Name, imageHeaders); ok && c.sectionName(s.Section) == constant0+name {
			return
		}
	}
	if want != t.Section {
		c.number(Text, Metadata, c.m.Merc.Index, uint64(i)*cubin.SymbolSize, "section of symbol "+s.Name, uint64(want), uint64(t.Section))
	}
}

// symbolFields is where the fields of a symbol that are compared are in it, and their sizes.
var symbolFields = map[string]struct {
	at    uint64
	width int
}{"st_info": {4, 1}, "st_other": {5, 1}, "st_value": {8, 8}, "st_size": {16, 8}}

// symbolField compares a field of a symbol in .symtab with what it should be.
func (c *checker) symbolField(i uint32, s *capsule.Symbol, name string, expected, found uint64) {
	if expected != found {
		f := symbolFields[name]
		c.field(Text, Metadata, c.m.SASS.Index, uint64(i)*cubin.SymbolSize+f.at, f.width, name+" of symbol "+s.Name, expected, found)
	}
}

// dataValue returns the value in .symtab of a symbol that is no function.
func (c *checker) dataValue(t *capsule.Symbol) uint64 {
	if value, ok := systemValues[t.Name]; ok {
		if t.Name == tensorColumns && c.sm == 107 {
			return tensorColumns107
		}
		return value
	}
	if !c.image() {
		return t.Value
	}
	switch t.Other & cuda.STOSpace {
	case cuda.STOShared:
		return t.Value + sharedBase
	case cuda.STOReservedShared:
		return t.Value + reservedBase
	}
	return t.Value
}

// funcSymbol compares a function's place: where it begins and ends in Mercury,
// taken through the node map.
func (c *checker) funcSymbol(i uint32, fn *capsule.Func, s, t *capsule.Symbol) {
	if fn.Cap == nil {
		return
	}
	if len(fn.Unsized) > 0 {
		c.leave(exUnsized)
		return
	}
	index, at := c.m.SASS.Index, uint64(i)*cubin.SymbolSize
	value, ok := sassBoundary(fn.Cap, t.Value)
	if !ok {
		c.add(Text, Metadata, c.m.Merc.Index, at, "st_value of symbol "+t.Name, "the start of a node", hex(t.Value))
		return
	}
	c.symbolField(i, s, "st_value", value, s.Value)
	if t.Size == 0 && c.isAlias(fn, t) {
		// The tools keep an alias of no size or give it that of its function.
		if s.Size != 0 && s.Size != uint64(len(fn.Code)) {
			c.number(Text, Metadata, index, at, "st_size of symbol "+s.Name, 0, s.Size)
		}
		return
	}
	if c.stub(fn) { // padding fills its entry of the table, which isn't Mercury in all releases
		c.symbolField(i, s, "st_size", uint64(len(fn.Code)), s.Size)
		if t.Size != uint64(len(fn.Code)) && t.Size != uint64(fn.Cap.MercSize) {
			c.number(Text, Metadata, c.m.Merc.Index, at, "st_size of symbol "+t.Name, uint64(fn.Cap.MercSize), t.Size)
		}
		return
	}
	end, ok := sassBoundary(fn.Cap, t.Value+t.Size)
	if !ok {
		c.add(Text, Metadata, c.m.Merc.Index, at, "end of symbol "+t.Name, "the start of a node", hex(t.Value+t.Size))
		return
	}
	c.symbolField(i, s, "st_size", end-value, s.Size)
	if t.Value == 0 && t.Size != uint64(fn.Cap.MercSize) {
		c.number(Text, Metadata, c.m.Merc.Index, at, "st_size of symbol "+t.Name, uint64(fn.Cap.MercSize), t.Size)
	}
}

// isAlias reports whether a symbol is another name of a function that has its own.
func (c *checker) isAlias(fn *capsule.Func, t *capsule.Symbol) bool {
	own := c.m.Merc.At(fn.Symbol)
	return own != nil && own != t && own.Section == t.Section && own.Value == t.Value
}

// aliased reports whether a symbol is that of a function with another name.
func (c *checker) aliased(i uint32) bool {
	s := c.m.Merc.At(i)
	if s == nil {
		return false
	}
	fn := c.m.FuncOf(s.Section)
	if fn == nil {
		return false
	}
	if c.names == nil {
		c.names = map[place]int{}
		for k := range c.m.Merc.List {
			if x := &c.m.Merc.List[k]; x.Type() == cuda.STTFunc {
				c.names[place{x.Section, x.Value}]++
			}
		}
	}
	return c.names[place{s.Section, s.Value}] > oneIfFunc(s)
}

// oneIfFunc returns the number of functions that a symbol itself is.
func oneIfFunc(s *capsule.Symbol) int {
	if s.Type() == cuda.STTFunc {
		return 1
	}
	return 0
}

// place is a place in a section.
type place struct {
	section uint32
	value   uint64
}

// nopBefore reports whether a SASS offset is that of a SKIP right before node
// k, which begins at a Mercury offset: a SKIP takes no Mercury, so both have that
// offset, and a branch in SASS may go to either.
func nopBefore(p *capsule.Capsule, k int, merc, sass uint64) bool {
	if k < 0 || uint64(p.Node(k).Merc) != merc {
		return false
	}
	for k--; k >= 0 && p.Node(k).Kind == capsule.Skip; k-- {
		if uint64(p.Node(k).SASS) == sass {
			return true
		}
	}
	return false
}

// nearBoundary is sassBoundary for a branch target, of which the SASS side has
// found: where both mean the same, that is returned.
func nearBoundary(p *capsule.Capsule, merc, found uint64) (uint64, bool) {
	if merc < uint64(p.MercSize) && nopBefore(p, p.AtMerc(uint32(merc)), merc, found) {
		return found, true
	}
	return sassBoundary(p, merc)
}

// sassBoundary returns the SASS offset of a Mercury offset that is the start of
// a node or the end of the function.
func sassBoundary(p *capsule.Capsule, merc uint64) (uint64, bool) {
	if merc == uint64(p.MercSize) {
		return uint64(p.SASSSize()), true
	}
	if merc > uint64(p.MercSize) {
		return 0, false
	}
	sass, at, _ := p.Place(uint32(merc))
	return uint64(sass), uint64(at) == merc
}
