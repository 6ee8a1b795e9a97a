package engine

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// The class router: what happens to each relocation. The resolver class of a
// type says who may patch it; what its symbol is decides among those.

// resolver returns the class of a type; a number past the table has none.
func resolver(typ uint32) cuda.Resolver {
	info, ok := cuda.LookupReloc(typ)
	if !ok {
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

// decideAll decides the fate of every relocation that is still there.
func (l *linker) decideAll() error {
	for i := range l.secs {
		s := &l.secs[i]
		if s.target == absent || s.deleted {
			continue
		}
		for j := range s.relocs {
			r := &s.relocs[j]
			if r.fate == undecided {
				if err := l.decide(secID(i), r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (l *linker) decide(in secID, r *reloc) error {
	if l.merc != nil {
		return l.decideMercury(in, r)
	}
	if r.typ == cuda.R_CUDA_UNUSED_CLEAR32 || r.typ == cuda.R_CUDA_UNUSED_CLEAR64 {
		r.fate = dropped
		if r.sym != absent && l.syms[r.sym].is(symDead) && !l.isLostDebug(in, r) {
			r.fate = cleared
		}
		return nil
	}
	if r.typ == cuda.R_CUDA_YIELD_OPCODE9_0 || r.typ == cuda.R_CUDA_YIELD_CLEAR_PRED4_87 {
		r.fate = dropped
		if !l.forwardProgress {
			r.fate = applied
			return l.checkApply(in, r)
		}
		return nil
	}
	if r.sym == absent || l.isLostDebug(in, r) {
		r.fate = dropped
		return nil
	}
	l.followAlias(r)
	sym := &l.syms[r.sym]
	if sym.is(symDead) || sym.sec >= 0 && l.secs[sym.sec].deleted && !l.secs[sym.sec].moved || l.isUnified(r.sym) {
		r.fate = dropped
		return nil
	}
	if sym.sec >= 0 && l.secs[sym.sec].moved {
		r.fate = dropped
		if _, ok := l.unitOff[sym.sec]; ok {
			r.fate = applied
			return l.checkApply(in, r)
		}
		return nil
	}
	class := resolver(r.typ)
	switch {
	case sym.typ() == cuda.STTSection && sym.sec >= 0 && l.secs[sym.sec].fun == absent:
		r.fate = applied
	case sym.isImage() && class == cuda.ResolverLinker && (l.imageOff != nil || l.isRelocatable()):
		r.fate = applied
	case l.isRelocatable() && l.staysOpen(sym):
		r.fate = kept
		r.newTyp = r.typ
	case sym.isExternShared() && class != cuda.ResolverDriver:
		if l.isForgotten(in, sym) {
			return l.relocFault(in, r, "reference to deleted symbol")
		}
		r.fate = applied
	case class == cuda.ResolverDriver, l.driverKnows(sym):
		r.fate = kept
		r.newTyp = r.typ
		if plain, ok := unifiedPlain[r.typ]; ok && !l.isRelocatable() {
			r.newTyp = plain
		}
	default:
		r.fate = applied
	}
	if r.fate == applied {
		return l.checkApply(in, r)
	}
	return nil
}

// followAlias retargets a relocation from a second name of some code to the
// function that the code's header names.
func (l *linker) followAlias(r *reloc) {
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
	if sym.typ() == cuda.STTFunc || !sym.is(symDefined) || sym.sec < 0 {
		return true
	}
	switch l.secs[sym.sec].typ {
	case cuda.SHTCudaGlobal, cuda.SHTCudaGlobalInit, cuda.SHTProgbits:
		return true
	}
	return false
}

// checkApply refuses what the dispatcher can't do.
func (l *linker) checkApply(in secID, r *reloc) error {
	if r.typ >= cuda.RelocCount {
		return l.relocFault(in, r, "unexpected NVRS")
	}
	d := &descriptor.Table[r.typ]
	if d.Slot(0).Action == descriptor.PCRel && r.sym != absent && l.syms[r.sym].sec != l.secs[in].target {
		return l.relocFault(in, r, "PC relative branch address should be in the same section")
	}
	for i := 0; i < descriptor.Slots; i++ {
		if !descriptor.Dispatched(d.Slot(i).Action) {
			return l.relocFault(in, r, "unexpected NVRS")
		}
	}
	if r.off+uint64(d.Span()) > l.secs[l.secs[in].target].size {
		return l.relocFault(in, r, "reloc address not found")
	}
	return nil
}

// relocFault is an internal error of the tool, with the place it can't name.
func (l *linker) relocFault(in secID, r *reloc, text string) error {
	return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: Internal, Text: "Internal error: " + text,
		File: l.files[r.file].Name, Section: l.names.str(l.secs[in].name), Symbol: l.symName(r.sym), Offset: r.off, Value: uint64(r.typ)}}}
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
	if l.lostDebug == nil || !l.lostDebug[lostDebug{r.sym, r.file}] {
		return false
	}
	return !r.rel && l.describesCode(l.secs[in].target)
}

// value returns what a relocation that is applied resolves to.
func (l *linker) value(in secID, r *reloc) descriptor.Values {
	v := descriptor.Values{Rela: l.secs[in].typ == cuda.SHTRela, Addend: r.addend, Place: r.off}
	if r.sym == absent {
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
		v.Symbol = l.imageOff[r.sym]
	case sym.isExternShared() && !l.isRelocatable():
		v.Symbol = l.externOffset(l.secs[in].target, sym)
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
