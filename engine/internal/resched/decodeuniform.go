package resched

// Operands of the uniform datapath, and of what makes uniform registers.

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
	0xa5: {d: 2, a: 1, b: 1, c: 2}, 0xbd: {d: 1, b: 1}, 0xbe: {d: 1, b: 1}, 0xbf: {d: 1, b: 1},
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
