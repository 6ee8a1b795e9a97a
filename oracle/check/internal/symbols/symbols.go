package symbols

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Every symbol of the output stands for one identity, and every identity that
// reaches the output has one symbol, as its definition has it.

func (c *check) compareSymbols() error {
	for _, id := range c.IDs {
		if id.Out != 0 {
			c.Verdict.Symbols++
			c.compareSymbol(id, &c.Out.Symbols[id.Out])
			continue
		}
		if c.Required(id) {
			// What has no name and is reached by no record runs all the same;
			// the driver finds kernels and variables by name.
			unneeded := !id.Named && !id.Kernel() && (id.Function() || id.Local || id.Def == nil && !id.Common)
			c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolMissing, File: id.File, Symbol: id.Name, Unneeded: unneeded})
		}
	}
	c.compareSectionSymbols()
	for i := range c.Out.Symbols {
		s := &c.Out.Symbols[i]
		if i == 0 {
			c.compareNullSymbol(s)
			continue
		}
		if s.Kind() == cuda.STTSection || c.Out.Refs[i].ID != nil {
			continue
		}
		// nvlink 12.x writes functions without a name with -g.
		unneeded := !s.Defined() || s.Kind() == cuda.STTFile
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolStray, Symbol: s.Name, Unneeded: unneeded})
	}
	return nil
}

// sizeOf is st_size. ptxas leaves it out for a second name of code; the
// finalizer fills it in for some. Of code that it shortened it is the new one.
func (c *check) sizeOf(id *link.Identity, s *image.Symbol) uint64 {
	if c.movesInside(id) {
		_, size := id.Code.Area.Span(id.Def.Value, id.Size)
		return size
	}
	if c.Out.Side == image.SassSide && id.Code != nil {
		if first := id.First(); first != id && (id.Size == 0 && s.Size == first.Size || s.Size == 0) {
			return s.Size
		}
		if c.WasReworked(id) && s.Value == 0 && !s.Special {
			return c.Out.Sections[s.Shndx].Size
		}
	}
	return id.Size
}

// movesInside reports whether a function is inside a kernel (-ewp) whose words moved.
func (c *check) movesInside(id *link.Identity) bool {
	return c.WasReworked(id) && id.Inside()
}

// TensorColumns is how many columns tensor memory has, which code for debugging reads. Nobody
// defines it: the finalizer of ptxas, from 13.3 on, gives its number to the symbol of the SASS side alone.
const TensorColumns = "__tcgen05_tmem_max_col_size"

// compareNullSymbol wants symbol 0 to be all zeros. nvlink now and then leaves
// an offset in its value.
func (c *check) compareNullSymbol(s *image.Symbol) {
	name := image.Word(c.Out.Sections[c.Out.Symtab].Body, 0)
	if name != 0 || s.Info != 0 || s.Other != 0 || s.Shndx != 0 || s.Size != 0 || s.Value > c.largest() {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolStray, Section: c.Out.Sections[c.Out.Symtab].Name, Detail: "symbol 0 is not all zeros", Unneeded: true})
	}
}

// largest is the size of the largest section.
func (c *check) largest() uint64 {
	size := uint64(0)
	for _, a := range c.Areas {
		size = max(size, a.Size)
	}
	return size
}

func (c *check) compareSymbol(id *link.Identity, s *image.Symbol) {
	say := func(kind verdict.Kind, want, got uint64) {
		if want != got {
			c.Verdict.Add(verdict.Finding{Kind: kind, File: id.File, Symbol: id.Name, Want: verdict.Hex(want), Got: verdict.Hex(got)})
		}
	}
	info, other := c.lowered(id)
	say(verdict.SymbolType, uint64(info%16), uint64(s.Kind()))
	if id.Space() != cuda.STOShared || id.Function() || c.Relocatable && id.Def != nil {
		say(verdict.SymbolBinding, uint64(info/16), uint64(s.Bind()))
	}
	if id.Space() == cuda.STOShared && !id.Function() {
		other, s = other&^cuda.STOVisibility, &image.Symbol{Name: s.Name, Info: s.Info, Other: s.Other &^ cuda.STOVisibility, Shndx: s.Shndx, Special: s.Special, Value: s.Value, Size: s.Size}
	}
	say(verdict.SymbolOther, uint64(other), uint64(s.Other))
	say(verdict.SymbolSize, c.sizeOf(id, s), s.Size)
	want := id.At
	if id.Code != nil {
		want = id.Code.Area
	}
	index := 0
	if want != nil && want.Out != nil {
		index = want.Out.Index
	}
	if id.Space() == cuda.STOShared && !id.Function() {
		c.compareSharedSymbol(id, s)
		return
	}
	if id.ConstantSize() {
		say(verdict.SymbolValue, c.ConstantBytes, s.Value)
	}
	if id.Other&cuda.STOVisibility == cuda.STOInternal && !id.Function() && (want == nil || want.Out == nil || want.Moved) {
		return // a constant of the compiler that no code reads
	}
	if index != s.Shndx {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolSection, File: id.File, Symbol: id.Name, Want: c.Out.Sections[index].Name, Got: c.sectionName(s)})
		return
	}
	if undefined := id.Def == nil && !id.Common && !id.Function(); undefined && (c.Relocatable || c.Release < 119) && s.Value == 1<<64-1 || undefined && c.Relocatable && id == c.Instance {
		return // all ones are written for some that nothing defines, by 11.8 for all
	}
	switch {
	case c.movesInside(id):
		begin, _ := id.Code.Area.Span(id.Def.Value, id.Size)
		say(verdict.SymbolValue, begin, s.Value)
	case id.Function() && id.Def != nil:
		say(verdict.SymbolValue, id.Def.Value, s.Value)
	case id.Function():
		say(verdict.SymbolValue, 0, s.Value)
	case id.Def == nil && !id.Common && id.Foreign == 1<<64-1 && s.Value == 0: // the driver's, where -r wrote all ones before
	case id.Def == nil && !id.Common:
		say(verdict.SymbolValue, id.Foreign, s.Value)
	case id.Placed:
		say(verdict.SymbolValue, id.Value, s.Value)
	}
	if other := c.otherSide(id); other != nil && other.Value != s.Value && !id.Function() && id.Other&cuda.STOVisibility != cuda.STOInternal && !id.InShared() && id.Name != TensorColumns {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolValue, File: id.File, Symbol: id.Name, Want: verdict.Hex(other.Value), Got: verdict.Hex(s.Value), Detail: "a variable that has the same address on both sides, by the symbol of the SASS side"})
	}
}

// otherSide is the symbol that the SASS side has for a name, where this is the other.
func (c *check) otherSide(id *link.Identity) *image.Symbol {
	if c.Sass == nil || id.Local {
		return nil
	}
	if other := c.Sass.Names[id.Name]; other != nil {
		return c.Sass.SymbolOf(other)
	}
	return nil
}

// compareSharedSymbol looks at the symbol of a shared variable, which a plain link
// lacks: its value is the place that the fields tell, from sm_90 on with the
// reserved kilobyte.
func (c *check) compareSharedSymbol(id *link.Identity, s *image.Symbol) {
	if s.Defined() && (s.Special || !c.holdsShared(s.Shndx)) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolSection, File: id.File, Symbol: id.Name, Want: "shared memory", Got: c.sectionName(s)})
		return
	}
	if c.Relocatable && id.Def != nil && !id.ExternShared() && s.Defined() && (s.Value < id.Align || s.Value%id.Align != 0 || s.Value&(s.Value-1) != 0) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolAlignment, File: id.File, Symbol: id.Name, Want: "a power of two, at least " + verdict.Hex(id.Align), Got: verdict.Hex(s.Value), Detail: "the final link places a shared variable by it"})
		return
	}
	at, known := c.Observed[link.ObservedKey{ID: id}]
	if !known || c.Relocatable || id.ExternShared() || !s.Defined() {
		return
	}
	if s.Value != at+c.Reserved {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolValue, File: id.File, Symbol: id.Name, Want: verdict.Hex(at + c.Reserved), Got: verdict.Hex(s.Value), Detail: "a shared variable, by the fields that refer to it"})
	}
}

// holdsShared reports whether a section of the output is shared memory.
func (c *check) holdsShared(index int) bool {
	name := c.Out.Sections[index].Name
	return image.NoBits(c.Out.Sections[index].Kind) && (strings.HasPrefix(name, ".nv.shared.") || name == ".nv_debug.shared")
}

func (c *check) sectionName(s *image.Symbol) string {
	if s.Special {
		return verdict.Hex(uint64(s.Shndx))
	}
	return c.Out.Sections[s.Shndx].Name
}

// lowered is st_info and st_other as a final image has them: no type and no
// space of their own for objects.
func (c *check) lowered(id *link.Identity) (info, other byte) {
	info, other = id.Info, id.Other
	if id.Def == nil && !id.Common && !id.Function() && id.Bind() == cuda.STBWeak && !id.Early {
		info = info%16 + 16*byte(cuda.STBGlobal)
	}
	if c.Out.Side != image.Whole && id.Def == nil && (link.Unified(id.Name) || strings.HasPrefix(id.Name, ".nv.reservedSmem.") || id.Name == TensorColumns) {
		return 16*byte(cuda.STBGlobal) + byte(cuda.STTCudaObject), other
	}
	if c.Relocatable && id.Def == nil && id.Bind() == cuda.STBLocal && id.Kind() == cuda.STTObject {
		return info - byte(cuda.STTObject) + byte(cuda.STTCudaObject), other // .nv.ptx.const0.size, see constant_size.go of package apply
	}
	if c.Relocatable || c.Side == image.MercurySide || id.Function() || id.Def == nil && id.Early {
		return info, other
	}
	if id.Kind() == cuda.STTCudaObject {
		info = info - byte(cuda.STTCudaObject) + byte(cuda.STTObject)
	}
	return info, other % 0x20
}

// compareSectionSymbols looks at the symbols of sections and at the number of the
// first global symbol: no local one may be after it. nvlink counts weak symbols
// that were defined when they were first seen among the local ones, until 13.5.
func (c *check) compareSectionSymbols() {
	if c.Out.Symtab == 0 {
		return
	}
	last, weak := 0, 0
	for i := range c.Out.Symbols {
		s := &c.Out.Symbols[i]
		if i > 0 && s.Kind() == cuda.STTSection && !s.Special {
			if name := c.Out.Sections[s.Shndx].Name; s.Name != name || s.Info != byte(cuda.STTSection) || s.Other != 0 || s.Value != 0 || s.Size != 0 {
				// A record counts from the symbol's value.
				counts := s.Value != 0 && c.Out.Recorded(uint32(i))
				c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolType, Section: name, Symbol: s.Name, Offset: uint64(i), Detail: "section symbol", Unneeded: !counts})
			}
		}
		if i > 0 && s.Kind() == cuda.STTSection && s.Special {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolSection, Symbol: s.Name, Offset: uint64(i), Got: verdict.Hex(uint64(s.Shndx)), Detail: "section symbol", Unneeded: true})
		}
		if id := c.Out.Refs[i].ID; s.Bind() == cuda.STBLocal && !c.standsBehind(s) && (id == nil || id.Space() != cuda.STOShared || id.Function()) {
			last = i // 13.5 writes shared variables as local where -g shows them
		}
	}
	got := uint64(c.Out.Sections[c.Out.Symtab].Info)
	for i := last + 1; i < len(c.Out.Symbols) && uint64(i) < got && (c.Out.Symbols[i].Bind() == cuda.STBWeak || c.Out.Symbols[i].Bind() == cuda.STBLocal); i++ {
		weak++
	}
	if got <= uint64(last) || got > uint64(last+1+weak) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SymbolOrder, Section: c.Out.Sections[c.Out.Symtab].Name, Want: verdict.Hex(uint64(last + 1)), Got: verdict.Hex(got), Detail: "first global symbol"})
	}
}

// standsBehind reports whether a symbol is that of a section to which 12.8 and 12.9 give one when all
// others have theirs: on the SASS side of files for sm_100 and up it is after the global ones.
//
// Source: 202 outputs of nvJitLink 12.8.93 and 12.9.86.
func (c *check) standsBehind(s *image.Symbol) bool {
	return c.FirstMercury() && c.Side == image.SassSide && s.Kind() == cuda.STTSection
}
