package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Every symbol of the output stands for one identity, and every identity that
// reaches the output has one symbol, as its definition has it.

func (c *check) compareSymbols() error {
	for _, id := range c.ids {
		if id.out != 0 {
			c.verdict.Symbols++
			c.compareSymbol(id, &c.out.symbols[id.out])
			continue
		}
		if c.required(id) {
			// What has no name and is reached by no record runs all the same;
			// the driver finds kernels and variables by name.
			unneeded := !id.named && !id.kernel() && (id.function() || id.local || id.def == nil && !id.common)
			c.verdict.add(Finding{Kind: SymbolMissing, File: id.file, Symbol: id.name, unneeded: unneeded})
		}
	}
	c.compareSectionSymbols()
	for i := range c.out.symbols {
		s := &c.out.symbols[i]
		if i == 0 {
			c.compareNullSymbol(s)
			continue
		}
		if s.kind() == cuda.STTSection || c.out.refs[i].id != nil {
			continue
		}
		// nvlink 12.x writes functions without a name with -g.
		unneeded := !s.defined() || s.kind() == cuda.STTFile
		c.verdict.add(Finding{Kind: SymbolStray, Symbol: s.name, unneeded: unneeded})
	}
	return nil
}

// sizeOf is st_size. ptxas leaves it out for a second name of code; the
// finalizer fills it in for some. Of code that it shortened it is the new one.
func (c *check) sizeOf(id *identity, s *symbol) uint64 {
	if c.out.side == sassSide && id.code != nil {
		if first := id.first(); first != id && (id.size == 0 && s.size == first.size || s.size == 0) {
			return s.size
		}
		if c.wasReworked(id) && s.value == 0 && !s.special {
			return c.out.sections[s.shndx].size
		}
	}
	return id.size
}

// tensorColumns is how many columns tensor memory has, which code for debugging reads. Nobody
// defines it: the finalizer of ptxas, from 13.3 on, gives its number to the symbol of the SASS side alone.
const tensorColumns = "__tcgen05_tmem_max_col_size"

// compareNullSymbol wants symbol 0 to be all zeros. nvlink now and then leaves
// an offset in its value.
func (c *check) compareNullSymbol(s *symbol) {
	name := word(c.out.sections[c.out.symtab].body, 0)
	if name != 0 || s.info != 0 || s.other != 0 || s.shndx != 0 || s.size != 0 || s.value > c.largest() {
		c.verdict.add(Finding{Kind: SymbolStray, Section: c.out.sections[c.out.symtab].name, Detail: "symbol 0 is not all zeros", unneeded: true})
	}
}

// largest is the size of the largest section.
func (c *check) largest() uint64 {
	size := uint64(0)
	for _, a := range c.areas {
		size = max(size, a.size)
	}
	return size
}

func (c *check) compareSymbol(id *identity, s *symbol) {
	say := func(kind Kind, want, got uint64) {
		if want != got {
			c.verdict.add(Finding{Kind: kind, File: id.file, Symbol: id.name, Want: hex(want), Got: hex(got)})
		}
	}
	info, other := c.lowered(id)
	say(SymbolType, uint64(info%16), uint64(s.kind()))
	if id.space() != cuda.STOShared || id.function() || c.relocatable && id.def != nil {
		say(SymbolBinding, uint64(info/16), uint64(s.bind()))
	}
	if id.space() == cuda.STOShared && !id.function() {
		other, s = other&^cuda.STOVisibility, &symbol{name: s.name, info: s.info, other: s.other &^ cuda.STOVisibility, shndx: s.shndx, special: s.special, value: s.value, size: s.size}
	}
	say(SymbolOther, uint64(other), uint64(s.other))
	say(SymbolSize, c.sizeOf(id, s), s.size)
	want := id.at
	if id.code != nil {
		want = id.code.area
	}
	index := 0
	if want != nil && want.out != nil {
		index = want.out.index
	}
	if id.space() == cuda.STOShared && !id.function() {
		c.compareSharedSymbol(id, s)
		return
	}
	if id.constantSize() {
		say(SymbolValue, c.constantBytes, s.value)
	}
	if id.other&cuda.STOVisibility == cuda.STOInternal && !id.function() && (want == nil || want.out == nil || want.moved) {
		return // a constant of the compiler that no code reads
	}
	if index != s.shndx {
		c.verdict.add(Finding{Kind: SymbolSection, File: id.file, Symbol: id.name, Want: c.out.sections[index].name, Got: c.sectionName(s)})
		return
	}
	if undefined := id.def == nil && !id.common && !id.function(); undefined && (c.relocatable || c.release < 119) && s.value == 1<<64-1 || undefined && c.relocatable && id == c.instance {
		return // all ones are written for some that nobody defines, by 11.8 for all
	}
	switch {
	case id.function() && id.def != nil:
		say(SymbolValue, id.def.value, s.value)
	case id.function():
		say(SymbolValue, 0, s.value)
	case id.def == nil && !id.common && id.foreign == 1<<64-1 && s.value == 0: // the driver's, where -r wrote all ones before
	case id.def == nil && !id.common:
		say(SymbolValue, id.foreign, s.value)
	case id.placed:
		say(SymbolValue, id.value, s.value)
	}
	if other := c.otherSide(id); other != nil && other.value != s.value && !id.function() && id.other&cuda.STOVisibility != cuda.STOInternal && !id.inShared() && id.name != tensorColumns {
		c.verdict.add(Finding{Kind: SymbolValue, File: id.file, Symbol: id.name, Want: hex(other.value), Got: hex(s.value), Detail: "a variable that both sides have at one place, by the symbol of the SASS side"})
	}
}

// inShared reports whether a variable is in shared memory, or of what the system keeps of it.
func (d *identity) inShared() bool {
	return d.space() == cuda.STOShared || d.space() == cuda.STOReservedShared || strings.HasPrefix(d.name, ".nv.reservedSmem.")
}

// otherSide is the symbol that the SASS side has for a name, where this is the other.
func (c *check) otherSide(id *identity) *symbol {
	if c.sass == nil || id.local {
		return nil
	}
	if other := c.sass.names[id.name]; other != nil {
		return c.sass.symbolOf(other)
	}
	return nil
}

// compareSharedSymbol looks at the symbol of a shared variable, which a plain link
// lacks: its value is the place that the fields tell, from sm_90 on with the
// reserved kilobyte.
func (c *check) compareSharedSymbol(id *identity, s *symbol) {
	if s.defined() && (s.special || !c.holdsShared(s.shndx)) {
		c.verdict.add(Finding{Kind: SymbolSection, File: id.file, Symbol: id.name, Want: "shared memory", Got: c.sectionName(s)})
		return
	}
	if c.relocatable && id.def != nil && !id.externShared() && s.defined() && (s.value < id.align || s.value%id.align != 0 || s.value&(s.value-1) != 0) {
		c.verdict.add(Finding{Kind: SymbolAlignment, File: id.file, Symbol: id.name, Want: "a power of two, at least " + hex(id.align), Got: hex(s.value), Detail: "the final link places a shared variable by it"})
		return
	}
	at, known := c.told[toldKey{id: id}]
	if !known || c.relocatable || id.externShared() || !s.defined() {
		return
	}
	if s.value != at+c.reserved {
		c.verdict.add(Finding{Kind: SymbolValue, File: id.file, Symbol: id.name, Want: hex(at + c.reserved), Got: hex(s.value), Detail: "a shared variable, by the fields that name it"})
	}
}

// holdsShared reports whether a section of the output is shared memory.
func (c *check) holdsShared(index int) bool {
	name := c.out.sections[index].name
	return noBits(c.out.sections[index].kind) && (strings.HasPrefix(name, ".nv.shared.") || name == ".nv_debug.shared")
}

func (c *check) sectionName(s *symbol) string {
	if s.special {
		return hex(uint64(s.shndx))
	}
	return c.out.sections[s.shndx].name
}

// lowered is st_info and st_other as a final image has them: no type and no
// space of their own for objects.
func (c *check) lowered(id *identity) (info, other byte) {
	info, other = id.info, id.other
	if id.def == nil && !id.common && !id.function() && id.bind() == cuda.STBWeak && !id.early {
		info = info%16 + 16*byte(cuda.STBGlobal)
	}
	if c.out.side != whole && id.def == nil && (unified(id.name) || strings.HasPrefix(id.name, ".nv.reservedSmem.") || id.name == tensorColumns) {
		return 16*byte(cuda.STBGlobal) + byte(cuda.STTCudaObject), other
	}
	if c.relocatable && id.def == nil && id.bind() == cuda.STBLocal && id.kind() == cuda.STTObject {
		return info - byte(cuda.STTObject) + byte(cuda.STTCudaObject), other // .nv.ptx.const0.size, see constant_size.go
	}
	if c.relocatable || c.side == mercurySide || id.function() || id.def == nil && id.early {
		return info, other
	}
	if id.kind() == cuda.STTCudaObject {
		info = info - byte(cuda.STTCudaObject) + byte(cuda.STTObject)
	}
	return info, other % 0x20
}

// recorded reports whether a record names a symbol.
func (o *output) recorded(symbol uint32) bool {
	return slices.ContainsFunc(o.lists, func(l relocs) bool {
		return slices.ContainsFunc(l.list, func(r record) bool { return r.symbol == symbol })
	})
}

// compareSectionSymbols looks at the symbols of sections and at the number of the
// first global symbol: no local one may stand behind it. nvlink counts weak symbols
// that were defined when they were first seen among the local ones, until 13.5.
func (c *check) compareSectionSymbols() {
	if c.out.symtab == 0 {
		return
	}
	last, weak := 0, 0
	for i := range c.out.symbols {
		s := &c.out.symbols[i]
		if i > 0 && s.kind() == cuda.STTSection && !s.special {
			if name := c.out.sections[s.shndx].name; s.name != name || s.info != byte(cuda.STTSection) || s.other != 0 || s.value != 0 || s.size != 0 {
				// A record counts from the symbol's value.
				counts := s.value != 0 && c.out.recorded(uint32(i))
				c.verdict.add(Finding{Kind: SymbolType, Section: name, Symbol: s.name, Offset: uint64(i), Detail: "section symbol", unneeded: !counts})
			}
		}
		if i > 0 && s.kind() == cuda.STTSection && s.special {
			c.verdict.add(Finding{Kind: SymbolSection, Symbol: s.name, Offset: uint64(i), Got: hex(uint64(s.shndx)), Detail: "section symbol", unneeded: true})
		}
		if id := c.out.refs[i].id; s.bind() == cuda.STBLocal && (id == nil || id.space() != cuda.STOShared || id.function()) {
			last = i // 13.5 writes shared variables as local where -g shows them
		}
	}
	got := uint64(c.out.sections[c.out.symtab].info)
	for i := last + 1; i < len(c.out.symbols) && uint64(i) < got && (c.out.symbols[i].bind() == cuda.STBWeak || c.out.symbols[i].bind() == cuda.STBLocal); i++ {
		weak++
	}
	if got <= uint64(last) || got > uint64(last+1+weak) {
		c.verdict.add(Finding{Kind: SymbolOrder, Section: c.out.sections[c.out.symtab].name, Want: hex(uint64(last + 1)), Got: hex(got), Detail: "first global symbol"})
	}
}
