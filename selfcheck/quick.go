package selfcheck

import (
	"sync"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// Nearly all words have nothing wrong with them. What plain and word would find
// out about such a word is asked here in one go; of any other word they say what
// is wrong.

// quickRule is what a word of one opcode has to be like.
type quickRule struct {
	care, value Word   // in PLAIN nodes: the bits that don't vary; those of another opcode where none is known
	fields      uint64 // ones in the lanes, as registersFit has them, that hold a register
	size        capsule.SizeRule
	info        uint32 // see opcodes, without opRegisters; its highest bit: more is to be asked
}

// quickTable is the rules. Few opcodes have one, and the table stays small: filling
// memory takes longer than asking for a rule by its number.
type quickTable struct {
	at    [opcodeMask + 1]uint16 // by opcode: its rule, 0 for none
	rules [maxRules]quickRule    // the first fits no PLAIN node
}

// maxRules is a power of two, so that a number is masked instead of compared.
const maxRules = 1 << 9

func (t *quickTable) of(w Word) *quickRule { return &t.rules[t.at[w.Lo&opcodeMask]&(maxRules-1)] }

// quickTables are those of sm_100 to sm_110, and of sm_120 and up: all that words of
// PLAIN nodes depend on.
var quickTables = [...]func() *quickTable{
	sync.OnceValue(func() *quickTable { return newQuickTable(100) }),
	sync.OnceValue(func() *quickTable { return newQuickTable(120) }),
}

func quickTableFor(sm cuda.SM) *quickTable {
	if sm >= 120 {
		return quickTables[1]()
	}
	return quickTables[0]()
}

func newQuickTable(sm cuda.SM) *quickTable {
	t, infos, sizes, last := new(quickTable), opcodes(), capsule.PlainSizes(), 0
	t.rules[0] = quickRule{care: Word{Lo: opcodeMask, Hi: upper}, value: Word{Lo: opNOP}, size: capsule.ByOther}
	for op := range uint64(len(t.at)) {
		care, value, met := mercury.Plain(sm, uint16(op))
		if !met && infos[op] == 0 && sizes[op] == capsule.ByOther {
			continue // of a NOP, which is none of these, the first differs
		}
		if !met {
			care, value = Word{Lo: opcodeMask}, Word{Lo: ^op & opcodeMask}
		}
		care.Hi |= upper
		value.Hi &^= upper
		r := quickRule{care: care, value: value, size: sizes[op], info: uint32(infos[op] &^ opRegisters)}
		for i := range mercury.RegisterFields {
			if infos[op]>>i&1 != 0 {
				r.fields |= 0xff << laneOf[i]
			}
		}
		if r.info&(opBranch|opFrees) != 0 {
			r.info |= 1 << 31
		}
		last++
		t.at[op], t.rules[last] = uint16(last), r
	}
	return t
}

// alike reports whether a word is like those of PLAIN nodes.
func (r *quickRule) alike(w Word) bool {
	return (w.Lo^r.value.Lo)&r.care.Lo|(w.Hi^r.value.Hi)&r.care.Hi == 0
}

// fits reports whether word has nothing to say about a word but what its opcode asks for.
func (r *quickRule) fits(w Word, lanes uint64) bool {
	return scheduleFits(w.Hi) && registersFit(w, r.fields, lanes)
}

// scheduleFits reports whether the bits that the finalizer makes have values that exist.
func scheduleFits(hi uint64) bool { return hi&upper|noBoard(hi) == 0 }

// upper is the two bits that no word has set. No word is alike that has one.
const upper = 3 << 62

// noBoard is not 0 where either scoreboard is 6.
func noBoard(hi uint64) uint64 {
	const low = 1<<46 | 1<<49
	return hi >> 2 & (hi >> 1) &^ hi & low
}

const (
	eachLane = 0x0001000100010001
	borrowed = eachLane << 15
	noLimit  = 0x100
)

// laneOf is where the lane of each of mercury.RegisterFields begins.
var laneOf = [...]int{0, 32, 16, 48}

// registersFit reports whether all registers of a word are below the limit that
// each of four lanes of 16 bits holds, or RZ.
func registersFit(w Word, fields, lanes uint64) bool {
	return (lanes|borrowed-registersOf(w.Lo, w.Hi, fields))&borrowed == borrowed
}

// registersOf puts one more than each register of a word into a lane, so that RZ is
// 0: it must not be above the limit. The fields of a word that may hold registers
// are three bytes of its lower half and one of its upper half; the lanes of those that
// hold none are 0.
func registersOf(lo, hi, fields uint64) uint64 {
	b := lo>>16 | hi<<48
	return (b&0x00ff000000ff00ff + b&0xff00<<24 + eachLane) & fields
}

// plainRest checks what the scan of PLAIN nodes has left before a place, and returns
// what is after it.
func (c *checker) plainRest(k *wordCheck, left []stretch, before uint32) []stretch {
	for ; len(left) > 0 && left[0].from < before; left = left[1:] {
		first := &left[0]
		if w := wordAt(k.fn.Code, first.from); first.special {
			c.special(k, first.from, w, uint8(k.quick.of(w).info))
			continue
		}
		c.report.covered.alike -= int(first.to-first.from) / capsule.WordSize
		for at := first.from; at < first.to; at += capsule.WordSize {
			c.plainWord(k, at, wordAt(k.fn.Code, at))
		}
	}
	return left
}

// plainWord checks the word of a PLAIN node.
func (c *checker) plainWord(k *wordCheck, sass uint32, w Word) {
	r := k.quick.of(w)
	if !r.alike(w) || !r.fits(w, k.lanes) {
		c.plain(w)
		c.word(k, sass, w)
		return
	}
	c.report.covered.alike++
	if r.info != 0 {
		c.special(k, sass, w, uint8(r.info))
	}
}
