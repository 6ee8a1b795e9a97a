package engine

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// The class router: what happens to each relocation. The resolver class of a
// type says who may patch it; what its symbol is decides among those.

// resolver returns the class of a type; a number past the release's table has
// none.
func (l *linker) resolver(typ uint32) cuda.Resolver {
	info, ok := cuda.LookupReloc(typ)
	if !ok || typ < cuda.MercuryBase && typ >= l.prof.relocCount {
		return cuda.ResolverNone
	}
	return info.Resolver
}

// unifiedPlain is what a kept unified type becomes when its symbol is not in a
// unified table.
var unifiedPlain = map[uint32]uint32{
	cuda.R_CUDA_UNIFIED:         cuda.R_CUDA_64,
	cuda.R_CUDA_UNIFIED_32:      cuda.R_CUDA_32,
	cuda.R_CUDA_UNIFIED_8_0:     cuda.R_CUDA_8_0,
	cuda.R_CUDA_UNIFIED_8_8:     cuda.R_CUDA_8_8,
	cuda.R_CUDA_UNIFIED_8_16:    cuda.R_CUDA_8_16,
	cuda.R_CUDA_UNIFIED_8_24:    cuda.R_CUDA_8_24,
	cuda.R_CUDA_UNIFIED_8_32:    cuda.R_CUDA_8_32,
	cuda.R_CUDA_UNIFIED_8_40:    cuda.R_CUDA_8_40,
	cuda.R_CUDA_UNIFIED_8_48:    cuda.R_CUDA_8_48,
	cuda.R_CUDA_UNIFIED_8_56:    cuda.R_CUDA_8_56,
	cuda.R_CUDA_UNIFIED32_LO_32: cuda.R_CUDA_ABS32_LO_32,
	cuda.R_CUDA_UNIFIED32_HI_32: cuda.R_CUDA_ABS32_HI_32,
}

// unifiedSymbols are the synthetic symbols of the unified tables. Undefined,
// they stand for nothing: relocations to them go.
var unifiedSymbols = []string{"__UDT_OFFSET", "__UFT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL",
	"__UFT", "__UDT", "__UFT_END", "__UDT_END"}

// isUnified reports whether a symbol is an undefined synthetic one.
func (l *linker) isUnified(s symID) bool {
	if l.unified == nil {
		l.unified = make(map[nameID]bool)
		for _, n := range unifiedSymbols {
			l.unified[l.names.id(n)] = true
		}
	}
	sym := &l.syms[s]
	return !sym.is(symDefined) && l.unified[sym.name]
}

// rules are how one kind of code has its relocations resolved.
type rules interface {
	// decide says what happens to a record.
	decide(in secID, r *reloc) error
	// checkApply refuses a record that can't be carried out.
	checkApply(in secID, r *reloc) error
	// checkKept refuses one that can't be left to the driver.
	checkKept(in secID, r *reloc) error
}

// decideAll decides the fate of every relocation that is still there. Refusals
// come in two rounds, as the tool carries out first and writes the rest after:
// what can't be patched, the last record of a section first; then what can't be
// kept, the first one first.
func (l *linker) decideAll(by rules) error {
	sections := l.relocSections()
	for _, in := range sections {
		for j := range l.secs[in].relocs {
			if r := &l.secs[in].relocs[j]; r.fate == undecided {
				if err := by.decide(in, r); err != nil {
					return err
				}
			}
		}
	}
	for _, in := range sections {
		list := l.secs[in].relocs
		for j := len(list) - 1; j >= 0; j-- {
			if err := by.checkApply(in, &list[j]); err != nil {
				return err
			}
		}
	}
	for _, in := range sections {
		list := l.secs[in].relocs
		for j := range list {
			if err := by.checkKept(in, &list[j]); err != nil {
				return err
			}
		}
	}
	return l.checkPlaced()
}

// checkPlaced refuses what the image would have at the address that stands for
// no place.
func (l *linker) checkPlaced() error {
	for i := range l.syms {
		s := &l.syms[i]
		if s.value == unplaced && s.is(symDefined) && !s.is(symDead) && !s.isShared() && s.sec >= 0 && !l.secs[s.sec].deleted {
			return refuse(Internal, l.fileName(s.file), "Internal error: unallocated symbol")
		}
	}
	return nil
}

// relocSections returns the sections of records that are still there.
func (l *linker) relocSections() []secID {
	var list []secID
	for i := range l.secs {
		if s := &l.secs[i]; s.target != absent && !s.deleted && len(s.relocs) > 0 {
			list = append(list, secID(i))
		}
	}
	return list
}

func (l *sassLink) decide(in secID, r *reloc) error {
	r.fate = dropped
	switch r.typ {
	case cuda.R_CUDA_UNUSED_CLEAR32, cuda.R_CUDA_UNUSED_CLEAR64:
		if r.sym != absent && !l.isLostDebug(in, r) {
			l.decideUnused(r)
		}
		return nil
	}
	if l.isLostDebug(in, r) {
		return nil
	}
	r.newTyp = r.typ
	if plain, ok := unifiedPlain[r.typ]; ok && !l.isRelocatable() && l.prof.renamesUnified {
		r.typ, r.newTyp = plain, plain
	}
	l.followAlias(r)
	sym := &symbol{}
	if r.sym != absent {
		sym = &l.syms[r.sym]
	}
	switch {
	case r.sym == absent || l.isCode(sym) || isLocalUndefined(sym):
		r.fate = l.byClass(r.typ)
	case sym.is(symDead) || sym.sec >= 0 && l.secs[sym.sec].deleted && !l.secs[sym.sec].moved || l.isUnified(r.sym):
	case sym.sec >= 0 && l.secs[sym.sec].moved:
		if _, ok := l.unitOff[sym.sec]; ok {
			r.fate = applied
		}
	default:
		r.fate = l.fateOf(r, sym)
	}
	if r.fate == applied && l.forwardProgress && (r.typ == cuda.R_CUDA_YIELD_OPCODE9_0 || r.typ == cuda.R_CUDA_YIELD_CLEAR_PRED4_87) {
		r.fate = dropped
	}
	return nil
}

// isLocalUndefined reports whether a symbol is one that only its input could
// have defined and didn't, such as .nv.ptx.const0.size: it has no place.
func isLocalUndefined(sym *symbol) bool {
	return sym.binding() == cuda.STBLocal && sym.typ() == cuda.STTObject && sym.sec < 0 && !sym.is(symDefined)
}

// decideUnused decides about a place that is cleared where its symbol isn't in
// the image.
func (l *linker) decideUnused(r *reloc) {
	sym := &l.syms[r.sym]
	switch {
	case sym.is(symDead), l.isCode(sym) && l.secs[sym.sec].deleted, !l.isRelocatable() && l.isHiddenData(sym):
		r.fate = cleared
	case sym.isImage():
		r.fate, r.newTyp, r.sym = kept, cuda.R_CUDA_NONE, absent
	case sym.typ() != cuda.STTFunc && !l.isCode(sym) && l.driverKnows(sym):
		r.fate, r.newTyp = kept, r.typ
	}
}

// byClass is what becomes of a relocation whose symbol has no say: the class
// of its type decides.
func (l *linker) byClass(typ uint32) fate {
	if l.resolver(typ) == cuda.ResolverDriver {
		return kept
	}
	return applied
}

// fateOf says who patches a relocation: what the symbol is decides before the
// type's class does.
func (l *linker) fateOf(r *reloc, sym *symbol) fate {
	class := l.resolver(r.typ)
	switch {
	case sym.isImage() && r.typ < l.prof.relocCount && (class == cuda.ResolverLinker || bindless[r.typ]):
		return applied
	case l.isRelocatable() && l.staysOpen(sym), class == cuda.ResolverDriver:
		return kept
	case sym.isExternShared():
		return applied
	case l.driverKnows(sym):
		if r.typ == cuda.R_CUDA_NONE && sym.typ() == cuda.STTFunc {
			return dropped
		}
		return kept
	}
	return applied
}

// isCode reports whether a symbol stands for a section of code, or for one that
// only a debugger reads.
func (l *linker) isCode(sym *symbol) bool {
	return sym.typ() == cuda.STTSection && sym.sec >= 0 && l.secs[sym.sec].typ == cuda.SHTProgbits
}

// followAlias retargets a relocation from a second name of some code to the
// function that the code's header names.
func (l *linker) followAlias(r *reloc) {
	if r.sym == absent {
		return
	}
	s := &l.syms[r.sym]
	if s.fun == absent || s.value != 0 || s.sec < 0 {
		return
	}
	if f := l.secs[s.sec].fun; f != absent && f != s.fun {
		r.sym = l.funs[f].sym
	}
}

// staysOpen reports whether a relocatable link leaves references to a symbol
// to a later one: weak variables, and what stands for dynamic shared memory.
func (l *linker) staysOpen(sym *symbol) bool {
	return sym.binding() == cuda.STBWeak
}

// driverKnows reports whether only the driver knows a symbol's address.
func (l *linker) driverKnows(sym *symbol) bool {
	if l.isRelocatable() && !sym.is(symDefined) && sym.typ() == cuda.STTCudaObject {
		return sym.space() == cuda.STOGlobal
	}
	if sym.typ() == cuda.STTFunc {
		return true
	}
	if !sym.is(symDefined) || sym.sec < 0 {
		return sym.space() != cuda.STOConstant && sym.space() != cuda.STOShared || l.isRelocatable()
	}
	switch l.secs[sym.sec].typ {
	case cuda.SHTCudaGlobal, cuda.SHTCudaGlobalInit, cuda.SHTProgbits:
		return true
	}
	return false
}

// checkApply refuses what the dispatcher can't do.
func (l *sassLink) checkApply(in secID, r *reloc) error {
	if r.fate != applied {
		return nil
	}
	known := r.typ < l.prof.relocCount
	// A type without a field needs no place; of any other it is found first.
	if r.off >= l.secs[l.secs[in].target].size && (!known || descriptor.Table[r.typ].Span() > 0) {
		return l.relocFault(in, r, "reloc address not found")
	}
	if !known {
		return l.relocFault(in, r, "unexpected NVRS")
	}
	if r.sym != absent && l.syms[r.sym].isExternShared() && l.isForgotten(in, &l.syms[r.sym]) {
		return l.relocFault(in, r, "reference to deleted symbol")
	}
	d := &descriptor.Table[r.typ]
	if d.Slot(0).Action == descriptor.PCRel {
		return l.relocFault(in, r, "PC relative branch address should be in the same section")
	}
	for i := 0; i < descriptor.Slots; i++ {
		if !descriptor.Dispatched(d.Slot(i).Action) {
			return l.relocFault(in, r, "unexpected NVRS")
		}
	}
	return nil
}

// checkKept refuses what can't be left to the driver.
func (l *sassLink) checkKept(in secID, r *reloc) error {
	if r.fate != kept || r.sym == absent {
		return nil
	}
	sym := &l.syms[r.sym]
	if l.isCode(sym) && l.secs[sym.sec].deleted {
		return l.relocFault(in, r, "reference to deleted symbol")
	}
	if !l.isRelocatable() && !l.opt.PreserveReloc && l.isHiddenData(sym) {
		return l.relocFault(in, r, "reference to deleted symbol")
	}
	if r.off >= l.secs[l.secs[in].target].size {
		return l.relocFault(in, r, "relocation is past end of offset")
	}
	return nil
}

// isHiddenData reports whether a symbol is of those that a final link leaves
// out: variables in shared memory and parameters.
func (l *linker) isHiddenData(sym *symbol) bool {
	if sym.typ() == cuda.STTSection && sym.sec >= 0 && l.secs[sym.sec].typ == cuda.SHTCudaShared && l.secs[sym.sec].owner == absent {
		return true
	}
	return sym.isShared() && !l.showsDebug() || sym.other&3 == cuda.STOInternal
}

// relocFault is an internal error of the tool, with the place it can't name.
func (l *linker) relocFault(in secID, r *reloc, text string) error {
	return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: Internal, Text: "Internal error: " + text,
		File: l.files[r.file].Name, Section: l.names.str(l.secs[in].name), Symbol: l.symName(r.sym), Offset: r.off, Value: uint64(r.typ)}}}
}

// symIndex returns a symbol's number in the image, 0 for none.
func (l *linker) symIndex(s symID) uint32 {
	if s < 0 {
		return 0
	}
	return l.syms[s].index
}

func (l *linker) symName(s symID) string {
	if s < 0 {
		return ""
	}
	return l.names.str(l.syms[s].name)
}

// isLostDebug reports whether a record belongs to the debug data of a
// definition that was replaced.
func (l *linker) isLostDebug(in secID, r *reloc) bool {
	if l.lostDebug == nil || !l.lostDebug[lostDebug{sym: r.sym, file: r.file}] {
		return false
	}
	return !r.rel && l.describesCode(l.secs[in].target)
}

// value returns what a relocation that is applied resolves to.
func (l *linker) value(in secID, r *reloc) descriptor.Values {
	v := descriptor.Values{Rela: l.secs[in].typ == cuda.SHTRela, Addend: r.addend, Place: r.off}
	if r.sym == absent {
		v.Bank = bankOf(cuda.SHTNull)
		return v
	}
	sym := &l.syms[r.sym]
	v.Symbol, v.Size = sym.value, l.sharedAlign[r.sym]
	if sym.sec < 0 && !sym.isImage() || l.isRelocatable() && sym.isImage() {
		v.Bank = bankOf(cuda.SHTNull)
	}
	switch {
	case sym.typ() == cuda.STTSection:
		v.Symbol = r.base
		v.Bank = bankOf(l.secs[sym.sec].typ)
	case sym.isImage():
		v.Symbol, v.Bank = 0, bankOf(cuda.SHTNull)
		if bindless[r.typ] || l.dialect.slotsOfAnyType {
			if r.typ <= mercPast {
				v.Symbol = l.imageOff[r.sym]
			}
			if !l.isRelocatable() {
				v.Bank = 0
			}
		}
	case sym.isShared() && !sym.isExternShared() && !sym.is(symLaid) && !l.isRelocatable():
		v.Symbol = unplaced
		v.Bank = bankOf(cuda.SHTCudaShared)
	case sym.isExternShared() && !l.isRelocatable():
		v.Symbol, v.Size = l.externOffset(l.secs[in].target, sym), dynamicAlign
	case sym.sec >= 0:
		v.Bank = bankOf(l.secs[sym.sec].typ)
		if l.secs[sym.sec].moved {
			v.Symbol += l.unitOff[sym.sec]
		}
	}
	return v
}

// unplaced is the value of what layout gave no place.
const unplaced = ^uint64(0)

// isForgotten reports whether a dynamic variable was removed although code
// still names it: --preserve-relocs keeps functions that no kernel reaches, and
// forgets that they have a part in the layout too.
func (l *linker) isForgotten(in secID, sym *symbol) bool {
	return l.opt.PreserveReloc && !l.showsDebug() && !l.isRelocatable() && !sym.is(symDynamic) &&
		len(l.shared.kernels) > 0 && l.externOffset(l.secs[in].target, sym) == unplaced
}

// externOffset returns the offset of the dynamic shared variables as seen from
// a function's code.
func (l *linker) externOffset(text secID, v *symbol) uint64 {
	if l.showsDebug() {
		return v.value
	}
	if l.shared == nil || l.secs[text].fun == absent {
		return unplaced
	}
	off, ok := l.shared.externAt[l.secs[text].fun]
	if !ok {
		return unplaced
	}
	return off
}
