package selfcheck

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// What any word of a function must keep to, whoever says what it is:
//
//	|127 126|125 122|121 116|115 113|112 110|109|108 105|
//	|   0   | reuse | wait  | read  | write |yld| stall |
//
//   - The scoreboards that a word sets when it has read, or written, are 0 to 5,
//     or 7 for none.
//   - A register is one of those that the function has, or RZ. Warps may be given
//     more by USETMAXREG: in functions that have one the number isn't checked.
//   - The target of a branch is the start of a node.
//
// Source: 5,300 files of ptxas, nvlink and libraries, 12.8 to 13.5, none otherwise.

const (
	opUSETMAXREG = 0x9c8
	noBarrier    = 6 // the only value of three bits that no word has
)

// limits returns the number of registers of functions by symbol.
func (c *checker) limits() map[uint32]uint32 {
	out := map[uint32]uint32{}
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if s.Type != cuda.SHTCudaInfo || s.Flags&cuda.SHFInfoLink != 0 {
			continue
		}
		r := c.m.File.Info(&s.Section)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrRegcount && len(rec.Data) == 8 {
				out[binary.LittleEndian.Uint32(rec.Data)] = binary.LittleEndian.Uint32(rec.Data[4:])
			}
		}
	}
	return out
}

// wordCheck is what the check of a function's words needs to know.
type wordCheck struct {
	fn    *capsule.Func
	limit uint32 // the number of registers, 0 for not told
	freed bool   // an instruction gives warps another number of them

	starts  []uint64 // bit i: a node starts at word i
	traits  uint8    // of all words so far
	calls   []uint32 // where calls by offset are
	opcodes *[opcodeMask + 1]uint8
	quick   *quickTable
	lanes   uint64 // limit in each of four lanes; see registersFit
}

// Traits of a function, for checks that come later.
const (
	traitCall  = 1 << iota // of a word: is a call by offset
	traitSM103             // has an instruction that sm_103 does otherwise
)

// some reports whether a function has a trait.
func (c *checker) some(trait uint8) bool {
	return slices.ContainsFunc(c.traits, func(t uint8) bool { return t&trait != 0 })
}

// begin makes the check of a function ready.
func (c *checker) begin(fn *capsule.Func, limit uint32) wordCheck {
	n := len(fn.Code)/capsule.WordSize/64 + 1
	if cap(c.starts) < n {
		c.starts = make([]uint64, 2*n)
	}
	starts := c.starts[:n]
	for i := range starts {
		starts[i] = ^uint64(0)
	}
	for _, n := range fn.Cap.Wide() {
		for k := n.SASS/capsule.WordSize + 1; k < n.SASS/capsule.WordSize+uint32(n.Span); k++ {
			starts[k/64] &^= 1 << (k % 64)
		}
	}
	k := wordCheck{fn: fn, starts: starts, opcodes: opcodes(), quick: quickTableFor(c.sm)}
	k.limitTo(limit)
	return k
}

// limitTo sets the number of registers, 0 for not told.
func (k *wordCheck) limitTo(limit uint32) {
	k.limit, k.lanes = limit, lanesOf(limit)
}

// lanesOf returns a number of registers in each of four lanes.
func lanesOf(limit uint32) uint64 {
	if limit == 0 || limit > noLimit {
		limit = noLimit
	}
	return uint64(limit) * eachLane
}

// hasOpcode reports whether a text has an instruction of an opcode.
func hasOpcode(code []byte, op uint16) bool {
	for at := 0; at+capsule.WordSize <= len(code); at += capsule.WordSize {
		if binary.LittleEndian.Uint16(code[at:])&opcodeMask == op {
			return true
		}
	}
	return false
}

// hasQMMA reports whether a text has a UTCQMMA, an mma of tensor memory on numbers of 8, 6 or 4
// bits, with or without scales of 8 bits: bits 72 and 73 tell it from the others.
func hasQMMA(code []byte) bool {
	const opUTCMMA, members, kind = 0x1ea, 0x1ff, 3
	for at := 0; at+capsule.WordSize <= len(code); at += capsule.WordSize {
		if binary.LittleEndian.Uint16(code[at:])&members == opUTCMMA && code[at+9]&kind == kind {
			return true
		}
	}
	return false
}

// word checks a word that isn't padding.
func (c *checker) word(k *wordCheck, at uint32, w Word) {
	if !scheduleFits(w.Hi) {
		c.add(Text, Content, k.fn.Text, uint64(at), "scheduling of an instruction", "scoreboards 0 to 5 or 7, bits 126 and 127 clear", w.String())
	}
	info := k.opcodes[w.Lo&opcodeMask]
	if k.limit != 0 && info&opRegisters != 0 {
		c.wordRegisters(k, at, w, info)
	}
	if info&^opRegisters != 0 {
		c.special(k, at, w, info)
	}
}

// special checks what only words of few opcodes have, and notes their traits.
func (c *checker) special(k *wordCheck, at uint32, w Word, info uint8) {
	if info&opBranch != 0 {
		c.branch(k, at, w)
	}
	k.freed = k.freed || info&opFrees != 0
	if info>>6&traitCall != 0 {
		k.calls = append(k.calls, at)
	}
	k.traits |= info >> 6
}

// opcodes tells of each opcode which fields hold registers, and more.
var opcodes = sync.OnceValue(func() *[opcodeMask + 1]uint8 {
	t := new([opcodeMask + 1]uint8)
	for op := range t {
		t[op] = mercury.Registers(uint16(op)) & opRegisters
	}
	for _, op := range [...]int{opBRA, opBSSY, opCALLRel} {
		t[op] |= opBranch
	}
	t[opUSETMAXREG] |= opFrees
	t[opCALLRel] |= traitCall << 6
	for op := range t {
		if otherOnSM103(op) {
			t[op] |= traitSM103 << 6
		}
	}
	return t
})

const (
	opRegisters = 0x0f // see mercury.RegisterFields
	opBranch    = 0x10
	opFrees     = 0x20
	// Above: traits.
)

func (c *checker) wordRegisters(k *wordCheck, at uint32, w Word, has uint8) {
	over := func(bit uint8, r uint64) bool { return has&bit != 0 && uint8(r) != 0xff && uint32(uint8(r)) >= k.limit }
	var field int
	switch {
	case over(1, w.Lo>>16):
		field = 0
	case over(2, w.Lo>>24):
		field = 1
	case over(4, w.Lo>>32):
		field = 2
	case over(8, w.Hi):
		field = 3
	default:
		return
	}
	if hasOpcode(k.fn.Code, opUSETMAXREG) {
		k.limitTo(0)
		k.freed = true
		return
	}
	first := mercury.RegisterFields[field]
	half := w.Lo
	if first >= 64 {
		half = w.Hi
	}
	c.add(Text, Content, k.fn.Text, uint64(at), fmt.Sprintf("register in bits %d to %d of opcode %03x", first, first+7, w.Lo&opcodeMask), fmt.Sprintf("below %d, or RZ", k.limit), fmt.Sprint(half>>(first&63)&0xff))
}

// Branches whose target is an offset in words of four bytes, counted from the
// next instruction: of BRA and CALL bits 16 to 23, then 34 to 81; of BSSY bits 34
// to 71.
const (
	opBSSY    = 0x945
	opCALLRel = 0x944
)

// branchTarget returns where the word at a place branches to.
func branchTarget(at uint32, w Word) int64 {
	off := int64(w.Lo>>16&0xff<<8|w.Lo>>34<<16|w.Hi<<46) >> 8
	if w.Lo&opcodeMask == opBSSY {
		off = int64(w.Lo>>34<<26|w.Hi<<56) >> 26
	}
	return int64(at) + capsule.WordSize + off*4
}

func (c *checker) branch(k *wordCheck, at uint32, w Word) {
	target := branchTarget(at, w)
	if target >= 0 && target < int64(len(k.fn.Code)) && target%capsule.WordSize == 0 {
		if i := target / capsule.WordSize; k.starts[i/64]>>(i%64)&1 != 0 {
			return
		}
	}
	c.add(Text, Content, k.fn.Text, uint64(at), "target of a branch", "the start of an instruction", fmt.Sprintf("0x%x", target))
}
