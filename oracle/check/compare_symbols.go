package check

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Every symbol of the output stands for one identity, and every identity that
// reaches the output has one symbol, as its definition has it.

func (c *check) compareSymbols() error {
	for _, id := range c.ids {
		if !c.visible(id) {
			continue
		}
		if id.out == 0 {
			c.verdict.add(Finding{Kind: SymbolMissing, File: id.file, Symbol: id.name, unneeded: !id.named && !id.kernel()})
			continue
		}
		c.verdict.Symbols++
		c.compareSymbol(id, &c.out.symbols[id.out])
	}
	c.compareSectionSymbols()
	nameless := 0
	if c.release < 130 && c.keepAll {
		nameless = c.nameless
	}
	for i := range c.out.symbols {
		s := &c.out.symbols[i]
		if i == 0 {
			c.compareNullSymbol(s)
			continue
		}
		if s.kind() == cuda.STTSection || c.out.refs[i].id != nil {
			continue
		}
		if s.name == "" && s.info == byte(cuda.STTFunc) && s.other == 0 && !s.defined() && s.value == 0 && s.size == 0 && nameless > 0 {
			nameless--
			continue
		}
		c.verdict.add(Finding{Kind: SymbolStray, Symbol: s.name, unneeded: !s.defined()})
	}
	if nameless > 0 {
		c.verdict.add(Finding{Kind: SymbolMissing, Detail: "function without a name", unneeded: true})
	}
	return nil
}

// sizeOf is st_size. ptxas leaves it out for a second name of code; the
// finalizer fills it in for some. Of code that it shortened it is the new one.
func (c *check) sizeOf(id *identity, s *symbol) uint64 {
	if c.out.side == sassSide && id.code != nil {
		if first := id.first(); first != id && id.size == 0 && s.size == first.size {
			return s.size
		}
		if c.wasReworked(id) && s.value == 0 && !s.special {
			return c.out.sections[s.shndx].size
		}
	}
	return id.size
}

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
	say(SymbolBinding, uint64(info/16), uint64(s.bind()))
	say(SymbolOther, uint64(other), uint64(s.other))
	say(SymbolSize, c.sizeOf(id, s), s.size)
	want := id.at.area
	if id.code != nil {
		want = id.code.area
	}
	index := 0
	if want != nil && want.out != nil {
		index = want.out.index
	}
	if index != s.shndx {
		c.verdict.add(Finding{Kind: SymbolSection, File: id.file, Symbol: id.name, Want: c.out.sections[index].name, Got: c.sectionName(s)})
		return
	}
	if c.relocatable && id.def == nil && !id.common && !id.function() && (s.value == 1<<64-1 || id == c.instance) {
		return // all ones are written for some that nobody defines
	}
	say(SymbolValue, c.symbolValue(id), s.value)
}

// symbolValue is st_value: the offset, and from sm_90 on for shared memory the
// reserved kilobyte more (for arrays of unknown length only if others share).
func (c *check) symbolValue(id *identity) uint64 {
	if c.preserve && !c.debug && id.externShared() && !c.relocatable {
		return c.reserved - 1
	}
	if id.def == nil && !id.common && id.space() != cuda.STOShared {
		return id.foreign
	}
	if id.space() == cuda.STOShared && !c.relocatable && (!id.externShared() || len(c.shared.multi) > 0 || c.out.side == sassSide) {
		return id.value + c.reserved
	}
	return id.value
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
	if c.out.side != whole && id.def == nil && (unified(id.name) || strings.HasPrefix(id.name, ".nv.reservedSmem.")) {
		return 16*byte(cuda.STBGlobal) + byte(cuda.STTCudaObject), other
	}
	if c.side == mercurySide && !c.relocatable && id.space() == cuda.STOShared && !id.function() && !c.forDebugger(id) {
		other |= cuda.STOInternal
	}
	if c.relocatable || c.side == mercurySide || id.function() || id.def == nil && id.early {
		return info, other
	}
	if id.kind() == cuda.STTCudaObject {
		info = info - byte(cuda.STTCudaObject) + byte(cuda.STTObject)
	}
	other %= 0x20
	if id.space() == cuda.STOShared && !c.forDebugger(id) {
		other |= cuda.STOInternal
	}
	return info, other
}

// compareSectionSymbols wants one symbol for each section that has one: all
// but empty ones, tables and attributes. It counts the symbols that stand
// before the globals as well: local ones, and weak ones that were defined when
// they were first seen, until 13.5 put those among the globals.
func (c *check) compareSectionSymbols() {
	if c.out.symtab == 0 {
		return
	}
	found := make([]int, len(c.out.sections))
	early := uint32(1)
	last := 0
	for i := range c.out.symbols {
		s := &c.out.symbols[i]
		id := c.out.refs[i].id
		switch {
		case i == 0:
		case s.kind() == cuda.STTSection && !s.special:
			found[s.shndx]++
			if name := c.out.sections[s.shndx].name; s.name != name || s.info != byte(cuda.STTSection) || s.other != 0 || s.value != 0 || s.size != 0 {
				c.verdict.add(Finding{Kind: SymbolType, Section: name, Symbol: s.name, Offset: uint64(i), Detail: "section symbol", unneeded: true})
			}
			early++
		case id != nil && id.early && (id.local || c.release < 135), id == nil && s.bind() == cuda.STBLocal:
			early++
		}
		if s.bind() == cuda.STBLocal {
			last = i
		}
	}
	for i := range c.out.sections {
		s := &c.out.sections[i]
		want := 1
		if !hasSymbol(s) || c.out.side != whole && c.emptyShared(i) || c.madeLate(s, found[i]) {
			want = 0
		}
		if found[i] < want {
			c.verdict.add(Finding{Kind: SymbolMissing, Section: s.name, Symbol: s.name, Detail: "section symbol", unneeded: true})
		} else if found[i] > want {
			c.verdict.add(Finding{Kind: SymbolStray, Section: s.name, Symbol: s.name, Detail: "section symbol", unneeded: true})
		}
	}
	if c.out.side == sassSide {
		early = uint32(last) + 1 // the finalizer counts up to the last local one
	}
	if got := c.out.sections[c.out.symtab].info; got != early || last >= int(got) {
		c.verdict.add(Finding{Kind: SymbolOrder, Section: c.out.sections[c.out.symtab].name, Want: hex(uint64(early)), Got: hex(uint64(got)), Detail: "first global symbol"})
	}
}

// emptyShared: the finalizer counts the reserved kilobyte after the symbols
// were made.
func (c *check) emptyShared(index int) bool {
	a := c.out.areas[index]
	return !c.relocatable && a != nil && a.kind == cuda.SHTCudaShared && c.out.sections[index].size == reservedShared
}

// madeLate reports whether a section of a relocatable output may be one that
// the layout made and no input has; such have no symbol.
func (c *check) madeLate(s *section, found int) bool {
	a := c.out.areas[s.index]
	return c.relocatable && a != nil && (a.late || a.roomy && found == 0)
}

func hasSymbol(s *section) bool {
	switch s.kind {
	case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaInfo,
		cuda.SHTCudaResolvedRela, cuda.SHTCudaCompat:
		return false
	}
	return s.size > 0
}
