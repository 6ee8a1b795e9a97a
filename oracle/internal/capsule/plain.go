package capsule

// The size of a PLAIN node's Mercury instruction, by the SASS word. Opcodes are
// bits 0 to 11. A 16-byte instruction has room for two sources and nothing
// more; an opcode that is in both forms says so in the word.

var always16 = opcodes(
	0x202, 0x207, 0x208, 0x209, 0x20a, 0x20f, 0x213, 0x216, 0x219, 0x21a, 0x220, 0x221, 0x226, 0x228, 0x229,
	0x230, 0x232, 0x236, 0x238, 0x23a, 0x23e, 0x240, 0x245, 0x246, 0x248, 0x287, 0x296, 0x299, 0x2a4, 0x2bd, 0x2bf,
	0x2ca, 0x300, 0x301, 0x302, 0x304, 0x305, 0x306, 0x307, 0x308, 0x309, 0x310, 0x311, 0x312, 0x313, 0x3a1,
	0x3c4, 0x802, 0x806, 0x882, 0x886, 0x908, 0x918, 0x941, 0x942, 0x946, 0x94d, 0x95c, 0x95d, 0x9af, 0xc02,
	0xc07, 0xc08, 0xc09, 0xc0a, 0xc19, 0xc20, 0xc26, 0xc28, 0xc36, 0xc3e, 0xc45, 0xc46, 0xc48, 0xc82, 0xd00, 0xd05,
	0xd06, 0xd08, 0xd09, 0xd10, 0xd12, 0xe19, 0xe21, 0xe29, 0xe46,
)

var always32 = opcodes(
	0x211, 0x215, 0x223, 0x225, 0x227, 0x22b, 0x231, 0x233, 0x234, 0x276, 0x2a5, 0x343, 0x344, 0x381, 0x388,
	0x3aa, 0x416, 0x419, 0x421, 0x423, 0x424, 0x430, 0x431, 0x433, 0x434, 0x446, 0x4a4, 0x547, 0x589, 0x803,
	0x804, 0x807, 0x808, 0x809, 0x80b, 0x80c, 0x80f, 0x810, 0x811, 0x812, 0x816, 0x819, 0x81a, 0x81c, 0x820,
	0x823, 0x824, 0x825, 0x827, 0x831, 0x836, 0x83b, 0x846, 0x848, 0x883, 0x887, 0x88c, 0x890, 0x891, 0x892, 0x896,
	0x899, 0x8a4, 0x8a5, 0x902, 0x943, 0x944, 0x947, 0x949, 0x94e, 0x950, 0x958, 0x981, 0x983, 0x984, 0x987, 0x988, 0x989,
	0xc11, 0xc23, 0xc25, 0xc27, 0xc2b, 0xc76, 0xe23, 0xe25, 0xe27, 0xe2b, 0xf89,
)

func opcodes(list ...uint64) map[uint64]bool {
	m := make(map[uint64]bool, len(list))
	for _, op := range list {
		m[op] = true
	}
	return m
}

// condition says that bits first to last of the word hold a number.
type condition struct{ first, last, value uint64 }

// short16 are the conditions under which an opcode takes 16 bytes: all of them.
var short16 = map[uint64][]condition{}

func init() {
	for _, x := range []struct {
		opcodes []uint64
		all     []condition
	}{
		{[]uint64{0x210, 0xc10, 0x290}, []condition{{64, 71, 255}, {74, 74, 0}}}, // IADD3: no third source, no carry
		{[]uint64{0x20c, 0xc0c, 0x28c}, []condition{{87, 90, 7}, {72, 72, 0}}},   // ISETP: no predicate, not .EX
		{[]uint64{0x20b, 0xc0b}, []condition{{87, 90, 7}}},                       // FSETP: no predicate
		{[]uint64{0x22a, 0xe2a}, []condition{{87, 90, 7}, {84, 86, 7}}},          // DSETP: no predicates
		{[]uint64{0x212, 0xc12}, []condition{{64, 71, 255}}},                     // LOP3: no third source, see onlySecond
		{[]uint64{0x292}, []condition{{64, 71, 255}, {81, 83, 7}}},               // ULOP3: no third source, no predicate
		{[]uint64{0x224, 0xe24, 0xc24}, []condition{{74, 74, 0}}},                // IMAD: no carry
		{[]uint64{0x291}, []condition{{74, 74, 0}, {80, 80, 0}}},                 // ULEA: no carry, not .HI
	} {
		for _, op := range x.opcodes {
			short16[op] = x.all
		}
	}
}

// bssy is 16 bytes long where either of bits 72 and 73 is set.
const bssy = 0x945

// onlySecond is the table of a LOP3 that copies its second source: that takes 32 bytes.
//
// Source: the sizes of 13 functions by ptxas 13.0 and 13.5; those of 4,239 others without
// such a word agree as well.
const onlySecond = 0xcc

// usesThird reports whether the table of a LOP3 asks for its third source, though that be the zero
// register: a ULOP3 of such a table takes 32 bytes.
//
// Source: a ULOP3 of three zero registers and table 0x96 in a function by ptxas 12.9.86, whose size needs it;
// 3,722 other functions have no ULOP3 of that form.
func usesThird(table uint64) bool { return table>>1&0x55 != table&0x55 }

// plainSize is the size of the Mercury instruction of a SASS word; ok is false
// where it is not known.
func plainSize(code []byte, at uint64) (size uint64, ok bool) {
	low, okLow := number(code, at, 8)
	high, okHigh := number(code, at+8, 8)
	if !okLow || !okHigh {
		return 0, false
	}
	bits := func(first, last uint64) uint64 { return high >> (first - 64) % (1 << (last - first + 1)) }
	op := low % 4096
	all, both := short16[op]
	short := true
	for _, c := range all {
		short = short && bits(c.first, c.last) == c.value
	}
	switch {
	case op == 0x212 && bits(72, 79) == onlySecond:
		short = false
	case op == 0x292 && usesThird(bits(72, 79)):
		short = false
	case op == bssy:
		short = bits(72, 73) != 0
	case both:
	case always16[op]:
	case always32[op]:
		short = false
	default:
		return 0, false
	}
	if short {
		return 16, true
	}
	return 32, true
}
