package capsule

import (
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
)

// Sizes of PLAIN nodes in Mercury.
//
// A PLAIN node has no record that could tell its size: it follows from the
// SASS word. The opcode, bits 0 to 11, mostly decides; where one opcode has
// forms of both sizes, a few more bits do. Forms with three real sources, a
// 32-bit immediate, a descriptor, a carry or a combining predicate take 32.
//
//	bit 127 ......................................................... 0
//	     |..|90 87|86 84|..|80|..|74|73 72|71      64|........|11    0|
//	        |Pp   |Pq   |  |HI|  |X |  EX |Rc        |        |opcode |
//
// Source: equations between SASS and Mercury offsets of line tables, symbol
// sizes and EXIT offsets in 403 objects of ptxas 13.0 and 13.5, none
// inconsistent. An opcode outside the table has no known size.

const (
	size16 = `202 207 208 209 20a 20f 213 216 219 21a 220 221 226 228 229 230 232 236 238 23a 23e 240 245 246 248 287 296 299 2a4 2bd 2bf 2ca
		300 301 302 304 305 306 307 308 309 310 311 312 313 3a1 3c4 802 806 882 886 906 908 918 941 942 946 94d 95c 95d 9af
		c02 c07 c08 c09 c0a c0f c13 c16 c19 c20 c26 c28 c32 c36 c3e c45 c46 c48 c82 d00 d05 d06 d08 d09 d10 d12 e19 e21 e29 e46`
	size32 = `211 215 21f 223 225 227 22b 231 233 234 243 276 292 2a5 343 344 381 388 3aa 416 419 421 423 424 430 431 433 434 446 499 4a4 547
		589 803 804 807 808 809 80b 80c 80f 810 811 812 816 819 81a 81c 820 823 824 825 827 831 832 836 83b 840 846 848 883 887 88c 890 891
		892 896 899 8a4 8a5 902 943 944 947 949 94e 950 958 981 983 984 987 988 989 c11 c23 c25 c27 c2b c31 c76 e23 e25 e27 e2b e34 f89`
)

// sizeRule says when an opcode of both sizes takes 16 bytes: where all fields have
// these values.
type sizeRule struct {
	ops   string
	where []fieldValue
}

// fieldValue is a field of the upper half, by its first bit in the word, with a value.
type fieldValue struct{ first, width, value uint }

// field returns n bits of a word's upper half from bit first of the word.
func field(hi uint64, first, n uint) uint64 { return hi >> (first - 64) & (1<<n - 1) }

// lopSmall reports whether a truth table asks for no third source, and for the first
// if there is one: ptxas leaves tables that are the second source alone.
func lopSmall(lo, hi uint64) bool {
	lut := field(hi, 72, 8)
	return field(hi, 64, 8) == 255 && lut&0x55 == lut>>1&0x55 && (lo>>24&0xff == 255 || lut&0xf != lut>>4)
}

var sizeRules = []sizeRule{
	// (U)IADD3: no third source, no .X
	{"210 c10 290", []fieldValue{{64, 8, 255}, {74, 1, 0}}},
	// (U)ISETP: no combining predicate, no .EX
	{"20c c0c 28c", []fieldValue{{87, 4, 7}, {72, 1, 0}}},
	{"20b c0b", []fieldValue{{87, 4, 7}}},             // FSETP: no combining predicate
	{"22a e2a", []fieldValue{{87, 4, 7}, {84, 3, 7}}}, // DSETP: no second result either
	{"224 e24 c24", []fieldValue{{74, 1, 0}}},         // IMAD: no .X
	{"291", []fieldValue{{74, 1, 0}, {80, 1, 0}}},     // ULEA: no .X, no .HI
}

// otherSize is the size of words of opcodes that no field alone tells, 0 where it isn't known.
func otherSize(lo, hi uint64) uint32 {
	var small bool
	switch lo & 0xfff {
	case 0x212, 0xc12: // LOP3
		small = lopSmall(lo, hi)
	case 0x945: // BSSY: .RELIABLE or .RECONVERGENT
		small = field(hi, 72, 2) != 0
	default:
		return 0
	}
	if small {
		return 16
	}
	return 32
}

// SizeRule is the size of an opcode's PLAIN nodes: 16 bytes where bits 64 to 95 under mask,
// the lower half, are what the upper half says, else 32.
type SizeRule uint64

// ByOther, a bit that no mask has, leaves it to [PlainSize].
const ByOther SizeRule = 1 << 63

// Over is 0 where a word with that upper half takes 16 bytes, below zero as an int32 where
// [PlainSize] has to be asked, and anything else where it takes 32.
func (r SizeRule) Over(hi uint64) uint32 { return uint32(hi)&uint32(r) ^ uint32(r>>32) }

// PlainSizes returns the rules by opcode, made when a capsule is first decoded: most links
// have none.
func PlainSizes() *[4096]SizeRule { return opSizes() }

var opSizes = sync.OnceValue(func() *[4096]SizeRule {
	t := new([4096]SizeRule)
	for op := range t {
		t[op] = ByOther
	}
	mark := func(ops string, r SizeRule) {
		for op := range strings.FieldsSeq(ops) {
			n, err := strconv.ParseUint(op, 16, 12)
			if err != nil {
				panic("capsule: opcode " + op)
			}
			t[n] = r
		}
	}
	mark(size16, 0)
	mark(size32, 1<<32)
	for _, rule := range sizeRules {
		var mask, small uint64
		for _, f := range rule.where {
			mask |= (1<<f.width - 1) << (f.first - 64)
			small |= uint64(f.value << (f.first - 64))
		}
		mark(rule.ops, SizeRule(small<<32|mask))
	}
	return t
})

// PlainSize returns the size in Mercury of a PLAIN node whose SASS word is
// hi:lo, 0 where it isn't known.
func PlainSize(lo, hi uint64) uint32 {
	r := opSizes()[lo&0xfff]
	switch {
	case r == ByOther:
		return otherSize(lo, hi)
	case r.Over(hi) == 0:
		return 16
	}
	return 32
}

// plainSizeAt is PlainSize of the word at a byte offset of a text.
func plainSizeAt(text []byte, off uint32) uint32 { return PlainSize(word(text, off)) }

// word returns the instruction at a byte offset of a text.
func word(text []byte, off uint32) (lo, hi uint64) {
	b := text[off : off+WordSize : off+WordSize]
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
}
