package code

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/capsules"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Every byte of every section that carries an input's bytes is one of them or
// a field that the linker wrote.

func (c *check) compareBytes() error {
	c.CompareBanks()
	for _, a := range c.Areas {
		if a.Base == link.ImageBank && a.Out != nil {
			c.remarkGaps(a) // zeros, which the driver fills in
		}
		if !a.Present() || a.Optional || c.Side == image.MercurySide && image.NoBits(a.Kind) || c.Rewritten(a) {
			continue
		}
		if a.Out == nil {
			c.missing(a)
			continue
		}
		c.Verdict.Sections++
		if err := c.Budget.Spend("output", a.Size/16); err != nil {
			return err
		}
		switch {
		case a.Code() && c.Out.Side == image.SassSide:
			if err := c.compareCode(a); err != nil {
				return err
			}
			continue
		case a.Code() && c.Out.Side == image.MercurySide:
			capsules.Compare(c.Applied, a)
			continue
		case a.Code() && a.Out.Size != a.Size:
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionSize, File: a.Parts0(), Section: a.Name, Want: verdict.Hex(a.Size), Got: verdict.Hex(a.Out.Size)})
		}
		c.lostParts(a)
		if a.Want != nil && !bytes.Equal(a.Want, a.Out.Body) && (c.Release < 132 || !c.sameRegisters(a)) {
			c.trustTables(a)
			c.explainBytes(a)
		}
		c.remarkGaps(a)
	}
	for i := range c.Out.Sections {
		s := &c.Out.Sections[i]
		switch {
		case c.Out.Areas[i] != nil || isTable(s.Kind):
		case link.IsCode(s):
			c.Verdict.Add(verdict.Finding{Kind: verdict.FunctionStray, Section: s.Name})
		case s.Size == 0 || c.Harmless(s):
			c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionStray, Section: s.Name, Detail: "nothing in the link needs it"})
		default:
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionStray, Section: s.Name})
		}
	}
	return nil
}

// missing tells of a section that is not there. Debug information may be
// stripped, and memory that nothing names be omitted.
func (c *check) missing(a *link.Area) {
	f := verdict.Finding{Kind: verdict.SectionMissing, File: a.Parts0(), Section: a.Name}
	if a.Code() {
		f.Kind, f.Symbol = verdict.FunctionMissing, a.Owner.Owner.String()
	}
	if !a.Code() && (verdict.IsDebug(a.Name) || !c.needed(a)) {
		f.Detail = "omitted or stripped; no running code needs it"
		c.Verdict.Habit(f)
		return
	}
	c.Verdict.Add(f)
}

// needed reports whether something that runs may read or write an area.
func (c *check) needed(a *link.Area) bool {
	switch a.Kind {
	case cuda.SHTCudaConstant0:
		return true
	case cuda.SHTCudaSharedReserved: // of -ewp it may hold nothing but a name without a size
		return slices.ContainsFunc(a.Parts, func(p *link.Part) bool { return p.Section.Size > 0 })
	}
	for _, p := range a.Parts {
		if c.NeededPart(a, p) {
			return true
		}
	}
	return len(a.Kept) > 0
}

// lostParts tells of the parts whose bytes were not found.
func (c *check) lostParts(a *link.Area) {
	for _, p := range a.Parts {
		if p.Placed || p.Section.Size == 0 || c.sameRegisters(a) {
			continue
		}
		f := verdict.Finding{Kind: verdict.SectionBytes, File: p.Mod.Name, Section: a.Name, Detail: "the section does not contain the input's bytes"}
		if a.Out != nil && a.Out.Body != nil && p.Base+p.Section.Size <= a.Out.Size {
			want, got := p.Section.Body, a.Out.Body[p.Base:p.Base+p.Section.Size]
			for i := range want {
				if i < len(got) && want[i] != got[i] && !inSpans(p.Mod.HolesOf(p.Section.Index), uint64(i)) {
					end := min(i+8, len(want))
					f.Offset, f.Want, f.Got = p.Base+uint64(i), fmt.Sprintf("%x", want[i:end]), fmt.Sprintf("%x", got[i:end])
					f.Symbol = c.SymbolAt(a, f.Offset)
					break
				}
			}
		}
		if !verdict.IsDebug(a.Name) && !c.NeededPart(a, p) {
			c.Verdict.Habit(f)
		} else {
			c.Verdict.Add(f)
		}
	}
}

// sameRegisters reports whether the parts of .nv_debug_info_reg_type, one of which was
// rewritten as 13.5 does in the second of two steps and for code that it makes again,
// are about the same functions as the output's.
func (c *check) sameRegisters(a *link.Area) bool {
	if c.Out.Side != image.SassSide || a.Name != ".nv_debug_info_reg_type" || a.Out == nil {
		return false
	}
	var was []string
	for _, p := range a.Parts {
		names, ok := registerTypes(p.Section.Body)
		if !ok {
			return false
		}
		was = append(was, names...)
	}
	is, ok := registerTypes(a.Out.Body)
	slices.Sort(was)
	slices.Sort(is)
	return ok && slices.Equal(was, is)
}

// registerTypes lists the functions of a table of what registers hold: a name, a
// number of registers and a byte for each.
func registerTypes(body []byte) (names []string, ok bool) {
	for len(body) > 0 {
		name, rest, ok := bytes.Cut(body, []byte{0})
		size := image.Number(rest, 0, 4)
		if _, fits := image.Cut(rest, 4, size); !ok || !fits || len(rest) < 4 {
			return nil, false
		}
		names = append(names, string(name))
		body = rest[4+size:]
	}
	return names, true
}

func inSpans(list []link.Span, at uint64) bool {
	return slices.ContainsFunc(list, func(s link.Span) bool { return at >= s.From && at < s.To })
}

// remarkGaps tells of bytes between the parts that are not zero: of a definition
// that lost, or of nothing.
func (c *check) remarkGaps(a *link.Area) {
	if a.Code() || a.Out.Body == nil || len(a.Want) == 0 {
		return
	}
	at := uint64(0)
	for _, s := range append(slices.Clone(a.Covered), link.Span{From: uint64(len(a.Out.Body)), To: uint64(len(a.Out.Body))}) {
		if gap, ok := image.Cut(a.Out.Body, at, max(s.From, at)-at); ok && strings.Trim(string(gap), "\x00") != "" {
			c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionBytes, Section: a.Name, Offset: at, Detail: "bytes that nothing refers to"})
			return
		}
		at = max(at, s.To)
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

// explainBytes finds what the first differing bytes are: fields, or bytes
// between them.
func (c *check) explainBytes(a *link.Area) {
	covered := make([]int, len(a.Want))
	for i, f := range a.Fields {
		for j := range f.Size {
			if at := f.Offset + j; at < uint64(len(covered)) {
				covered[at] = i + 1
			}
		}
	}
	told := map[int]bool{}
	for i := 0; i < len(a.Want) && i < len(a.Out.Body); i++ {
		if a.Want[i] == a.Out.Body[i] || told[covered[i]] || a.IsFree(uint64(i)) {
			continue
		}
		told[covered[i]] = true
		if n := covered[i]; n > 0 {
			c.explainField(a, &a.Fields[n-1])
			continue
		}
		kind := verdict.SectionBytes
		if a.Code() {
			kind = verdict.CodeBytes
		}
		end := min(i+8, len(a.Want), len(a.Out.Body))
		c.Verdict.Add(verdict.Finding{Kind: kind, File: a.PartOf(uint64(i)), Section: a.Name, Symbol: c.SymbolAt(a, uint64(i)), Offset: uint64(i),
			Want: fmt.Sprintf("%x", a.Want[i:end]), Got: fmt.Sprintf("%x", a.Out.Body[i:end])})
	}
}

func (c *check) explainField(a *link.Area, f *link.Field) {
	end := min(f.Offset+f.Size, uint64(len(a.Want)), uint64(len(a.Out.Body)))
	c.Trace(f)
	c.Verdict.Add(verdict.Finding{
		Kind: verdict.RelocationField, File: a.PartOf(f.Offset), Section: a.Name, Symbol: c.TargetName(f.Mod, f.Rec), Offset: f.Offset,
		Relocation: image.RelocationName(f.Rec.Kind), Number: f.Rec.Kind,
		Want: fmt.Sprintf("%x", a.Want[f.Offset:end]), Got: fmt.Sprintf("%x", a.Out.Body[f.Offset:end]),
	})
}
