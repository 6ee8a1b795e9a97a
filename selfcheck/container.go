package selfcheck

import (
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// container checks what every file of the tools has in common: the fields of
// the ELF header that say nothing, and the places of sections and tables, which
// follow from sizes and alignments alone.
func (c *checker) container() {
	h := &c.m.File.Header
	c.number(Text, Metadata, 0, 6, "EI_VERSION", 1, uint64(h.Ident[6]))
	for i := 9; i < len(h.Ident); i++ {
		c.number(Text, Metadata, 0, uint64(i), "padding of e_ident", 0, uint64(h.Ident[i]))
	}
	c.number(Text, Metadata, 0, atEhSize, "e_ehsize", cubin.HeaderSize, uint64(h.EhSize))
	want := uint64(0)
	if h.PhNum > 0 {
		want = cubin.ProgSize
	} else {
		c.number(Text, Metadata, 0, atPhOff, "e_phoff", 0, h.PhOff)
	}
	c.number(Text, Metadata, 0, atPhEntSize, "e_phentsize", want, uint64(h.PhEntSize))
	if c.opts.Limit == len(c.report.Findings) {
		return
	}
	c.nullSection()
	c.segments()
	c.places()
}

// nullSection checks that the first section header is zeros, but for numbers that the file's header has no room for.
func (c *checker) nullSection() {
	h, got := &c.m.File.Header, c.m.File.Section(0)
	const elsewhere = 0xffff
	want := cubin.Section{}
	if h.ShNum == 0 {
		want.Size = uint64(len(c.m.Sections))
	}
	if h.ShStrNdx == elsewhere {
		want.Link = got.Link
	}
	if got != want {
		c.add(Text, Metadata, 0, h.ShOff, "null section", "zeros", fmt.Sprintf("%+v", got))
	}
}

// Offsets in the ELF header, for findings.
const (
	atPhOff     = 32
	atShOff     = 40
	atEhSize    = 52
	atPhEntSize = 54
)

// places lays the file out again and compares.
func (c *checker) places() {
	d := c.m.File.Editor()
	if err := d.Layout(); err != nil && c.writer == writerFinalizer {
		c.leave(exFinalizerLayout)
		return
	} else if err != nil {
		c.fault(err)
		return
	}
	for i := 1; i < len(c.m.Sections); i++ {
		s, p := &c.m.Sections[i], d.Part(i)
		if s.Off != p.Off {
			// What follows is off by the same.
			c.number(kindOf(s.Name), Metadata, i, 0, "section offset", p.Off, s.Off)
			return
		}
	}
	if c.farHeaders() {
		c.leave(exSystem)
		return
	}
	h := &c.m.File.Header
	c.number(Text, Metadata, 0, atShOff, "e_shoff", d.Header.ShOff, h.ShOff)
	c.number(Text, Metadata, 0, atPhOff, "e_phoff", d.Header.PhOff, h.PhOff)
	for i, p := range c.m.File.Progs() {
		if got := d.Progs()[i]; got != p {
			c.add(Text, Metadata, 0, h.PhOff+uint64(i)*cubin.ProgSize, "program header", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", p))
		}
	}
}

// sameNull reports whether both null symbols have the same value and nothing else, as in large
// links by nvlink 12.9.
func (c *checker) sameNull() bool {
	if !c.old || !c.image() || len(c.m.SASS.List) == 0 || len(c.m.Merc.List) == 0 {
		return false
	}
	a, b := c.m.SASS.List[0].Symbol, c.m.Merc.List[0].Symbol
	return a == b && a == cubin.Symbol{Value: a.Value}
}

// symbolNames checks the first entry of both symbol tables, and the names that
// section symbols and functions share with their sections.
func (c *checker) symbolNames() {
	for _, t := range [...]*capsule.Symbols{&c.m.SASS, &c.m.Merc} {
		if len(t.List) > 0 && t.List[0].Symbol != (cubin.Symbol{}) && !c.sameNull() {
			c.add(Text, Metadata, t.Index, 0, "null symbol", "zeros", fmt.Sprintf("%+v", t.List[0].Symbol))
		}
	}
	for i := range c.m.SASS.List {
		s := &c.m.SASS.List[i]
		if s.Type() != cuda.STTSection || !s.Defined() {
			continue
		}
		at := uint64(i) * cubin.SymbolSize
		if name := c.sectionName(s.Section); name != s.Name && sassSymbolName(s.Name, name) != name {
			c.add(Text, Metadata, c.m.SASS.Index, at, "name of a section symbol", name, s.Name)
		}
		c.symbolField(uint32(i), s, "st_value", 0, s.Value)
		c.symbolField(uint32(i), s, "st_size", 0, s.Size)
	}
	for i := range c.m.Funcs {
		fn := &c.m.Funcs[i]
		if c.stub(fn) {
			if want, got := ".nv.capmerc"+c.m.Sections[fn.Text].Name, c.m.Sections[fn.Capsule].Name; got != want {
				c.add(Text, Metadata, fn.Capsule, 0, "name of the capsule", want, got)
			}
		} else if s := c.m.SASS.At(fn.Symbol); s != nil && s.Name != fn.Name {
			c.add(Text, Metadata, fn.Text, 0, "name of the function", s.Name, fn.Name)
		}
	}
}
