package selfcheck

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Data: constants, initialisers, tables, and the debug sections that name no
// line or frame. A clone has the bytes of its counterpart; most share them in the
// file. Relocations have the same offset, symbol and addend on both sides, but
// for addends that are code addresses.
//
// Addresses of code inside one file need no relocation in SASS: the word holds
// the offset. Mercury has 0 there and a PROG_REL record. These are the jump
// tables of the compiler's constants and the function tables of initialisers.

// dataTypes is the R_CUDA type of each R_MERCURY type of data.
var dataTypes = sync.OnceValue(func() map[uint32]uint32 {
	m := map[uint32]uint32{
		cuda.R_MERCURY_G64:            cuda.R_CUDA_G64,
		cuda.R_MERCURY_ABS64:          cuda.R_CUDA_64,
		cuda.R_MERCURY_ABS32:          cuda.R_CUDA_32,
		cuda.R_MERCURY_UNUSED_CLEAR64: cuda.R_CUDA_UNUSED_CLEAR64,
		cuda.R_MERCURY_FUNC_DESC_64:   cuda.R_CUDA_FUNC_DESC_64,
		cuda.R_MERCURY_UNIFIED:        cuda.R_CUDA_UNIFIED,
		cuda.R_MERCURY_ABS_PROG_REL64: cuda.R_CUDA_64,
	}
	for lane := range uint32(8) {
		m[cuda.R_MERCURY_8_0+lane] = cuda.R_CUDA_8_0 + lane
		m[cuda.R_MERCURY_G8_0+lane] = cuda.R_CUDA_G8_0 + lane
		m[cuda.R_MERCURY_FUNC_DESC_8_0+lane] = cuda.R_CUDA_FUNC_DESC_8_0 + lane
		m[cuda.R_MERCURY_UNIFIED_8_0+lane] = cuda.R_CUDA_UNIFIED_8_0 + lane
	}
	return m
})

// ownPlaces reports whether the two sides of a debug section have a layout each,
// so that its relocations can't be compared by offset: frames.go and lines.go do.
func ownPlaces(name string) bool {
	switch name {
	case ".debug_frame", ".debug_line", ".nv_debug_line_sass":
		return true
	}
	return false
}

// dataRelocs compares the relocations of the sections of some kinds.
func (c *checker) dataRelocs(kinds ...Kind) {
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if s.Type != cuda.SHTMercRela || !s.Mercury() || c.m.FuncOf(s.Info) != nil || c.m.Counterpart(i) == 0 {
			continue
		}
		target := int(c.m.Sections[c.m.Counterpart(i)].Info)
		if target >= len(c.m.Sections) || ownPlaces(c.m.Sections[target].Name) || !has(kinds, kindOf(c.m.Sections[target].Name)) {
			continue
		}
		c.dataReloc(i, c.m.Counterpart(i), target)
	}
}

func (c *checker) dataReloc(clone, section, target int) {
	merc, ok := c.relocs(clone)
	if !ok {
		return
	}
	sass, ok := c.relocs(section)
	if !ok {
		return
	}
	have := map[uint64]bool{}
	for i := range sass {
		have[sass[i].Off] = true
	}
	debug := strings.HasPrefix(c.m.Sections[target].Name, ".debug")
	lost := c.lostTables(target, merc)
	var want []wanted
	for i := range merc {
		r := &merc[i]
		at := uint64(i) * cubin.RelaSize
		symbol := c.m.Merc.At(r.Symbol)
		if symbol == nil {
			c.add(Reloc, Content, clone, at+12, "symbol of a relocation", "a symbol", hex(r.Symbol))
			continue
		}
		if debug && r.Type == cuda.R_MERCURY_PROG_REL32 {
			if w, ok := c.unitReloc(clone, target, r, have, at); ok {
				want = append(want, w)
			}
			continue
		}
		if lost[r.Off] {
			c.leave(exLostTable)
			continue
		}
		if c.codeWord(clone, target, r, symbol, at) {
			continue
		}
		w := wanted{Reloc: *r, at: at}
		typ, ok := dataTypes()[r.Type]
		if w.Type = typ; !ok {
			c.add(Reloc, Metadata, clone, at+8, "type of a relocation", "one of data", relocName(r.Type))
			w.anyType = true
		}
		if r.Type == cuda.R_MERCURY_ABS_PROG_REL64 {
			if !c.codeAddend(clone, &w, symbol) {
				continue
			}
		}
		want = append(want, w)
	}
	c.matchRelocs(section, clone, want, sass, nil)
}

// codeAddend takes the addend of a code address through the node map, and
// reports whether there is such an address.
func (c *checker) codeAddend(clone int, w *wanted, symbol *capsule.Symbol) bool {
	fn := c.m.FuncOf(symbol.Section)
	if fn == nil || fn.Cap == nil {
		if symbol.Defined() {
			c.add(Reloc, Content, clone, w.at+12, "symbol of a code address", "a function", symbol.Name)
		}
		return false
	}
	if len(fn.Unsized) > 0 {
		c.leave(exUnsized)
		w.anyAddend = true
		return true
	}
	sass, ok := sassAddress(fn.Cap, uint64(w.Addend))
	if !ok {
		c.add(Reloc, Content, clone, w.at+16, "addend of a code address", "a place in "+symbol.Name, hex(uint64(w.Addend)))
	}
	w.Addend = int64(sass)
	return ok
}

// sassAddress returns the SASS offset of any Mercury offset of a function: that
// of the node that starts there, or of the next.
func sassAddress(p *capsule.Capsule, merc uint64) (uint64, bool) {
	if sass, ok := sassBoundary(p, merc); ok || merc > uint64(p.MercSize) {
		return sass, ok
	}
	n := p.Node(p.AtMerc(uint32(merc)))
	return uint64(n.SASS) + uint64(n.Span)*capsule.WordSize, true
}

// codeWord reports whether a Mercury record stands for a word that SASS holds
// resolved, and checks the word on both sides.
func (c *checker) codeWord(clone, target int, r *cubin.Reloc, symbol *capsule.Symbol, at uint64) bool {
	width := map[uint32]uint64{cuda.R_MERCURY_PROG_REL64: 8, cuda.R_MERCURY_PROG_REL32: 4}[r.Type]
	if width == 0 {
		return false
	}
	fn := c.m.FuncOf(symbol.Section)
	if fn == nil || fn.Cap == nil {
		c.add(Reloc, Content, clone, at+12, "symbol of a code address", "a function", symbol.Name)
		return true
	}
	if len(fn.Unsized) > 0 {
		c.leave(exUnsized)
		if _, ok := cubin.Window(c.m.Sections[target].Content, r.Off, width); ok {
			c.coded[target] = append(c.coded[target], span{r.Off, width})
		}
		return true
	}
	held, _ := cubin.Window(c.m.Sections[target].Content, r.Off, width)
	want, ok := nearBoundary(fn.Cap, symbol.Value+uint64(r.Addend), number(held))
	if !ok {
		c.add(Reloc, Content, clone, at+16, "addend of a code address", "the start of a node of "+symbol.Name, hex(uint64(r.Addend)))
		return true
	}
	for _, side := range [...]struct {
		section int
		want    uint64
	}{{target, want}, {c.m.Counterpart(target), 0}} {
		if c.shared(target) {
			side.want = want
		}
		b, ok := cubin.Window(c.m.Sections[side.section].Content, r.Off, width)
		if !ok {
			c.add(Reloc, Content, clone, at, "r_offset", "a place in "+c.m.Sections[target].Name, hex(r.Off))
			return true
		}
		c.field(Reloc, Content, side.section, r.Off, int(width), "code address in "+symbol.Name, side.want, number(b))
	}
	c.coded[target] = append(c.coded[target], span{r.Off, width})
	return true
}

// shared reports whether a section and its clone are one stretch of the file.
func (c *checker) shared(i int) bool {
	t := c.m.Counterpart(i)
	return t != 0 && c.m.Sections[i].Off == c.m.Sections[t].Off
}

// unitReloc makes the SASS record of a Mercury record that names a unit of
// .debug_line by its offset. An image has none: there the place holds the
// offset.
func (c *checker) unitReloc(clone, target int, r *cubin.Reloc, have map[uint64]bool, at uint64) (wanted, bool) {
	unit, ok := c.unitAt[uint64(r.Addend)]
	if !ok {
		c.add(Debug, Content, clone, at+16, "addend of a unit of .debug_line", "the start of a unit", hex(uint64(r.Addend)))
		return wanted{}, false
	}
	if !c.image() || have[r.Off] {
		return wanted{Reloc: cubin.Reloc{Off: r.Off, Type: cuda.R_CUDA_32, Symbol: r.Symbol, Addend: int64(unit)}, at: at}, true
	}
	b, ok := cubin.Window(c.m.Sections[target].Content, r.Off, 4)
	if !ok {
		c.add(Debug, Content, clone, at, "r_offset", "a place in "+c.m.Sections[target].Name, hex(r.Off))
		return wanted{}, false
	}
	c.number(Debug, Content, target, r.Off, "offset of a unit of .debug_line", unit, number(b))
	c.coded[target] = append(c.coded[target], span{r.Off, 4})
	return wanted{}, false
}

// number reads a word of 4 or 8 bytes; there is 0 in any other.
func number(b []byte) uint64 {
	switch len(b) {
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 8:
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// span is a stretch of a section.
type span struct{ off, size uint64 }

// contents compares the bytes of data with those of their clones.
func (c *checker) contents(kinds ...Kind) {
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		t := c.m.Counterpart(i)
		if s.Mercury() || t == 0 || !sameBytes(s.Name) || !has(kinds, kindOf(s.Name)) {
			continue
		}
		c.content(i, t)
	}
}

func has(kinds []Kind, k Kind) bool {
	for _, x := range kinds {
		if x == k {
			return true
		}
	}
	return false
}

// reserved compares the sizes of reserved shared memory: an image's SASS side
// has what the system takes in front. The bytes of the Mercury side mean nothing:
// for sm_110 the tools copy what is at the section's offset in an earlier
// stage of the file, its section headers.
func (c *checker) reserved() {
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if t := c.m.Counterpart(i); t != 0 && !s.Mercury() && strings.HasPrefix(s.Name, ".nv.shared.reserved.") {
			want := c.m.Sections[t].Size
			if c.image() {
				want += reservedBase
			}
			c.number(Text, Metadata, i, 0, "section size", want, s.Size)
		}
	}
}

// sameBytes reports whether the clone of a section has its bytes.
func sameBytes(name string) bool {
	switch {
	case name == ".nv.info", name == ".symtab", ownPlaces(name), name == ".nv_debug_info_reg_sass", name == ".nv_debug_info_reg_type":
		return false
	}
	for _, prefix := range [...]string{".text.", ".rela.", ".nv.info.", ".nv.uft.rel.", ".nv.shared.reserved", ".nv.resolvedrela."} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}

func (c *checker) content(i, t int) {
	s, x := &c.m.Sections[i], &c.m.Sections[t]
	k := kindOf(s.Name)
	if s.Size != x.Size {
		c.number(k, Metadata, i, 0, "section size", x.Size, s.Size)
		return
	}
	if s.Off == x.Off || bytes.Equal(s.Content, x.Content) {
		return
	}
	a, b := s.Content, x.Content
	if coded := c.coded[i]; len(coded) > 0 {
		a, b = bytes.Clone(a), bytes.Clone(b)
		for _, w := range coded {
			for _, side := range [...][]byte{a, b} { // of which one may have none: its type says so
				n := uint64(len(side))
				clear(side[min(w.off, n):min(w.off+w.size, n)])
			}
		}
	}
	for n := 0; n < len(a) && n < len(b); n++ {
		if a[n] != b[n] {
			c.number(k, Content, i, uint64(n), "byte of the section", uint64(b[n]), uint64(a[n]))
			n |= 15 // one finding for 16 bytes
		}
	}
}
