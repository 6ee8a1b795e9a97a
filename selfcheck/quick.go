package selfcheck

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/mercury"
)

// Nearly all words have nothing wrong with them. What plain and word would find
// out about such a word is asked here in one go; of any other word they say what
// is wrong.

// quickRule is what a word of one opcode has to be like.
type quickRule struct {
	free, value Word   // in PLAIN nodes: the bits that vary, the others; those of another opcode where none is known
	others      uint64 // ones in the bytes, as registersOf has them, that hold no register
	info        uint8  // see opcodes, without opRegisters
	made        bool
}

// quickTable is the rules by opcode, made when they are first asked for. Before that no
// word is alike, but one of zeros: that rule is made with the table.
type quickTable [opcodeMask + 1]quickRule

// ruleFor returns the rule for words of an opcode.
func (c *checker) ruleFor(q *quickTable, op uint64) *quickRule {
	r := &q[op]
	if !r.made {
		*r = c.newQuickRule(op)
	}
	return r
}

func (c *checker) newQuickRule(op uint64) quickRule {
	info := opcodes()[op]
	r := quickRule{made: true, others: registerBytes, info: info &^ opRegisters}
	for i := range mercury.RegisterFields {
		if info>>i&1 != 0 {
			r.others &^= 0xff << (8 * i)
		}
	}
	care, value, ok := mercury.Plain(c.sm, uint16(op))
	if !ok {
		care, value = Word{Lo: opcodeMask}, Word{Lo: ^op & opcodeMask}
	}
	care.Hi |= upper
	value.Hi &^= upper
	r.free, r.value = Word{Lo: ^care.Lo, Hi: ^care.Hi}, value
	return r
}

// alike reports whether a word is like those of PLAIN nodes.
func (r *quickRule) alike(w Word) bool {
	return (w.Lo^r.value.Lo)&^r.free.Lo|(w.Hi^r.value.Hi)&^r.free.Hi == 0
}

// fits reports whether word has nothing to say about a word but what its opcode asks for.
func (r *quickRule) fits(w Word, lanes uint64) bool {
	return scheduleFits(w.Hi) && registersFit(w, r.others, lanes)
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
	registerBytes = 0xffffffff
	eachLane      = 0x0001000100010001
	borrowed      = eachLane << 15
	noLimit       = 0x100
)

// registersFit reports whether all registers of a word are below the limit that
// each of four lanes of 16 bits holds, or RZ.
func registersFit(w Word, others, lanes uint64) bool {
	return (lanes|borrowed-registersOf(w.Lo, w.Hi, others))&borrowed == borrowed
}

// registersOf puts one more than each register of a word into a lane, so that RZ is
// 0: it must not be above the limit. The fields of a word that may hold registers
// are three bytes of its lower half and one of its upper half; those in others hold
// none, and are made RZ.
func registersOf(lo, hi, others uint64) uint64 {
	b := lo>>16&0xffffff | hi&0xff<<24 | others
	return ((b&0x00ff00ff | b>>8&0x00ff00ff<<32) + eachLane) & (0xff * eachLane)
}

// plainRun checks so many PLAIN nodes, one after the other only where something is
// wrong with one, or special.
func (c *checker) plainRun(k *wordCheck, sass uint32, count int) {
	c.report.Nodes.Plain += count
	code := k.fn.Code[sass:][:count*capsule.WordSize]
	infos, quiet := k.quick.quiet(code, k.lanes)
	if quiet {
		c.report.covered.alike += count
		k.traits |= infos >> 6
		if infos&(opBranch|opFrees) == 0 {
			return
		}
	}
	for ; len(code) >= capsule.WordSize; sass, code = sass+capsule.WordSize, code[capsule.WordSize:] {
		r := c.ruleFor(k.quick, uint64(binary.LittleEndian.Uint16(code)&opcodeMask))
		if quiet && r.info&(opBranch|opFrees) == 0 {
			continue
		}
		w := Word{Lo: binary.LittleEndian.Uint64(code), Hi: binary.LittleEndian.Uint64(code[8:])}
		if !quiet {
			if !r.alike(w) || !r.fits(w, k.lanes) {
				c.plain(w)
				c.word(k, sass, w)
				continue
			}
			c.report.covered.alike++
		}
		if r.info != 0 {
			c.special(k, sass, w, r.info)
		}
	}
}

// quiet reports whether words are like those of PLAIN nodes and have nothing that word
// would say but what is special, and collects that. It has no branch inside, and is
// false where a rule isn't made yet.
func (q *quickTable) quiet(code []byte, lanes uint64) (infos uint8, quiet bool) {
	var wrong uint64
	fit, lanes := ^uint64(0), lanes|borrowed
	for at := 0; at <= len(code)-capsule.WordSize; at += capsule.WordSize {
		b := code[at : at+capsule.WordSize : at+capsule.WordSize]
		lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		r := &q[lo&opcodeMask]
		wrong |= (lo^r.value.Lo)&^r.free.Lo | (hi^r.value.Hi)&^r.free.Hi | noBoard(hi)
		infos |= r.info
		fit &= lanes - registersOf(lo, hi, r.others)
	}
	return infos, wrong == 0 && fit&borrowed == borrowed
}
