package selfcheck

import (
	"encoding/binary"
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
	info        uint8  // see opcodes, without opRegisters
}

// quickTable is the rules by opcode.
type quickTable [opcodeMask + 1]quickRule

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
	t, infos := new(quickTable), opcodes()
	for op := range uint64(len(t)) {
		r := &t[op]
		for i := range mercury.RegisterFields {
			if infos[op]>>i&1 != 0 {
				r.fields |= 0xff << laneOf[i]
			}
		}
		r.info = infos[op] &^ opRegisters
		var ok bool
		if r.care, r.value, ok = mercury.Plain(sm, uint16(op)); !ok {
			r.care, r.value = Word{Lo: opcodeMask}, Word{Lo: ^op & opcodeMask}
		}
		r.care.Hi |= upper
		r.value.Hi &^= upper
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

// plainRun checks the PLAIN nodes of a stretch, one after the other only where something is
// wrong with one.
func (c *checker) plainRun(k *wordCheck, sass, end uint32) {
	count := int(end-sass) / capsule.WordSize
	c.report.Nodes.Plain += count
	code := k.fn.Code[sass:end]
	c.spots = c.spots[:0]
	if infos, quiet := k.quick.quiet(code, k.lanes, &c.spots); quiet {
		c.report.covered.alike += count
		k.traits |= infos >> 6
		for _, at := range c.spots {
			w := wordAt(code, at)
			c.special(k, sass+at, w, k.quick[w.Lo&opcodeMask].info)
		}
		return
	}
	for at := uint32(0); at < uint32(len(code)); at += capsule.WordSize {
		c.plainWord(k, sass+at, wordAt(code, at))
	}
}

// plainWord checks the word of a PLAIN node.
func (c *checker) plainWord(k *wordCheck, sass uint32, w Word) {
	r := &k.quick[w.Lo&opcodeMask]
	if !r.alike(w) || !r.fits(w, k.lanes) {
		c.plain(w)
		c.word(k, sass, w)
		return
	}
	c.report.covered.alike++
	if r.info != 0 {
		c.special(k, sass, w, r.info)
	}
}

// quiet reports whether words are like those of PLAIN nodes and have nothing that word
// would say but what is special. It collects that, and where a word is.
func (q *quickTable) quiet(code []byte, lanes uint64, spots *[]uint32) (infos uint8, quiet bool) {
	var wrong uint64
	fit, lanes := ^uint64(0), lanes|borrowed
	for at := 0; at <= len(code)-capsule.WordSize; at += capsule.WordSize {
		b := code[at : at+capsule.WordSize : at+capsule.WordSize]
		lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		r := &q[lo&opcodeMask]
		wrong |= (lo^r.value.Lo)&r.care.Lo | (hi^r.value.Hi)&r.care.Hi
		infos |= r.info | boards[hi>>46&63]
		fit &= lanes - registersOf(lo, hi, r.fields)
		if r.info&(opBranch|opFrees) != 0 {
			*spots = append(*spots, uint32(at))
		}
	}
	return infos, wrong == 0 && infos&badBoard == 0 && fit&borrowed == borrowed
}

// badBoard is set in boards where one of two fields of three bits is 6. It is none of
// what opcodes tells of words.
const badBoard = 1

var boards = func() (t [64]uint8) {
	for i := range uint64(len(t)) {
		if noBoard(i<<46) != 0 {
			t[i] = badBoard
		}
	}
	return t
}()
