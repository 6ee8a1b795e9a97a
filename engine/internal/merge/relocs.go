package merge

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// relocReader reads one relocation section of an input.
type relocReader struct {
	*merger
	m      *module
	s      *cubin.Section
	prefix names.Prefix
	of     names.ID // what the input calls what it patches: all that is made here is named by it
	name   names.ID
	target model.SecID
	id     model.SecID // the section that takes the records, absent for none so far
	had    int         // its records before these
	out    []model.Reloc
	isRel  bool
	base   uint64 // where the input's part of the target begins
	beside bool   // see relBeside
}

// readRelocs reads a relocation section: pass 4.
func (l *merger) readRelocs(m *module, s *cubin.Section) error {
	target, err := l.relocTarget(m, s)
	if err != nil || target == lost {
		return err
	}
	table, err := m.file.Relocs(s)
	if err != nil {
		return err
	}
	r := relocReader{merger: l, m: m, s: s, target: target, prefix: names.Rela, isRel: s.Type == cuda.SHTRel, base: m.base[s.Info]}
	if r.isRel {
		r.prefix = names.Rel
	}
	r.of = l.patchedName(m, s, target)
	r.name = l.Names.Join(r.prefix, r.of)
	r.id = l.RelocSection(target, r.name)
	drops := len(m.lostSyms) > 0 && l.dropsLosers(target)
	later := false     // whether a record was before that did not go
	var dropped uint32 // the first definition that lost whose address is omitted
	for i := range table.Len() {
		rec := table.At(i)
		if len(m.lostData) > 0 && m.isLostData(s.Info, rec.Off) {
			later = true
			continue
		}
		if drops && m.lostSyms[rec.Symbol] {
			if dropped == 0 {
				dropped = rec.Symbol
			}
			continue
		}
		sym, base, err := l.relocSymbol(m, s, rec.Symbol)
		if err != nil {
			return err
		}
		if base != 0 && r.isRel && !l.Opt.ForceRela {
			l.rebase(r.of, target, model.Reloc{Off: rec.Off + r.base, Type: rec.Type, File: m.num, Sym: sym, Base: base, More: l.more(rec.Symbol), Rel: true})
			later = true
			continue
		}
		if r.out == nil {
			r.begin(table.Len())
		}
		r.append(&rec, later, sym, base)
		later = true
	}
	if r.out != nil {
		l.Parts[r.id].Relocs = r.out
	}
	if dropped != 0 && m.isUserBank(s.Info) {
		l.NotePointer(l.Syms[m.sym[dropped]].Name, m.num, target)
	}
	return nil
}

// patchedName returns what an input calls the section that its records patch. The output may call it
// otherwise, where a second name of its code came first.
func (l *merger) patchedName(m *module, s *cubin.Section, target model.SecID) names.ID {
	name := l.Secs[target].Name
	if patched := m.file.SectionName(&m.heads[s.Info]); patched != l.Names.Str(name) {
		return l.Names.ID(patched)
	}
	return name
}

// relocTarget returns the section that an input's records patch, or lost.
func (l *merger) relocTarget(m *module, s *cubin.Section) (model.SecID, error) {
	if s.Info == 0 || int64(s.Info) >= int64(len(m.sec)) {
		return lost, m.fault(cubin.BadIndex, s, 0, uint64(s.Info), "sh_info names no section to relocate")
	}
	target := m.sec[s.Info]
	if target == model.Absent || target != lost && !l.takesRelocs(target) {
		return lost, l.relocSectionFault(m, s)
	}
	return target, nil
}

// begin finds or makes the section that takes so many records.
func (r *relocReader) begin(n int) {
	asRela := r.s.Type == cuda.SHTRel && r.Opt.ForceRela
	switch {
	case r.id == model.Absent || r.isForIndices(r.id):
		r.id = r.NewRelocSection(r.name, r.s.Type, r.s.Flags|r.InfoFlags(), r.target)
		if asRela {
			r.id = r.forceRela()
		}
		r.preserve(r.of, r.target)
	case asRela:
		r.id = r.relaBeside(r.of, r.target)
	}
	r.had = len(r.Parts[r.id].Relocs)
	r.out = r.roomForRelocs(r.m, r.Parts[r.id].Relocs, n)
}

// isForIndices reports whether a section was made for header indices that the link finds. Those that a whole
// program has already are in another.
func (r *relocReader) isForIndices(id model.SecID) bool {
	return r.Secs[r.target].Type == cuda.SHTCudaConstant0 && len(r.Parts[id].Relocs) == 0
}

// preserve makes, with --preserve-relocs, what a new relocation section asks for. nvlink makes a section
// for each, of which the first of a name is used.
func (l *merger) preserve(of names.ID, target model.SecID) {
	if l.Opt.PreserveRelocs && !l.PreserveFor(of, target) {
		l.Spare++
	}
}

// append appends a record; later says that it isn't the section's first.
func (r *relocReader) append(rec *cubin.Reloc, later bool, sym model.SymID, base uint64) {
	if rec.Addend == 0 && !r.isRel && !r.beside && (later && !r.Dialect.FirstAsksRel || len(r.out) > r.had) {
		r.beside = true
		r.relBeside()
	}
	addend := rec.Addend
	if r.isRel && r.Opt.ForceRela {
		addend = r.m.fieldOf(&r.m.heads[r.s.Info], rec)
	}
	r.out = append(r.out, model.Reloc{Off: rec.Off + r.base, Addend: addend, Type: rec.Type, Sym: sym, Base: base,
		File: r.m.num, More: r.more(rec.Symbol), Rel: r.isRel})
	if sym != model.Absent && descriptor.AsksFunction(rec.Type) && r.Syms[sym].Fun != model.Absent {
		r.Funs[r.Syms[sym].Fun].Taken = true
	}
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
func (l *merger) rebase(of names.ID, target model.SecID, r model.Reloc) {
	id := l.relaBeside(of, target)
	l.Parts[id].Relocs = append(l.Parts[id].Relocs, r)
}

// more notes what only some links ask of a record: of which symbol of its input it is,
// and how many came before.
func (l *merger) more(symbol uint32) int32 {
	if !l.keepsMore {
		return 0
	}
	n := int32(len(l.More))
	l.More = append(l.More, model.RelocMore{Seq: n, From: symbol})
	return n
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
	if l.Dialect.MovesTargets && l.Secs[target].Type == cuda.SHTCudaConstant0+2 {
		return false
	}
	if _, ok := cubin.ConstantBank(l.Secs[target].Type); ok {
		return true
	}
	return !l.Release.LoserDebug && l.DescribesCode(target)
}

// isUserBank reports whether an input section is a bank of the program's own constants,
// which stays whichever function goes.
func (m *module) isUserBank(section uint32) bool {
	in := &m.heads[section]
	_, bank := cubin.ConstantBank(in.Type)
	return bank && in.Owner() == 0
}

// relBeside makes the empty .rel<X> beside a .rela<X>: a record with addend 0
// that is not its section's first asks for it. It only leaves a name, unless some
// input may have records for it. Where all records are to be RELA nvlink makes
// another .rela<X> beside it, from sm_100 on always.
func (r *relocReader) relBeside() {
	if r.Release.NoRelBeside {
		return
	}
	name := r.Names.Join(names.Rel, r.of)
	if r.HasRelocSection(r.target, name) {
		return
	}
	switch {
	case !r.mixesRelocs && int(r.id) == len(r.Secs)-1 && r.Secs[r.target].Fun != model.Absent:
		r.AddBeside(r.id, name)
	default:
		r.NewRelocSection(name, cuda.SHTRel, r.InfoFlags(), r.target)
	}
	if r.Opt.ForceRela || r.Dialect.FirstAsksRel {
		r.Spare++
	}
	r.preserve(r.of, r.target)
}

// forceRela makes the .rela<X> that takes the records of a new .rel<X> with --force-rela. nvlink
// makes one also where there is one.
func (r *relocReader) forceRela() model.SecID {
	name := r.Names.Join(names.Rela, r.of)
	if id := r.RelocSection(r.target, name); id != model.Absent && !r.isForIndices(id) {
		r.Spare++
		return id
	}
	return r.NewRelocSection(name, cuda.SHTRela, r.InfoFlags(), r.target)
}

// relaBeside returns the .rela<X> that takes records of a .rel<X>.
func (l *merger) relaBeside(of names.ID, target model.SecID) model.SecID {
	name := l.Names.Join(names.Rela, of)
	if id := l.RelocSection(target, name); id != model.Absent {
		return id
	}
	id := l.NewRelocSection(name, cuda.SHTRela, l.InfoFlags(), target)
	l.preserve(of, target)
	return id
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
func (l *merger) relocSymbol(m *module, s *cubin.Section, index uint32) (sym model.SymID, base uint64, err error) {
	if index == 0 {
		return model.Absent, 0, nil
	}
	if int64(index) < int64(len(m.sym)) && m.sym[index] != model.Absent {
		return m.sym[index], 0, nil // no SECTION symbol: those have no entry
	}
	sym, err = l.symbolOf(m, s, index)
	if err != nil || sym == model.Absent || l.Syms[sym].Type() != cuda.STTSection {
		return sym, 0, err
	}
	return sym, m.base[m.tab.Shndx(int(index), &m.syms[index])], nil
}

// isLostData reports whether a place is in the bytes of a losing object.
func (m *module) isLostData(sec uint32, off uint64) bool {
	for _, d := range m.lostData {
		if d.sec == sec && off >= d.from && off < d.to {
			return true
		}
	}
	return false
}
