package engine

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// decide decides the fate of a relocation of the Mercury image. As on the
// SASS side the kind of the symbol comes before the type's class.
func (l *mercuryLink) decide(in secID, r *reloc) error {
	code := l.secs[l.secs[in].target].fun != absent
	if code {
		if err := l.pairReloc(in, r); err != nil {
			return err
		}
	}
	r.fate = dropped
	if r.typ == cuda.R_MERCURY_UNUSED_CLEAR64 {
		if r.sym != absent && !l.isLostDebug(in, r) {
			l.decideMercUnused(r)
		}
		return nil
	}
	if l.isLostDebug(in, r) {
		return nil
	}
	r.newTyp = r.typ
	if plain, ok := mercPlain[r.typ]; ok && !l.isRelocatable() {
		r.newTyp = plain
	}
	if r.sym == absent {
		if !code {
			r.fate = l.mercByClass(r.newTyp)
		}
		return nil
	}
	l.followAlias(r)
	sym := &l.syms[r.sym]
	switch {
	case isLocalUndefined(sym):
		r.fate = l.mercByClass(r.newTyp)
	case sym.is(symDead) && sym.sec < 0 && sym.fun == absent && sym.value == unplaced && mercApplied(r.typ):
		r.fate, r.newTyp = applied, r.typ // a local object that nothing defines
	case sym.is(symDead) || sym.sec >= 0 && l.secs[sym.sec].deleted && !l.secs[sym.sec].moved || l.isUnified(r.sym):
	case sym.sec >= 0 && l.secs[sym.sec].moved:
		if _, ok := l.unitOff[sym.sec]; ok {
			r.fate = applied
		}
	case sym.typ() == cuda.STTSection && sym.sec >= 0 && l.secs[sym.sec].fun == absent:
		r.fate = applied
		if class := mercClass(r.newTyp); class == cuda.ResolverDriver || class == cuda.ResolverFinalizer {
			r.fate = kept
			r.addend += int64(r.base)
		}
	default:
		r.fate = l.mercFateOf(code, r, sym)
	}
	return nil
}

// decideMercUnused decides about a place that is cleared where its symbol isn't
// in the image.
func (l *linker) decideMercUnused(r *reloc) {
	sym := &l.syms[r.sym]
	switch {
	case l.isUnified(r.sym):
	case sym.is(symDead), !l.isRelocatable() && l.isHiddenData(sym):
		r.fate = cleared
	case l.isRelocatable():
	case sym.isImage(), l.isReserved(r.sym):
		r.fate, r.newTyp, r.sym = kept, cuda.R_CUDA_NONE, absent
	case sym.typ() != cuda.STTFunc && sym.typ() != cuda.STTSection && l.driverKnows(sym):
		r.fate, r.newTyp = kept, r.typ
	}
}

// isReserved reports whether a symbol stands for what the driver keeps of
// shared memory.
func (l *linker) isReserved(s symID) bool {
	return strings.HasPrefix(l.symName(s), ".nv.reservedSmem.")
}

// mercClass is the class of a type. Behind R_MERCURY's table lies that of R_CUDA.
func mercClass(typ uint32) cuda.Resolver {
	if typ >= mercPast {
		typ -= mercPast
	}
	info, _ := cuda.LookupReloc(typ)
	return info.Resolver
}

// mercByClass is what becomes of a relocation whose symbol has no say.
func (l *linker) mercByClass(typ uint32) fate {
	switch mercClass(typ) {
	case cuda.ResolverDriver, cuda.ResolverFinalizer:
		return kept
	}
	return applied
}

// mercFateOf says who patches a relocation of the Mercury image.
func (l *linker) mercFateOf(code bool, r *reloc, sym *symbol) fate {
	switch {
	case sym.isImage() && !l.isRelocatable() && l.isSlot(r):
		return applied
	case sym.isImage():
		return kept
	case l.isRelocatable() && l.staysOpen(sym), sym.isReservedShared():
		return kept
	case l.mercByClass(r.newTyp) == kept && !(code && mercApplied(r.newTyp)):
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

// isSlot reports whether a record to a texture, sampler or surface is carried
// out: those by which code asks for a slot, not their unified kin.
func (l *linker) isSlot(r *reloc) bool {
	switch {
	case r.typ == cuda.R_MERCURY_ABS32 || r.typ == cuda.R_MERCURY_ABS16:
		return true
	case r.typ >= mercPast:
		return mercClass(r.typ) == cuda.ResolverLinker || bindless[r.typ-mercPast]
	}
	return false
}

// checkApply refuses what can't be carried out.
func (l *mercuryLink) checkApply(in secID, r *reloc) error {
	if r.typ == cuda.R_MERCURY_NONE || r.typ < cuda.MercuryBase && r.typ != cuda.R_CUDA_NONE {
		return l.relocFault(in, r, "unexpected reloc")
	}
	if r.fate != applied {
		return nil
	}
	if r.sym != absent {
		if sym := &l.syms[r.sym]; sym.isExternShared() && l.isForgotten(in, sym) && len(l.shared.multi) > 0 {
			return l.relocFault(in, r, "reference to deleted symbol")
		}
	}
	d := mercDescriptor(r.newTyp)
	if d != nil && d.Slot(0).Action == descriptor.PCRel {
		return l.relocFault(in, r, "PC relative branch address should be in the same section")
	}
	for i := 0; d != nil && i < descriptor.Slots; i++ {
		if a := d.Slot(i).Action; !descriptor.Dispatched(a) {
			d = nil
		}
	}
	if d == nil {
		return l.relocFault(in, r, "unexpected NVRS")
	}
	if t := &l.secs[l.secs[in].target]; t.fun == absent && r.off >= t.size && d.Span() > 0 {
		return l.relocFault(in, r, "reloc address not found")
	}
	return nil
}

// checkKept refuses what can't be left to the driver.
func (l *mercuryLink) checkKept(in secID, r *reloc) error {
	// A unified type to a table that the link doesn't have becomes 0, which is
	// to be kept.
	if _, ok := mercPlain[r.typ]; (ok || r.typ == cuda.R_CUDA_NONE) && !l.isRelocatable() && r.fate == dropped && r.sym != absent &&
		l.isUnified(r.sym) && l.symName(r.sym) != "__UFT_OFFSET" {
		return l.relocFault(in, r, "reference to deleted symbol")
	}
	if r.fate != kept {
		return nil
	}
	if t := &l.secs[l.secs[in].target]; t.fun == absent && r.off >= t.size {
		return l.relocFault(in, r, "relocation is past end of offset")
	}
	if r.sym != absent && !l.isRelocatable() && !l.opt.PreserveReloc {
		if sym := &l.syms[r.sym]; sym.typ() != cuda.STTSection && l.isHiddenData(sym) {
			return l.relocFault(in, r, "reference to deleted symbol")
		}
	}
	return nil
}

// mercDescriptor returns the descriptor of a type; nil for one that has none.
// Behind the last of R_MERCURY lie those of R_CUDA.
func mercDescriptor(typ uint32) *descriptor.Descriptor {
	switch {
	case typ == cuda.R_CUDA_NONE:
		return &descriptor.Table[0]
	case typ < cuda.MercuryBase || typ-cuda.MercuryBase >= cuda.MercuryRelocCount+cuda.RelocCount:
		return nil
	case typ >= mercPast:
		return &descriptor.Table[typ-mercPast]
	}
	return &descriptor.Mercury[typ-cuda.MercuryBase]
}

// applyMercury patches what the link resolves: a field of a Mercury section,
// or of an instruction on both sides.
func (l *linker) applyMercury(out []byte, img *mercImage) error {
	for i := range l.secs {
		s := &l.secs[i]
		if s.target == absent || s.deleted {
			continue
		}
		t := &l.secs[s.target]
		if t.index == 0 || !l.hasBits(s.target) {
			continue
		}
		body := img.mercBody(out, s.target)
		code := t.fun != absent
		for j := len(s.relocs) - 1; j >= 0; j-- {
			r := &s.relocs[j]
			switch r.fate {
			case cleared:
				if code && r.atField {
					// Eight bytes end in the next instruction, in which the
					// finalizer then finds none.
					return l.finalizerFault("")
				}
				if r.off+8 <= uint64(len(body)) {
					clear(body[r.off : r.off+8])
				}
			case applied:
				v := l.value(secID(i), r)
				v.Rela = true
				if code && r.atField && mercDescriptor(r.newTyp).Span() > 4 {
					return l.finalizerFault("")
				}
				place := body
				switch {
				case !code && r.off < uint64(len(body)):
					place = body[r.off:]
				case !code: // of a type without a field
					continue
				case code && r.capOff == 0:
					place = nil
				case code && uint64(r.capOff) < uint64(len(body)):
					place = body[r.capOff:]
				default:
					return l.relocFault(secID(i), r, "reloc address not found")
				}
				if place != nil {
					if _, err := applyAt(place, mercDescriptor(r.newTyp), &v); err != nil {
						return l.relocFault(secID(i), r, err.Error())
					}
				}
				if !code && img.parts[img.mercOf[s.target]].twin < 0 && (img.parts[img.sassOf[s.target]].data == nil || img.parts[img.sassOf[s.target]].copied) {
					if sass := img.sassBody(out, s.target); r.off < uint64(len(sass)) {
						if _, err := applyAt(sass[r.off:], mercDescriptor(r.newTyp), &v); err != nil {
							return l.relocFault(secID(i), r, err.Error())
						}
					}
				}
				if code {
					if err := l.applySASS(img.sassBody(out, s.target), secID(i), r, v); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// finalize does what the finalizer does of the records that stay, after those
// that are carried out.
func (l *linker) finalize(out []byte, img *mercImage) error {
	for i := range l.secs {
		s := &l.secs[i]
		if s.target == absent || s.deleted || l.secs[s.target].index == 0 || !l.hasBits(s.target) {
			continue
		}
		t := &l.secs[s.target]
		frames := l.names.str(t.name) == ".debug_frame"
		if frames && !framesMarked(img.mercBody(out, s.target)) {
			return l.finalizerFault("Dwarf version 2 is not supported")
		}
		for j := len(s.relocs) - 1; j >= 0; j-- {
			r := &s.relocs[j]
			switch {
			case r.fate != kept:
			case frames:
				l.writeFrame(out, img, s.target, r)
			default:
				l.applyLineStart(img.sassBody(out, s.target), t.fun != absent, r)
				if err := l.writeKept(img.sassBody(out, s.target), secID(i), r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// finalizerFault is how the tool ends where its finalizer finds no instruction
// or no frame. detail is what it says before.
func (l *linker) finalizerFault(detail string) error {
	err := refuse(Internal, l.opt.Output, "Internal FNLZR error '%s'", l.opt.Output)
	if detail != "" {
		err.Diags = append([]Diagnostic{{Severity: Fatal, Kind: Internal, File: l.opt.Output, Text: detail}}, err.Diags...)
	}
	return err
}

// userBank is the bank of constants that a program defines.
const userBank = 3

// applySASS patches the word of an instruction.
func (l *linker) applySASS(text []byte, in secID, r *reloc, v descriptor.Values) error {
	wide, narrow := r.newTyp == cuda.R_MERCURY_ABS32, r.newTyp == cuda.R_MERCURY_ABS16
	if r.sassTyp == 0 || !wide && !narrow || wide && r.sassTyp == cuda.R_CUDA_ABS16_32 || narrow && r.sassTyp == cuda.R_CUDA_ABS32_32 {
		l.applyOperand(text, r, &v)
		return nil
	}
	if r.sassTyp >= cuda.RelocCount || uint64(r.sassOff)+capsule.WordSize > uint64(len(text)) {
		return l.relocFault(in, r, "reloc address not found")
	}
	if s := &l.syms[r.sym]; !s.is(symDefined) && s.space() == cuda.STOConstant {
		v.Bank = userBank
	}
	if l.syms[r.sym].isImage() && r.capOff != 0 {
		// A load from the bank; an offset as a number doesn't count the
		// parameters.
		v.Symbol += l.slots
		v.Bank = 0
	}
	if _, err := descriptor.Table[r.sassTyp].Apply(text[r.sassOff:r.sassOff+capsule.WordSize], &v); err != nil {
		return l.relocFault(in, r, err.Error())
	}
	return nil
}

// applyLineStart writes where a module's lines begin. The Mercury side keeps
// the record, the SASS side of a final image has the number.
func (l *linker) applyLineStart(body []byte, code bool, r *reloc) {
	if code || r.newTyp != cuda.R_MERCURY_PROG_REL32 || l.isRelocatable() || r.sym == absent || l.syms[r.sym].typ() != cuda.STTSection {
		return
	}
	if b, ok := cubin.Window(body, r.off, 4); ok {
		binary.LittleEndian.PutUint32(b, uint32(l.lineStarts[r.file]))
	}
}
