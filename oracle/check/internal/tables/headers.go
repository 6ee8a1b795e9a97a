package tables

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The section headers of the output.
//
// What belongs to a function says so by sh_info, and since 12.4 by a flag as
// well. What refers to the symbol table has its number in sh_link; 12.0 to 12.2
// write 5 whatever its number is. sh_info of code is two numbers: the register count in the highest
// byte, the function's symbol below. Up to 12.x the flags of code hold the
// number of its barriers; 13.0 keeps it in an attribute.
//
// Source: headers of outputs by nvlink 11.8.89, 12.4.131 and 13.0.88, and by
// nvJitLink 12.0 to 12.9.

// staleLink is sh_link of tables in outputs of 12.0 to 12.2.
const staleLink = 5

// linksRight reports whether sh_link has the number that it must have.
func (c *check) linksRight(want, got uint32) bool {
	return want == got || want == uint32(c.Out.Symtab) && got == staleLink && c.Release >= 120 && c.Release <= 122
}

// want is what a section header must hold; size and offset are compared
// elsewhere.
type wantHeader struct {
	kind         cuda.SectionType
	flags        cuda.SectionFlags
	link, info   uint32
	align, entry uint64

	mayLink bool // that sh_info is a section may be said or not
	least   bool // of registers and barriers there may be more
}

func (c *check) compareHeader(s *image.Section, w wantHeader) {
	say := func(what string, want, got uint64) {
		if want != got {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: verdict.Hex(want), Got: verdict.Hex(got), Detail: what})
		}
	}
	if w.kind != s.Kind {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: w.kind.String(), Got: s.Kind.String(), Detail: "type"})
	}
	if w.mayLink {
		w.flags = w.flags&^cuda.SHFInfoLink | s.Flags&cuda.SHFInfoLink
	}
	if w.least && s.Flags&cuda.SHFBarrierMask > w.flags&cuda.SHFBarrierMask {
		w.flags = w.flags&^cuda.SHFBarrierMask | s.Flags&cuda.SHFBarrierMask
	}
	if w.least && link.RegistersOf(s.Info) > link.RegistersOf(w.info) {
		w.info = link.SymbolOf(w.info) + link.RegistersOf(s.Info)<<24
	}
	say("flags", uint64(w.flags), uint64(s.Flags))
	if !c.linksRight(w.link, s.Link) {
		say("link", uint64(w.link), uint64(s.Link))
	}
	say("info", uint64(w.info), uint64(s.Info))
	if w.align > 0 && s.Align > w.align && bits.OnesCount64(s.Align) == 1 {
		c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: verdict.Hex(w.align), Got: verdict.Hex(s.Align), Detail: "alignment, larger than needed"})
	} else {
		say("alignment", w.align, s.Align)
	}
	say("entry size", w.entry, s.Entry)
	say("address", 0, s.Addr)
}

// compareHeaders looks at every section.
func (c *check) compareHeaders() error {
	symtab := uint32(c.Out.Symtab)
	for i := range c.Out.Sections {
		s := &c.Out.Sections[i]
		w := wantHeader{kind: s.Kind, align: 1}
		c.compareTableName(s)
		if s.Hidden || c.Side == image.MercurySide && (i == 0 || image.NoBits(s.Kind) && c.Out.All[i].Flags&cuda.SHFMercury == 0 && s.Kind != cuda.SHTCudaSharedReserved || s.IsCalls() && c.Out.All[i].Flags&cuda.SHFMercury == 0) {
			continue
		}
		if i == 0 || s.Kind == cuda.SHTNull {
			c.compareNull(s)
			c.compareHeader(s, wantHeader{})
			continue
		}
		switch s.Kind {
		case cuda.SHTStrtab:
			c.compareNames(s)
		case cuda.SHTSymtab:
			w = wantHeader{kind: s.Kind, link: s.Link, info: s.Info, align: 8, entry: 24}
			if c.isStrtab(s.Link) != ".strtab" {
				c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: ".strtab", Got: c.isStrtab(s.Link), Detail: "link"})
			}
		case cuda.SHTSymtabShndx:
			w = wantHeader{kind: s.Kind, link: symtab, align: 4, entry: 4}
		case cuda.SHTRel, cuda.SHTRela:
			w = wantHeader{kind: s.Kind, flags: c.relFlags(s), link: symtab, info: s.Info, align: 8, entry: 16}
			if s.Kind == cuda.SHTRela {
				w.entry = 24
			}
			c.compareRelName(s)
		case cuda.SHTCudaResolvedRela:
			w = wantHeader{kind: s.Kind, flags: c.relFlags(s), link: symtab, info: s.Info, align: 8, entry: 24}
			c.compareRelName(s)
		case cuda.SHTCudaInfo:
			w = wantHeader{kind: s.Kind, link: symtab, info: s.Info, align: 4}
			if s.Info != 0 && c.Release >= link.FlagsOwned {
				w.flags = cuda.SHFInfoLink
			}
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			w = wantHeader{kind: s.Kind, link: symtab, align: 4, entry: 8}
		case cuda.SHTCudaRelocInfo:
			w = wantHeader{kind: s.Kind, align: 8, entry: 8}
		default:
			a := c.Out.Areas[i]
			if a == nil {
				continue // a note, or .nv.compat, with their content; or stray, told elsewhere
			}
			w = c.areaHeader(a, symtab)
		}
		c.compareHeader(s, w)
	}
	return nil
}

// compareNull wants section 0 to be all zeros; no other section is of its type.
// With so many sections that their count needs it, its size is that.
func (c *check) compareNull(s *image.Section) {
	count := uint64(0)
	if c.Out.Header.Shnum == 0 {
		count = uint64(len(c.Out.Sections))
	}
	name := uint64(image.Word(c.Out.Data, c.Out.Header.Shoff+64*uint64(s.Index)))
	if s.Index > 0 || s.Size != count || s.Offset != 0 || name != 0 {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Offset: uint64(s.Index), Detail: "section of no type", Unneeded: true})
	}
}

// tableNames are the names of sections that a file has once.
var tableNames = map[cuda.SectionType]string{
	cuda.SHTSymtab: ".symtab", cuda.SHTSymtabShndx: ".symtab_shndx", cuda.SHTCudaCallgraph: ".nv.callgraph", cuda.SHTCudaPrototype: ".nv.prototype",
	cuda.SHTCudaRelocInfo: ".nv.rel.action", cuda.SHTCudaCompat: ".nv.compat",
}

// compareTableName wants the name that goes with a type, and one section of it.
func (c *check) compareTableName(s *image.Section) {
	want, ok := tableNames[s.Kind]
	switch {
	case s.Kind == cuda.SHTStrtab:
		want, ok = ".strtab", true
		if uint64(s.Index) == c.Out.Header.Shstrndx {
			want = ".shstrtab"
		}
	case s.Kind == cuda.SHTCudaInfo && s.Info == 0:
		want, ok = ".nv.info", true
	}
	if !ok {
		return
	}
	if s.Name != want {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: want, Got: s.Name, Detail: "name"})
	}
	for i := range c.Out.Sections[:s.Index] {
		if before := &c.Out.Sections[i]; before.Kind == s.Kind && before.Name == want {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionStray, Section: want, Detail: "a second one"})
		}
	}
}

// compareNames wants a table of names to begin with the empty one, and the last to end.
func (c *check) compareNames(s *image.Section) {
	if n := len(s.Body); n > 0 && (s.Body[0] != 0 || s.Body[n-1] != 0) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionBytes, Section: s.Name, Want: "0 at both ends", Got: fmt.Sprintf("%x and %x", s.Body[0], s.Body[n-1]), Detail: "a table of names"})
	}
}

func (c *check) isStrtab(index uint32) string {
	if int(index) >= len(c.Out.Sections) || c.Out.Sections[index].Kind != cuda.SHTStrtab {
		return fmt.Sprintf("section %d", index)
	}
	return c.Out.Sections[index].Name
}

// relFlags: the records that the linker makes for image slots never carry the
// flag; those that a whole program has of its own do.
func (c *check) relFlags(s *image.Section) cuda.SectionFlags {
	if c.Release < link.FlagsOwned {
		return 0
	}
	if a := c.Out.Areas[s.Info]; a != nil && a.Base == ".nv.constant0." && (s.Kind == cuda.SHTRel || s.Flags == 0) && !c.isBrought(s.Name) {
		return 0
	}
	return cuda.SHFInfoLink
}

// isBrought reports whether some input has records in a section of a name.
func (c *check) isBrought(name string) bool {
	for _, m := range c.Modules {
		for i := range m.Sections {
			if s := &m.Sections[i]; s.Name == name && strings.Contains(name, ".nv.constant0.") && len(s.Body) > 0 {
				return true
			}
		}
	}
	return false
}

func (c *check) compareRelName(s *image.Section) {
	prefix := map[cuda.SectionType]string{cuda.SHTRel: ".rel", cuda.SHTRela: ".rela", cuda.SHTCudaResolvedRela: ".nv.resolvedrela"}[s.Kind]
	if want := prefix + c.Out.Sections[s.Info].Name; !c.IsRelName(prefix, s) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: s.Name, Want: want, Got: s.Name, Detail: "its target's name"})
	}
}

// Bytes of a jump to a unified function, and of an entry of the tables that name unified
// functions and variables.
const (
	jumpSlot     = 128
	unifiedEntry = 32
)

// areaHeader is the header of a section that carries an input's bytes.
func (c *check) areaHeader(a *link.Area, symtab uint32) wantHeader {
	w := wantHeader{kind: c.loweredType(a.Kind), flags: a.Flags, align: a.Align}
	switch {
	case a.Code():
		w.link = symtab
		if a.Kind == cuda.SHTCudaUFT {
			w.entry = jumpSlot
			if c.Side == image.MercurySide && a.Out != nil && a.Out.Entry == 0 {
				w.entry = 0 // as 13.3 and later write it
			}
		}
		w.flags = c.codeFlags(a)
		w.info = c.RegisterByte(a.Owner) * (1 << 24)
		if id := a.Owner.Owner; id != nil {
			w.info += uint32(id.Out)
			w.least = id.Kernel() && c.NeedOf(id).Least
		}
	case a.Kind == cuda.SHTCudaUFTEntry || a.Kind == cuda.SHTCudaUDTEntry:
		w.link, w.entry = symtab, unifiedEntry
	case a.Owner != nil:
		if a.Kind == cuda.SHTCudaShared && c.Release >= link.FlagsOwned {
			w.flags |= cuda.SHFInfoLink
		}
		_, w.mayLink = link.BankOf(a.Kind)
		if out := a.Owner.Area.Out; out != nil {
			w.info = uint32(out.Index)
		}
	}
	return w
}

func (c *check) codeFlags(a *link.Area) cuda.SectionFlags {
	flags := a.Flags &^ cuda.SHFBarrierMask
	if c.NewForm() {
		// NUM_BARRIERS has the number; 13.5 may leave that of an older object's kernel, and
		// a relocatable output may leave it for the final link, see keepsFlags.
		if a.Out != nil && (a.Owner.Kernel() && a.Out.Flags == a.Flags || c.KeepsFlags(a)) {
			return a.Flags
		}
		return flags
	}
	if a.Out != nil && a.Owner.Owner != nil && !a.Owner.Owner.Asked && a.Out.Flags == a.Flags {
		return a.Flags // a kernel that stays with --preserve-relocs, and what it calls counts for nothing
	}
	if most := flags | cuda.SectionFlags(c.FlaggedBelow(a.Owner))<<cuda.SHFBarrierShift; a.Out != nil && a.Out.Flags == most && a.Owner.Owner.LikeDriver() {
		return most // taken for a kernel
	}
	return flags | cuda.SectionFlags(c.Barriers(a.Owner))<<cuda.SHFBarrierShift
}

// loweredType is a section's type in a final image, where memory spaces have
// no types of their own.
func (c *check) loweredType(kind cuda.SectionType) cuda.SectionType {
	if c.Side == image.MercurySide {
		return kind
	}
	if _, constant := link.BankOf(kind); !c.Relocatable && (constant || kind == cuda.SHTCudaGlobalInit) {
		return cuda.SHTProgbits
	}
	if !c.Relocatable && image.NoBits(kind) {
		return cuda.SHTNobits
	}
	return kind
}
