package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// readRelocs reads a relocation section: pass 4.
func (l *merger) readRelocs(m *module, index int, s *cubin.Section) error {
	if s.Info == 0 || int64(s.Info) >= int64(len(m.sec)) {
		return m.fault(cubin.BadIndex, s, 0, uint64(s.Info), "sh_info names no section to relocate")
	}
	target := m.sec[s.Info]
	if target == lost {
		return nil
	}
	if target == model.Absent || !l.takesRelocs(target) {
		return l.relocSectionFault(m, s)
	}
	table, err := m.file.Relocs(s)
	if err != nil {
		return err
	}
	name := l.Names.ID(m.file.SectionName(s))
	id := l.RelocSection(target, name)
	base := m.base[s.Info]
	in := m.file.Section(int(s.Info))
	twin := false
	var out []model.Reloc
	for i := 0; i < table.Len(); i++ {
		rec := table.At(i)
		if m.isLostData(s.Info, rec.Off) || m.lostSyms[rec.Symbol] && l.dropsLosers(target) {
			continue
		}
		sym, symBase, err := l.relocSymbol(m, s, i, rec.Symbol)
		if err != nil {
			return err
		}
		if s.Type == cuda.SHTRel && symBase != 0 && !l.Opt.ForceRela {
			l.rebase(target, model.Reloc{Off: rec.Off + base, Type: rec.Type, File: m.num, Sym: sym, Base: symBase, From: rec.Symbol, Rel: true})
			continue
		}
		if id != model.Absent && out == nil && l.Secs[id].Flags == 0 {
			l.Secs[id].Flags = l.InfoFlags() // made for header indices, it holds records after all
		}
		if id == model.Absent {
			id = l.NewRelocSection(name, s.Type, s.Flags|l.InfoFlags(), target)
			if s.Type == cuda.SHTRel && l.Opt.ForceRela {
				l.relaTwin(target)
			}
			if l.Opt.PreserveReloc {
				l.PreserveFor(target)
			}
		}
		if s.Type == cuda.SHTRel && l.Opt.ForceRela && out == nil {
			id = l.relaTwin(target)
		}
		if out == nil {
			out = l.roomForRelocs(m, l.Secs[id].Relocs, table.Len())
		}
		if (i > 0 && !l.Dialect.FirstAsksRel || len(out) > len(l.Secs[id].Relocs)) && rec.Addend == 0 && s.Type == cuda.SHTRela && !twin {
			twin = true
			l.relTwin(name, target)
		}
		l.relocSeq++
		r := model.Reloc{Off: rec.Off + base, Addend: rec.Addend, Type: rec.Type, File: m.num, Seq: l.relocSeq, Rel: s.Type == cuda.SHTRel, From: rec.Symbol}
		if r.Rel && l.Opt.ForceRela {
			r.Addend = m.fieldOf(&in, &rec)
		}
		r.Sym, r.Base = sym, symBase
		if r.Sym != model.Absent && l.Syms[r.Sym].Fun != model.Absent && descriptor.AsksFunction(r.Type) {
			l.Funs[l.Syms[r.Sym].Fun].Taken = true
		}
		out = append(out, r)
	}
	if out != nil {
		l.Secs[id].Relocs = out
	}
	return nil
}

// roomForRelocs makes room for n more records. A list that outgrows its room is
// one that many inputs add to: it gets room for as much from those to come as
// came from those so far.
func (l *merger) roomForRelocs(m *module, list []model.Reloc, n int) []model.Reloc {
	if list != nil && cap(list)-len(list) < n {
		rest, read := len(l.Files)-int(m.num)-1, int(m.num)+1
		more := min((len(list)+n)*rest/read, l.relocsToCome)
		l.relocsToCome -= more
		n += more
	}
	return l.relocLists.Room(list, n)
}

// rebase takes a REL record whose symbol stands for a section of which an
// earlier input has a part: it becomes RELA with the begin of this input's part
// as its addend, and what the field held is lost.
func (l *merger) rebase(target model.SecID, r model.Reloc) {
	id := l.relaTwin(target)
	if l.Opt.PreserveReloc {
		l.PreserveFor(target)
	}
	l.relocSeq++
	r.Seq = l.relocSeq
	l.Secs[id].Relocs = append(l.Secs[id].Relocs, r)
}

// takesRelocs reports whether a section of the image may be patched: one with
// bytes that an input gave.
func (l *merger) takesRelocs(target model.SecID) bool {
	t := &l.Secs[target]
	return !t.Made && !cubin.NoBitsSpace(t.Type) && t.Type != cuda.SHTCudaInfo
}

func (l *merger) relocSectionFault(m *module, s *cubin.Section) error {
	return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Internal, Text: "Internal error: unexpected reloc section",
		File: m.file.Name, Section: m.file.SectionName(s), Value: uint64(s.Info)}}}
}

// dropsLosers reports whether relocations of a section to a definition that
// lost go: in constant banks, and from 13.0 on in the debug sections that
// describe code.
func (l *merger) dropsLosers(target model.SecID) bool {
	if _, ok := cubin.ConstantBank(l.Secs[target].Type); ok {
		return true
	}
	return !l.Release.LoserDebug && l.DescribesCode(target)
}

// relTwin makes the empty .rel<X> beside a .rela<X>: a record with addend 0
// that is not its section's first asks for it. It only leaves a name.
func (l *merger) relTwin(rela names.ID, target model.SecID) {
	if l.Release.NoRelTwin {
		return
	}
	name := l.Names.Join(".rel", l.Names.Str(l.Secs[target].Name))
	if l.RelocSection(target, name) == model.Absent {
		l.NewRelocSection(name, cuda.SHTRel, l.InfoFlags(), target)
	}
}

// relaTwin returns the .rela<X> that takes the records of a .rel<X> with
// --force-rela.
func (l *merger) relaTwin(target model.SecID) model.SecID {
	name := l.Names.Join(".rela", l.Names.Str(l.Secs[target].Name))
	if id := l.RelocSection(target, name); id != model.Absent {
		return id
	}
	return l.NewRelocSection(name, cuda.SHTRela, l.InfoFlags(), target)
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
func (l *merger) relocSymbol(m *module, s *cubin.Section, i int, index uint32) (sym model.SymID, base uint64, err error) {
	if index == 0 {
		return model.Absent, 0, nil
	}
	sym, err = l.symbolOf(m, s, index)
	if err != nil || sym == model.Absent || l.Syms[sym].Type() != cuda.STTSection {
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
