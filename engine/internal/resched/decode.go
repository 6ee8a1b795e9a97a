package resched

import "math/bits"

// First bits of an instruction's fields.
const (
	guardField = 12
	dField     = 16
	aField     = 24
	bField     = 32
	urField    = 40 // of textures
	cField     = 64
	sizeField  = 73 // of a load or store
	maskField  = 72 // of a texture's results
	toField    = 75 // size of a conversion's formats
	fromField  = 84
	pField     = 81 // predicates: two that are written,
	p2Field    = 84
	wideBit    = 73 // of an IADD or MATCH: it takes pairs
	pairBit    = 80 // of a MOV, ISETP or CS2R: it takes two registers
	longBit    = 74 // of an atomic: it is of 64 bits
	countField = 72 // of LDSM: 1, 2 or 4 matrices
	addressBit = 91 // a uniform register is part of an address of shared or local memory
	ppField    = 87 // and one that is read,
	lastPField = 68 // and another
)

// doubleFormat is the format of an ATOMG that adds doubles, in two bits.
const doubleFormat = 3

// use is what an instruction does with an operand.
type use uint8

const (
	reads use = iota
	readsUniform
	readsPred
	writesUniform
	writesPred
)

// operand is one beside those of a shape.
type operand struct {
	use   use
	field uint
	count int
}

var (
	descriptorInB = []operand{{readsUniform, bField, 2}}
	descriptorInC = []operand{{readsUniform, cField, 2}}
	uniformResult = []operand{{writesUniform, dField, 1}}
	predResult    = []operand{{writesPred, pField, 1}}
	twoPreds      = []operand{{writesPred, pField, 1}, {writesPred, p2Field, 1}, {readsPred, ppField, 1}}
	selects       = []operand{{readsPred, ppField, 1}}
	carry         = []operand{{writesPred, pField, 1}, {readsPred, ppField, 1}}
	carries       = []operand{{writesPred, pField, 1}, {writesPred, p2Field, 1}, {readsPred, ppField, 1}, {readsPred, 77, 1}}
	twoPredsOf64  = []operand{{writesPred, pField, 1}, {writesPred, p2Field, 1}, {readsPred, ppField, 1}, {readsPred, lastPField, 1}} // the lower half's too
	// Between the fields of PLOP3's predicates stands its table.
	fivePreds = []operand{{writesPred, pField, 1}, {writesPred, p2Field, 1}, {readsPred, ppField, 1}, {readsPred, 77, 1}}
)

// besideMemory are those of loads, stores and what else the slow units do.
var besideMemory = map[uint16][]operand{
	0x980: descriptorInB, 0x981: descriptorInB,
	0x985: descriptorInC, 0x986: descriptorInC, 0x98e: descriptorInC, 0x98a: descriptorInC,
	0x9a8: descriptorInC, 0x9a9: descriptorInC, 0x98b: descriptorInC, 0x9a1: descriptorInC, 0x9a3: descriptorInC,
	0x58d: predResult, opMATCH: predResult,
	0x987: {{readsUniform, cField, 1}}, 0x9a2: append([]operand{{writesPred, pField, 1}}, descriptorInC...), 0x3a2: predResult, 0x3aa: predResult, 0x31c: predResult,
	0x2cc: uniformResult, 0x2ca: append([]operand{{writesPred, pField, 1}}, uniformResult...), 0x3c4: uniformResult,
	0x389: predResult, 0x589: predResult, 0x989: predResult, 0xf89: predResult,
	0x806: {{writesPred, pField, 1}, {readsPred, ppField, 1}},
	0x988: {{readsUniform, cField, 1}}, 0x98c: {{readsUniform, cField, 1}},
	0xfae:     {{reads, dField, 1}, {readsUniform, cField, 2}}, // where to, in shared memory
	op32Bytes: descriptorInB, 0x97f: {{reads, dField, 4}, {readsUniform, cField, 2}},
}

// besideALU are those of arithmetic, by the low byte of the opcode.
var besideALU = [256][]operand{
	0x0b: twoPreds, 0x34: twoPreds, 0x0c: twoPredsOf64, 0x2a: twoPreds,
	0x10: carries, 0x11: carry, 0x12: carry, 0x35: carry, 0x24: carry, 0x25: carry, 0x26: carry, 0x27: carry,
	0x07: selects, 0x08: selects, 0x0f: selects, 0x17: selects, 0x48: selects, 0x40: selects, 0x76: selects,
}

// operands decodes an instruction.
func (w *word) operands() operands {
	d := decoder{word: w}
	op := w.op()
	if isOfUniform(op) {
		d.uniformPredicate(guardField, &d.reads)
	} else {
		d.add(operand{readsPred, guardField, 1})
	}
	switch op {
	case opBRAUnif:
		d.uniformPredicate(aField, &d.reads)
	case opBRA:
		if d.isDivergent() {
			d.readUniform(aField, 1)
		}
		d.add(operand{readsPred, ppField, 1})
	case opEXIT, opBREAK:
		d.add(operand{readsPred, ppField, 1})
	case opBRX, opCALLReg, opCALLRelReg:
		d.read(aField, 2)
	case opBRXU:
		d.readUniform(aField, 2)
	}
	_ = d.matrices(op) || d.surface(op) || d.memory(op) || d.check(op) || d.logic(op) || d.unary(op) || d.toUniform(op) || d.uniform(op) || d.barrier(op) || d.alu(op)
	return d.operands
}

// decoder collects the operands of a word. Its methods for a kind of instructions
// report whether the opcode is of that kind.
type decoder struct {
	*word
	operands
}

// read adds n vector registers from the one that a field names.
func (d *decoder) read(field uint, n int) {
	if v := d.field(field, 8); n > 0 && v != zero {
		d.reads = append(d.reads, span{int(v), n})
	}
}

func (d *decoder) write(field uint, n int) {
	if v := d.field(field, 8); n > 0 && v != zero {
		d.writes = append(d.writes, span{int(v), n})
	}
}

func (d *decoder) readUniform(field uint, n int) {
	if v := d.field(field, 8); n > 0 && v != zero {
		d.reads = append(d.reads, span{uniformFile + int(v), n})
	}
}

// writeUniform adds the destination, the uniform register without a value too.
func (d *decoder) writeUniform(n int) {
	d.writes = append(d.writes, span{uniformFile + int(d.field(dField, 8)), n})
}

// add adds an operand of any use.
func (d *decoder) add(o operand) {
	const always = 7 // the predicate that is true
	switch o.use {
	case reads:
		d.read(o.field, o.count)
	case readsUniform:
		d.readUniform(o.field, o.count)
	case writesUniform:
		d.writeUniform(o.count)
	case readsPred:
		if p := d.field(o.field, 3); p != always {
			d.reads = append(d.reads, span{predFile + int(p), 1})
		}
	case writesPred:
		if p := d.field(o.field, 3); p != always {
			d.writes = append(d.writes, span{predFile + int(p), 1})
		}
	}
}

func (d *decoder) addAll(list []operand) {
	for _, o := range list {
		d.add(o)
	}
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
	case (op == opATOMGFloat || op == opATOMFloat) && d.field(longBit, 2) == doubleFormat, s.d == 1 && d.isLongAtomic(op):
		s.d, s.b, s.c = 2*s.d, 2*s.b, 2*s.c
	case op == opCASTSpin && d.isLongAtomic(op):
		s.b, s.c = 2, 2
	case op == opCS2R && d.field(pairBit, 1) == 0:
		s.d = 1
	case op == op32Bytes:
		d.write(cField, 4)
	case op == opLDSM && d.field(countField, 2) < 2:
		s.d = 1 + int(d.field(countField, 2))
	case (op == opLDS || op == opLDL) && d.field(addressBit, 1) != 0:
		d.readUniform(bField, 1)
	}
	d.write(dField, size(s.d))
	d.read(aField, size(s.a))
	d.read(bField, size(s.b))
	d.read(cField, size(s.c))
	d.addAll(besideMemory[op])
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

// isLongAtomic reports whether an opcode is of an atomic of integers, and this is one of 64 bits.
func (d *decoder) isLongAtomic(op uint16) bool {
	switch op {
	case 0x9a8, 0x38b, opCASTSpin:
		return d.field(longBit, 1) != 0
	}
	return false
}

// predicates adds those whose bits stand in a mask.
func (d *decoder) predicates(to *[]span) {
	mask := d.field(bField, 7)
	for p := range 7 {
		if mask>>p&1 != 0 {
			*to = append(*to, span{predFile + p, 1})
		}
	}
}

// check decodes FCHK.
func (d *decoder) check(op uint16) bool {
	if op&0xff != 0x02 || op>>8&1 == 0 {
		return false
	}
	d.read(aField, 1)
	switch op {
	case 0x302:
		d.read(bField, 1)
	case 0xd02:
		d.readUniform(bField, 1)
	}
	d.add(operand{writesPred, pField, 1})
	return true
}

// logic decodes PLOP3, which takes three predicates and makes two.
func (d *decoder) logic(op uint16) bool {
	if op != 0x81c {
		return false
	}
	d.addAll(fivePreds)
	if d.field(67, 1) != 0 {
		d.uniformPredicate(lastPField, &d.reads)
	} else {
		d.add(operand{readsPred, lastPField, 1})
	}
	return true
}

// unary decodes conversions.
func (d *decoder) unary(op uint16) bool {
	u, ok := unary[op&^0xe00|0x300]
	if !ok {
		return false
	}
	switch op >> 8 {
	case 0x3:
		d.read(bField, d.ofFormat(u.b, fromField))
	case 0xd:
		d.readUniform(bField, d.ofFormat(u.b, fromField))
	case 0x9, 0xa:
	default:
		return false
	}
	d.write(dField, d.ofFormat(u.d, toField))
	return true
}

// ofFormat is a number of registers of a conversion, -1 for what a format takes
// whose size stands in a field.
func (d *decoder) ofFormat(n int, field uint) int {
	const wide = 3
	switch {
	case n >= 0:
		return n
	case d.field(field, 2) == wide:
		return 2
	}
	return 1
}

// toUniform decodes what has a uniform register as its result and isn't of the
// uniform datapath: LDCU, S2UR, CS2UR, and conversions.
func (d *decoder) toUniform(op uint16) bool {
	switch op {
	case 0x7ac:
		d.readUniform(aField, 1)
		d.writeUniform(d.access())
		return true
	case 0x9c3:
		d.writeUniform(1)
		return true
	case 0x8cb:
		d.writeUniform(1 + int(d.field(pairBit, 1)))
		return true
	}
	return false
}

// uniformALU are shapes of instructions of the uniform datapath, by the low byte of the opcode.
var uniformALU = map[uint16]shape{
	0x4a: {d: 1, a: 1, b: 1}, 0x53: {a: 1, b: 1}, 0x54: {d: 1, a: 1, b: 1}, 0x55: {d: 1, a: 1, b: 1, c: 1}, 0x56: {d: 1, a: 1, b: 1}, 0x57: {d: 1, a: 1, b: 1},
	0x58: {d: 1, b: 1}, 0x59: {d: 1, b: 1}, 0x5a: {d: 1, b: 1}, 0x5e: {d: 1, b: 1},
	0x82: {d: 1, b: 1}, 0x83: {d: 1}, 0x85: {d: 2, a: 2, b: 2}, 0x86: {d: 1}, 0x87: {d: 1, a: 1, b: 1}, 0x8c: {a: 1, b: 1}, 0x97: {d: 2, a: 2, b: 2, c: 2}, 0x9a: {d: 1, a: 1, b: 1}, 0x9b: {d: 1, a: 1, b: 1}, 0x9c: {},
	0xa5: {d: 2, a: 1, b: 1, c: 2}, 0xbd: {d: 1, b: 1}, 0xbf: {d: 1, b: 1},
}

// shapeOfUniform returns the shape of an instruction of the uniform datapath, false for others.
func shapeOfUniform(op uint16) (shape, bool) {
	if op>>8&1 != 0 || op>>8 < 2 {
		return shape{}, false
	}
	if s, ok := uniformALU[op&0xff]; ok {
		return s, true
	}
	return shape{d: 1, a: 1, b: 1, c: 1}, op&0x80 != 0
}

// isOfUniform reports whether an opcode is one of the uniform datapath.
func isOfUniform(op uint16) bool {
	_, ok := memory[op]
	_, is := shapeOfUniform(op)
	return is && !ok
}

// uniform decodes instructions of the uniform datapath.
func (d *decoder) uniform(op uint16) bool {
	s, ok := shapeOfUniform(op)
	if !ok {
		return false
	}
	kind, form := op&0xff, op>>9
	if d.field(pairBit, 1) != 0 && (kind == 0x82 || kind == 0x8c) || op == opUMOV64 || kind == 0x87 && isPairChoice(op) {
		s.d, s.a, s.b = 2*s.d, 2*s.a, 2*s.b
	}
	if s.d > 0 {
		d.writeUniform(s.d)
	}
	d.readUniform(aField, s.a)
	second := uint(bField)
	if form == 2 || form == 3 || kind == 0x54 {
		second = cField // where a third would stand
	}
	if hasSecond := form == 1 || form == 3 || form == 6 || form == 2 && s.c > 0; hasSecond {
		d.readUniform(second, s.b)
	}
	if second == bField {
		d.readUniform(cField, s.c)
	}
	switch kind {
	case 0x90, 0x91, 0x92, 0x97, 0xa4, 0xa5: // carries
		d.uniformPredicate(pField, &d.writes)
		d.uniformPredicate(ppField, &d.reads)
		if kind == 0x90 {
			d.uniformPredicate(p2Field, &d.writes)
			d.uniformPredicate(77, &d.reads)
		}
	case 0x86: // VOTEU
		d.uniformPredicate(pField, &d.writes)
		d.add(operand{readsPred, ppField, 1})
	case 0x53, 0x8c, 0x9c: // comparison and logic
		d.uniformPredicate(pField, &d.writes)
		d.uniformPredicate(p2Field, &d.writes)
		if kind != 0x53 {
			d.uniformPredicate(lastPField, &d.reads)
		}
		if kind == 0x9c {
			d.uniformPredicate(77, &d.reads)
		}
		fallthrough
	case 0x4a, 0x85, 0x87: // choice
		d.uniformPredicate(ppField, &d.reads)
	}
	return true
}

// uniformPredicate adds the uniform predicate that a field names.
func (d *decoder) uniformPredicate(field uint, to *[]span) {
	const always = 7
	if p := d.field(field, 3); p != always {
		*to = append(*to, span{uniformPred + int(p), 1})
	}
}

// isPairMove reports whether a word is a MOV of pairs.
func (w *word) isPairMove() bool {
	return w.op() == opMOV64 || w.op()&0xff == moveByte && w.field(pairBit, 1) != 0
}

// isPairChoice reports whether the opcode of a SEL or USEL is of one that takes pairs.
func isPairChoice(op uint16) bool {
	form := op >> 9
	if op&0xff == 0x87 {
		return form == 2 || form == 6
	}
	return form == 2 || form == 3 || form == 7
}

// alu decodes arithmetic, whose sources stand where the middle of the opcode says.
func (d *decoder) alu(op uint16) bool {
	s, ok := alu[op&0xff]
	if !ok || op>>8&1 != 0 {
		return false
	}
	switch kind := op & 0xff; {
	case d.isPairMove():
		s.d, s.b = 2, 2
	case kind == 0x0c && d.field(pairBit, 1) != 0, kind == 0x07 && isPairChoice(op):
		s.d, s.a, s.b = 2*s.d, 2*s.a, 2*s.b
	}
	if op&0xff == addOfTwo && d.field(wideBit, 1) == 0 {
		s.d, s.a, s.b = 1, 1, 1
	}
	d.write(dField, s.d)
	d.read(aField, s.a)
	if op&0xff == 0x29 { // DADD has its second source where others have the third
		switch op >> 9 {
		case 1:
			d.read(cField, 2)
		case 6, 7:
			d.readUniform(bField, 2)
		}
		return true
	}
	switch op >> 9 {
	case 1: // 2xx
		d.read(bField, s.b)
		d.read(cField, s.c)
	case 2, 3: // 4xx, 6xx: the second source stands where a third would, if there are three
		switch {
		case s.c > 0:
			d.read(cField, s.b)
		case op>>9 == 3 && s.b == 2: // SEL of pairs
			d.read(bField, s.b)
		}
	case 7: // exx
		if s.c > 0 {
			d.read(cField, s.b)
		}
		d.readUniform(bField, max(1, s.b, s.c))
	case 6: // cxx
		d.readUniform(bField, s.b)
		d.read(cField, s.c)
	default:
		d.read(cField, s.c)
	}
	d.addAll(besideALU[op&0xff])
	return true
}
