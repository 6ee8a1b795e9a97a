package engine

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// readRelocs reads a relocation section: pass 4.
func (l *linker) readRelocs(m *module, index int, s *cubin.Section) error {
	if s.Info == 0 || int64(s.Info) >= int64(len(m.sec)) {
		return m.fault(cubin.BadIndex, s, 0, uint64(s.Info), "sh_info names no section to relocate")
	}
	target := m.sec[s.Info]
	if target == lost {
		return nil
	}
	if target == absent || !l.takesRelocs(target) {
		return l.relocSectionFault(m, s)
	}
	table, err := m.file.Relocs(s)
	if err != nil {
		return err
	}
	name := l.names.id(m.file.SectionName(s))
	id := l.relocSection(target, name)
	base := m.base[s.Info]
	in := m.file.Section(int(s.Info))
	twin := false
	var out []reloc
	for i := 0; i < table.Len(); i++ {
		rec := table.At(i)
		if m.isLostData(s.Info, rec.Off) || m.lostSyms[rec.Symbol] && l.dropsLosers(target) {
			continue
		}
		sym, symBase, err := l.relocSymbol(m, s, i, rec.Symbol)
		if err != nil {
			return err
		}
		if s.Type == cuda.SHTRel && symBase != 0 && !l.opt.ForceRela {
			l.rebase(target, reloc{off: rec.Off + base, typ: rec.Type, file: m.num, sym: sym, base: symBase, from: rec.Symbol, rel: true})
			continue
		}
		if id != absent && out == nil && l.secs[id].flags == 0 {
			l.secs[id].flags = l.infoFlags() // made for header indices, it holds records after all
		}
		if id == absent {
			id = l.newRelocSection(name, s.Type, s.Flags|l.infoFlags(), target)
			if s.Type == cuda.SHTRel && l.opt.ForceRela {
				l.relaTwin(target)
			}
			if l.opt.PreserveReloc {
				l.preserveFor(target)
			}
		}
		if s.Type == cuda.SHTRel && l.opt.ForceRela && out == nil {
			id = l.relaTwin(target)
		}
		if out == nil {
			out = l.roomForRelocs(m, l.secs[id].relocs, table.Len())
		}
		if (i > 0 && !l.dialect.firstAsksRel || len(out) > len(l.secs[id].relocs)) && rec.Addend == 0 && s.Type == cuda.SHTRela && !twin {
			twin = true
			l.relTwin(name, target)
		}
		l.relocSeq++
		r := reloc{off: rec.Off + base, addend: rec.Addend, typ: rec.Type, file: m.num, seq: l.relocSeq, rel: s.Type == cuda.SHTRel, from: rec.Symbol}
		if r.rel && l.opt.ForceRela {
			r.addend = m.fieldOf(&in, &rec)
		}
		r.sym, r.base = sym, symBase
		if r.sym != absent && l.syms[r.sym].fun != absent && descriptor.AsksFunction(r.typ) {
			l.funs[l.syms[r.sym].fun].taken = true
		}
		out = append(out, r)
	}
	if out != nil {
		l.secs[id].relocs = out
	}
	return nil
}

// roomForRelocs makes room for n more records. A list that outgrows its room is
// one that many inputs add to: it gets room for as much from those to come as
// came from those so far.
func (l *linker) roomForRelocs(m *module, list []reloc, n int) []reloc {
	if list != nil && cap(list)-len(list) < n {
		rest, read := len(l.files)-int(m.num)-1, int(m.num)+1
		more := min((len(list)+n)*rest/read, l.relocsToCome)
		l.relocsToCome -= more
		n += more
	}
	return l.relocLists.room(list, n)
}

// rebase takes a REL record whose symbol stands for a section of which an
// earlier input has a part: it becomes RELA with the begin of this input's part
// as its addend, and what the field held is lost.
func (l *linker) rebase(target secID, r reloc) {
	id := l.relaTwin(target)
	if l.opt.PreserveReloc {
		l.preserveFor(target)
	}
	l.relocSeq++
	r.seq = l.relocSeq
	l.secs[id].relocs = append(l.secs[id].relocs, r)
}

// takesRelocs reports whether a section of the image may be patched: one with
// bytes that an input gave.
func (l *linker) takesRelocs(target secID) bool {
	t := &l.secs[target]
	return !t.made && !cubin.NoBitsSpace(t.typ) && t.typ != cuda.SHTCudaInfo
}

func (l *linker) relocSectionFault(m *module, s *cubin.Section) error {
	return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: Internal, Text: "Internal error: unexpected reloc section",
		File: m.file.Name, Section: m.file.SectionName(s), Value: uint64(s.Info)}}}
}

// dropsLosers reports whether relocations of a section to a definition that
// lost go: in constant banks, and from 13.0 on in the debug sections that
// describe code.
func (l *linker) dropsLosers(target secID) bool {
	if _, ok := cubin.ConstantBank(l.secs[target].typ); ok {
		return true
	}
	return !l.prof.loserDebug && l.describesCode(target)
}

// describesCode reports whether a section is one of those debug sections.
func (l *linker) describesCode(target secID) bool {
	switch l.names.str(l.secs[target].name) {
	case ".debug_frame", ".debug_line", ".nv_debug_line_sass":
		return true
	}
	return false
}

// relTwin makes the empty .rel<X> beside a .rela<X>: a record with addend 0
// that is not its section's first asks for it. It only leaves a name.
func (l *linker) relTwin(rela nameID, target secID) {
	name := l.names.id(".rel" + l.names.str(l.secs[target].name))
	if l.relocSection(target, name) == absent {
		l.newRelocSection(name, cuda.SHTRel, l.infoFlags(), target)
	}
}

// relaTwin returns the .rela<X> that takes the records of a .rel<X> with
// --force-rela.
func (l *linker) relaTwin(target secID) secID {
	name := l.names.id(".rela" + l.names.str(l.secs[target].name))
	if id := l.relocSection(target, name); id != absent {
		return id
	}
	return l.newRelocSection(name, cuda.SHTRela, l.infoFlags(), target)
}

// fieldOf returns what a record's field holds: the addend of a REL record,
// which stays where it is when the record becomes RELA.
func (m *module) fieldOf(in *cubin.Section, rec *cubin.Reloc) int64 {
	body := m.file.Content(in)
	if rec.Type >= cuda.RelocCount || rec.Off >= uint64(len(body)) {
		return 0
	}
	return int64(descriptor.Table[rec.Type].Field(body[rec.Off:]))
}

// relocSymbol maps the symbol of a record. For a SECTION symbol, base is where
// the module's part of that section begins.
func (l *linker) relocSymbol(m *module, s *cubin.Section, i int, index uint32) (sym symID, base uint64, err error) {
	if index == 0 {
		return absent, 0, nil
	}
	sym, err = l.symbolOf(m, s, index)
	if err != nil || sym == absent || l.syms[sym].typ() != cuda.STTSection {
		return sym, 0, err
	}
	in, _ := m.tab.At(int(index))
	return sym, m.base[m.tab.Shndx(int(index), &in)], nil
}

// isLostData reports whether a place lies in the bytes of a losing object.
func (m *module) isLostData(sec uint32, off uint64) bool {
	for _, d := range m.lostData {
		if d.sec == sec && off >= d.from && off < d.to {
			return true
		}
	}
	return false
}
