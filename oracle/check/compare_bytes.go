package check

import (
	"bytes"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Every byte of every section that carries an input's bytes is one of them or
// a field that the linker wrote.

func (c *check) compareBytes() error {
	for _, a := range c.areas {
		if !a.present() || a.optional && a.out == nil || c.side == mercurySide && noBits(a.kind) || c.rewritten(a) {
			continue
		}
		if a.out == nil && c.options.Loose && a.kind == cuda.SHTCudaShared {
			continue
		}
		if a.out == nil {
			kind := SectionMissing
			if a.code() {
				kind = FunctionMissing
			}
			c.verdict.add(Finding{Kind: kind, File: a.parts0(), Section: a.name})
			continue
		}
		c.verdict.Sections++
		if c.capsuleReworked(a) || c.out.side == sassSide && a.want != nil && !bytes.Equal(a.want, a.out.body) && c.differsAsFinalized(a) {
			continue
		}
		if a.out.size != a.size {
			c.verdict.add(Finding{Kind: SectionSize, Section: a.name, Want: hex(a.size), Got: hex(a.out.size)})
		}
		if err := c.budget.spend("output", a.size/16); err != nil {
			return err
		}
		if a.want != nil && c.out.side != whole && !bytes.Equal(a.want, a.out.body) {
			c.trust(a)
		}
		if a.want != nil && !bytes.Equal(a.want, a.out.body) {
			c.explainBytes(a)
		}
	}
	for i := range c.out.sections {
		s := &c.out.sections[i]
		if isCode(s) && c.out.areas[i] == nil {
			c.verdict.add(Finding{Kind: FunctionStray, Section: s.name})
		} else if c.out.areas[i] == nil && !isTable(s.kind) {
			c.verdict.add(Finding{Kind: SectionStray, Section: s.name})
		}
	}
	return nil
}

// isTable reports whether a section of this type carries no bytes of the
// program: tables, which others look at.
func isTable(kind cuda.SectionType) bool {
	switch kind {
	case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTNote, cuda.SHTRel, cuda.SHTRela,
		cuda.SHTCudaInfo, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype, cuda.SHTCudaCompat, cuda.SHTCudaRelocInfo, cuda.SHTCudaResolvedRela:
		return true
	}
	return false
}

func (a *area) code() bool { return a.owner != nil && a.owner.area == a }

func (a *area) parts0() string {
	if len(a.parts) == 0 {
		return ""
	}
	return a.parts[0].mod.name
}

// partOf names the input that a byte of the area comes from.
func (a *area) partOf(offset uint64) string {
	for _, p := range a.parts {
		if offset >= p.base && offset-p.base < p.section.size {
			return p.mod.name
		}
	}
	return ""
}

// explainBytes finds what the first differing bytes are: fields, or bytes
// between them.
func (c *check) explainBytes(a *area) {
	covered := make([]int, len(a.want))
	for i, f := range a.fields {
		for j := range f.size {
			if at := f.offset + j; at < uint64(len(covered)) {
				covered[at] = i + 1
			}
		}
	}
	told := map[int]bool{}
	for i := 0; i < len(a.want) && i < len(a.out.body); i++ {
		if a.want[i] == a.out.body[i] || told[covered[i]] {
			continue
		}
		told[covered[i]] = true
		if n := covered[i]; n > 0 {
			c.explainField(a, &a.fields[n-1])
			continue
		}
		kind := SectionBytes
		if a.code() {
			kind = CodeBytes
		}
		end := min(i+8, len(a.want), len(a.out.body))
		c.verdict.add(Finding{Kind: kind, File: a.partOf(uint64(i)), Section: a.name, Symbol: c.symbolAt(a, uint64(i)), Offset: uint64(i),
			Want: fmt.Sprintf("%x", a.want[i:end]), Got: fmt.Sprintf("%x", a.out.body[i:end])})
	}
}

func (c *check) explainField(a *area, f *field) {
	end := min(f.offset+f.size, uint64(len(a.want)), uint64(len(a.out.body)))
	c.trace(f)
	c.verdict.add(Finding{
		Kind: RelocationField, File: a.partOf(f.offset), Section: a.name, Symbol: c.targetName(f.mod, f.rec), Offset: f.offset,
		Relocation: relocationName(f.rec.kind), number: f.rec.kind,
		Want: fmt.Sprintf("%x", a.want[f.offset:end]), Got: fmt.Sprintf("%x", a.out.body[f.offset:end]),
	})
}

// trace keeps the account of the first field found wrong.
func (c *check) trace(f *field) {
	if c.verdict.Trace != nil || f.before == nil {
		return
	}
	if t, err := oracle.Trace(f.as, f.before, f.in); err == nil {
		c.verdict.Trace = &t
	}
}

// symbolAt names the object or function that holds a byte of an area.
func (c *check) symbolAt(a *area, offset uint64) string {
	if a.code() && a.owner.owner != nil {
		return a.owner.owner.name
	}
	for _, id := range c.ids {
		if id.at.area == a && offset >= id.value && offset-id.value < id.size {
			return id.name
		}
	}
	return ""
}

func (c *check) targetName(m *module, r record) string {
	if m == nil {
		return ""
	}
	return m.symbols[r.symbol].name
}

func relocationName(kind uint32) string {
	if info, ok := cuda.LookupReloc(kind); ok {
		return info.Name
	}
	if r, err := oracle.RecipeOf(kind); err == nil {
		return r.Name
	}
	return hex(uint64(kind))
}

func hex(n uint64) string { return fmt.Sprintf("0x%x", n) }
