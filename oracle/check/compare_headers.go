package check

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
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

// flagsOwned is the release that began to mark sh_info as a section.
const flagsOwned oracle.Release = 124

// staleLink is sh_link of tables in outputs of 12.0 to 12.2.
const staleLink = 5

// linksRight reports whether sh_link has the number that it must have.
func (c *check) linksRight(want, got uint32) bool {
	return want == got || want == uint32(c.out.symtab) && got == staleLink && c.release >= 120 && c.release <= 122
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

func (c *check) compareHeader(s *section, w wantHeader) {
	say := func(what string, want, got uint64) {
		if want != got {
			c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: hex(want), Got: hex(got), Detail: what})
		}
	}
	if w.kind != s.kind {
		c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: w.kind.String(), Got: s.kind.String(), Detail: "type"})
	}
	if w.mayLink {
		w.flags = w.flags&^cuda.SHFInfoLink | s.flags&cuda.SHFInfoLink
	}
	if w.least && s.flags&cuda.SHFBarrierMask > w.flags&cuda.SHFBarrierMask {
		w.flags = w.flags&^cuda.SHFBarrierMask | s.flags&cuda.SHFBarrierMask
	}
	if w.least && registersOf(s.info) > registersOf(w.info) {
		w.info = symbolOf(w.info) + registersOf(s.info)<<24
	}
	say("flags", uint64(w.flags), uint64(s.flags))
	if !c.linksRight(w.link, s.link) {
		say("link", uint64(w.link), uint64(s.link))
	}
	say("info", uint64(w.info), uint64(s.info))
	if w.align > 1 && s.align > w.align && s.align%w.align == 0 {
		c.verdict.habit(Finding{Kind: SectionHeader, Section: s.name, Want: hex(w.align), Got: hex(s.align), Detail: "alignment, larger than need be"})
	} else {
		say("alignment", w.align, s.align)
	}
	say("entry size", w.entry, s.entry)
	say("address", 0, s.addr)
}

// compareHeaders looks at every section.
func (c *check) compareHeaders() error {
	symtab := uint32(c.out.symtab)
	for i := range c.out.sections {
		s := &c.out.sections[i]
		w := wantHeader{kind: s.kind, align: 1}
		c.compareTableName(s)
		if s.hidden || c.side == mercurySide && (i == 0 || noBits(s.kind) && c.out.all[i].flags&cuda.SHFMercury == 0 && s.kind != cuda.SHTCudaSharedReserved || s.kind == cuda.SHTCudaCallgraph || s.kind == cuda.SHTCudaPrototype) {
			continue
		}
		if i == 0 || s.kind == cuda.SHTNull {
			c.compareNull(s)
			c.compareHeader(s, wantHeader{})
			continue
		}
		switch s.kind {
		case cuda.SHTStrtab:
		case cuda.SHTSymtab:
			w = wantHeader{kind: s.kind, link: s.link, info: s.info, align: 8, entry: 24}
			if c.isStrtab(s.link) != ".strtab" {
				c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: ".strtab", Got: c.isStrtab(s.link), Detail: "link"})
			}
		case cuda.SHTSymtabShndx:
			w = wantHeader{kind: s.kind, link: symtab, align: 4, entry: 4}
		case cuda.SHTRel, cuda.SHTRela:
			w = wantHeader{kind: s.kind, flags: c.relFlags(s), link: symtab, info: s.info, align: 8, entry: 16}
			if s.kind == cuda.SHTRela {
				w.entry = 24
			}
			c.compareRelName(s)
		case cuda.SHTCudaResolvedRela:
			w = wantHeader{kind: s.kind, flags: c.relFlags(s), link: symtab, info: s.info, align: 8, entry: 24}
			c.compareRelName(s)
		case cuda.SHTCudaInfo:
			w = wantHeader{kind: s.kind, link: symtab, info: s.info, align: 4}
			if s.info != 0 && c.release >= flagsOwned {
				w.flags = cuda.SHFInfoLink
			}
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			w = wantHeader{kind: s.kind, link: symtab, align: 4, entry: 8}
		case cuda.SHTCudaRelocInfo:
			w = wantHeader{kind: s.kind, align: 8, entry: 8}
		case cuda.SHTNote, cuda.SHTCudaCompat:
			continue // with their content
		default:
			a := c.out.areas[i]
			if a == nil {
				continue // stray, told elsewhere
			}
			w = c.areaHeader(a, symtab)
		}
		c.compareHeader(s, w)
	}
	return nil
}

// compareNull wants section 0 to be all zeros; no other section is of its type.
// With so many sections that their count needs it, its size is that.
func (c *check) compareNull(s *section) {
	count := uint64(0)
	if c.out.header.shnum == 0 {
		count = uint64(len(c.out.sections))
	}
	name := uint64(word(c.out.data, c.out.header.shoff+64*uint64(s.index)))
	if s.index > 0 || s.size != count || s.offset != 0 || name != 0 {
		c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Offset: uint64(s.index), Detail: "section of no type", unneeded: true})
	}
}

// tableNames are the names of sections that a file has once.
var tableNames = map[cuda.SectionType]string{
	cuda.SHTSymtab: ".symtab", cuda.SHTSymtabShndx: ".symtab_shndx", cuda.SHTCudaCallgraph: ".nv.callgraph", cuda.SHTCudaPrototype: ".nv.prototype",
	cuda.SHTCudaRelocInfo: ".nv.rel.action", cuda.SHTCudaCompat: ".nv.compat",
}

// compareTableName wants the name that goes with a type, and one section of it.
func (c *check) compareTableName(s *section) {
	want, ok := tableNames[s.kind]
	switch {
	case s.kind == cuda.SHTStrtab:
		want, ok = ".strtab", true
		if uint64(s.index) == c.out.header.shstrndx {
			want = ".shstrtab"
		}
	case s.kind == cuda.SHTCudaInfo && s.info == 0:
		want, ok = ".nv.info", true
	}
	if !ok {
		return
	}
	if s.name != want {
		c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: want, Got: s.name, Detail: "name"})
	}
	for i := range c.out.sections[:s.index] {
		if before := &c.out.sections[i]; before.kind == s.kind && before.name == want {
			c.verdict.add(Finding{Kind: SectionStray, Section: want, Detail: "a second one"})
		}
	}
}

func (c *check) isStrtab(index uint32) string {
	if int(index) >= len(c.out.sections) || c.out.sections[index].kind != cuda.SHTStrtab {
		return fmt.Sprintf("section %d", index)
	}
	return c.out.sections[index].name
}

// relFlags: the records that the linker makes for image slots never carry the
// flag.
func (c *check) relFlags(s *section) cuda.SectionFlags {
	if c.release < flagsOwned {
		return 0
	}
	if a := c.out.areas[s.info]; a != nil && a.base == ".nv.constant0." && (s.kind == cuda.SHTRel || s.flags == 0) {
		return 0
	}
	return cuda.SHFInfoLink
}

func (c *check) compareRelName(s *section) {
	prefix := map[cuda.SectionType]string{cuda.SHTRel: ".rel", cuda.SHTRela: ".rela", cuda.SHTCudaResolvedRela: ".nv.resolvedrela"}[s.kind]
	if want := prefix + c.out.sections[s.info].name; !c.isRelName(prefix, s) {
		c.verdict.add(Finding{Kind: SectionHeader, Section: s.name, Want: want, Got: s.name, Detail: "its target's name"})
	}
}

// Bytes of a jump to a unified function, and of an entry of the tables that name unified
// functions and variables.
const (
	jumpSlot     = 128
	unifiedEntry = 32
)

// areaHeader is the header of a section that carries an input's bytes.
func (c *check) areaHeader(a *area, symtab uint32) wantHeader {
	w := wantHeader{kind: c.loweredType(a.kind), flags: a.flags, align: a.align}
	switch {
	case a.code():
		w.link = symtab
		if a.kind == cuda.SHTCudaUFT {
			w.entry = jumpSlot
			if c.side == mercurySide && a.out != nil && a.out.entry == 0 {
				w.entry = 0 // as 13.3 and later write it
			}
		}
		w.flags = c.codeFlags(a)
		w.info = c.registerByte(a.owner) * (1 << 24)
		if id := a.owner.owner; id != nil {
			w.info += uint32(id.out)
			w.least = id.kernel() && c.needOf(id).least
		}
	case a.kind == cuda.SHTCudaUFTEntry || a.kind == cuda.SHTCudaUDTEntry:
		w.link, w.entry = symtab, unifiedEntry
	case a.owner != nil:
		if a.kind == cuda.SHTCudaShared && c.release >= flagsOwned {
			w.flags |= cuda.SHFInfoLink
		}
		_, w.mayLink = bankOf(a.kind)
		if out := a.owner.area.out; out != nil {
			w.info = uint32(out.index)
		}
	}
	return w
}

func (c *check) codeFlags(a *area) cuda.SectionFlags {
	flags := a.flags &^ cuda.SHFBarrierMask
	if c.release >= 130 {
		// NUM_BARRIERS has the number; 13.5 may leave that of an older object's kernel, and
		// a relocatable output may leave it for the final link, see keepsFlags.
		if a.out != nil && (a.owner.kernel() && a.out.flags == a.flags || c.keepsFlags(a)) {
			return a.flags
		}
		return flags
	}
	if a.out != nil && a.owner.kernel() && a.owner.owner != nil && !a.owner.owner.asked && a.out.flags == a.flags {
		return a.flags // it stays with --preserve-relocs, and what it calls counts for nothing
	}
	return flags | cuda.SectionFlags(c.barriers(a.owner))<<cuda.SHFBarrierShift
}

// keepsFlags reports whether a relocatable output has the number of barriers where an
// older object has it, in the flags of code.
//
// Source: objects of 11.8 with -r by nvlink 13.0.88 and 13.5.37.
func (c *check) keepsFlags(a *area) bool {
	return c.relocatable && a != nil && a.out != nil && a.flags&cuda.SHFBarrierMask != 0 && a.out.flags&cuda.SHFBarrierMask == a.flags&cuda.SHFBarrierMask
}

// loweredType is a section's type in a final image, where memory spaces have
// no types of their own.
func (c *check) loweredType(kind cuda.SectionType) cuda.SectionType {
	if c.side == mercurySide {
		return kind
	}
	if _, constant := bankOf(kind); !c.relocatable && (constant || kind == cuda.SHTCudaGlobalInit) {
		return cuda.SHTProgbits
	}
	if !c.relocatable && noBits(kind) {
		return cuda.SHTNobits
	}
	return kind
}
