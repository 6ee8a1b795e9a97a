package resched

// Registers that an instruction reads and writes, as far as the scoreboards of
// loads are concerned. Three register files are numbered in one: vector
// registers from 0, uniform ones from uniformFile, predicates from predFile.
//
// The middle of the opcode says where the sources stand:
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

// alu are shapes by the low byte of opcodes whose form is in the middle.
var alu = map[uint16]shape{
	0x02: {d: 1, b: 1}, 0x05: {d: 1, b: 1}, 0x06: {d: 1, b: 1}, 0x07: {d: 1, a: 1, b: 1}, 0x08: {d: 1, a: 1, b: 1}, 0x09: {d: 1, a: 1, b: 1},
	0x0a: {d: 1, a: 1, b: 1}, 0x0b: {a: 1, b: 1}, 0x0c: {a: 1, b: 1}, 0x0f: {d: 1, a: 1, b: 1, c: 1}, 0x10: {d: 1, a: 1, b: 1, c: 1}, 0x11: {d: 1, a: 1, b: 1, c: 1},
	0x12: {d: 1, a: 1, b: 1, c: 1}, 0x13: {d: 1, b: 1}, 0x16: {d: 1, a: 1, b: 1, c: 1}, 0x17: {d: 1, a: 1, b: 1},
	0x19: {d: 1, a: 1, b: 1, c: 1}, 0x1a: {d: 1, a: 1, b: 1}, 0x1b: {d: 1, a: 1, b: 1}, 0x20: {d: 1, a: 1, b: 1}, 0x21: {d: 1, a: 1, b: 1},
	0x22: {d: 1, a: 1, b: 1}, 0x23: {d: 1, a: 1, b: 1, c: 1}, 0x24: {d: 1, a: 1, b: 1, c: 1}, 0x25: {d: 2, a: 1, b: 1, c: 2}, 0x26: {d: 1, a: 1, b: 1, c: 1},
	0x27: {d: 1, a: 1, b: 1, c: 2}, 0x28: {d: 2, a: 2, b: 2}, 0x29: {d: 2, a: 2}, 0x2a: {a: 2, b: 2}, 0x2b: {d: 2, a: 2, b: 2, c: 2},
	0x30: {d: 1, a: 1, b: 1}, 0x31: {d: 1, a: 1, b: 1, c: 1}, 0x33: {d: 1, a: 1, b: 1}, 0x32: {d: 1, a: 1, b: 1}, 0x35: {d: 2, a: 2, b: 2}, 0x36: {d: 1, a: 1, b: 1},
	0x3e: {d: 1, a: 1, b: 1, c: 1}, 0x45: {d: 1, b: 1}, 0x46: {d: 1, a: 1, b: 1, c: 1}, 0x48: {d: 1, a: 1, b: 1},
	0x14: {d: 1, a: 1, b: 1, c: 1}, 0x49: {d: 2, a: 2, b: 2, c: 2}, 0x4a: {d: 2, a: 2, b: 2}, 0x4b: {d: 2, a: 2, b: 2},
	0x00: {d: 1, b: 1}, 0x01: {d: 1, b: 1}, 0x04: {d: 1, b: 1}, 0x34: {a: 1, b: 1}, 0x40: {d: 1, a: 1, b: 1}, 0x76: {d: 1, a: 1, b: 1, c: 1},
}

// unary are conversions and similar (3xx, 9xx, axx): one source, b. -1 stands for
// a pair where the format is of 64 bits.
var unary = map[uint16]shape{
	0x300: {d: 1, b: 1}, 0x301: {d: 1, b: 1}, 0x304: {d: 1, b: 1}, 0x305: {d: 1, b: 1}, 0x306: {d: 1, b: 1}, 0x307: {d: 1, b: 1},
	0x308: {d: 1, b: 1}, 0x309: {d: 1, b: 1}, 0x310: {d: -1, b: -1}, 0x311: {d: -1, b: -1}, 0x312: {d: -1, b: -1}, 0x313: {d: -1, b: -1},
}

// memory are loads, stores and what else the slow units do. -1 stands for the
// size of the access.
var memory = map[uint16]shape{
	0x980: {d: -1, a: 2}, 0x981: {d: -1, a: 2}, 0x983: {d: -1, a: 1}, 0x984: {d: -1, a: 1},
	0x98f: {a: 2}, 0x990: {a: 1}, op32Bytes: {d: 4, a: 2}, 0x97f: {a: 2, b: 4}, 0xdbd: {a: 2, b: -1}, 0xdbe: {a: 2, b: 1}, // CCTL, CCTLL, 32 bytes at once, STAS, REDAS
	0x381: {d: -1, a: 2}, 0x386: {a: 2, b: -1}, 0x3a2: {d: 1, a: 2, b: 1},
	0x385: {a: 2, c: -1}, 0x985: {a: 2, b: -1}, 0x986: {a: 2, b: -1}, 0x387: {a: 1, b: -1}, 0x987: {a: 1, b: -1}, 0x388: {a: 1, b: -1}, 0x988: {a: 1, b: -1},
	0x38a: {d: 1, a: 2, b: 1}, 0x98a: {d: 1, a: 2, b: 1}, 0x38b: {d: 1, a: 2, b: 1, c: 1}, 0x98b: {d: 1, a: 2, b: 1, c: 1},
	0x38c: {d: 1, a: 1, b: 1}, 0x98c: {d: 1, a: 1, b: 1}, 0x38d: {d: 1, a: 1, b: 1, c: 1}, 0x98d: {d: 1, a: 1, b: 1, c: 1},
	0x98e: {a: 2, b: 1}, 0x3a8: {d: 1, a: 2, b: 1}, 0x9a8: {d: 1, a: 2, b: 1}, 0x3a9: {d: 1, a: 2, b: 1, c: 1}, 0x9a9: {d: 1, a: 2, b: 1, c: 1},
	0x9a1: {d: 1, a: 2, b: 1}, 0x9a2: {d: 1, a: 2, b: 1}, 0x9a3: {d: 1, a: 2, b: 1}, 0x3a1: {d: 1, a: 1}, 0x3c4: {a: 1}, 0x2cc: {a: 1}, 0x31d: {b: 1},
	0xfae: {a: 2}, 0x83b: {d: 4, a: 1}, 0x88b: {d: 1, a: 2, b: 1}, 0x3aa: {a: 2}, 0xf8c: {d: 1, a: 1}, 0x58d: {a: 1, b: 1, c: 1},
	opIMMA: {d: 4, a: 4, b: 4, c: 4}, 0x23c: {d: 4, a: 4, b: 2, c: 4}, 0x27a: {d: 4, a: 4, b: 4, c: 4},
	opWARPSYNCReg: {a: 1}, 0x356: {b: 1}, 0x35d: {b: 1}, 0x355: {d: 1}, 0x803: {d: 1}, 0x804: {a: 1},
	0x389: {d: 1, a: 1, b: 1, c: 1}, 0x589: {d: 1, a: 1, b: 1}, 0x989: {d: 1, a: 1, c: 1}, 0xf89: {d: 1, a: 1},
	0x806: {d: 1}, 0x919: {d: 1}, 0x805: {d: 2}, 0xb82: {d: -1, a: 1}, 0x31c: {d: 1}, 0x2ca: {a: 1},
	0xf60: {a: 4, b: 4}, 0xf61: {a: 4, b: 4}, 0xf63: {a: 4, b: 4}, 0xf64: {a: 4, b: 4}, 0xf66: {a: 4, b: 4}, 0xf67: {a: 4, b: 4},
	0xf69: {a: 4, b: 4}, 0xf6a: {a: 4, b: 4}, 0xf6c: {a: 4, b: 4}, 0xf6d: {a: 4, b: 4}, 0xf6f: {a: 4, b: 4},
}

// accessRegs is the number of registers by the size field of a load or store.
var accessRegs = [8]int{1, 1, 1, 1, 1, 2, 4, 4}

// moveByte is the low byte of MOV.
const moveByte = 0x02
