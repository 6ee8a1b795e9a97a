package mercury

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// Decide decides what happens to a relocation of the Mercury side.
func (l *Backend) Decide(in model.SecID, r *model.Reloc) error {
	code := l.Secs[l.Secs[in].Target].Fun != model.Absent
	if code {
		if err := l.pairReloc(in, r); err != nil {
			return err
		}
	}
	if code && l.LostDebug == nil {
		l.decideAsBefore(in, r, &l.known)
		return nil
	}
	l.decide(in, code, r)
	l.rebase(r)
	return nil
}

// decide is Decide but for the place. As on the SASS side the kind of the symbol comes
// before the type's class.
func (l *Backend) decide(in model.SecID, code bool, r *model.Reloc) {
	r.Disposition = model.Dropped
	if r.Type == cuda.R_MERCURY_UNUSED_CLEAR64 {
		if r.Sym != model.Absent && !l.IsLostDebug(in, r) {
			l.decideMercUnused(r)
		}
		return
	}
	if l.IsLostDebug(in, r) {
		return
	}
	r.NewType = r.Type
	if plain, ok := mercPlain(r.Type); ok && !l.IsRelocatable() {
		r.NewType = plain
	}
	if r.Sym == model.Absent {
		if !code {
			r.Disposition = l.mercByClass(r.NewType)
		}
		return
	}
	l.FollowAlias(r)
	sym := &l.Syms[r.Sym]
	switch {
	case resolve.IsLocalUndefined(sym):
		r.Disposition = l.mercByClass(r.NewType)
	case isUndefinedObject(sym) && mercApplied(r.Type):
		r.Disposition, r.NewType = model.Applied, r.Type
	case l.IsGone(r.Sym):
	case l.IsMoved(sym):
		r.Disposition = l.OfMoved(sym)
	case l.isDataSection(sym):
		r.Disposition = l.mercByClass(r.NewType)
	default:
		r.Disposition = l.dispositionOf(code, r, sym)
	}
}

// isDataSection reports whether a symbol stands for a section without code.
func (l *Backend) isDataSection(sym *model.Symbol) bool {
	return sym.Type() == cuda.STTSection && sym.Sec >= 0 && l.Secs[sym.Sec].Fun == model.Absent
}

// isUndefinedObject reports whether a symbol is a local object that nothing defines.
func isUndefinedObject(sym *model.Symbol) bool {
	return sym.Is(model.SymDead) && sym.Sec < 0 && sym.Fun == model.Absent && sym.Binding() == cuda.STBLocal
}

// decideMercUnused decides about a place that is cleared where its symbol isn't
// in the image.
func (l *Backend) decideMercUnused(r *model.Reloc) {
	sym := &l.Syms[r.Sym]
	switch {
	case l.IsUnified(r.Sym):
	case sym.Is(model.SymDead), !l.IsRelocatable() && l.IsHiddenData(sym):
		r.Disposition = model.Cleared
	case l.IsRelocatable():
	case sym.IsTexture(), l.isReserved(r.Sym):
		r.Disposition, r.NewType, r.Sym = model.Kept, cuda.R_CUDA_NONE, model.Absent
	case sym.Type() != cuda.STTFunc && sym.Type() != cuda.STTSection && l.DriverKnows(sym):
		r.Disposition, r.NewType = model.Kept, r.Type
	}
}

// isReserved reports whether a symbol stands for what the driver keeps of
// shared memory, or how large tensor memory is.
func (l *Backend) isReserved(s model.SymID) bool { return isReservedName(l.SymName(s)) }

func isReservedName(name string) bool {
	return strings.HasPrefix(name, ".nv.reservedSmem.") || name == model.TensorColumns
}

// mercByClass is what becomes of a relocation whose symbol has no say.
func (l *Backend) mercByClass(typ uint32) model.Disposition {
	switch layout.MercuryClass(typ) {
	case cuda.ResolverDriver, cuda.ResolverFinalizer:
		return model.Kept
	}
	return model.Applied
}

// dispositionOf says who patches a relocation of the Mercury image.
func (l *Backend) dispositionOf(code bool, r *model.Reloc, sym *model.Symbol) model.Disposition {
	switch {
	case sym.IsTexture() && !l.IsRelocatable() && l.IsSlot(r):
		return model.Applied
	case sym.IsTexture():
		return model.Kept
	case l.IsRelocatable() && (l.StaysOpen(sym) || !sym.Is(model.SymDefined) && l.isReserved(r.Sym)), sym.IsReservedShared():
		return model.Kept
	case l.mercByClass(r.NewType) == model.Kept && !(code && mercApplied(r.NewType)):
		return model.Kept
	}
	return l.ByAddress(r, sym)
}

// CheckApply refuses what can't be applied.
func (l *Backend) CheckApply(in model.SecID, r *model.Reloc) error {
	if r.Type == cuda.R_MERCURY_NONE || r.Type < cuda.MercuryBase && r.Type != cuda.R_CUDA_NONE {
		return l.RelocFault(in, r, "unexpected reloc")
	}
	if r.Disposition != model.Applied {
		return nil
	}
	if r.Sym != model.Absent {
		if sym := &l.Syms[r.Sym]; sym.IsExternShared() && l.IsForgotten(in, sym) && len(l.Shared.Multi) > 0 {
			return l.RelocFault(in, r, "reference to deleted symbol")
		}
	}
	d := mercDescriptor(r.NewType)
	if d != nil && d.Slot(0).Action == descriptor.PCRel {
		return l.RelocFault(in, r, "PC relative branch address should be in the same section")
	}
	for i := 0; d != nil && i < descriptor.Slots; i++ {
		if a := d.Slot(i).Action; !descriptor.Dispatched(a) {
			d = nil
		}
	}
	if d == nil {
		return l.RelocFault(in, r, "unexpected NVRS")
	}
	if t := &l.Secs[l.Secs[in].Target]; t.Fun == model.Absent && r.Off >= t.Size && d.Span() > 0 {
		return l.RelocFault(in, r, "reloc address not found")
	}
	return nil
}

// CheckKept refuses what can't be left to the driver.
func (l *Backend) CheckKept(in model.SecID, r *model.Reloc) error {
	// A unified type to a table that the link doesn't have becomes 0, which is
	// to be kept.
	if r.Disposition == model.Dropped && r.Sym != model.Absent && !l.IsRelocatable() && l.IsUnified(r.Sym) && l.SymName(r.Sym) != "__UFT_OFFSET" {
		if _, ok := mercPlain(r.Type); ok || r.Type == cuda.R_CUDA_NONE {
			return l.RelocFault(in, r, "reference to deleted symbol")
		}
	}
	if r.Disposition != model.Kept {
		return nil
	}
	if t := &l.Secs[l.Secs[in].Target]; t.Fun == model.Absent && r.Off >= t.Size {
		return l.RelocFault(in, r, "relocation is past end of offset")
	}
	if r.Sym != model.Absent && !l.IsRelocatable() && !l.Opt.PreserveRelocs {
		if sym := &l.Syms[r.Sym]; sym.Type() != cuda.STTSection && l.IsHiddenData(sym) {
			return l.RelocFault(in, r, "reference to deleted symbol")
		}
	}
	return nil
}

// mercDescriptor returns the descriptor of a type; nil for one that has none.
// After the last of R_MERCURY lie those of R_CUDA.
func mercDescriptor(typ uint32) *descriptor.Descriptor {
	switch {
	case typ == cuda.R_CUDA_NONE:
		return &descriptor.Table[0]
	case typ < cuda.MercuryBase || typ-cuda.MercuryBase >= cuda.MercuryRelocCount+cuda.RelocCount:
		return nil
	case typ >= layout.PastMercury:
		return &descriptor.Table[typ-layout.PastMercury]
	}
	return &descriptor.Mercury()[typ-cuda.MercuryBase]
}

// finalizerFault is how the tool ends where its finalizer finds no instruction
// or no frame. detail is what it says before.
func (l *Backend) finalizerFault(detail string) error {
	err := diag.Refuse(diag.Internal, l.Opt.Output, "Internal FNLZR error '%s'", l.Opt.Output)
	if detail != "" {
		err.Diags = append([]diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Internal, File: l.Opt.Output, Text: detail}}, err.Diags...)
	}
	return err
}

// userBank is the bank of constants that a program defines.
const userBank = 3

// applySASS patches the word of an instruction.
func (l *Backend) applySASS(text []byte, in model.SecID, r *model.Reloc, v descriptor.Values) error {
	more := l.MoreOf(r)
	wide, narrow := r.NewType == cuda.R_MERCURY_ABS32, r.NewType == cuda.R_MERCURY_ABS16
	if more.SASSType == 0 || !wide && !narrow || wide && more.SASSType == cuda.R_CUDA_ABS16_32 || narrow && more.SASSType == cuda.R_CUDA_ABS32_32 {
		l.applyOperand(text, r, &v)
		return nil
	}
	if more.SASSType >= cuda.RelocCount || uint64(more.SASSOff)+capsule.WordSize > uint64(len(text)) {
		return l.RelocFault(in, r, "reloc address not found")
	}
	if s := &l.Syms[r.Sym]; !s.Is(model.SymDefined) && s.Space() == cuda.STOConstant {
		v.Bank = userBank
	}
	if l.Syms[r.Sym].IsTexture() && more.CapOff != 0 {
		// A load from the bank; an offset as a number doesn't count the
		// parameters.
		v.Symbol += l.Slots
		v.Bank = 0
	}
	if _, err := descriptor.Table[more.SASSType].Apply(text[more.SASSOff:more.SASSOff+capsule.WordSize], &v); err != nil {
		return l.RelocFault(in, r, err.Error())
	}
	return nil
}

// applyLineStart writes where a module's lines begin. The Mercury side keeps
// the record, the SASS side of a final image has the number.
func (l *Backend) applyLineStart(body []byte, code bool, r *model.Reloc) {
	if code || r.NewType != cuda.R_MERCURY_PROG_REL32 || l.IsRelocatable() || r.Sym == model.Absent || l.Syms[r.Sym].Type() != cuda.STTSection {
		return
	}
	if b, ok := cubin.Window(body, r.Off, 4); ok {
		binary.LittleEndian.PutUint32(b, uint32(l.lineStarts[lineStart{r.File, uint64(r.Addend)}]))
	}
}
