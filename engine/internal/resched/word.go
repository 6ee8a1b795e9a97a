package resched

import "encoding/binary"

// WordSize is the size of an instruction in bytes.
const WordSize = 16

// word is an instruction.
type word struct{ lo, hi uint64 }

// Fields of the scheduling part, by their place in the upper half.
const (
	stallShift = 41
	yieldBit   = 45
	wrShift    = 46
	rdShift    = 49
	waitShift  = 52

	noBoard = 7
	boards  = 6
)

func (w *word) op() uint16 { return uint16(w.lo & 0xfff) }
func (w *word) wr() int    { return int(w.hi >> wrShift & 7) }
func (w *word) rd() int    { return int(w.hi >> rdShift & 7) }

// wait is what the word waits for since it needs it; the wait of one that drains is none of these.
func (w *word) wait() uint8 {
	if w.drains() {
		return 0
	}
	return w.waitMask()
}

func (w *word) waitMask() uint8 { return uint8(w.hi >> waitShift & allBoards) }

// allBoards is a wait for every scoreboard.
const allBoards = 1<<boards - 1

// drains reports whether a word waits for all scoreboards whatever is on them: CCTL.IVALL
// after a fence that acquires, and the NOP of a fence. nvlink keeps this wait and gives
// out scoreboards as if it weren't there. Source: kernels of our own put to nvlink 13.0.88.
func (w *word) drains() bool {
	return (w.op() == opCCTL || w.op() == opNOP) && w.waitMask() == allBoards
}

func (w *word) stall() int { return int(w.hi >> stallShift & 0xf) }

func (w *word) guard() uint8 { return uint8(w.lo >> 12 & 0xf) } // predicate and, in bit 3, its inverse

func (w *word) setWr(b int)    { w.hi = w.hi&^(7<<wrShift) | uint64(b)<<wrShift }
func (w *word) setRd(b int)    { w.hi = w.hi&^(7<<rdShift) | uint64(b)<<rdShift }
func (w *word) setStall(n int) { w.hi = w.hi&^(0xf<<stallShift) | uint64(n)<<stallShift }
func (w *word) setYield(on bool) {
	w.hi &^= 1 << yieldBit
	if on {
		w.hi |= 1 << yieldBit
	}
}
func (w *word) setWait(m uint8) {
	if !w.drains() {
		w.hi = w.hi&^(allBoards<<waitShift) | uint64(m)<<waitShift
	}
}

// field returns n bits of the word from bit first.
func (w *word) field(first, n uint) uint64 {
	v := w.lo >> first
	if first >= 64 {
		v = w.hi >> (first - 64)
	} else if first > 0 {
		v |= w.hi << (64 - first)
	}
	return v & (1<<n - 1)
}

func split(text []byte) []word {
	words := make([]word, len(text)/WordSize)
	for i := range words {
		words[i] = wordAt(text, i)
	}
	return words
}

func wordAt(text []byte, i int) word {
	return word{binary.LittleEndian.Uint64(text[i*WordSize:]), binary.LittleEndian.Uint64(text[i*WordSize+8:])}
}

func join(words []word) []byte {
	text := make([]byte, 0, len(words)*WordSize)
	for _, w := range words {
		text = binary.LittleEndian.AppendUint64(text, w.lo)
		text = binary.LittleEndian.AppendUint64(text, w.hi)
	}
	return text
}

// Opcodes.
const (
	opBRA            = 0x947
	opBRAUnif        = 0x547
	opBSSY           = 0x945
	opBSYNC          = 0x941
	opWARPSYNC       = 0x948 // with the place to go on at
	opWARPSYNCReg    = 0x348 // the same, lanes in a register
	opENDCOLLECTIVE  = 0x91b
	opDEPBAR         = 0x91a
	opBRX            = 0x949
	opBRXU           = 0x958
	opEXIT           = 0x94d
	opP2R            = 0x803
	opR2P            = 0x804
	opVOTE           = 0x806
	opRET            = 0x950
	opLEPC           = 0x94e // the place of a word, for a return
	opCALLReg        = 0x343
	opCALLRelReg     = 0x344
	opCALLRel        = 0x944
	opYIELD          = 0x946
	opBREAK          = 0x942
	opNOP            = 0x918
	opLDC            = 0xb82
	opS2R            = 0x919
	opS2UR           = 0x9c3
	opLDGDEPBAR      = 0x9af
	opUTMACMDFLUSH   = 0x9b7
	opLDS            = 0x984
	opLDL            = 0x983
	opATOMGFloat     = 0x9a3 // ATOMG of floats and doubles
	opATOMFloat      = 0x9a2 // ATOM of these
	opCASTSpin       = 0x58d // ATOMS.CAST.SPIN
	opCS2R           = 0x805
	opLDSM           = 0x83b
	opSTS            = 0x388
	opSTSUniform     = 0x988 // its address in a uniform register
	opMEMBAR         = 0x992
	opCCTL           = 0x98f
	opERRBAR         = 0x9ab
	opCGAERR         = 0x5ab
	opATOMS          = 0x38c
	opATOMSUniform   = 0x98c // its address in a uniform register
	opSYNCS          = 0x5b2
	opUBLKCP         = 0x3ba
	opMOVReg         = 0x202
	opUMOVReg        = 0xc82
	opBMOV           = 0x355
	opBMOVBack       = 0x356
	opBPT            = 0x95c
	opPMTRIG         = 0x801
	op32Bytes        = 0x97e // LDG of two runs of four registers
	opSUST           = 0xf9d
	opSUSTFormatted  = 0xf9b
	opSURED          = 0xf9f
	opSULD           = 0xf99
	opLDGSTS         = 0xfae
	opMATCH          = 0x3a1
	opREDUX          = 0x3c4
	opBAR            = 0xb1d
	opMOV64          = 0x402 // of a number
	opUMOV64         = 0x482 // the same
	guardNever       = 0xf   // @!PT
	opUGETNEXTWORKID = 0x3ca
)

func (w word) isMEMBAR() bool { return w.op() == opMEMBAR }

// writesSurface reports whether the instruction stores to a surface or changes it.
func (w word) writesSurface() bool {
	return w.op() == opSUST || w.op() == opSUSTFormatted || w.op() == opSURED
}

// isLDGSTS reports whether the instruction copies from global to shared memory, past the
// registers.
func (w word) isLDGSTS() bool { return w.op() == opLDGSTS }

// isSYNCS reports whether the instruction works on a barrier in shared memory.
func (w word) isSYNCS() bool {
	switch w.op() {
	case opSYNCS, 0x9a7, 0x5a7, 0x9b1:
		return true
	}
	return false
}

// isOfFence reports whether the instruction can be after the MEMBAR of a fence.
func (w word) isOfFence() bool {
	switch w.op() {
	case opERRBAR, opCGAERR, opCCTL, opNOP:
		return true
	}
	return false
}

// isDummyLoad reports whether the word is a load that never happens.
func (w *word) isDummyLoad() bool { return w.op() == opLDS && w.guard() == guardNever }

// isCall reports whether the instruction calls.
func (w *word) isCall() bool {
	switch w.op() {
	case opCALLReg, opCALLRelReg, 0x943, opCALLRel:
		return true
	}
	return false
}

// storesShared reports whether the instruction stores into shared memory.
func (w *word) storesShared() bool { return w.op() == opSTS || w.op() == opSTSUniform }

// isTexture reports whether the instruction asks a texture.
func (w *word) isTexture() bool {
	switch w.op() {
	case 0xf60, 0xf61, 0xf63, 0xf64, 0xf66, 0xf67, 0xf69, 0xf6a, 0xf6c, 0xf6d, 0xf6f:
		return true
	}
	return false
}

// isSlow reports whether results come from memory or textures.
func (w *word) isSlow() bool {
	switch w.op() {
	case 0x980, 0x981, 0x381, op32Bytes, 0x983, 0x98a, 0x98b, 0x38a, 0x38b, 0x3a8, 0x3a9, 0x9a1, 0x9a2, 0x3a2, 0x9a3, 0x9a8, 0x9a9, 0x98e, 0xf99:
		return true
	}
	return w.isTexture()
}

// Kinds of instructions by the unit that makes their results.
const (
	kindRead = iota // not results, but sources
	kindSlow
	kindS2R
	kindS2UR
	kindLDS
	kindLDC
	kindLDCU
	kindShuffle
	kindDouble
	kindCount
	kindConvert
	kindMUFU
	kindOther
)

func (w *word) kind() int {
	switch op := w.op(); op {
	case opS2R:
		return kindS2R
	case opS2UR:
		return kindS2UR
	case opLDS:
		return kindLDS
	case opLDC:
		return kindLDC
	case 0x7ac:
		return kindLDCU
	case 0x389, 0x589, 0x989, 0xf89:
		return kindShuffle
	case 0x300, 0x309, 0xd00, 0xd09, 0x2bd, 0x2bf:
		return kindCount
	case 0x305, 0x306, 0xd05, 0xd06:
		return kindConvert
	case 0x308, 0xd08, 0x908:
		return kindMUFU
	default:
		switch {
		case w.isSlow():
			return kindSlow
		case op&0xfc == 0x28 && op>>8&1 == 0: // DMUL, DADD, DSETP, DFMA
			return kindDouble
		}
	}
	return kindOther
}

// countsCopies reports whether the instruction counts groups of copies by a
// scoreboard.
func (w *word) countsCopies() bool { return w.op() == opLDGDEPBAR || w.op() == opUTMACMDFLUSH }

// isIndexed reports whether the instruction branches by a register.
func (w *word) isIndexed() bool { return w.op() == opBRX || w.op() == opBRXU }

// isDivergent reports whether a branch is one of lanes that part by a uniform register,
// BRA.DIV.
func (w *word) isDivergent() bool {
	const kindField, divergent = 89, 5
	return w.op() == opBRA && w.field(kindField, 4) == divergent
}

// isCollective reports whether the instruction begins what lanes do together, up
// to an ENDCOLLECTIVE.
func (w *word) isCollective() bool {
	return (w.op() == opWARPSYNC || w.op() == opWARPSYNCReg) && w.field(86, 1) != 0
}

// callTarget returns the number of the word that a call at number i names, or that the register of a return counts
// from; false where a relocation is to say it.
func (w *word) callTarget(i int) (int, bool) {
	if w.op() != opCALLRel && w.op() != opRET {
		return 0, false
	}
	off := w.farOffset()
	return i + 1 + int(off/4), off != 0
}

// farOffset is the distance from the next instruction to the target of a branch or call.
func (w *word) farOffset() int64 { return int64(w.field(16, 8)|w.field(34, 48)<<8) << 8 >> 8 }

// branchTarget returns the number of the word that a branch or BSSY at number i
// names; of a branch by a register, the one that the register counts from.
func (w *word) branchTarget(i int) (int, bool) {
	var off int64
	switch w.op() {
	case opBRA, opBRAUnif, opWARPSYNC, opWARPSYNCReg, opBRX, opBRXU:
		off = w.farOffset()
	case opBSSY:
		off = int64(int32(w.field(34, 30)<<2)) >> 2
	default:
		return 0, false
	}
	return i + 1 + int(off/4), true
}

// setBranchTarget is the inverse of branchTarget and callTarget.
func (w *word) setBranchTarget(i, target int) {
	off := uint64(int64(target-i-1) * 4)
	switch w.op() {
	case opBRA, opBRAUnif, opWARPSYNC, opWARPSYNCReg, opBRX, opBRXU, opCALLRel, opRET:
		w.put(16, 8, off)
		w.put(34, 48, off>>8)
	case opBSSY:
		w.put(34, 30, off)
	}
}

// put writes n bits from bit first.
func (w *word) put(first, n uint, v uint64) {
	mask := uint64(1)<<n - 1
	v &= mask
	if first < 64 {
		w.lo = w.lo&^(mask<<first) | v<<first
		if first+n > 64 {
			w.hi = w.hi&^(mask>>(64-first)) | v>>(64-first)
		}
		return
	}
	w.hi = w.hi&^(mask<<(first-64)) | v<<(first-64)
}
