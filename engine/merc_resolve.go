package engine

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// decideMercury decides the fate of a relocation of the Mercury image.
func (l *linker) decideMercury(in secID, r *reloc) error {
	code := l.secs[l.secs[in].target].fun != absent
	if code {
		if err := l.pairReloc(in, r); err != nil {
			return err
		}
	}
	if r.typ == cuda.R_MERCURY_UNUSED_CLEAR64 {
		r.fate = dropped
		if r.sym != absent && l.syms[r.sym].is(symDead) && !l.isLostDebug(in, r) {
			r.fate = cleared
		}
		return nil
	}
	if r.sym == absent || l.isLostDebug(in, r) {
		r.fate = dropped
		return nil
	}
	l.followAlias(r)
	sym := &l.syms[r.sym]
	if sym.is(symDead) && sym.sec < 0 && sym.fun == absent && sym.value == unplaced && mercApplied(r.typ) {
		r.fate, r.newTyp = applied, r.typ // a local object that nothing defines
		return nil
	}
	if sym.is(symDead) || sym.sec >= 0 && l.secs[sym.sec].deleted && !l.secs[sym.sec].moved || l.isUnified(r.sym) {
		r.fate = dropped
		return nil
	}
	if r.typ == cuda.R_MERCURY_NONE || r.typ < cuda.MercuryBase || r.typ > mercPast {
		return l.relocFault(in, r, "unexpected reloc")
	}
	r.newTyp = r.typ
	if plain, ok := mercPlain[r.typ]; ok && !l.isRelocatable() {
		r.newTyp = plain
	}
	if sym.sec >= 0 && l.secs[sym.sec].moved {
		r.fate = dropped
		if _, ok := l.unitOff[sym.sec]; ok {
			r.fate = applied
		}
		return nil
	}
	r.fate = kept
	switch {
	case sym.typ() == cuda.STTSection && sym.sec >= 0 && l.secs[sym.sec].fun == absent:
		if r.typ != cuda.R_MERCURY_PROG_REL32 {
			r.fate = applied
		} else {
			r.addend += int64(r.base)
		}
	case !code && l.resolver(r.typ) != cuda.ResolverEither && l.resolver(r.typ) != cuda.ResolverLinker:
	case code && !mercApplied(r.typ):
		if sym.isShared() && !l.isRelocatable() {
			return l.relocFault(in, r, "reference to deleted symbol")
		}
	case sym.isImage() && l.isRelocatable():
	case sym.isImage() && l.imageOff != nil:
		r.fate = applied
	case l.isRelocatable() && l.staysOpen(sym):
	case sym.isExternShared():
		r.fate = applied
		if l.isForgotten(in, sym) && len(l.shared.multi) > 0 {
			return l.relocFault(in, r, "reference to deleted symbol")
		}
	case !l.driverKnows(sym):
		r.fate = applied
	}
	if r.fate == applied && !code {
		d := mercDescriptor(r.typ)
		if r.off+uint64(d.Span()) > l.secs[l.secs[in].target].size {
			return l.relocFault(in, r, "relocation is past end of offset")
		}
	}
	return nil
}

// mercDescriptor returns the descriptor of a type; that of the number behind
// the last is 32 bits.
func mercDescriptor(typ uint32) *descriptor.Descriptor {
	if typ == mercPast {
		typ = cuda.R_MERCURY_ABS32
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
			case kept:
				l.applyLineStart(img.sassBody(out, s.target), code, r)
			case cleared:
				if r.off+8 <= uint64(len(body)) {
					clear(body[r.off : r.off+8])
				}
			case applied:
				v := l.value(secID(i), r)
				v.Rela = true
				place := body
				switch {
				case !code && r.off < uint64(len(body)):
					place = body[r.off:]
				case code && r.capOff == 0:
					place = nil
				case code && uint64(r.capOff) < uint64(len(body)):
					place = body[r.capOff:]
				default:
					return l.relocFault(secID(i), r, "reloc address not found")
				}
				if place != nil {
					if _, err := mercDescriptor(r.typ).Apply(place, &v); err != nil {
						return l.relocFault(secID(i), r, err.Error())
					}
				}
				if !code && img.parts[img.mercOf[s.target]].twin < 0 && img.parts[img.sassOf[s.target]].data == nil {
					if sass := img.sassBody(out, s.target); r.off < uint64(len(sass)) {
						if _, err := mercDescriptor(r.typ).Apply(sass[r.off:], &v); err != nil {
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

// userBank is the bank of constants that a program defines.
const userBank = 3

// applySASS patches the word of an instruction.
func (l *linker) applySASS(text []byte, in secID, r *reloc, v descriptor.Values) error {
	if r.sassTyp == 0 {
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
		v.Symbol += l.merc.slots
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
	if code || r.newTyp != cuda.R_MERCURY_PROG_REL32 || l.isRelocatable() || l.syms[r.sym].typ() != cuda.STTSection {
		return
	}
	if b, ok := cubin.Window(body, r.off, 4); ok {
		binary.LittleEndian.PutUint32(b, uint32(l.merc.lines[r.file]))
	}
}
