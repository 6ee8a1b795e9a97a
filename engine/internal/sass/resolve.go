package sass

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// resolver returns the class of a type; a number past the release's table has
// none.
func (l *Backend) resolver(typ uint32) cuda.Resolver {
	if typ < min(l.Release.RelocCount, cuda.RelocCount) {
		return cuda.Relocs[typ].Resolver
	}
	if info, ok := cuda.LookupReloc(typ); ok && typ >= cuda.MercuryBase {
		return info.Resolver
	}
	return cuda.ResolverNone
}

// unifiedPlain is what a kept unified type becomes when its symbol is not in a
// unified table; 0 for any other.
var unifiedPlain = [cuda.RelocCount]uint32{
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

// noSymbol stands for none.
var noSymbol model.Symbol

func (l *Backend) Decide(in model.SecID, r *model.Reloc) error {
	r.Disposition = model.Dropped
	switch r.Type {
	case cuda.R_CUDA_UNUSED_CLEAR32, cuda.R_CUDA_UNUSED_CLEAR64:
		if r.Sym != model.Absent && !l.IsLostDebug(in, r) {
			l.decideUnused(r)
		}
		return nil
	}
	if l.LostDebug != nil && l.IsLostDebug(in, r) {
		return nil
	}
	if r.Type < cuda.RelocCount && unifiedPlain[r.Type] != 0 && !l.IsRelocatable() && l.Release.RenamesUnified {
		r.Type = unifiedPlain[r.Type]
	}
	r.NewType = r.Type
	l.FollowAlias(r)
	sym := &noSymbol
	if r.Sym != model.Absent {
		sym = &l.Syms[r.Sym]
	}
	switch {
	case r.Sym == model.Absent || l.IsCode(sym) || resolve.IsLocalUndefined(sym):
		r.Disposition = l.byClass(r.Type)
	case l.IsGone(r.Sym):
	case l.IsMoved(sym):
		r.Disposition = l.OfMoved(sym)
	default:
		r.Disposition = l.dispositionOf(r, sym)
	}
	if r.Disposition == model.Applied && l.ForwardProgress && resolve.IsYield(r.Type) {
		r.Disposition = model.Dropped
	}
	return nil
}

// decideUnused decides about a place that is cleared where its symbol isn't in
// the image.
func (l *Backend) decideUnused(r *model.Reloc) {
	sym := &l.Syms[r.Sym]
	switch {
	case sym.Is(model.SymDead), l.IsCode(sym) && l.Secs[sym.Sec].Deleted, !l.IsRelocatable() && l.IsHiddenData(sym):
		r.Disposition = model.Cleared
	case sym.IsTexture():
		r.Disposition, r.NewType, r.Sym = model.Kept, cuda.R_CUDA_NONE, model.Absent
	case sym.Type() != cuda.STTFunc && !l.IsCode(sym) && l.DriverKnows(sym):
		r.Disposition, r.NewType = model.Kept, r.Type
	}
}

// byClass is what becomes of a relocation whose symbol has no say: the class
// of its type decides.
func (l *Backend) byClass(typ uint32) model.Disposition {
	if l.resolver(typ) == cuda.ResolverDriver {
		return model.Kept
	}
	return model.Applied
}

// dispositionOf says who patches a relocation: what the symbol is decides before the
// type's class does.
func (l *Backend) dispositionOf(r *model.Reloc, sym *model.Symbol) model.Disposition {
	class := l.resolver(r.Type)
	switch {
	case sym.IsTexture() && r.Type < l.Release.RelocCount && (class == cuda.ResolverLinker || layout.Bindless[r.Type]):
		return model.Applied
	case l.IsRelocatable() && l.StaysOpen(sym), class == cuda.ResolverDriver:
		return model.Kept
	}
	return l.ByAddress(r, sym)
}

// CheckApply refuses what the dispatcher can't do.
func (l *Backend) CheckApply(in model.SecID, r *model.Reloc) error {
	if r.Disposition != model.Applied {
		return nil
	}
	known := r.Type < l.Release.RelocCount
	// A type without a field needs no place; of any other it is found first.
	if r.Off >= l.Secs[l.Secs[in].Target].Size && (!known || descriptor.Table[r.Type].Span() > 0) {
		return l.RelocFault(in, r, "reloc address not found")
	}
	if !known {
		return l.RelocFault(in, r, "unexpected NVRS")
	}
	if r.Sym != model.Absent && l.Syms[r.Sym].IsExternShared() && l.IsForgotten(in, &l.Syms[r.Sym]) {
		return l.RelocFault(in, r, "reference to deleted symbol")
	}
	d := &descriptor.Table[r.Type]
	if d.Slot(0).Action == descriptor.PCRel {
		return l.RelocFault(in, r, "PC relative branch address should be in the same section")
	}
	for i := 0; i < descriptor.Slots; i++ {
		if !descriptor.Dispatched(d.Slot(i).Action) {
			return l.RelocFault(in, r, "unexpected NVRS")
		}
	}
	return nil
}

// CheckKept refuses what can't be left to the driver.
func (l *Backend) CheckKept(in model.SecID, r *model.Reloc) error {
	if r.Disposition != model.Kept || r.Sym == model.Absent {
		return nil
	}
	sym := &l.Syms[r.Sym]
	told := l.Failed && !sym.Is(model.SymDefined) // as undefined
	if !told && !l.canKeep(sym) {
		return l.RelocFault(in, r, "reference to deleted symbol")
	}
	if r.Off >= l.Secs[l.Secs[in].Target].Size {
		return l.RelocFault(in, r, "relocation is past end of offset")
	}
	return nil
}
