package resolve

import (
	"iter"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/parallel"
)

// The class router: what happens to each relocation. The resolver class of a
// type says who may patch it; what its symbol is decides among those.

// Rules are how one kind of code has its relocations resolved.
type Rules interface {
	// Decider returns what decides about all records of a section at once, for one
	// core; nil where there is no such thing. It returns how many stay; false leaves
	// the section, or the rest of it, to the three below.
	Decider() func(in model.SecID) (kept int, done bool)
	// Decide says what happens to a record.
	Decide(in model.SecID, r *model.Reloc) error
	// CheckApply refuses a record that can't be applied.
	CheckApply(in model.SecID, r *model.Reloc) error
	// CheckKept refuses one that can't be left to the driver.
	CheckKept(in model.SecID, r *model.Reloc) error
}

// DecideAll decides what happens to every relocation that is still there. Refusals
// come in two rounds, as the tool applies first and writes the rest after:
// what can't be patched, the last record of a section first; then what can't be
// kept, the first one first.
func (l *Resolution) DecideAll(by Rules) error {
	var first refusals
	decided := l.decideSections(by)
	for i := range l.Secs {
		if l.Secs[i].Target == model.Absent || decided[i] {
			continue
		}
		if !l.Secs[i].Deleted {
			if err := l.decideSection(by, model.SecID(i), &first); err != nil {
				return err
			}
		}
		l.countKept(model.SecID(i))
	}
	if err := first.err(); err != nil {
		return err
	}
	if err := l.checkPlaced(); err != nil {
		return err
	}
	if !l.Failed {
		l.findNullPointers()
		l.WarnNullPointers()
		l.warnLostConstants()
		l.warnUncounted()
		l.warnYields()
	}
	return nil
}

// refusals are the first of each round.
type refusals struct{ apply, keep error }

func (r *refusals) err() error {
	if r.apply != nil {
		return r.apply
	}
	return r.keep
}

// decideSection decides about the records of a section one by one.
func (l *Resolution) decideSection(by Rules, in model.SecID, first *refusals) error {
	list, fit := l.Parts[in].Relocs, true
	for j := range list {
		r := &list[j]
		if r.Disposition == model.Undecided {
			if err := by.Decide(in, r); err != nil {
				return err
			}
		}
		fit = fit && r.Fits
	}
	if fit {
		return nil
	}
	for j := len(list) - 1; j >= 0 && first.apply == nil; j-- {
		first.apply = by.CheckApply(in, &list[j])
	}
	for j := 0; j < len(list) && first.keep == nil; j++ {
		first.keep = by.CheckKept(in, &list[j])
	}
	return nil
}

// decideSections decides about sections that can be decided as a whole, side by side,
// and returns which those are.
func (l *Resolution) decideSections(by Rules) []bool {
	decided := make([]bool, len(l.Secs))
	l.NameUnified()
	parallel.DoWith(len(l.Secs), func() func(from, to int) {
		decide := by.Decider()
		return func(from, to int) {
			for i := from; i < to && decide != nil; i++ {
				if l.Secs[i].Target == model.Absent || l.Secs[i].Deleted {
					continue
				}
				if n, done := decide(model.SecID(i)); done {
					l.setKept(model.SecID(i), n)
					decided[i] = true
				}
			}
		}
	})
	return decided
}

// patches are the relocation sections that are in the image, each with what it patches, by number.
func (l *Resolution) patches() iter.Seq2[model.SecID, model.SecID] {
	return func(yield func(of, target model.SecID) bool) {
		for i := range l.Secs {
			if t := l.Secs[i].Target; t != model.Absent && !l.Secs[i].Deleted && !l.Secs[t].Deleted && !yield(model.SecID(i), t) {
				return
			}
		}
	}
}

// findNullPointers notes each variable with the address of a function that is not in
// the image: an earlier input defines it too, and nvlink forgets who asks for this one.
func (l *Resolution) findNullPointers() {
	for i, t := range l.patches() {
		if l.Secs[t].Type != cuda.SHTCudaGlobalInit {
			continue
		}
		told := model.SymID(model.Absent)
		for j := range l.Parts[i].Relocs {
			r := &l.Parts[i].Relocs[j]
			if r.Sym == model.Absent || r.Sym == told || r.Disposition == model.Applied || r.Disposition == model.Kept {
				continue
			}
			if s := &l.Syms[r.Sym]; s.Type() == cuda.STTFunc && s.Is(model.SymDead) {
				told = r.Sym
				l.NotePointer(s.Name, r.File, t)
			}
		}
	}
}

// countKept gives a relocation section the size of what stays in it.
func (l *Resolution) countKept(in model.SecID) {
	n := 0
	relocs := l.Parts[in].Relocs
	for j := range relocs {
		if relocs[j].Disposition == model.Kept {
			n++
		}
	}
	l.setKept(in, n)
}

// setKept gives a relocation section the size of n records.
func (l *Resolution) setKept(in model.SecID, n int) {
	if s := &l.Secs[in]; s.Type != cuda.SHTCudaResolvedRela {
		s.Size = uint64(n) * model.RelocSize(s.Type)
	}
}

// checkPlaced refuses what the image would have at the address that represents
// no place.
func (l *Resolution) checkPlaced() error {
	for i := range l.Syms {
		s := &l.Syms[i]
		if s.Value == model.Unplaced && s.Is(model.SymDefined) && !s.Is(model.SymDead) && !s.IsShared() && s.Sec >= 0 && !l.Secs[s.Sec].Deleted {
			return diag.Refuse(diag.Internal, l.FileName(s.File), "Internal error: unallocated symbol")
		}
	}
	return nil
}

// IsLocalUndefined reports whether a symbol is one that only its input could
// have defined and didn't, such as .nv.ptx.const0.size: it has no place.
func IsLocalUndefined(sym *model.Symbol) bool {
	return sym.Binding() == cuda.STBLocal && sym.Type() == cuda.STTObject && sym.Sec < 0
}

// IsCode reports whether a symbol stands for a section of code, or for one that
// only a debugger reads.
func (l *Resolution) IsCode(sym *model.Symbol) bool {
	return sym.Type() == cuda.STTSection && l.Secs[sym.Sec].Type == cuda.SHTProgbits
}

// FollowAlias retargets a relocation from a second name of some code to the
// function that the code's header names.
func (l *Resolution) FollowAlias(r *model.Reloc) {
	if r.Sym == model.Absent {
		return
	}
	s := &l.Syms[r.Sym]
	if s.Fun == model.Absent || s.Value != 0 || s.Sec < 0 {
		return
	}
	if f := l.Secs[s.Sec].Fun; f != model.Absent && f != s.Fun {
		r.Sym = l.Funs[f].Sym
	}
}

// StaysOpen reports whether a relocatable link leaves references to a symbol
// to a later one: weak variables, and what stands for dynamic shared memory.
func (l *Resolution) StaysOpen(sym *model.Symbol) bool {
	return sym.Binding() == cuda.STBWeak || l.Release.KeepsShared && sym.IsShared()
}

// DriverKnows reports whether only the driver knows a symbol's address.
func (l *Resolution) DriverKnows(sym *model.Symbol) bool {
	if l.IsRelocatable() && !sym.Is(model.SymDefined) && sym.Type() == cuda.STTCudaObject {
		return sym.Space() == cuda.STOGlobal
	}
	if sym.Type() == cuda.STTFunc {
		return true
	}
	if !sym.Is(model.SymDefined) || sym.Sec < 0 {
		return sym.Space() != cuda.STOConstant && sym.Space() != cuda.STOShared || l.IsRelocatable()
	}
	switch l.Secs[sym.Sec].Type {
	case cuda.SHTCudaGlobal, cuda.SHTCudaGlobalInit, cuda.SHTProgbits:
		return true
	}
	return false
}

// IsHiddenData reports whether a symbol is of those that a final link leaves
// out: variables in shared memory and parameters.
func (l *Resolution) IsHiddenData(sym *model.Symbol) bool {
	if sym.Type() == cuda.STTSection && l.Secs[sym.Sec].Type == cuda.SHTCudaShared && l.Secs[sym.Sec].Owner == model.Absent {
		return true
	}
	return sym.IsShared() && !l.ShowsDebug() || sym.Other&3 == cuda.STOInternal
}

// RelocFault is an internal error of the tool, with the place it can't name.
func (l *Resolution) RelocFault(in model.SecID, r *model.Reloc, text string) error {
	return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Internal, Text: "Internal error: " + text,
		File: l.Files[r.File].Name, Section: l.Names.Str(l.Secs[in].Name), Symbol: l.SymName(r.Sym), Offset: r.Off, Value: uint64(r.Type)}}}
}

// SymIndex returns a symbol's number in the image, 0 for none.
func (l *Resolution) SymIndex(s model.SymID) uint32 {
	if s < 0 {
		return 0
	}
	return l.Syms[s].Index
}

// IsLostDebug reports whether a record belongs to the debug data of a
// definition that was replaced.
func (l *Resolution) IsLostDebug(in model.SecID, r *model.Reloc) bool {
	last, ok := l.LostDebug[r.Sym]
	if !ok || r.File > last {
		return false
	}
	if target := l.Secs[in].Target; l.DescribesCode(target) {
		// Where the first section of records that patch a target is .rel, nvlink leaves
		// those that came as REL.
		return !r.Rel || l.Secs[l.Parts[target].FirstRel].Type == cuda.SHTRela
	}
	return false
}

// Value returns what a relocation that is applied resolves to.
func (l *Resolution) Value(in model.SecID, r *model.Reloc) descriptor.Values {
	v := descriptor.Values{Rela: l.Secs[in].Type == cuda.SHTRela, Addend: r.Addend, Place: r.Off}
	if r.Sym == model.Absent {
		v.Symbol, v.Bank = l.NullValue, model.BankOf(cuda.SHTNull)
		return v
	}
	sym := &l.Syms[r.Sym]
	v.Symbol, v.Size = sym.Value, l.SharedAlign[r.Sym]
	if sym.Sec < 0 {
		v.Bank = model.BankOf(cuda.SHTNull)
	}
	switch {
	case sym.Type() == cuda.STTSection:
		v.Symbol = r.Base
		v.Bank = model.BankOf(l.Secs[sym.Sec].Type)
	case sym.IsTexture():
		v.Symbol, v.Bank = 0, model.BankOf(cuda.SHTNull)
		if layout.Bindless[r.Type] || l.Dialect.SlotsOfAnyType {
			if r.Type <= layout.PastMercury {
				v.Symbol = l.SlotOff[r.Sym]
			}
			if !l.IsRelocatable() {
				v.Bank = 0
			}
		}
	case sym.IsShared() && !sym.IsExternShared() && !sym.Is(model.SymLaid) && !l.IsRelocatable():
		v.Symbol = model.Unplaced
		v.Bank = model.BankOf(cuda.SHTCudaShared)
	case sym.IsExternShared() && !l.IsRelocatable():
		v.Symbol, v.Size = l.ExternOffset(l.Secs[in].Target, sym), layout.DynamicAlign
	case l.IsRelocatable() && l.isUnplacedByLink(sym):
		v.Symbol = model.Unplaced // with --allow-undefined-globals the symbol itself has no such value
	case sym.Sec >= 0:
		v.Bank = model.BankOf(l.Secs[sym.Sec].Type)
		if l.Secs[sym.Sec].Moved {
			v.Symbol += l.UnitOff[sym.Sec]
		}
	}
	return v
}

// IsForgotten reports whether a dynamic variable was removed although something still
// names it: --preserve-relocs keeps functions that no kernel reaches, and debug
// information, and where kernels share variables it forgets that those have a part in
// the layout too. What becomes of data that names one isn't known.
func (l *Resolution) IsForgotten(in model.SecID, sym *model.Symbol) bool {
	target := &l.Secs[l.Secs[in].Target]
	data := target.Fun == model.Absent && target.Flags&cuda.SHFAlloc != 0
	return l.Opt.PreserveRelocs && !l.ShowsDebug() && !l.IsRelocatable() && !sym.Is(model.SymDynamic|model.SymSized) &&
		len(l.Shared.Kernels) > 0 && (data || len(l.Shared.Multi) > 0) && l.ExternOffset(l.Secs[in].Target, sym) == model.Unplaced
}

// ExternOffset returns the offset of the dynamic shared variables as seen from
// a function's code.
func (l *Resolution) ExternOffset(text model.SecID, v *model.Symbol) uint64 {
	if l.ShowsDebug() {
		return v.Value
	}
	if l.Shared == nil || l.Secs[text].Fun == model.Absent {
		return model.Unplaced
	}
	off, ok := l.Shared.ExternAt[l.Secs[text].Fun]
	if !ok {
		return model.Unplaced
	}
	return off
}
