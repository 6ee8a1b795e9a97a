package selfcheck

import (
	"encoding/binary"
	"math/bits"

	"github.com/twinlink/twinlink/capsule"
)

// scan looks at the words of PLAIN nodes as a capsule is decoded, so that they are read
// once: for their sizes in Mercury, and for what they have to be like. What it can't say in
// one go it leaves to the check of the function's nodes, in the order of the words.
type scan struct {
	table *quickTable
	code  []byte // the function's text
	lanes uint64 // see registersFit
	infos uint32 // of all words that aren't left; see quickRule
	left  []stretch
}

// stretch is words from one place to another, which is excluded: PLAIN nodes with which
// something is wrong, or one of which more is to be asked.
type stretch struct {
	from, to uint32
	special  bool
}

// begin makes a scan ready for a function that has at most limit registers.
func (s *scan) begin(fn *capsule.Func, limit uint32) {
	s.code, s.lanes, s.infos, s.left = fn.Code, lanesOf(limit), 0, s.left[:0]
}

// Plain is that of [capsule.Words].
func (s *scan) Plain(code []byte, sass uint32) (large, unknown uint32) {
	wrong, infos, large, other, special := s.table.look(code, s.lanes)
	if wrong != 0 {
		s.leave(stretch{sass, sass + uint32(len(code)), false})
	} else {
		s.infos |= infos
		for ; special != 0; special &= special - 1 {
			at := sass + uint32(bits.TrailingZeros32(special))*capsule.WordSize
			s.left = append(s.left, stretch{at, at + capsule.WordSize, true})
		}
	}
	for ; other != 0; other &= other - 1 {
		i := bits.TrailingZeros32(other)
		w := wordAt(code, uint32(i)*capsule.WordSize)
		switch capsule.PlainSize(w.Lo, w.Hi) {
		case 0:
			unknown |= 1 << i
			fallthrough
		case 16:
			large &^= 1 << i
		}
	}
	return large, unknown
}

// leave notes words of which one is wrong. Where that may be a register, and an instruction
// gives warps more of them, the check of the first such word takes the limit away.
func (s *scan) leave(words stretch) {
	s.left = append(s.left, words)
	if s.lanes != lanesOf(0) && hasOpcode(s.code, opUSETMAXREG) {
		for at := words.from; at < words.to; at += capsule.WordSize {
			w := wordAt(s.code, at)
			if !registersFit(w, s.table.of(w).fields, s.lanes) {
				s.lanes = lanesOf(0)
				return
			}
		}
	}
}

// look looks at up to 32 words. wrong is not 0 where one of them isn't like those of PLAIN
// nodes, or can't be; infos is of all of them. Bit i of the masks is for word i: it takes 32
// bytes of Mercury; only capsule.PlainSize says that; more is to be asked of it. The loop calls
// nothing, so that all it gathers stays in registers, the masks from their highest bit on.
func (t *quickTable) look(code []byte, lanes uint64) (wrong uint64, infos, large, other, special uint32) {
	const last = 1 << 31
	lanes |= borrowed
	for at := 0; at <= len(code)-capsule.WordSize; at += capsule.WordSize {
		b := code[at : at+capsule.WordSize : at+capsule.WordSize]
		lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		r := t.of(Word{Lo: lo})
		wrong |= (lo^r.value.Lo)&r.care.Lo | (hi^r.value.Hi)&r.care.Hi | noBoard(hi) | ^(lanes-registersOf(lo, hi, r.fields))&borrowed
		infos |= r.info
		special = special>>1 | r.info&last
		more := r.size.Over(hi)
		other = other>>1 | more&last
		large = large>>1 | (more|-more)&last
	}
	shift := (32 - uint(len(code))/capsule.WordSize) & 31
	return wrong, infos, large >> shift, other >> shift, special >> shift
}
