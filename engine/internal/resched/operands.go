package resched

import "math/bits"

// Registers that an instruction reads and writes, as far as the scoreboards of
// loads are concerned. Three register files are numbered in one: vector
// registers from 0, uniform ones from uniformFile, predicates from predFile.
//
// The middle of the opcode tells where the sources stand:
//
//	opcode   23..16  31..24  39..32  71..64
//	 2xx      Rd      Ra      Rb      Rc
//	 4xx 6xx exx      Ra     (imm,    Rb
//	 8xx axx cxx      Ra      c, UR)  Rc
//
// and the low byte which of them are used.

const (
	uniformFile = 256
	predFile    = 512
	uniformPred = 528
	zero        = 255
)

// span is a run of registers.
type span struct{ first, count int }

// operands are what an instruction touches.
type operands struct{ reads, writes []span }

func overlap(a, b []span) bool {
	for _, x := range a {
		for _, y := range b {
			if x.first < y.first+y.count && y.first < x.first+x.count {
				return true
			}
		}
	}
	return false
}

// shape says which operand fields an opcode has.
type shape struct {
	d, a, b, c int // registers in each, 0 for none
}

// alu are shapes by the low byte of opcodes whose form stands in the middle.
var alu = map[uint16]shape{
	0x02: {d: 1, b: 1}, 0x05: {d: 1, b: 1}, 0x06: {d: 1, b: 1}, 0x07: {d: 1, a: 1, b: 1}, 0x08: {d: 1, a: 1, b: 1}, 0x09: {d: 1, a: 1, b: 1},
	0x0a: {d: 1, a: 1, b: 1}, 0x0b: {a: 1, b: 1}, 0x0c: {a: 1, b: 1}, 0x10: {d: 1, a: 1, b: 1, c: 1}, 0x11: {d: 1, a: 1, b: 1, c: 1},
	0x12: {d: 1, a: 1, b: 1, c: 1}, 0x13: {d: 1, b: 1}, 0x16: {d: 1, a: 1, b: 1, c: 1}, 0x17: {d: 1, a: 1, b: 1},
	0x19: {d: 1, a: 1, b: 1, c: 1}, 0x1a: {d: 1, a: 1, b: 1}, 0x1b: {d: 1, a: 1, b: 1}, 0x20: {d: 1, a: 1, b: 1}, 0x21: {d: 1, a: 1, b: 1},
	0x22: {d: 1, a: 1, b: 1}, 0x23: {d: 1, a: 1, b: 1, c: 1}, 0x24: {d: 1, a: 1, b: 1, c: 1}, 0x25: {d: 2, a: 1, b: 1, c: 2}, 0x26: {d: 1, a: 1, b: 1, c: 1},
	0x27: {d: 2, a: 1, b: 1, c: 2}, 0x28: {d: 2, a: 2, b: 2}, 0x29: {d: 2, a: 2, c: 2, b: 2}, 0x2a: {a: 2, b: 2}, 0x2b: {d: 2, a: 2, b: 2, c: 2},
	0x30: {d: 1, a: 1, b: 1}, 0x31: {d: 1, a: 1, b: 1, c: 1}, 0x32: {d: 1, a: 1, b: 1}, 0x35: {d: 2, a: 2, b: 2}, 0x36: {d: 1, a: 1, b: 1},
	0x3e: {d: 1, a: 1, b: 1}, 0x45: {d: 1, b: 1}, 0x46: {d: 1, a: 1, b: 1, c: 1}, 0x48: {d: 1, a: 1, b: 1},
	0x00: {d: 1, b: 1}, 0x01: {d: 1, b: 1}, 0x04: {d: 1, b: 1},
}

// unary are conversions and the like (3xx, 9xx, axx): one source, b. -1 stands for
// a pair where the format is of 64 bits.
var unary = map[uint16]shape{
	0x300: {d: 1, b: 1}, 0x301: {d: 1, b: 1}, 0x304: {d: 1, b: 1}, 0x305: {d: 1, b: 1}, 0x306: {d: 1, b: 1}, 0x307: {d: 1, b: 1},
	0x308: {d: 1, b: 1}, 0x309: {d: 1, b: 1}, 0x310: {d: -1, b: -1}, 0x311: {d: -1, b: -1}, 0x312: {d: -1, b: -1}, 0x313: {d: -1, b: -1},
}

// memory are loads, stores and what else the slow units do. -1 stands for the
// size of the access.
var memory = map[uint16]shape{
	0x980: {d: -1, a: 2}, 0x981: {d: -1, a: 2}, 0x983: {d: -1, a: 1}, 0x984: {d: -1, a: 1},
	0x385: {a: 2, b: -1}, 0x985: {a: 2, b: -1}, 0x986: {a: 2, b: -1}, 0x387: {a: 1, b: -1}, 0x388: {a: 1, b: -1}, 0x988: {a: 1, b: -1},
	0x38a: {d: 1, a: 2, b: 1}, 0x98a: {d: 1, a: 2, b: 1}, 0x38b: {d: 1, a: 2, b: 1, c: 1}, 0x98b: {d: 1, a: 2, b: 1, c: 1},
	0x38c: {d: 1, a: 1, b: 1}, 0x98c: {d: 1, a: 1, b: 1}, 0x38d: {d: 1, a: 1, b: 1, c: 1}, 0x98d: {d: 1, a: 1, b: 1, c: 1},
	0x98e: {a: 2, b: 1}, 0x3a8: {d: 1, a: 2, b: 1}, 0x9a8: {d: 1, a: 2, b: 1}, 0x3a9: {d: 1, a: 2, b: 1, c: 1}, 0x9a9: {d: 1, a: 2, b: 1, c: 1},
	0x9a1: {d: 1, a: 2, b: 1}, 0x9a3: {d: 1, a: 2, b: 1}, 0x3a1: {d: 1, a: 2}, 0x3c4: {a: 1}, 0x2cc: {a: 1}, 0x31d: {a: 1, b: 1},
	0xfae: {d: 1, a: 2}, 0x83b: {d: 4, a: 1}, 0x88b: {d: 1, a: 2, b: 1}, 0x3aa: {d: 2, a: 2, b: 2}, 0xf8c: {d: 1, a: 1, b: 1}, 0x58d: {d: 2, a: 1, b: 2, c: 2},
	0x237: {d: 4, a: 4, b: 4, c: 4}, 0x23c: {d: 4, a: 4, b: 4, c: 4}, 0x23f: {d: 4, a: 4, b: 4, c: 4}, 0x27a: {d: 4, a: 4, b: 4, c: 4},
	0x356: {b: 1}, 0x355: {d: 1}, 0x803: {d: 1}, 0x804: {a: 1},
	0x389: {d: 1, a: 1, b: 1, c: 1}, 0x589: {d: 1, a: 1, c: 1}, 0x989: {d: 1, a: 1, b: 1}, 0xf89: {d: 1, a: 1},
	0x806: {d: 1}, 0x919: {d: 1}, 0x805: {d: 2}, 0xb82: {d: -1, a: 1}, 0x31c: {d: 1}, 0x2ca: {a: 1},
	0xf60: {a: 4, b: 4}, 0xf61: {a: 4, b: 4}, 0xf63: {a: 4, b: 4}, 0xf64: {a: 4, b: 4}, 0xf66: {a: 4, b: 4}, 0xf67: {a: 4, b: 4},
	0xf69: {a: 4, b: 4}, 0xf6a: {a: 4, b: 4}, 0xf6c: {a: 4, b: 4}, 0xf6d: {a: 4, b: 4}, 0xf6f: {a: 4, b: 4}, 0xf99: {d: 4, a: 4, b: 4}, 0xf9d: {a: 4, b: 4},
}

// accessRegs is the number of registers by the size field of a load or store.
var accessRegs = [8]int{1, 1, 1, 1, 1, 2, 4, 4}

// uniformWide is the low byte of UIMAD.WIDE, whose result and summand are pairs.
const uniformWide = 0xa5

func vector(v uint64, n int) span  { return span{int(v), n} }
func uniform(v uint64, n int) span { return span{uniformFile + int(v), n} }

// operands decodes an instruction.
func (w *word) operands() operands {
	var o operands
	read := func(v uint64, n int) {
		if n > 0 && v != zero {
			o.reads = append(o.reads, vector(v, n))
		}
	}
	readU := func(v uint64, n int) {
		if n > 0 && v != zero {
			o.reads = append(o.reads, uniform(v, n))
		}
	}
	write := func(v uint64, n int) {
		if n > 0 && v != zero {
			o.writes = append(o.writes, vector(v, n))
		}
	}
	readP := func(first uint) {
		if p := w.field(first, 3); p != 7 {
			o.reads = append(o.reads, span{predFile + int(p), 1})
		}
	}
	writeP := func(first uint) {
		if p := w.field(first, 3); p != 7 {
			o.writes = append(o.writes, span{predFile + int(p), 1})
		}
	}
	readP(12)
	d, a, b, c := w.lo>>16&0xff, w.lo>>24&0xff, w.lo>>32&0xff, w.hi&0xff
	op := w.op()
	if m, ok := memory[op]; ok {
		n := accessRegs[w.hi>>(73-64)&7]
		size := func(k int) int {
			if k < 0 {
				return n
			}
			return k
		}
		write(d, size(m.d))
		read(a, size(m.a))
		read(b, size(m.b))
		read(c, size(m.c))
		switch op {
		case 0x980, 0x981: // descriptor
			readU(b, 2)
		case 0x985, 0x986, 0x98e, 0x98a, 0x9a8, 0x9a9, 0x98b:
			readU(c, 2)
		case 0x2cc, 0x2ca, 0x3c4:
			o.writes = append(o.writes, uniform(d, 1))
		case 0xfae:
			read(d, 1) // where to, in shared memory
			o.writes = nil
			readU(c, 2)
		case 0xf60, 0xf61, 0xf63, 0xf64, 0xf66, 0xf67, 0xf69, 0xf6a, 0xf6c, 0xf6d, 0xf6f:
			// Two results in d, the others in a second register.
			n := bits.OnesCount64(w.field(72, 4))
			write(d, min(n, 2))
			write(c, max(0, n-2))
			readU(w.field(40, 8), 2)
		case 0x389, 0x589, 0x989, 0xf89:
			writeP(81)
		case 0x806:
			writeP(81)
			readP(87)
		}
		return o
	}
	if op&0xff == 0x02 && op>>8&1 != 0 { // FCHK
		read(a, 1)
		if op == 0x302 {
			read(b, 1)
		}
		writeP(81)
		return o
	}
	if u, ok := unary[op&^0xe00|0x300]; ok && (op>>8 == 0x3 || op>>8 == 0x9 || op>>8 == 0xa || op>>8 == 0xd) {
		const wide = 3 // a format's size
		size := func(k int, format uint) int {
			switch {
			case k >= 0:
				return k
			case w.field(format, 2) == wide:
				return 2
			}
			return 1
		}
		write(d, size(u.d, 75))
		switch op >> 8 {
		case 0x3:
			read(b, size(u.b, 84))
		case 0xd:
			readU(b, size(u.b, 84))
		}
		return o
	}
	switch {
	case op == 0x7ac || op == 0x9c3 || op == 0x8cb: // LDCU, S2UR, CS2UR
		n := 1
		if op == 0x7ac {
			n = accessRegs[w.hi>>(73-64)&7]
			readU(a, 1)
		}
		o.writes = append(o.writes, uniform(d, n))
		return o
	case op == 0x25a, op == 0x25e, op == 0x259, op == 0x258, op>>9 < 5 && op>>8&1 == 0 && op&0xff >= 0x53 && op&0xff <= 0x57: // conversions of the uniform datapath
		o.writes = append(o.writes, uniform(d, 1))
		readU(a, 1)
		if op>>8 == 2 {
			readU(b, 1)
		}
		return o
	case op>>8&1 == 0 && op&0x80 != 0 && op>>8 >= 2: // uniform datapath
		n := 1
		if op&0xff == uniformWide {
			n = 2
		}
		o.writes = append(o.writes, uniform(d, n))
		readU(a, 1)
		if op>>8 == 2 {
			readU(b, 1)
		}
		readU(c, n)
		return o
	}
	s, ok := alu[op&0xff]
	if !ok || op>>8&1 != 0 {
		return o
	}
	write(d, s.d)
	read(a, s.a)
	switch op >> 9 {
	case 1: // 2xx
		read(b, s.b)
		read(c, s.c)
	case 2, 3: // 4xx, 6xx: the second source stands where a third would, if there are three
		if s.c > 0 {
			read(c, s.b)
		}
	case 7: // exx
		if s.c > 0 && op&0xff != 0x29 {
			read(c, s.b)
		}
		readU(b, max(1, s.b))
	case 6: // cxx
		readU(b, s.b)
		read(c, s.c)
	default:
		read(c, s.c)
	}
	switch op & 0xff {
	case 0x0b, 0x0c, 0x2a:
		writeP(81)
		writeP(84)
		readP(87)
	case 0x07, 0x08, 0x17, 0x48:
		readP(87)
	}
	return o
}
