package resched

import (
	"math/bits"
	"slices"
)

// Operands of loads, stores and what else the slow units do.

// floatRegs is the number of registers by the format of an atomic of floats: F16 and BF16 by 2, 4 and 8, F32 by 1, 2 and 4
// with FTZ and without, F64.
var floatRegs = [16]int{1, 2, 4, 1, 2, 4, 1, 1, 1, 1, 2, 4, 1, 2, 4, 2}

// besideMemory are those of loads, stores and what else the slow units do.
var besideMemory = map[uint16][]operand{
	0x980: descriptorInB, 0x981: descriptorInB,
	0x985: descriptorInC, 0x986: descriptorInC, 0x98e: descriptorInC, 0x98a: append([]operand{{writesPred, pField, 1}}, descriptorInC...),
	0x9a8: descriptorInC, 0x9a9: descriptorInC, 0x98b: descriptorInC, 0x9a1: descriptorInC, 0x9a3: descriptorInC,
	0x58d: predResult, opMATCH: predResult, 0x38a: predResult,
	0x987: {{readsUniform, cField, 1}}, 0x9a2: append([]operand{{writesPred, pField, 1}}, descriptorInC...), 0x3a2: predResult, 0x3aa: predResult, 0x31c: predResult,
	0x2cc: uniformResult, 0x2ca: append([]operand{{writesPred, pField, 1}}, uniformResult...), 0x3c4: uniformResult,
	0x389: predResult, 0x589: predResult, 0x989: predResult, 0xf89: predResult,
	0x806: {{writesPred, pField, 1}, {readsPred, ppField, 1}},
	0x988: {{readsUniform, cField, 1}}, 0x98c: {{readsUniform, cField, 1}},
	0xfae:     {{reads, dField, 1}, {readsUniform, cField, 2}}, // where to, in shared memory
	op32Bytes: descriptorInB, 0x97f: {{reads, dField, 4}, {readsUniform, cField, 2}},
}

// access is the number of registers that a load or store moves.
func (d *decoder) access() int { return accessRegs[d.field(sizeField, 3)] }

// memory decodes what the slow units do.
func (d *decoder) memory(op uint16) bool {
	s, ok := memory[op]
	if !ok {
		return false
	}
	size := func(n int) int {
		if n < 0 {
			return d.access()
		}
		return n
	}
	switch {
	case op == opMATCH && d.field(wideBit, 1) != 0:
		s.a = 2
	case op == opATOMGFloat, op == opATOMFloat, op == 0x3a2:
		n := floatRegs[d.field(sizeField, 4)]
		s.d, s.b = n*s.d, n*s.b
	case isAtomic(op):
		n := atomicRegs[d.field(sizeField, 3)]
		s.d, s.b, s.c = n*s.d, n*s.b, n*s.c
	case op == opCASTSpin && d.field(longBit, 1) != 0:
		s.b, s.c = 2, 2
	case op == opCS2R && d.field(pairBit, 1) == 0:
		s.d = 1
	case op == op32Bytes:
		d.write(cField, 4)
	case op == opLDSM && d.field(countField, 2) < 2:
		s.d = (1 + int(d.field(countField, 2))) << d.field(largeBit, 1)
	case (op == opLDS || op == opLDL) && d.field(addressBit, 1) != 0:
		d.readUniform(bField, 1)
	}
	d.write(dField, size(s.d))
	beside := besideMemory[op]
	if d.isWide(op) {
		switch {
		case d.field(addressBit, 1) == 0: // no uniform register
			beside = slices.DeleteFunc(slices.Clone(beside), func(o operand) bool { return o.use == readsUniform })
		case !isAtomic(op) && d.field(descriptorBit, 1) == 0: // what is added to the uniform address has 32 bits
			s.a = 1
		}
	}
	d.read(aField, size(s.a))
	d.read(bField, size(s.b))
	d.read(cField, size(s.c))
	d.addAll(beside)
	switch op {
	case opP2R:
		d.predicates(&d.reads)
	case opR2P:
		d.predicates(&d.writes)
	}
	if d.isTexture() {
		// Two results in d, the others in a second register.
		n := bits.OnesCount64(d.field(maskField, 4))
		d.write(dField, min(n, 2))
		d.write(cField, max(0, n-2))
		d.readUniform(urField, 2)
	}
	return true
}

// atomicRegs is the number of registers by the size field of an atomic of integers.
var atomicRegs = [8]int{1, 1, 2, 2, 4, 1, 1, 1}

// isAtomic reports whether an opcode is of an atomic of integers, whose size stands in a field.
func isAtomic(op uint16) bool {
	switch op {
	case 0x38a, 0x98a, 0x38b, 0x98b, 0x38c, 0x98c, 0x38d, 0x98d, 0x98e, 0xdbe, 0x3a8, 0x9a8, 0x3a9, 0x9a9:
		return true
	}
	return false
}

// isWide reports whether an opcode is of a load, store or atomic that takes an address of 64 bits, which may lack a uniform
// register.
func (d *decoder) isWide(op uint16) bool {
	switch op {
	case 0x980, 0x981, 0x985, 0x986, 0x98e, 0x98a, 0x9a8, 0x9a9, 0x98b:
		return true
	}
	return false
}

// predicates adds those whose bits are in a mask.
func (d *decoder) predicates(to *[]span) {
	mask := d.field(bField, 7)
	for p := range 7 {
		if mask>>p&1 != 0 {
			*to = append(*to, span{predFile + p, 1})
		}
	}
}
