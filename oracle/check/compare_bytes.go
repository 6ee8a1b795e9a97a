package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Every byte of every section that carries an input's bytes is one of them or
// a field that the linker wrote.

func (c *check) compareBytes() error {
	c.compareBanks()
	for _, a := range c.areas {
		if a.base == imageBank && a.out != nil {
			c.remarkGaps(a) // zeros, which the driver fills in
		}
		if !a.present() || a.optional || c.side == mercurySide && noBits(a.kind) || c.rewritten(a) {
			continue
		}
		if a.out == nil {
			c.missing(a)
			continue
		}
		c.verdict.Sections++
		if err := c.budget.spend("output", a.size/16); err != nil {
			return err
		}
		switch {
		case a.code() && c.out.side == sassSide:
			if err := c.compareCode(a); err != nil {
				return err
			}
			continue
		case a.code() && c.out.side == mercurySide:
			c.compareCapsule(a)
			continue
		case a.code() && a.out.size != a.size:
			c.verdict.add(Finding{Kind: SectionSize, File: a.parts0(), Section: a.name, Want: hex(a.size), Got: hex(a.out.size)})
		}
		c.lostParts(a)
		if a.want != nil && !bytes.Equal(a.want, a.out.body) && (c.release < 132 || !c.sameRegisters(a)) {
			c.trustTables(a)
			c.explainBytes(a)
		}
		c.remarkGaps(a)
	}
	for i := range c.out.sections {
		s := &c.out.sections[i]
		switch {
		case c.out.areas[i] != nil || isTable(s.kind):
		case isCode(s):
			c.verdict.add(Finding{Kind: FunctionStray, Section: s.name})
		case s.size == 0 || c.harmless(s):
			c.verdict.habit(Finding{Kind: SectionStray, Section: s.name, Detail: "nothing of the link needs it"})
		default:
			c.verdict.add(Finding{Kind: SectionStray, Section: s.name})
		}
	}
	return nil
}

// missing tells of a section that is not there. Debug information may be
// stripped, and memory that nothing names be left out.
func (c *check) missing(a *area) {
	f := Finding{Kind: SectionMissing, File: a.parts0(), Section: a.name}
	if a.code() {
		f.Kind, f.Symbol = FunctionMissing, a.owner.owner.String()
	}
	if !a.code() && (isDebug(a.name) || !c.needed(a)) {
		f.Detail = "left out or stripped; nothing that runs needs it"
		c.verdict.habit(f)
		return
	}
	c.verdict.add(f)
}

// needed reports whether something that runs may read or write an area.
func (c *check) needed(a *area) bool {
	if a.kind == cuda.SHTCudaConstant0 || a.kind == cuda.SHTCudaSharedReserved {
		return true
	}
	for _, p := range a.parts {
		if c.neededPart(a, p) {
			return true
		}
	}
	return len(a.kept) > 0
}

func (c *check) neededPart(a *area, p *part) bool {
	for _, id := range c.objectsIn.of(placeOf{p.mod, p.section.index}) {
		if id.named || !id.local && id.other&cuda.STOVisibility != cuda.STOInternal {
			return true
		}
		if u := c.uses[id]; u != nil && len(u.functions) > 0 {
			return true
		}
	}
	_, named := c.told[toldKey{sec: placeOf{p.mod, p.section.index}}]
	return named
}

// lostParts tells of the parts whose bytes were not found.
func (c *check) lostParts(a *area) {
	for _, p := range a.parts {
		if p.placed || p.section.size == 0 || c.sameRegisters(a) {
			continue
		}
		f := Finding{Kind: SectionBytes, File: p.mod.name, Section: a.name, Detail: "the input's bytes are nowhere in the section"}
		if a.out != nil && a.out.body != nil && p.base+p.section.size <= a.out.size {
			want, got := p.section.body, a.out.body[p.base:p.base+p.section.size]
			for i := range want {
				if i < len(got) && want[i] != got[i] && !inSpans(p.mod.holesOf(p.section.index), uint64(i)) {
					end := min(i+8, len(want))
					f.Offset, f.Want, f.Got = p.base+uint64(i), fmt.Sprintf("%x", want[i:end]), fmt.Sprintf("%x", got[i:end])
					f.Symbol = c.symbolAt(a, f.Offset)
					break
				}
			}
		}
		if !isDebug(a.name) && !c.neededPart(a, p) {
			c.verdict.habit(f)
		} else {
			c.verdict.add(f)
		}
	}
}

// sameRegisters reports whether the parts of .nv_debug_info_reg_type, one of which was
// written anew as 13.5 does in the second of two steps and for code that it makes anew,
// are about the same functions as the output's.
func (c *check) sameRegisters(a *area) bool {
	if c.out.side != sassSide || a.name != ".nv_debug_info_reg_type" || a.out == nil {
		return false
	}
	var was []string
	for _, p := range a.parts {
		names, ok := registerTypes(p.section.body)
		if !ok {
			return false
		}
		was = append(was, names...)
	}
	is, ok := registerTypes(a.out.body)
	slices.Sort(was)
	slices.Sort(is)
	return ok && slices.Equal(was, is)
}

// registerTypes lists the functions of a table of what registers hold: a name, a
// number of registers and a byte for each.
func registerTypes(body []byte) (names []string, ok bool) {
	for len(body) > 0 {
		name, rest, ok := bytes.Cut(body, []byte{0})
		size := number(rest, 0, 4)
		if _, fits := cut(rest, 4, size); !ok || !fits || len(rest) < 4 {
			return nil, false
		}
		names = append(names, string(name))
		body = rest[4+size:]
	}
	return names, true
}

func inSpans(list []span, at uint64) bool {
	return slices.ContainsFunc(list, func(s span) bool { return at >= s.from && at < s.to })
}

// harmless reports whether a section that no input has does nothing to a
// program: debug information and tables of tools.
func (c *check) harmless(s *section) bool {
	if s.flags&cuda.SHFAlloc == 0 {
		return s.kind == cuda.SHTProgbits
	}
	// Compiler constants that stayed with a function, of a definition that lost:
	// no code has a bank but a kernel's.
	bank := strings.HasPrefix(s.name, compilerBank) || strings.HasPrefix(s.name, mercuryBank)
	return bank && int(s.info) < len(c.out.bodies) && c.out.bodies[s.info] != nil && !c.out.bodies[s.info].kernel()
}

// remarkGaps tells of bytes between the parts that are not zero: of a definition
// that lost, or of nothing.
func (c *check) remarkGaps(a *area) {
	if a.code() || a.out.body == nil || len(a.want) == 0 {
		return
	}
	at := uint64(0)
	for _, s := range append(slices.Clone(a.covered), span{uint64(len(a.out.body)), uint64(len(a.out.body))}) {
		if gap, ok := cut(a.out.body, at, max(s.from, at)-at); ok && strings.Trim(string(gap), "\x00") != "" {
			c.verdict.habit(Finding{Kind: SectionBytes, Section: a.name, Offset: at, Detail: "bytes that nothing refers to"})
			return
		}
		at = max(at, s.to)
	}
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
		if a.want[i] == a.out.body[i] || told[covered[i]] || a.isFree(uint64(i)) {
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
		if id.at == a && offset >= id.value && offset-id.value < id.size {
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
