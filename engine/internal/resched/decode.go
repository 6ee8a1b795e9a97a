package resched

// lesserOrGreater is the low byte of IMNMX.
const lesserOrGreater = 0x17

// First bits of an instruction's fields.
const (
	guardField    = 12
	dField        = 16
	aField        = 24
	bField        = 32
	urField       = 40 // of textures
	cField        = 64
	sizeField     = 73 // of a load or store
	maskField     = 72 // of a texture's results
	toField       = 75 // size of a conversion's formats
	fromField     = 84
	pField        = 81 // predicates: two that are written,
	p2Field       = 84
	wideBit       = 73 // of an IADD or MATCH: it takes pairs
	wideLesserBit = 74 // of an IMNMX: it takes pairs
	pairBit       = 80 // of a MOV, ISETP or CS2R: it takes two registers
	longBit       = 74 // of an atomic: it is of 64 bits
	countField    = 72 // of LDSM: 1, 2 or 4 matrices
	largeBit      = 80 // of 16 times 16, which take twice as many registers
	descriptorBit = 90 // a uniform register beside a general one of 64 bits
	addressBit    = 91 // a uniform register is part of an address of shared or local memory
	ppField       = 87 // and one that is read,
	lastPField    = 68 // and another
)

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
