package mercury

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/parallel"
)

// finishCompat sets the records of .nv.compat that are the finalizer's, and
// returns those that it puts after the others.
func (l *Backend) finishCompat() (more []byte) {
	if l.Release.FirstNotes {
		return nil
	}
	own := []cubin.InfoRecord{{Format: cuda.FormatSized, Attr: cuda.InfoAttr(cuda.CompatCanFastpathFinalize), Value: 8,
		Data: binary.LittleEndian.AppendUint64(nil, l.fastpath())}}
	if v := l.Release.Compat.Own0E; v != 0 {
		// It comes last, also after what the first input that has it lacked.
		own = append(own, cubin.InfoRecord{Format: cuda.FormatHalf, Attr: attr0E, Value: v})
		l.Compat.List = slices.DeleteFunc(l.Compat.List, func(r cubin.InfoRecord) bool { return r.Attr == attr0E })
	}
	for i := range own {
		if !replaceRecord(l.Compat.List, own[i]) && !replaceRecord(l.Compat.Late, own[i]) {
			more = own[i].Append(more)
		}
	}
	return more
}

// replaceRecord puts a record in the place of the one of its attribute; false for none.
func replaceRecord(list []cubin.InfoRecord, rec cubin.InfoRecord) bool {
	k := slices.IndexFunc(list, func(r cubin.InfoRecord) bool { return r.Attr == rec.Attr })
	if k >= 0 {
		list[k] = rec
	}
	return k >= 0
}

const attr0E = 0x0e // of .nv.compat, without a name that is known

// fastpath computes attribute 11 of .nv.compat, which says for which siblings
// the code needs no new scheduling. It is a matter of the code that is left and
// of the target; what the inputs say doesn't count.
//
// sm_100 has the bit for sm_103 where no instruction is one that the two run
// differently: double precision arithmetic, comparisons with an
// immediate in some forms, products of integer and of double precision matrices. sm_120 has the one for sm_121 always.
//
// Source: 362 inputs and outputs of ptxas and nvlink 13.0.88, 535 forms of
// instructions one by one.
func (l *Backend) fastpath() (mask uint64) {
	if len(l.order) == 0 && !l.Release.Compat.AnyCode {
		return 0
	}
	able := l.isAble()
	switch l.Arch.SM {
	case 100:
		mask = 0x01
		if able && (l.Release.Compat.AnyCode || !l.restricted()) {
			mask |= 0x08
		}
	case 120:
		mask = 0x10
		if able {
			mask |= 0x40
		}
	}
	return mask
}

// isAble reports whether nothing in .nv.compat keeps the code to its target. From
// 13.1 on that an accelerated target with code says nothing of tcgen05 does.
func (l *Backend) isAble() bool {
	c := &l.Compat
	class, mma, saysMMA := uint16(0), uint16(0), false
	for _, r := range c.List {
		switch cuda.CompatAttr(r.Attr) {
		case cuda.CompatISAClass:
			class = r.Value
		case cuda.CompatInstTcgen05MMA:
			mma, saysMMA = r.Value, l.Release.Compat.Says(cuda.CompatInstTcgen05MMA, r.Value)
		}
	}
	if l.Release.NoMixedAccelerated && l.Arch.Accelerated && !saysMMA && len(l.order) > 0 {
		return false
	}
	return class != 4 && mma&3 != 2 && mma>>2&3 != 2
}

// restricted reports whether any code holds an instruction that sm_103 runs
// differently.
func (l *Backend) restricted() bool {
	ops := restrictedOps()
	var found atomic.Bool
	parallel.Do(len(l.order), func(from, to int) {
		for _, fn := range l.order[from:to] {
			if !found.Load() && fn.isRestricted(ops) {
				found.Store(true)
			}
		}
	})
	return found.Load()
}

func (fn *code) isRestricted(ops *[opcodes]bool) bool {
	for at := 0; at+capsule.WordSize <= len(fn.sass); at += capsule.WordSize {
		word := fn.sass[at : at+capsule.WordSize]
		if ops[opcode(word)] && !slices.Contains(fn.bent, uint64(at)) && isSlowForm(word) {
			return true
		}
	}
	return false
}

// isSlowForm reports whether the form of such an instruction counts. A comparison with an immediate
// that writes one predicate and combines none does of floats, and doesn't of doubles.
func isSlowForm(word []byte) bool {
	const pt = 7
	second, combined := word[10]>>4&7, word[10]>>7|word[11]<<1&0xf
	switch opcode(word) {
	case opFSETPImm:
		return combined == pt
	case opDSETPImm:
		return combined != pt || second != pt
	}
	return true
}

const (
	opIMMA     = 0x237
	opDMMA     = 0x23f
	opFSETPImm = 0x80b // FSETP with an immediate
	opDSETPImm = 0x42a // DSETP with an immediate
	opPREEXIT  = 0x82d
)

// restrictedOps are the opcodes of such instructions.
func restrictedOps() *[opcodes]bool {
	ops := &[opcodes]bool{opIMMA: true, opDMMA: true, opFSETPImm: true}
	for op := range ops {
		ops[op] = ops[op] || isDouble(uint16(op))
	}
	return ops
}

// opcodes is how many there may be.
const opcodes = 1 << 12

func opcode(word []byte) uint16 { return binary.LittleEndian.Uint16(word) % opcodes }

// isDouble reports whether an opcode is DMUL, DADD, DSETP or DFMA.
func isDouble(op uint16) bool { return op&0xff >= 0x28 && op&0xff <= 0x2b }
