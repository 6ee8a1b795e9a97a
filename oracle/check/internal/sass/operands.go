package sass

import "github.com/twinlink/twinlink/oracle/check/internal/image"

// What a word of SASS reads and writes, for sm_100 and up.
//
// Registers are in the bytes at bits 16 (destination), 24, 32 and 64 (sources);
// 255 is none. Bits 9 to 11 of an opcode with bit 8 clear say what the second and
// third source are: 1 registers, 2 and 3 the third operand is no register and the
// register at 64 is the second, 4 and 5 the second is none, 6 a uniform register at
// 32, 7 one at 32 that is the third, and the second at 64. How many registers an operand takes depends on the instruction.
// The table has what ptxas writes most; a word it lacks is unknown.
//
// Source: listings by nvdisasm 13.0 of cubins of ptxas 13.0.88 and 13.5.

// RegSet is a set of general registers, then uniform ones, then predicates and
// uniform predicates.
type RegSet [9]uint64

const (
	uniformBase   = 256
	predicateBase = 512
	uniformPreds  = 520
)

func (r *RegSet) Add(first, count uint64) {
	for k := first; k < first+count && k < 64*uint64(len(r)); k++ {
		r[k/64] |= 1 << (k % 64)
	}
}

func (r *RegSet) Meets(o *RegSet) bool {
	for i := range r {
		if r[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// Has reports whether a register is one of the set.
func (r *RegSet) Has(register uint64) bool {
	return register < 64*uint64(len(r)) && r[register/64]>>(register%64)&1 != 0
}

// Lose takes the registers of another set out.
func (r *RegSet) Lose(o *RegSet) {
	for i := range r {
		r[i] &^= o[i]
	}
}

// Operands are the registers of one word.
type Operands struct {
	Known         bool
	Rough         bool // there may be fewer
	issued        bool // uniform registers are read when the word is issued
	queued        bool // one of the words that loads and stores queue up
	double        bool // arithmetic of doubles, whose results come in order
	converts      bool // of the unit of conversions, whose results come in order
	Reads, Writes RegSet
	Always        bool // no guard
}

// Touches reports whether a word uses what another has not finished: its results
// if result, else it writes over its operands.
func Touches(from, by *Operands, result bool) Soundness {
	if !from.Known {
		return Unknown
	}
	if result && from.Writes == (RegSet{}) {
		return Sound
	}
	if !by.Known {
		return Unknown
	}
	reads := from.Reads
	clear(reads[predicateBase/64:])
	if from.issued {
		clear(reads[uniformBase/64:])
	}
	if from.queued && by.queued || from.double && by.double {
		clear(reads[:uniformBase/64])
	}
	met := reads.Meets(&by.Writes)
	if result {
		met = from.Writes.Meets(&by.Reads) || !(from.double && by.double || from.converts && by.converts) && from.Writes.Meets(&by.Writes)
	}
	switch {
	case met && (from.Rough || by.Rough):
		return Unknown
	case met:
		return Unsound
	}
	return Sound
}

// Spent reports whether a word has read all its operands when it is issued.
func (o *Operands) Spent() bool {
	reads := o.Reads
	clear(reads[uniformBase/64:])
	clear(reads[predicateBase/64:])
	return o.Known && o.issued && reads == (RegSet{})
}

// readsAtIssue reports whether a word has read its uniform registers when it is issued:
// some accesses to memory, and arithmetic of doubles (DMUL, DADD, DSETP, DFMA).
//
// Source, for doubles: 288 words in code of ptxas 13.0.88 and 13.5 for sm_100 to sm_121
// whose uniform register the next words write over while their result is pending.
func readsAtIssue(op uint64) bool {
	return atIssue[op] || op>>9 >= 6 && op%0x200 >= 0x28 && op%0x200 <= 0x2b
}

// Converts reports whether a word goes to the unit of conversions: MUFU, POPC, F2I, I2F, FRND and others.
//
// Source: 411 words of it without a scoreboard in code of ptxas and nvlink 13.0 to 13.5 for sm_100 to
// sm_121, where 20,000 have one: after 362 a later word of the unit in the same block has. In six
// places one writes over the result of another without waiting.
func Converts(op uint64) bool {
	return op%0x100 <= 0x13 && (op>>8 == 0x3 || op>>8 == 0x9 || op>>8 == 0xd)
}

// isDouble reports whether a word is DMUL, DADD or DFMA. ptxas 13.5.37 lets one write over the
// result of another without waiting.
//
// Source: exp() in a program of HeCBench by ptxas 13.5.37 for sm_110 and sm_120, four places each.
func isDouble(op uint64) bool {
	return op>>8%2 == 0 && op>>9 > 0 && (op%0x100 == 0x28 || op%0x100 == 0x29 || op%0x100 == 0x2b)
}

// OperandsOf reads the operands of a word.
func OperandsOf(word []byte) Operands {
	op := Opcode(word)
	o := Operands{Always: word[1]>>4 == 7, queued: inQueue[op], double: OfDoubles(op), converts: Converts(op)}
	w := operandWord{low: image.Number(word, 0, 8), high: image.Number(word, 8, 8)}
	if guard := w.field(12) % 8; guard != 7 {
		o.Reads.Add(GuardBase(op, w.high)+guard, 1)
	}
	if forms, ok := wordForms()[op]; ok {
		o.byForm(forms, w.low, w.high)
		return o
	}
	x, second, third, ok := shapeOf(op)
	if !ok {
		return o
	}
	x.accessSize(w.high)
	x.sizes(w.high)
	x.images(op, w.low, w.high)
	o.Known, o.Rough, o.issued = true, x.rough, readsAtIssue(op)
	w.put(&o.Writes, 16, x.d, x.ud)
	w.put(&o.Writes, 64, x.more, false)
	w.put(&o.Reads, second, x.b, x.ub)
	w.put(&o.Reads, third, x.c, x.uc)
	if x.desc && w.bit(91) == 1 {
		x.uniformAddress(&w, &o.Reads)
	}
	w.put(&o.Reads, 24, x.a, x.ua)
	w.put(&o.Reads, 40, x.handle, true)
	if x.divergent && w.bit(91) == 1 {
		w.put(&o.Reads, 24, 1, true)
	}
	x.putPredicates(&o, op, w.low, w.high)
	return o
}

// uniformAddress adds the uniform registers of an address, which stand at 32 in loads and at 64 in stores and atomics: one, or
// two of a descriptor where bit 90 says so. An address of 64 bits takes two in any case, and without that bit the general
// register beside them has 32 bits: LD.E R9, [R2.U32+UR4] reads UR4, UR5 and R2.
func (x *shape) uniformAddress(w *operandWord, reads *RegSet) {
	at, count := uint64(64), 1+byte(w.bit(90))
	if x.data == 'd' {
		at = 32
	}
	if x.wide && count == 1 {
		count, x.a = 2, 1
	}
	w.put(reads, at, max(count, x.pair), true)
}

// shapeOf returns how to read an opcode's operands and where its second and third source
// stand, 0 for nowhere.
func shapeOf(op uint64) (x shape, second, third uint64, ok bool) {
	if x, ok = Others[op]; ok {
		return x, 32, 64, true
	}
	if x, ok = arithmetic[op%0x100]; !ok || op>>8%2 != 0 {
		return x, 0, 0, false
	}
	two := x.c == 0 && x.b != 0 // the number or the uniform register is the second
	switch op >> 9 {
	case 1:
		second, third = 32, 64
	case 2, 3:
		if !two {
			second = 64
		}
	case 4, 5:
		third = 64
	case 6:
		x.ub = true
		second, third = 32, 64
	case 7:
		second, third = 64, 32
		if two {
			second, x.ub = 32, true
		} else {
			x.uc = true
		}
	default:
		return x, 0, 0, false
	}
	if two {
		third = 0
	}
	return x, second, third, true
}

// operandWord is a word whose operands are read.
type operandWord struct{ low, high uint64 }

func (w operandWord) field(at uint64) uint64 {
	if at < 64 {
		return w.low >> at % 256
	}
	return w.high >> (at - 64) % 256
}

func (w operandWord) bit(at uint64) uint64 { return w.field(at) % 2 }

// put adds the registers of an operand to a set; an operand at 0 is none.
func (w operandWord) put(set *RegSet, at uint64, count byte, uniform bool) {
	n := w.field(at)
	if at == 0 || count == 0 || n == 255 {
		return
	}
	if uniform {
		n += uniformBase
	}
	set.Add(n, uint64(count))
}

// accessSize gives the operands whose size bits 73 to 75 say (U8 S8 U16 S16 32 64 128) that many
// registers, and wide addresses two.
func (x *shape) accessSize(high uint64) {
	size := byte(1)
	switch high >> 9 % 8 {
	case 5:
		size = 2
	case 6, 7:
		size = 4
	}
	if x.data == 'd' {
		x.d = size
	}
	if x.data == 'b' {
		x.b = size
	}
	if x.wide {
		x.a = 2
	}
}

// sizes sets how many registers the operands take where bits of the upper half say.
func (x *shape) sizes(high uint64) {
	two := func(wide bool) byte {
		if wide {
			return 2
		}
		return 1
	}
	least := func(n *byte, size byte) {
		if *n != 0 {
			*n = size
		}
	}
	switch x.data {
	case 'f': // bits 75 and 76 for the result, 84 and 85 for the source: 8, 16, 32, 64 bits
		x.d, x.b = two(high>>11%4 == 3), two(high>>20%4 == 3)
	case 'm':
		for _, n := range [...]*byte{&x.d, &x.a, &x.b} {
			least(n, two(high>>16%2 == 1))
		}
	case 'i':
		n := two(high>>9%2 == 1)
		x.d, x.a, x.b = n, n, n
	case 'a', 's': // bits 73 to 75: 32 32 64 64 128; bit 72: an address of two registers
		n := [8]byte{1, 1, 2, 2, 4, 4, 4, 4}[high>>9%8]
		x.rough = x.rough || high>>9%8 > 4
		least(&x.d, n)
		least(&x.b, n)
		least(&x.c, n)
		if x.data == 'a' {
			x.a = two(high>>8%2 == 1)
		}
	}
}

// putPredicates adds the predicates of a word.
func (x *shape) putPredicates(o *Operands, op, low, high uint64) {
	preds := uint64(predicateBase)
	if (x.ud || x.ua || x.ub && op>>9 == 0x1) && op%0x200 != 0x0ca { // R2UR's is no uniform one
		preds = uniformPreds
	}
	pred := func(set *RegSet, at uint64) {
		if n := high >> (at - 64) % 8; n != 7 {
			set.Add(preds+n, 1)
		}
	}
	if x.pd >= 1 {
		pred(&o.Writes, 81)
	}
	if x.pd >= 2 {
		pred(&o.Writes, 84)
	}
	if x.pp >= 1 && x.pp < 5 {
		pred(&o.Reads, 87)
	}
	if n := low >> 24 % 8; x.pp == 5 && n != 7 {
		o.Reads.Add(uniformPreds+n, 1)
	}
	if x.pp == 7 && high>>(77-64)%8 == 2 {
		pred(&o.Reads, 87)
	}
	if x.pp == 6 {
		o.Reads.Add(predicateBase, 7)
	}
	if x.pp == 2 {
		pred(&o.Reads, 77)
	}
	if x.pp == 3 {
		pred(&o.Reads, 68)
	}
	if x.pp == 4 {
		pred(&o.Reads, 68)
		pred(&o.Reads, 77)
	}
}
