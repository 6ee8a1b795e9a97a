package resched

// Operands of arithmetic.

// besideALU are those of arithmetic, by the low byte of the opcode.
var besideALU = [256][]operand{
	0x0b: twoPreds, 0x34: twoPreds, 0x0c: twoPredsOf64, 0x2a: twoPreds,
	0x10: carries, 0x11: carry, 0x12: carry, 0x35: carry, 0x24: carry, 0x25: carry, 0x26: carry, 0x27: carry,
	0x07: selects, 0x08: selects, 0x0f: selects, 0x17: carries, 0x48: selects, 0x40: selects, 0x76: selects,
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
// whose size is in a field.
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
	case kind == 0x0c && d.field(pairBit, 1) != 0, kind == 0x07 && isPairChoice(op), kind == lesserOrGreater && d.field(wideLesserBit, 1) != 0:
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
	case 2, 3: // 4xx, 6xx: the second source is where a third would, if there are three
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
