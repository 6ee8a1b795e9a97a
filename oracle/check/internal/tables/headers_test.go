package tables

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Sections of tabled by number.
const (
	shstrtab = iota + 1
	strtab
	symtab
	wide
	infos
	info
	graph
	protos
	rela
	rel
	action
	text
	bank
	variables
	resolved
)

// tabled is a link with a section of each kind, of a function f with code in section text.
func tabled(release oracle.Release) *check {
	names := []byte("\x00f\x00")
	f := &image.Image{Symtab: symtab, Sections: make([]image.Section, resolved+1)}
	set := func(i int, s image.Section) {
		s.Index = i
		f.Sections[i] = s
	}
	owned := cuda.SHFInfoLink
	if release < link.FlagsOwned {
		owned = 0
	}
	set(shstrtab, image.Section{Name: ".shstrtab", Kind: cuda.SHTStrtab, Align: 1, Body: names})
	set(strtab, image.Section{Name: ".strtab", Kind: cuda.SHTStrtab, Align: 1, Body: names})
	set(symtab, image.Section{Name: ".symtab", Kind: cuda.SHTSymtab, Link: strtab, Info: 1, Align: 8, Entry: 24})
	set(wide, image.Section{Name: ".symtab_shndx", Kind: cuda.SHTSymtabShndx, Link: symtab, Align: 4, Entry: 4})
	set(infos, image.Section{Name: ".nv.info", Kind: cuda.SHTCudaInfo, Link: symtab, Align: 4})
	set(info, image.Section{Name: ".nv.info.f", Kind: cuda.SHTCudaInfo, Flags: owned, Link: symtab, Info: text, Align: 4})
	set(graph, image.Section{Name: ".nv.callgraph", Kind: cuda.SHTCudaCallgraph, Link: symtab, Align: 4, Entry: 8})
	set(protos, image.Section{Name: ".nv.prototype", Kind: cuda.SHTCudaPrototype, Link: symtab, Align: 4, Entry: 8})
	set(rela, image.Section{Name: ".rela.text.f", Kind: cuda.SHTRela, Flags: owned, Link: symtab, Info: text, Align: 8, Entry: 24})
	set(rel, image.Section{Name: ".rel.text.f", Kind: cuda.SHTRel, Flags: owned, Link: symtab, Info: text, Align: 8, Entry: 16})
	set(resolved, image.Section{Name: ".nv.resolvedrela.text.f", Kind: cuda.SHTCudaResolvedRela, Flags: owned, Link: symtab, Info: text, Align: 8, Entry: 24})
	set(action, image.Section{Name: ".nv.rel.action", Kind: cuda.SHTCudaRelocInfo, Align: 8, Entry: 8})
	set(text, image.Section{Name: ".text.f", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFExec, Link: symtab, Info: 1 | 9<<24, Align: 128})
	set(bank, image.Section{Name: ".nv.constant2.f", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | owned, Info: text, Align: 4})
	set(variables, image.Section{Name: ".nv.global", Kind: cuda.SHTNobits, Flags: cuda.SHFAlloc | cuda.SHFWrite, Align: 16})
	f.All = f.Sections
	f.Header.Shnum, f.Header.Shstrndx, f.Data = uint64(len(f.Sections)), shstrtab, make([]byte, 64*len(f.Sections))

	id := &link.Identity{Name: "f", Info: byte(cuda.STTFunc), Out: 1}
	body := &link.Body{Owner: id, Names: []*link.Identity{id}, Live: true, Section: &image.Section{Info: 9 << 24}}
	id.Code = body
	if release < 130 { // whose headers say what a function needs, which isn't made here
		body.Owner, f.Sections[text].Info = nil, 9<<24
	}
	o := &link.Output{Image: f, Areas: make([]*link.Area, len(f.Sections)), Bodies: make([]*link.Body, len(f.Sections))}
	body.Area = &link.Area{Name: ".text.f", Owner: body, Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFExec, Align: 128, Out: &f.Sections[text]}
	o.Areas[text], o.Bodies[text] = body.Area, body
	o.Areas[bank] = &link.Area{Name: ".nv.constant2.f", Owner: body, Kind: cuda.SHTCudaConstant0 + 2, Flags: cuda.SHFAlloc, Align: 4, Out: &f.Sections[bank]}
	o.Areas[variables] = &link.Area{Name: ".nv.global", Kind: cuda.SHTCudaGlobal, Flags: cuda.SHFAlloc | cuda.SHFWrite, Align: 16, Out: &f.Sections[variables]}
	return &check{apply.New(&link.Link{Release: release, SM: 90, Out: o})}
}

// TestHeaders changes one field of one right section header each.
func TestHeaders(t *testing.T) {
	const least = 124
	on := func(i int, change func(s *image.Section)) func(c *check) {
		return func(c *check) { change(&c.Out.Sections[i]) }
	}
	align := func(i int, n uint64) func(c *check) { return on(i, func(s *image.Section) { s.Align = n }) }
	for i, x := range []struct {
		release oracle.Release
		change  func(c *check)
		want    string
	}{
		{130, func(*check) {}, ""},
		{124, func(*check) {}, ""},
		{least, func(*check) {}, ""},

		// Section 0, and others of no type.
		{130, on(0, func(s *image.Section) { s.Size = 1 }), "section of no type /"},
		{130, on(0, func(s *image.Section) { s.Offset = 1 }), "section of no type /"},
		{130, on(0, func(s *image.Section) { s.Flags = 2 }), "flags 0x0/0x2"},
		{130, func(c *check) { c.Out.Data[0] = 1 }, "section of no type /"},
		{130, func(c *check) { c.Out.Header.Shnum, c.Out.Sections[0].Size = 0, uint64(len(c.Out.Sections)) }, ""},
		{130, func(c *check) { c.Out.Header.Shnum = 0 }, "section of no type /"},
		{130, on(action, func(s *image.Section) { *s = image.Section{Index: action} }), "section of no type /"},

		// Tables of names and symbols.
		{130, on(strtab, func(s *image.Section) { s.Name = ".shstrtab" }), "name .strtab/.shstrtab; link .strtab/.shstrtab"},
		{130, on(shstrtab, func(s *image.Section) { s.Name = ".strtab" }), "name .shstrtab/.strtab; a second one /"},
		{130, on(strtab, func(s *image.Section) { s.Body = []byte("xf\x00") }), "a table of names 0 at both ends/78 and 0"},
		{130, on(strtab, func(s *image.Section) { s.Body = []byte("\x00f") }), "a table of names 0 at both ends/0 and 66"},
		{130, on(strtab, func(s *image.Section) { s.Body = nil }), ""},
		{130, align(strtab, 4), ""}, // a habit at the most
		{130, align(strtab, 3), "alignment 0x1/0x3"},
		{130, align(strtab, 0), "alignment 0x1/0x0"},
		{130, on(symtab, func(s *image.Section) { s.Link = infos }), "link .strtab/section 5"},
		{130, on(symtab, func(s *image.Section) { s.Link = 99 }), "link .strtab/section 99"},
		{130, on(symtab, func(s *image.Section) { s.Link = uint32(resolved + 1) }), fmt.Sprintf("link .strtab/section %d", resolved+1)},
		{130, on(symtab, func(s *image.Section) { s.Link = shstrtab }), "link .strtab/.shstrtab"},
		{130, on(symtab, func(s *image.Section) { s.Entry = 16 }), "entry size 0x18/0x10"},
		{130, on(symtab, func(s *image.Section) { s.Addr = 8 }), "address 0x0/0x8"},
		{130, align(symtab, 4), "alignment 0x8/0x4"},
		{130, align(symtab, 12), "alignment 0x8/0xc"},
		{130, align(symtab, 16), ""},
		{130, align(symtab, 24), "alignment 0x8/0x18"},
		{130, on(wide, func(s *image.Section) { s.Link = strtab }), "link 0x3/0x2"},
		{130, align(wide, 2), "alignment 0x4/0x2"},
		{130, align(protos, 2), "alignment 0x4/0x2"},
		{130, on(protos, func(s *image.Section) { s.Entry = 4 }), "entry size 0x8/0x4"},
		{130, on(0, func(s *image.Section) { s.Align = 8 }), "alignment 0x0/0x8"},
		{130, on(strtab, func(s *image.Section) { s.Body = []byte("x") }), "a table of names 0 at both ends/78 and 78"},
		{130, on(strtab, func(s *image.Section) { s.Body = []byte{0} }), ""},
		{130, func(c *check) { // the module's attributes after a function's
			s := c.Out.Sections
			s[infos], s[info] = s[info], s[infos]
			s[infos].Index, s[info].Index = infos, info
		}, ""},
		{130, on(wide, func(s *image.Section) { s.Name = ".wide" }), "name .symtab_shndx/.wide"},

		// Tables that name symbols; 12.0 to 12.2 have another number there.
		{130, on(infos, func(s *image.Section) { s.Link = 5 }), "link 0x3/0x5"},
		{121, on(infos, func(s *image.Section) { s.Link = 5 }), ""},
		{122, on(infos, func(s *image.Section) { s.Link = 5 }), ""},
		{120, on(infos, func(s *image.Section) { s.Link = 5 }), ""},
		{119, on(infos, func(s *image.Section) { s.Link = 5 }), "link 0x3/0x5"},
		{123, on(infos, func(s *image.Section) { s.Link = 5 }), "link 0x3/0x5"},
		{121, on(infos, func(s *image.Section) { s.Link = 6 }), "link 0x3/0x6"},
		{121, on(action, func(s *image.Section) { s.Link = 5 }), "link 0x0/0x5"},
		{121, on(symtab, func(s *image.Section) { s.Link = 5 }), "link .strtab/section 5"},
		{130, on(infos, func(s *image.Section) { s.Name = ".nv.infos" }), "name .nv.info/.nv.infos"},
		{130, on(info, func(s *image.Section) { s.Flags = 0 }), "flags 0x40/0x0"},
		{118, on(info, func(s *image.Section) { s.Flags = cuda.SHFInfoLink }), "flags 0x0/0x40"},
		{130, on(info, func(s *image.Section) { s.Info, s.Name = 0, ".nv.info" }), "a second one /; flags 0x0/0x40"},
		{130, on(graph, func(s *image.Section) { s.Entry = 4 }), "entry size 0x8/0x4"},
		{130, on(protos, func(s *image.Section) { s.Kind, s.Name = cuda.SHTCudaCallgraph, ".nv.callgraph" }), "a second one /"},
		{130, on(action, func(s *image.Section) { s.Entry = 4 }), "entry size 0x8/0x4"},

		// Records.
		{130, on(rela, func(s *image.Section) { s.Entry = 16 }), "entry size 0x18/0x10"},
		{130, on(rel, func(s *image.Section) { s.Entry = 24 }), "entry size 0x10/0x18"},
		{130, on(rela, func(s *image.Section) { s.Flags = 0 }), "flags 0x40/0x0"},
		{130, on(rela, func(s *image.Section) { s.Name = ".rela.text.g" }), "its target's name .rela.text.f/.rela.text.g"},
		{130, on(rel, func(s *image.Section) { s.Name = ".rela.text.f" }), "its target's name .rel.text.f/.rela.text.f"},
		{130, on(resolved, func(s *image.Section) { s.Name = ".rela.text.f" }), "its target's name .nv.resolvedrela.text.f/.rela.text.f"},
		{130, on(resolved, func(s *image.Section) { s.Entry = 16 }), "entry size 0x18/0x10"},

		// What carries an input's bytes.
		{130, on(text, func(s *image.Section) { s.Kind = cuda.SHTNobits }), "type PROGBITS/NOBITS"},
		{130, on(text, func(s *image.Section) { s.Flags |= cuda.SHFWrite }), "flags 0x6/0x7"},
		{130, on(text, func(s *image.Section) { s.Info = 2 | 9<<24 }), "info 0x9000001/0x9000002"},
		{130, on(text, func(s *image.Section) { s.Info = 1 | 8<<24 }), "info 0x9000001/0x8000001"},
		{130, on(text, func(s *image.Section) { s.Info = 1 | 10<<24 }), "info 0x9000001/0xa000001"},
		{130, on(text, func(s *image.Section) { s.Link = 0 }), "link 0x3/0x0"},
		{130, align(text, 64), "alignment 0x80/0x40"},
		{130, align(text, 256), ""},
		{130, on(bank, func(s *image.Section) { s.Flags = cuda.SHFAlloc }), ""},
		{130, on(bank, func(s *image.Section) { s.Flags = cuda.SHFInfoLink }), "flags 0x42/0x40"},
		{130, on(bank, func(s *image.Section) { s.Info = bank }), "info 0xc/0xd"},
		{130, on(bank, func(s *image.Section) { s.Kind = cuda.SHTCudaConstant0 + 2 }), "type PROGBITS/CUDA_CONSTANT_2"},
		{130, on(variables, func(s *image.Section) { s.Kind = cuda.SHTCudaGlobal }), "type NOBITS/CUDA_GLOBAL"},
		{130, func(c *check) { c.Relocatable = true }, "type CUDA_CONSTANT_2/PROGBITS; type CUDA_GLOBAL/NOBITS"},
		{130, func(c *check) { c.Out.Areas[variables] = nil; c.Out.Sections[variables].Align = 3 }, ""},
		{130, func(c *check) { c.Out.Areas[text].Owner.Owner = nil; c.Out.Sections[text].Info = 9 << 24 }, ""},

		// What stands with a note, and what is hidden from this side.
		{130, on(action, func(s *image.Section) { s.Kind, s.Flags, s.Name = cuda.SHTNote, 7, ".note" }), ""},
		{130, on(action, func(s *image.Section) { s.Hidden, s.Entry = true, 4 }), ""},
	} {
		c := tabled(x.release)
		x.change(c)
		if err := c.compareHeaders(); err != nil {
			t.Fatal(err)
		}
		c.Verdict.Findings = append(c.Verdict.Findings, unneeded(c)...)
		if got := said(c); got != strings.TrimSpace(x.want) && got != x.want {
			t.Errorf("%d: %d: %q, want %q", i, x.release, got, x.want)
		}
	}
}

// TestRightHeaders: nothing at all is said of right headers, and a section of no type misleads nobody.
func TestRightHeaders(t *testing.T) {
	for _, release := range []oracle.Release{118, 124, 130} {
		c := tabled(release)
		c.Verdict.Strict = true
		if err := c.compareHeaders(); err != nil || c.Verdict.Total > 0 {
			t.Errorf("%d: %v %v", release, err, c.Verdict.Findings)
		}
	}
	c := tabled(130)
	c.Out.Sections[action] = image.Section{Index: action}
	if err := c.compareHeaders(); err != nil || c.Verdict.Total > 0 || len(c.Verdict.Remarks) != 1 {
		t.Errorf("%v %v %v", err, c.Verdict.Findings, c.Verdict.Remarks)
	}
}

type finding = verdict.Finding

// unneeded are the remarks on what no program needs.
func unneeded(c *check) (list []finding) {
	for _, f := range c.Verdict.Remarks {
		if f.Unneeded {
			list = append(list, f)
		}
	}
	return list
}
