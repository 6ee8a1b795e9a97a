package selfcheck

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Headers of sections. What a section is called says what type, flags, links,
// alignment and entry size it has; a clone in the Mercury group has those of
// its SASS counterpart with SHF_NV_MERC, a type of its own, and the other side's
// symbol table. Only the alignment of data is free.

type linkTo uint8

const (
	linkNone linkTo = iota
	linkStrtab
	linkSymtab // of the same side
	linkTkinfo
	linkFree // 13.5 leaves some of the unified tables stale
)

type infoTo uint8

const (
	infoNone   infoTo = iota
	infoOwner         // the text, or capsule, that it belongs to
	infoTarget        // the section that it relocates
	infoFree
)

// sectionRule is the header of a section of the SASS side by its name.
type sectionRule struct {
	name    string // a * stands for any rest
	object  cuda.SectionType
	image   cuda.SectionType // in a file of type EXEC
	flags   cuda.SectionFlags
	link    linkTo
	info    infoTo
	align   uint64 // 0: of the data
	entsize uint64
	clone   cuda.SectionType // of its Mercury clone, 0 where it has none
}

const (
	dataFlags  = cuda.SHFWrite | cuda.SHFAlloc
	codeFlags  = cuda.SHFAlloc | cuda.SHFExec
	ownedConst = cuda.SHFAlloc | cuda.SHFInfoLink
	ownedData  = dataFlags | cuda.SHFInfoLink
)

// sectionRules is searched from its beginning, where those of kernels stand: most sections are theirs.
var sectionRules = []sectionRule{
	{".text.*", cuda.SHTProgbits, cuda.SHTProgbits, codeFlags, linkSymtab, infoFree, 128, 0, cuda.SHTCudaCapmerc},
	{".nv.info.*", cuda.SHTCudaInfo, cuda.SHTCudaInfo, cuda.SHFInfoLink, linkSymtab, infoOwner, 4, 0, cuda.SHTMercInfo},
	{".nv.constant0.*", cuda.SHTCudaConstant0, cuda.SHTProgbits, ownedConst, linkNone, infoOwner, 4, 0, 0},
	{".shstrtab", cuda.SHTStrtab, cuda.SHTStrtab, 0, linkNone, infoNone, 1, 0, 0},
	{".strtab", cuda.SHTStrtab, cuda.SHTStrtab, 0, linkNone, infoNone, 1, 0, 0},
	{".symtab", cuda.SHTSymtab, cuda.SHTSymtab, 0, linkStrtab, infoFree, 8, 24, cuda.SHTMercSymtab},
	{".symtab_shndx", cuda.SHTSymtabShndx, cuda.SHTSymtabShndx, 0, linkSymtab, infoNone, 4, 4, 0},
	{".note.nv.tkinfo", cuda.SHTNote, cuda.SHTNote, cuda.SHFTkinfo, linkNone, infoNone, 4, 0, 0},
	{".note.nv.cuinfo", cuda.SHTNote, cuda.SHTNote, cuda.SHFCuinfo | cuda.SHFInfoLink, linkTkinfo, infoFree, 4, 0, 0},
	{".note.nv.cuver", cuda.SHTNote, cuda.SHTNote, cuda.SHFCuinfo | cuda.SHFInfoLink, linkTkinfo, infoFree, 4, 0, 0},
	{".nv.compat", cuda.SHTCudaCompat, cuda.SHTCudaCompat, 0, linkNone, infoNone, 4, 0, 0},
	{".nv.info", cuda.SHTCudaInfo, cuda.SHTCudaInfo, 0, linkSymtab, infoNone, 4, 0, cuda.SHTMercInfo},
	{callgraphSection, cuda.SHTCudaCallgraph, cuda.SHTCudaCallgraph, 0, linkSymtab, infoNone, 4, 8, cuda.SHTMercCallgraph},
	{".nv.prototype", cuda.SHTCudaPrototype, cuda.SHTCudaPrototype, 0, linkSymtab, infoNone, 4, 8, cuda.SHTMercPrototype},
	{".nv.resolvedrela.*", cuda.SHTCudaResolvedRela, cuda.SHTCudaResolvedRela, cuda.SHFInfoLink, linkSymtab, infoTarget, 8, 24, cuda.SHTMercResolvedRela},
	{".rela.nv.constant0.*", cuda.SHTRela, cuda.SHTRela, cuda.SHFInfoLink, linkSymtab, infoTarget, 8, 24, 0},
	{".rela.*", cuda.SHTRela, cuda.SHTRela, cuda.SHFInfoLink, linkSymtab, infoTarget, 8, 24, cuda.SHTMercRela},
	{".nv.uft.rel.*", cuda.SHTCudaUFT, cuda.SHTCudaUFT, codeFlags, linkSymtab, infoFree, 128, 128, cuda.SHTCudaCapmerc},
	{".nv.uft", cuda.SHTCudaUFT, cuda.SHTCudaUFT, codeFlags, linkFree, infoFree, 128, 128, cuda.SHTCudaUFT},
	{".nv.uft.entry", cuda.SHTCudaUFTEntry, cuda.SHTCudaUFTEntry, 0, linkFree, infoNone, 8, 32, cuda.SHTCudaUFTEntry},
	{".nv.udt.entry", cuda.SHTCudaUDTEntry, cuda.SHTCudaUDTEntry, 0, linkFree, infoNone, 8, 32, cuda.SHTCudaUDTEntry},
	{".nv.udt", cuda.SHTCudaUDT, cuda.SHTCudaUDT, dataFlags, linkNone, infoNone, 0, 0, cuda.SHTCudaUDT},
	{".nv.constant2.*", cuda.SHTCudaConstant0 + 2, cuda.SHTProgbits, ownedConst, linkNone, infoOwner, 0, 0, cuda.SHTMercOptimizer},
	{".nv.constant3", cuda.SHTCudaConstant0 + 3, cuda.SHTProgbits, cuda.SHFAlloc, linkNone, infoNone, 0, 0, cuda.SHTMercUser},
	{".nv.constant4", cuda.SHTCudaConstant0 + 4, cuda.SHTProgbits, cuda.SHFAlloc, linkNone, infoNone, 0, 0, cuda.SHTMercPic},
	{".nv.global", cuda.SHTCudaGlobal, cuda.SHTNobits, dataFlags, linkNone, infoNone, 0, 0, 0},
	{".nv.global.init", cuda.SHTCudaGlobalInit, cuda.SHTProgbits, dataFlags, linkNone, infoNone, 0, 0, cuda.SHTCudaGlobalInit},
	{".nv.shared.reserved.0", cuda.SHTCudaSharedReserved, cuda.SHTNobits, dataFlags, linkNone, infoNone, 0, 0, cuda.SHTCudaSharedReserved},
	{".nv.shared.*", cuda.SHTCudaShared, cuda.SHTNobits, ownedData, linkNone, infoOwner, 0, 0, 0},
	{".nv.local.*", cuda.SHTCudaLocal, cuda.SHTNobits, ownedData, linkNone, infoOwner, 0, 0, 0},
	{".nv_debug.shared", cuda.SHTCudaShared, cuda.SHTNobits, dataFlags, linkNone, infoNone, 0, 0, 0},
	{".debug_*", cuda.SHTProgbits, cuda.SHTProgbits, 0, linkNone, infoNone, 1, 0, cuda.SHTProgbits},
	{".nv_debug_*", cuda.SHTProgbits, cuda.SHTProgbits, 0, linkNone, infoNone, 1, 0, cuda.SHTProgbits},
}

// ruleOf returns the rule of a name, nil for none.
func ruleOf(name string) *sectionRule {
	for i := range sectionRules {
		r := &sectionRules[i]
		if prefix, ok := strings.CutSuffix(r.name, "*"); ok && strings.HasPrefix(name, prefix) || r.name == name {
			return r
		}
	}
	return nil
}

// kindOf returns the list that a section's findings belong to.
func kindOf(name string) Kind {
	switch {
	case strings.Contains(name, ".rela") || strings.Contains(name, ".nv.resolvedrela"):
		return Reloc
	case strings.Contains(name, "debug"):
		return Debug
	case strings.Contains(name, ".nv.global") || strings.Contains(name, ".nv.constant"):
		return Reloc
	}
	return Text
}

// sections compares what exists on both sides and how it is described.
func (c *checker) sections() {
	c.required()
	wide := c.clonesGraph()
	for i := 1; i < len(c.m.Sections); i++ {
		s := &c.m.Sections[i]
		if s.Mercury() {
			c.cloneHeader(i, s)
			continue
		}
		rule := ruleOf(s.Name)
		if rule == nil {
			c.leave(exSection)
			continue
		}
		c.sassHeader(i, s, rule)
		if rule.clone == 0 || c.m.Counterpart(i) != 0 || !wide && (rule.clone == cuda.SHTMercCallgraph || rule.clone == cuda.SHTMercPrototype) {
			continue
		}
		if i == c.m.SASS.Index && c.m.Merc.Index != 0 {
			continue
		}
		c.add(kindOf(s.Name), Count, i, 0, lackingClone, "one", "none")
	}
	const mercSymtab = ".nv.merc.symtab"
	if i := c.m.Merc.Index; i == 0 || c.m.Sections[i].Name != mercSymtab {
		c.add(Text, Count, c.m.SASS.Index, 0, lackingSection, mercSymtab, "none")
	}
	c.order()
}

// requiredSections is what every file has.
var requiredSections = [...]string{".shstrtab", ".strtab", ".symtab", ".note.nv.tkinfo", compatSection, callgraphSection}

// required checks that no section lacks that every file has, or that a symbol or
// an attribute stands for.
func (c *checker) required() {
	have := func(name string) bool { return c.indexOf(name) != 0 }
	lack := func(name string) { c.add(kindOf(name), Count, 0, 0, lackingSection, name, "none") }
	for _, name := range requiredSections {
		switch {
		case have(name), name == compatSection && c.bare(), name == callgraphSection && c.asksTextures():
		case name == callgraphSection && c.graphless() && c.usesTextures():
			c.leave(exCallgraph) // a TXQ whose result nothing reads leaves nothing else
		case name == callgraphSection && c.image() && c.callsSystem():
			c.leave(exSystem) // ptxas 13.4 leaves it away where textures are asked; TXQ is a call here
		default:
			lack(name)
		}
	}
	if !have(".note.nv.cuinfo") && !have(".note.nv.cuver") {
		lack(".note.nv.cuinfo")
	}
	if len(c.m.Funcs) == 0 {
		return
	}
	for _, name := range [...]string{".nv.info", ".debug_frame"} {
		if !have(name) {
			lack(name)
		}
	}
	for i := range c.m.Funcs {
		fn := &c.m.Funcs[i]
		if s := c.m.SASS.At(fn.Symbol); s != nil && s.Type() == cuda.STTFunc && s.Other&cuda.STOEntry != 0 && c.constant0Of(fn) == 0 {
			lack(constant0 + fn.Name)
		}
	}
}

const (
	compatSection    = ".nv.compat"
	callgraphSection = ".nv.callgraph"
)

// bare reports whether the file is a link by nvlink 12.9 that has no code: no .nv.compat tells
// of code then, and the note names none.
func (c *checker) bare() bool { return c.old && len(c.m.Funcs) == 0 && c.indexOf(compatSection) == 0 }

// asksTextures reports whether a program has a TXQ, or reads the descriptor of a texture or surface for what
// TXQ doesn't tell: ptxas 12.8 to 13.2 writes no call graph for it, but for objects that are to be linked.
func (c *checker) asksTextures() bool {
	const opTXQ, descriptorSize = 0xf6f, "refDescSize" // of .nv.unified.texrefDescSize, .nv.surfrefDescSize
	return c.graphless() && (slices.ContainsFunc(c.m.Funcs, func(fn capsule.Func) bool { return hasOpcode(fn.Code, opTXQ) }) ||
		slices.ContainsFunc(c.m.SASS.List, func(s capsule.Symbol) bool { return strings.HasSuffix(s.Name, descriptorSize) }))
}

// graphless reports whether the file is a program by a release that leaves the call graph away where textures are asked.
func (c *checker) graphless() bool { return c.image() && !c.clonesGraph() }

// usesTextures reports whether a function has an instruction of textures: TEX, TLD, TLD4, TMML, TXD, TXQ.
func (c *checker) usesTextures() bool {
	const members, textures = 0xff0, 0xf60
	return slices.ContainsFunc(c.m.Funcs, func(fn capsule.Func) bool {
		for at := 0; at+capsule.WordSize <= len(fn.Code); at += capsule.WordSize {
			if binary.LittleEndian.Uint16(fn.Code[at:])&members == textures {
				return true
			}
		}
		return false
	})
}

// clonesGraph reports whether the file is of a release that clones .nv.callgraph
// and .nv.prototype: from 13.3 on, where the Mercury group also begins with its
// symbol table instead of ending with it.
func (c *checker) clonesGraph() bool {
	for i := 1; i < len(c.m.Sections); i++ {
		if s := &c.m.Sections[i]; s.Mercury() {
			return s.Type == cuda.SHTMercSymtab && i != len(c.m.Sections)-1
		}
	}
	return false
}

// order checks that the Mercury group stands together at the end, and its
// functions in the order of the SASS side.
func (c *checker) order() {
	first, last := 0, map[cuda.SectionType]int{}
	for i := 1; i < len(c.m.Sections); i++ {
		s := &c.m.Sections[i]
		if !s.Mercury() {
			if first != 0 {
				c.add(kindOf(s.Name), Metadata, i, 0, "position of a SASS section", "before the Mercury group", fmt.Sprint("after section ", first))
				first = 0
			}
			continue
		}
		if first == 0 {
			first = i
		}
		if s.Type != cuda.SHTCudaCapmerc && s.Type != cuda.SHTMercInfo {
			continue
		}
		if counterpart := c.m.Counterpart(i); counterpart != 0 {
			if counterpart < last[s.Type] {
				c.add(kindOf(s.Name), Metadata, i, 0, "position among sections of its type", "the order of the SASS side", fmt.Sprint("counterpart of section ", counterpart, " after that of ", last[s.Type]))
			}
			last[s.Type] = counterpart
		}
	}
}

func (c *checker) image() bool { return c.m.File.Header.Type == cuda.ETExec }

func (c *checker) sassHeader(i int, s *capsule.Section, rule *sectionRule) {
	k := kindOf(s.Name)
	typ := rule.object
	if c.image() {
		typ = rule.image
	}
	c.number(k, Metadata, i, 0, "section type", uint64(typ), uint64(s.Type))
	flags := rule.flags
	if s.Name == ".note.nv.cuver" && c.bare() {
		flags &^= cuda.SHFInfoLink
	}
	c.number(k, Metadata, i, 0, "section flags", uint64(flags), uint64(s.Flags))
	c.number(k, Metadata, i, 0, "entry size", rule.entsize, s.EntSize)
	c.number(k, Metadata, i, 0, "section address", 0, s.Addr)
	if rule.align != 0 {
		c.number(k, Metadata, i, 0, "alignment", rule.align, s.Align)
	} else if s.Align == 0 || s.Align&(s.Align-1) != 0 {
		c.add(k, Metadata, i, 0, "alignment", "a power of two", hex(s.Align))
	}
	switch rule.link {
	case linkNone:
		c.number(k, Metadata, i, 0, "sh_link", 0, uint64(s.Link))
	case linkSymtab:
		c.number(k, Metadata, i, 0, "sh_link", uint64(c.m.SASS.Index), uint64(s.Link))
	case linkStrtab, linkTkinfo:
		want := map[linkTo]string{linkStrtab: ".strtab", linkTkinfo: ".note.nv.tkinfo"}[rule.link]
		if got := c.sectionName(s.Link); got != want {
			c.add(k, Metadata, i, 0, "sh_link", want, got)
		}
	}
	c.infoOf(k, i, s, rule)
}

// infoOf checks sh_info by the name of what it has to be.
func (c *checker) infoOf(k Kind, i int, s *capsule.Section, rule *sectionRule) {
	prefix, _ := strings.CutSuffix(rule.name, "*")
	switch rule.info {
	case infoNone:
		c.number(k, Metadata, i, 0, "sh_info", 0, uint64(s.Info))
	case infoTarget:
		want := strings.TrimPrefix(strings.TrimPrefix(s.Name, ".rela"), ".nv.resolved")
		want = strings.TrimPrefix(want, "rela")
		if got := c.sectionName(s.Info); got != want {
			c.add(k, Metadata, i, 0, "sh_info", want, got)
		}
	case infoOwner:
		owner := strings.TrimPrefix(s.Name, prefix)
		if fn := c.m.FuncOf(s.Info); fn == nil || fn.Text != int(s.Info) || !c.named(fn, owner) {
			c.add(k, Metadata, i, 0, "sh_info", "the text of "+owner, c.sectionName(s.Info))
		}
	}
}

// named reports whether a function has that name: by its text or, for the stub
// of a unified function, by its symbol.
func (c *checker) named(fn *capsule.Func, name string) bool {
	s := c.m.Merc.At(fn.Symbol)
	return fn.Name == name || s != nil && s.Name == name
}

func (c *checker) sectionName(i uint32) string {
	if i == 0 || uint64(i) >= uint64(len(c.m.Sections)) {
		return fmt.Sprint("section ", i)
	}
	return c.m.Sections[i].Name
}

// cloneHeader compares the header of a section of the Mercury group with that
// of its counterpart.
func (c *checker) cloneHeader(i int, s *capsule.Section) {
	k := kindOf(s.Name)
	if s.Type == cuda.SHTMercSymtab {
		c.mercSymtabHeader(i, s)
		return
	}
	if isImageHeaders(s.Name) {
		c.imageHeaders(i, s)
		return
	}
	if s.Type == cuda.SHTSymtabShndx {
		return
	}
	t := c.m.Counterpart(i)
	if t == 0 {
		c.add(k, Count, i, 0, lackingCounterpart, "one", "none")
		return
	}
	counterpart := &c.m.Sections[t]
	rule := ruleOf(counterpart.Name)
	if rule == nil {
		return
	}
	flags, align, entsize := counterpart.Flags|cuda.SHFMercury, counterpart.Align, counterpart.EntSize
	if rule.clone == cuda.SHTCudaCapmerc {
		// 13.0 gives a stub's capsule the entry size of its text.
		flags, align, entsize = cuda.SHFMercury, 16, min(entsize, s.EntSize)
	}
	c.number(k, Metadata, i, 0, "section type", uint64(rule.clone), uint64(s.Type))
	c.number(k, Metadata, i, 0, "section flags", uint64(flags), uint64(s.Flags))
	c.number(k, Metadata, i, 0, "entry size", entsize, s.EntSize)
	c.number(k, Metadata, i, 0, "alignment", align, s.Align)
	c.number(k, Metadata, i, 0, "section address", 0, s.Addr)
	link := uint32(0)
	if rule.link == linkSymtab {
		link = uint32(c.m.Merc.Index)
	}
	if c.writer == writerFinalizer && link != 0 && s.Link == link-1 {
		c.leave(exStaleLink)
	} else if rule.link != linkFree {
		c.number(k, Metadata, i, 0, "sh_link", uint64(link), uint64(s.Link))
	}
	if rule.clone == cuda.SHTCudaCapmerc {
		return // the function's symbol: symbols.go
	}
	info := uint32(0)
	if rule.info == infoOwner || rule.info == infoTarget {
		if info = uint32(c.m.Counterpart(int(counterpart.Info))); info == 0 && !c.m.Sections[min(int(counterpart.Info), len(c.m.Sections)-1)].Mercury() {
			info = counterpart.Info
		}
	}
	c.number(k, Metadata, i, 0, "sh_info", uint64(info), uint64(s.Info))
}

func (c *checker) mercSymtabHeader(i int, s *capsule.Section) {
	c.number(Text, Metadata, i, 0, "section flags", uint64(cuda.SHFMercury), uint64(s.Flags))
	c.number(Text, Metadata, i, 0, "entry size", cubin.SymbolSize, s.EntSize)
	c.number(Text, Metadata, i, 0, "alignment", 8, s.Align)
	if c.m.SASS.Index != 0 {
		c.number(Text, Metadata, i, 0, "sh_link", uint64(c.m.Sections[c.m.SASS.Index].Link), uint64(s.Link))
	}
}
