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
	care, value Word   // in PLAIN nodes; value is of another opcode where none is known
	others      uint64 // ones in the bytes, as registersFit has them, that hold no register
	info        uint8  // see opcodes, without opRegisters
}

// quickTable is the rules by opcode, made when they are first asked for.
type quickTable [opcodeMask + 1]*quickRule

// ruleFor returns the rule for words of an opcode.
func (c *checker) ruleFor(q *quickTable, op uint64) *quickRule {
	if q[op] == nil {
		q[op] = c.newQuickRule(op)
	}
	return q[op]
}

func (c *checker) newQuickRule(op uint64) *quickRule {
	info := opcodes()[op]
	r := &quickRule{others: registerBytes, info: info &^ opRegisters}
	for i := range mercury.RegisterFields {
		if info>>i&1 != 0 {
			r.others &^= 0xff << (8 * i)
		}
	}
	var ok bool
	if r.care, r.value, ok = mercury.Plain(c.sm, uint16(op)); !ok {
		r.care, r.value = Word{Lo: opcodeMask}, Word{Lo: ^op & opcodeMask}
	}
	return r
}

// alike reports whether a word is like those of PLAIN nodes.
func (r *quickRule) alike(w Word) bool {
	return (w.Lo^r.value.Lo)&r.care.Lo|(w.Hi^r.value.Hi)&r.care.Hi == 0
}

// fits reports whether word has nothing to say about a word but what its opcode asks for.
func (r *quickRule) fits(w Word, lanes uint64) bool {
	return scheduleFits(w.Hi) && registersFit(w, r.others, lanes)
}

// scheduleFits reports whether the bits that the finalizer makes have values that exist.
func scheduleFits(hi uint64) bool {
	// A scoreboard of 6 in either field, or one of the upper two bits.
	const low = 1<<46 | 1<<49
	boards := ^(hi ^ noBarrier*low)
	return hi>>62|boards&(boards>>1)&(boards>>2)&low == 0
}

const (
	registerBytes = 0xffffffff
	eachLane      = 0x0001000100010001
	noLimit       = 0x100
)

// registersFit reports whether all registers of a word are below the limit that
// each of four lanes of 16 bits holds, or RZ. The fields of a word that may hold
// registers are three bytes of its lower half and one of its upper half; those in
// others hold none, and are made RZ.
func registersFit(w Word, others, lanes uint64) bool {
	b := w.Lo>>16&0xffffff | w.Hi&0xff<<24 | others
	// One more of each, so that RZ is 0: it must not be above the limit.
	b = (b&0x00ff00ff | b>>8&0x00ff00ff<<32) + eachLane
	const borrowed = eachLane << 15
	return (lanes|borrowed-b&(0xff*eachLane))&borrowed == borrowed
}

// plainRun checks the PLAIN nodes that the list begins with and returns how many.
func (c *checker) plainRun(k *wordCheck, nodes []capsule.Node) int {
	first := nodes[0].SASS
	code := k.fn.Code[first:]
	quick, lanes := k.quick, k.lanes
	n, alike := 0, 0
	for ; n < len(nodes) && nodes[n].Kind == capsule.Plain; n++ {
		w := Word{Lo: binary.LittleEndian.Uint64(code), Hi: binary.LittleEndian.Uint64(code[8:])}
		code = code[capsule.WordSize:]
		r := quick[w.Lo&opcodeMask]
		if r == nil {
			r = c.ruleFor(quick, w.Lo&opcodeMask)
		}
		if !r.alike(w) || !scheduleFits(w.Hi) || !registersFit(w, r.others, lanes) {
			c.plain(w)
			c.word(k, nodes[n].SASS, w)
			lanes = k.lanes
			continue
		}
		alike++
		if r.info != 0 {
			c.special(k, nodes[n].SASS, w, r.info)
		}
	}
	c.report.Nodes.Plain += n
	c.report.covered.alike += alike
	return n
}
