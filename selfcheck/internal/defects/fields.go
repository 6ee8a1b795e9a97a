package defects

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/selfcheck"
)

// Site is where a defect can be planted: a stretch of a section; section 0 is the
// file.
type Site struct {
	Section int
	Off     uint64
	width   int
	add     uint64 // what is added there
}

// Field is a number that is planted wrongly, and what must be found of it.
type Field struct {
	Name   string
	Kind   selfcheck.Kind
	Aspect selfcheck.Aspect
	Repair bool // Reconstitute gives the file without the defect
	Sites  func(m *capsule.Image) []Site
}

// sections returns the sections of one side whose name begins so.
func sections(m *capsule.Image, prefix string, f func(i int, s *capsule.Section) []Site) (list []Site) {
	for i := range m.Sections {
		if s := &m.Sections[i]; strings.HasPrefix(s.Name, prefix) && len(s.Content) > 0 {
			list = append(list, f(i, s)...)
		}
	}
	return list
}

// records is a site in every 24-byte record of the sections of a name.
func records(prefix string, at uint64, width int, add uint64) func(m *capsule.Image) []Site {
	return func(m *capsule.Image) []Site {
		return sections(m, prefix, func(i int, s *capsule.Section) (list []Site) {
			for k := uint64(0); k < uint64(len(s.Content)); k += cubin.RelaSize {
				list = append(list, Site{i, k + at, width, add})
			}
			return list
		})
	}
}

// functionSymbols is a site in the entry of every function in a table.
func functionSymbols(table func(m *capsule.Image) *capsule.Symbols, at uint64, add uint64) func(m *capsule.Image) []Site {
	return func(m *capsule.Image) (list []Site) {
		t := table(m)
		for i := range m.Funcs {
			if fn := &m.Funcs[i]; m.Sections[fn.Text].EntSize == 0 {
				list = append(list, Site{t.Index, uint64(fn.Symbol)*cubin.SymbolSize + at, 8, add})
			}
		}
		return list
	}
}

func sassSymbols(m *capsule.Image) *capsule.Symbols { return &m.SASS }
func mercSymbols(m *capsule.Image) *capsule.Symbols { return &m.Merc }

// offsets is a site in every offset word of one of the attribute streams.
func offsets(merc bool, add uint64) func(m *capsule.Image) []Site {
	return func(m *capsule.Image) (list []Site) {
		for i := range m.Funcs {
			section := m.Funcs[i].Info
			if merc {
				section = m.Funcs[i].MercInfo
			}
			at := uint64(0)
			r := m.File.Info(&m.Sections[section].Section)
			for rec, ok := r.Next(); ok; rec, ok = r.Next() {
				start := at + 4
				if capsule.HasOffsets(rec.Attr) {
					_ = capsule.VisitOffsets(rec.Attr, rec.Data, func(p int) { list = append(list, Site{section, start + uint64(p), 4, add}) })
				}
				at += uint64(rec.Len())
			}
		}
		return list
	}
}

// headerFields is a site in the header of every section of a name; section 0
// stands for the file itself.
func headerFields(prefix string, at uint64, width int, add uint64) func(m *capsule.Image) []Site {
	return func(m *capsule.Image) []Site {
		names := map[string]int{}
		for i := range m.Sections {
			names[m.Sections[i].Name]++
		}
		return sections(m, prefix, func(i int, s *capsule.Section) []Site {
			if names[s.Name] > 1 {
				return nil // two static functions; which is whose is then less clear
			}
			return []Site{{0, m.File.Header.ShOff + uint64(i)*cubin.SectionSize + at, width, add}}
		})
	}
}

// codeWords is a site in every word of data that holds a code address.
func codeWords(m *capsule.Image) []Site {
	return sections(m, ".nv.merc.rela.nv.", func(i int, s *capsule.Section) (list []Site) {
		t, err := m.File.Relocs(&s.Section)
		target := m.Counterpart(int(s.Info))
		if err != nil || target == 0 || m.Sections[target].Off == m.Sections[s.Info].Off {
			return nil
		}
		for k := range t.Len() {
			if r := t.At(k); r.Type == cuda.R_MERCURY_PROG_REL32 || r.Type == cuda.R_MERCURY_PROG_REL64 {
				list = append(list, Site{target, r.Off, 4, 16})
			}
		}
		return list
	})
}

// firstInfo is the second word of the first record of .nv.info that has one.
func firstInfo(m *capsule.Image) []Site {
	return sections(m, ".nv.info", func(i int, s *capsule.Section) []Site {
		at := uint64(0)
		r := m.File.Info(&s.Section)
		for rec, ok := r.Next(); ok && s.Name == ".nv.info"; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrRegcount {
				return []Site{{i, at + 8, 4, 1}}
			}
			at += uint64(rec.Len())
		}
		return nil
	})
}

// lastWords is a site in the padding of every text.
func lastWords(m *capsule.Image) (list []Site) {
	for i := range m.Funcs {
		list = append(list, Site{m.Funcs[i].Text, uint64(len(m.Funcs[i].Code)) - 16, 8, 1 << 24})
	}
	return list
}

// capsuleWords is a site in a word of every capsule's header.
func capsuleWords(at uint64, add uint64) func(m *capsule.Image) []Site {
	return func(m *capsule.Image) (list []Site) {
		for i := range m.Funcs {
			list = append(list, Site{m.Funcs[i].Capsule, at, 4, add})
		}
		return list
	}
}

// named is one site in every section of a name.
func named(name string, at uint64, width int, add uint64) func(m *capsule.Image) []Site {
	return func(m *capsule.Image) []Site {
		return sections(m, name, func(i int, s *capsule.Section) []Site {
			if s.Name != name || at+uint64(width) > uint64(len(s.Content)) {
				return nil
			}
			return []Site{{i, at, width, add}}
		})
	}
}

// Fields are the kinds of numbers.
var Fields = []Field{
	{"value of a function in .symtab", selfcheck.Text, selfcheck.Metadata, true, functionSymbols(sassSymbols, 8, 16)},
	{"size of a function in .symtab", selfcheck.Text, selfcheck.Metadata, true, functionSymbols(sassSymbols, 16, 16)},
	{"size of a function in .nv.merc.symtab", selfcheck.Text, selfcheck.Metadata, false, functionSymbols(mercSymbols, 16, 8)},
	{"binding of a symbol", selfcheck.Text, selfcheck.Metadata, true, functionSymbols(sassSymbols, 4, 0x10)},
	{"offset in .nv.info.F", selfcheck.Text, selfcheck.Content, true, offsets(false, 16)},
	{"offset in .nv.merc.nv.info.F", selfcheck.Text, selfcheck.Content, false, offsets(true, 8)},
	{"record of .nv.info", selfcheck.Text, selfcheck.Content, true, firstInfo},
	{"padding of a text", selfcheck.Text, selfcheck.Content, true, lastWords},
	{"text that a capsule names", selfcheck.Text, selfcheck.Content, false, capsuleWords(0, 1)},
	{"version of a capsule", selfcheck.Text, selfcheck.Content, false, capsuleWords(4, 1)},
	{"number of nodes", selfcheck.Text, selfcheck.Content, false, capsuleWords(8, 1)},
	{"place of a code relocation", selfcheck.Reloc, selfcheck.Count, true, records(".rela.text.", 0, 8, 16)},
	{"type of a code relocation", selfcheck.Reloc, selfcheck.Metadata, true, records(".rela.text.", 8, 4, 1)},
	{"symbol of a code relocation", selfcheck.Reloc, selfcheck.Metadata, true, records(".rela.text.", 12, 4, 1)},
	{"addend of a code relocation", selfcheck.Reloc, selfcheck.Metadata, true, records(".rela.text.", 16, 8, 4)},
	{"place of a data relocation", selfcheck.Reloc, selfcheck.Count, true, records(".rela.nv.global.init", 0, 8, 1)},
	{"addend of a data relocation", selfcheck.Reloc, selfcheck.Metadata, true, records(".rela.nv.global.init", 16, 8, 4)},
	{"word of a jump table", selfcheck.Reloc, selfcheck.Content, true, codeWords},
	{"place of a frame's relocation", selfcheck.Reloc, selfcheck.Count, false, records(".rela.debug_frame", 0, 8, 1)},
	{"symbol of a line table's relocation", selfcheck.Debug, selfcheck.Count, false, records(".rela.nv_debug_line_sass", 12, 4, 1)},
	{"place of a line table's relocation", selfcheck.Reloc, selfcheck.Content, false, records(".rela.debug_line", 0, 8, 1)},
	{"range of a frame", selfcheck.Debug, selfcheck.Content, false, frameLengths},
	{"rule of a frame", selfcheck.Debug, selfcheck.Content, false, frameRules},
	{"row of a line table", selfcheck.Debug, selfcheck.Content, false, lineRows(".nv_debug_line_sass")},
	{"row of .debug_line", selfcheck.Debug, selfcheck.Content, false, lineRows(".debug_line")},
	{"range of a register", selfcheck.Debug, selfcheck.Content, false, registerRanges},
	{"flags of a text", selfcheck.Text, selfcheck.Metadata, false, headerFields(".text.", 8, 1, 1)},
	{"alignment of a capsule", selfcheck.Text, selfcheck.Metadata, false, headerFields(".nv.capmerc.text.", 48, 1, 16)},
	{"owner of attributes", selfcheck.Text, selfcheck.Metadata, false, headerFields(".nv.merc.nv.info.", 44, 4, 1)},
	{"type of a frame section", selfcheck.Debug, selfcheck.Metadata, false, headerFields(".debug_frame", 4, 4, 1)},
	{"symbol table of relocations", selfcheck.Reloc, selfcheck.Metadata, false, headerFields(".rela.text.", 40, 4, 1)},
	{"entry size of relocations", selfcheck.Reloc, selfcheck.Metadata, false, headerFields(".rela.text.", 56, 1, 1)},
	{"target of .nv.compat", selfcheck.Text, selfcheck.Content, false, named(".nv.compat", 2, 1, 1)},
	{"target in the header", selfcheck.Text, selfcheck.Metadata, false, func(*capsule.Image) []Site { return []Site{{0, 49, 1, 5}} }},
}

// Plant returns the file with the defect at a site.
func (s Site) Plant(m *capsule.Image, data []byte) []byte {
	at := s.Off
	if s.Section != 0 {
		at += m.Sections[s.Section].Off
	}
	out := bytes.Clone(data)
	var b [8]byte
	copy(b[:], out[at:at+uint64(s.width)])
	binary.LittleEndian.PutUint64(b[:], binary.LittleEndian.Uint64(b[:])+s.add)
	copy(out[at:], b[:s.width])
	return out
}
