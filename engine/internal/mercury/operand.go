package mercury

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// What the finalizer makes of R_MERCURY records for which the input's SASS has
// no record of its own.
//
//	SASS word, bits: 0       12          32               64
//	                 +-------+-----------+----------------+
//	                 | opcode| …         | immediate      |
//	                 +-------+-----------+----------------+
//	                                     |      38     54 |
//	                                     |      [offset]  |  operand in a bank
//
// The field of a record is the last word of a Mercury instruction: the
// immediate, or the offset of an operand in a bank. At a call the field is eight
// bytes and the SASS has nothing that is patched.
//
// Types that only the finalizer knows are not for fields. In data and at code
// the 64-bit one and the lanes write S+A where the instruction or the data
// begins; in code the 32-bit ones are addresses of code.
//
// Source: corpus/relocs, the groups node-* and rela-*, by nvlink 13.0.88.

// operand is the form of a SASS instruction's last operand.
type operand int

const (
	noOperand operand = iota
	immediate
	inBank
)

// operandOf reads the form from an instruction's opcode.
func operandOf(word []byte) operand {
	switch op := binary.LittleEndian.Uint16(word) & 0xfff; {
	case op == 0x7ac || op == 0xb82 || op == 0xab9: // LDCU, LDC, ULDC
		return inBank
	case op&0xe00 == 0x600 || op&0xe00 == 0xa00:
		return inBank
	case op&0xe00 == 0x400 || op&0xe00 == 0x800:
		return immediate
	}
	return noOperand
}

// Where the offset of an operand in a bank stands.
const (
	offsetAt    = 4 // byte of the word
	offsetShift = 6 // bits above it
)

// field reads an operand's number, and put writes it.
func (o operand) field(word []byte) uint32 {
	if o == inBank {
		return uint32(uint16(binary.LittleEndian.Uint32(word[offsetAt:]) >> offsetShift))
	}
	return binary.LittleEndian.Uint32(word[4:])
}

func (o operand) put(word []byte, v uint32) {
	if o == inBank {
		b := word[offsetAt:]
		old := binary.LittleEndian.Uint32(b)
		binary.LittleEndian.PutUint32(b, old&^(0xffff<<offsetShift)|v&0xffff<<offsetShift)
		return
	}
	binary.LittleEndian.PutUint32(word[4:], v)
}

// applyOperand patches the operand of an instruction as the Mercury type says.
func (l *Backend) applyOperand(text []byte, r *model.Reloc, v *descriptor.Values) {
	word, ok := cubin.Window(text, uint64(l.MoreOf(r).SASSOff), capsule.WordSize)
	d := mercDescriptor(r.NewType)
	if !ok || !l.MoreOf(r).AtField || d == nil || d.Span() > 4 {
		return
	}
	o := operandOf(word)
	if o == noOperand {
		return
	}
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], o.field(word))
	if _, err := d.Apply(b[:], v); err == nil {
		o.put(word, binary.LittleEndian.Uint32(b[:]))
	}
}

// isWritten reports whether the finalizer writes a kept record's S+A.
func isWritten(typ uint32) bool {
	return typ == cuda.R_MERCURY_PROG_REL64 || typ >= cuda.R_MERCURY_PROG_REL8_0 && typ <= cuda.R_MERCURY_PROG_REL8_56
}

// isCodeAddress reports whether a kept record of code holds the place of an
// instruction without a record on the SASS side.
func isCodeAddress(typ uint32) bool {
	return typ >= cuda.R_MERCURY_PROG_REL32 && typ <= cuda.R_MERCURY_PROG_REL32_HI
}

// writesData reports whether the finalizer writes into a section of data, which
// then has bytes of its own on the SASS side.
func (l *Backend) writesData(id model.SecID) bool {
	if s := &l.Secs[id]; s.Fun != model.Absent || l.IsRelocatable() || s.Type == cuda.SHTProgbits {
		return false
	}
	for rela := l.Parts[id].FirstRel; rela != model.Absent; rela = l.Parts[rela].NextRel {
		for j := range l.Parts[rela].Relocs {
			if r := &l.Parts[rela].Relocs[j]; r.Disposition == model.Kept && (isWritten(r.NewType) || isCodeAddress(r.NewType)) {
				return true
			}
		}
	}
	return false
}

// isTarget reports whether a record of compiler constants is the address of a
// jump's target.
func (l *Backend) isTarget(target model.SecID, r *model.Reloc) bool {
	return l.Secs[target].Type == cuda.SHTCudaConstant0+2 && (r.NewType == cuda.R_MERCURY_PROG_REL32 || r.NewType == cuda.R_MERCURY_PROG_REL64) &&
		r.Sym != model.Absent && l.Syms[r.Sym].Sec >= 0 && l.opened(l.Syms[r.Sym].Sec) != nil
}

// writeKept writes what the finalizer knows of a record that stays.
func (l *Backend) writeKept(body []byte, in model.SecID, r *model.Reloc) error {
	target := l.Secs[in].Target
	fn := l.opened(target)
	switch {
	case fn == nil:
		if (isWritten(r.NewType) || isCodeAddress(r.NewType)) && l.writesData(target) && r.Off < uint64(len(body)) {
			if l.isTarget(target, r) {
				return nil // fillTargets did
			}
			v := l.writtenValue(r)
			typ := r.NewType
			if isCodeAddress(typ) {
				typ = cuda.R_MERCURY_ABS32 // the low word, also for HI
			}
			_, _ = output.ApplyAt(body[r.Off:], mercDescriptor(typ), &v)
		}
	case r.Sym != model.Absent && l.Syms[r.Sym].IsReservedShared() && !l.IsRelocatable():
		v := descriptor.Values{Rela: true, Addend: r.Addend, Symbol: l.Syms[r.Sym].Value + reservedGrowth}
		return l.applySASS(body, in, r, v)
	case l.IsRelocatable() && l.Slots != 0 && r.Sym != model.Absent && l.Syms[r.Sym].IsTexture() && layout.Bindless[l.MoreOf(r).SASSType]:
		// The finalizer has no slots yet, but knows where they will begin.
		return l.applySASS(body, in, r, descriptor.Values{Rela: true, Addend: r.Addend})
	case isWritten(r.NewType):
		if word, ok := cubin.Window(body, uint64(l.MoreOf(r).SASSOff), capsule.WordSize); ok {
			v := l.writtenValue(r)
			_, _ = mercDescriptor(r.NewType).Apply(word, &v)
		}
	case isCodeAddress(r.NewType):
		if word, ok := cubin.Window(body, uint64(l.MoreOf(r).SASSOff), capsule.WordSize); ok && l.MoreOf(r).AtField && operandOf(word) == immediate {
			immediate.put(word, uint32(fn.floorOf(r.Addend)))
		}
	}
	return nil
}

// writtenValue is what the finalizer takes for S and A: of a function where it begins in the code
// of its section, as one inside a kernel does.
func (l *Backend) writtenValue(r *model.Reloc) descriptor.Values {
	v := descriptor.Values{Rela: true, Addend: r.Addend}
	if r.Sym == model.Absent {
		return v
	}
	switch s := &l.Syms[r.Sym]; {
	case s.Type() == cuda.STTFunc:
		if s.Sec >= 0 && s.Value > 0 {
			if fn := l.opened(s.Sec); fn != nil {
				v.Symbol = fn.sassOf(s.Value)
			}
		}
	case s.IsTexture():
	case l.isReserved(r.Sym) && !s.Is(model.SymDefined):
		v.Symbol = reservedValues[l.SymName(r.Sym)]
	default:
		v.Symbol = s.Value
	}
	return v
}

// writeFrame writes S+A of a record of .debug_frame that stays into b, which
// begins where the section does on the SASS side.
func (l *Backend) writeFrame(b []byte, img *plan, r *model.Reloc) {
	typ := r.NewType
	if isCodeAddress(typ) {
		typ = cuda.R_MERCURY_ABS32 // the low word, also for HI
	}
	if !isWritten(r.NewType) && !isCodeAddress(r.NewType) || l.IsRelocatable() {
		return
	}
	d := mercDescriptor(typ)
	at := img.frames.find(r.Off)
	if b, ok := cubin.Window(b, at.place, uint64(d.Span())); ok {
		v := l.writtenValue(r)
		v.Addend = at.addend
		_, _ = d.Apply(b, &v)
	}
}

// floorOf returns where the instruction is that holds a Mercury offset, of
// which 32 bits count; 0 for a negative one.
func (fn *code) floorOf(addend int64) uint64 {
	off := int32(addend)
	if off < 0 {
		return 0
	}
	fn.rely(uint64(off))
	if uint32(off) >= fn.cap.MercSize {
		return uint64(fn.cap.SASSSize())
	}
	if i := fn.node(uint64(off)); i >= 0 {
		return uint64(fn.cap.Nodes[i].SASS)
	}
	return 0
}
