package mercury

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// fastpathRecord is the record of fastpath.
func (l *Backend) fastpathRecord() []byte {
	rec := cubin.InfoRecord{Format: cuda.FormatSized, Attr: cuda.InfoAttr(cuda.CompatCanFastpathFinalize),
		Data: binary.LittleEndian.AppendUint64(nil, l.fastpath())}
	return rec.Append(nil)
}

// fastpath computes attribute 11 of .nv.compat, which says for which siblings
// the code needs no new scheduling. It is a matter of the code that is left and
// of the target; what the inputs say doesn't count.
//
// sm_100 has the bit for sm_103 where no instruction is one that the two run
// differently: double precision arithmetic, comparisons of floats with an
// immediate, products of integer and of double precision matrices. sm_120 has the one for sm_121 always.
//
// Source: 362 inputs and outputs of ptxas and nvlink 13.0.88, 504 forms of
// instructions one by one.
func (l *Backend) fastpath() (mask uint64) {
	if len(l.order) == 0 {
		return 0
	}
	c := &l.Compat
	able := c.Class.V != 4 && c.Mma[0].V != 2 && c.Mma[1].V != 2
	switch l.Arch.SM {
	case 100:
		mask = 0x01
		if able && !l.restricted() {
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

// restricted reports whether any code holds an instruction that sm_103 runs
// differently.
func (l *Backend) restricted() bool {
	for _, fn := range l.order {
		for at := 0; at+capsule.WordSize <= len(fn.sass); at += capsule.WordSize {
			op := opcode(fn.sass[at:])
			if isDouble(op) {
				return true
			}
			switch op {
			case opIMMA, opDMMA:
				return true
			case 0x80b: // FSETP with an immediate, no predicate combined
				if fn.sass[at+10]>>7|fn.sass[at+11]<<1&0xf == 7 {
					return true
				}
			}
		}
	}
	return false
}

const (
	opIMMA = 0x237
	opDMMA = 0x23f
)

func opcode(word []byte) uint16 { return binary.LittleEndian.Uint16(word) & 0xfff }

// isDouble reports whether an opcode is DMUL, DADD, DSETP or DFMA.
func isDouble(op uint16) bool { return op&0xff >= 0x28 && op&0xff <= 0x2b }
