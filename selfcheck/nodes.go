package selfcheck

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/capsule"
)

// The instructions of a function, node by node:
//
//	PLAIN    SASS is the source; its Mercury size has to be known
//	tag-only node     the tag says the opcode and modifiers of the word
//	stored   the record says the words, but for scheduling and relocated fields
//	SKIP     padding that the finalizer put there: known words
//
// The last node is the end of every text: a branch to itself and NOPs up to
// the next 128 bytes, at least eight. Its words are known to the last bit.

// schedule is the bits of a word's upper half that the finalizer alone
// decides: 105 to 125, stall counts, barriers and reuse flags.
const schedule = 1<<62 - 1<<41

const opcodeMask = 0xfff

const (
	opNOP    = 0x918
	opBubble = 0x91a
	opUIADD3 = 0x290
	opBRA    = 0x947

	opB2R     = 0x31c
	opCS2R    = 0x805
	opIMADImm = 0x824
	srClock   = 0x8a00

	resultOfBarrier = 0x4000 // in the upper half of a B2R, but for the predicate that it gives
	resultPredicate = 7 << 17
)

// Padding at a text's end: BRA to itself, then NOPs.
var (
	tailBranch = Word{Lo: 0xfffffffc00fc7947, Hi: 0x000fc0000383ffff}
	tailNOP    = Word{Lo: 0x0000000000007918, Hi: 0x000fc00000000000}
)

// tailWords is the number of words that a text is padded to a multiple of, and
// the least number of NOPs.
const tailWords = 8

func wordAt(code []byte, off uint32) Word {
	b := code[off : off+capsule.WordSize : off+capsule.WordSize]
	return Word{Lo: binary.LittleEndian.Uint64(b), Hi: binary.LittleEndian.Uint64(b[8:])}
}

// nodesOf checks the instructions of a function that has at most limit registers, and of whose
// PLAIN nodes a scan has been made, and returns its traits and where its calls by offset are.
func (c *checker) nodesOf(fn *capsule.Func, limit uint32, s *scan) (traits uint8, calls []uint32) {
	p := fn.Cap
	kept, end, left := p.Kept(), p.SASSSize(), s.left
	nops, nothing := 0, 0 // padding of one NOP, and records of no word: most nodes
	c.report.Nodes.Total += p.Len()
	c.report.Nodes.Plain += p.Len() - len(kept)
	c.report.covered.alike += p.Len() - len(kept)
	check := c.begin(fn, limit)
	check.traits = uint8(s.infos) >> 6
	for i := range kept {
		n := &kept[i]
		if len(left) > 0 && left[0].from < n.SASS {
			left = c.plainRest(&check, left, n.SASS)
		}
		switch {
		case n.Kind == capsule.Skip && n.Span == 1 && isNOP(wordAt(fn.Code, n.SASS)):
			nops++
		case n.Kind == capsule.Full && n.Span == 0:
			nothing++
		default:
			c.node(&check, n, i == len(kept)-1)
		}
	}
	c.report.Nodes.Skip += nops
	c.report.covered.padding += nops
	c.report.Nodes.Stored += nothing
	c.report.Nodes.Reconstituted += nothing
	c.plainRest(&check, left, end)
	c.tail(fn)
	if check.limit == 0 || check.freed {
		c.leave(exRegisterCount)
	}
	return check.traits, check.calls
}

// node checks a node that isn't PLAIN.
func (c *checker) node(check *wordCheck, n *capsule.Node, last bool) {
	fn, count := check.fn, &c.report.Nodes
	switch n.Kind {
	case capsule.TagOnly:
		count.TagOnly++
		c.mini(fn, n)
	case capsule.Full:
		count.Stored++
		if n.Span == 1 && c.ownRules {
			c.storedOne(fn, n)
		} else {
			c.stored(fn, n)
		}
	case capsule.Skip:
		count.Skip++
		c.report.covered.padding += int(n.Span)
		if !last || n.SASS+uint32(n.Span)*capsule.WordSize != fn.Cap.SASSSize() {
			c.padding(fn, n)
		}
		return
	}
	for at := n.SASS; at < n.SASS+uint32(n.Span)*capsule.WordSize; at += capsule.WordSize {
		w := wordAt(fn.Code, at)
		if r := check.quick.of(w); r.fits(w, check.lanes) {
			c.special(check, at, w, uint8(r.info))
		} else {
			c.word(check, at, w)
		}
	}
}

// padding checks a SKIP inside a function.
func (c *checker) padding(fn *capsule.Func, n *capsule.Node) {
	if n.Span != 1 {
		c.add(Text, Content, fn.Capsule, 0, fmt.Sprintf("span of the SKIP at 0x%x", n.SASS), "1", fmt.Sprint(n.Span))
		return
	}
	var next Word
	if at := n.SASS + capsule.WordSize; uint64(at)+capsule.WordSize <= uint64(len(fn.Code)) {
		next = wordAt(fn.Code, at)
	}
	if w := wordAt(fn.Code, n.SASS); !pads(w, next) && !(c.old && isResult(w)) {
		w.Hi &^= schedule
		c.add(Text, Content, fn.Text, uint64(n.SASS), "padding", "NOP", w.String())
	}
}

// pads reports whether a word is what is in a SKIP: a NOP or one of three others
// that hardware asks for.
func pads(w, next Word) bool {
	w.Hi &^= schedule
	switch w.Lo & opcodeMask {
	case opNOP:
		return isNOP(w)
	case opBubble:
		return w.Hi == 0 && w.Lo&0xffff00000000f000 == 0x7000
	case opUIADD3: // URZ = …
		return w.Lo>>16&0xff == 0xff
	case opCS2R:
		// A clock, and the next word counts from it in the same register: before
		// 010b060a in code of 13.4's finalizer.
		r := w.Lo >> 16 & 0xff
		return w == (Word{Lo: 0x7000 | opCS2R | r<<16, Hi: srClock}) && next.Lo&0xffffffff == 0x7000|opIMADImm|r<<16|r<<24
	}
	return false
}

// isNOP reports whether a word is a NOP that has nothing but a schedule.
func isNOP(w Word) bool { return w.Lo == tailNOP.Lo && w.Hi&^schedule == 0 }

// isResult reports whether a word takes the result of a barrier (B2R.RESULT), which is in a
// SKIP after the barrier's node in objects of ptxas 12.8 and 12.9.
func isResult(w Word) bool {
	w.Hi &^= schedule
	return w.Lo&^(0xff<<16) == 0x7000|opB2R && w.Hi&^resultPredicate == resultOfBarrier
}

// stub reports whether a text is an entry of the unified function table.
func (c *checker) stub(fn *capsule.Func) bool { return c.m.Sections[fn.Text].EntSize != 0 }

// tail checks the end of a text.
func (c *checker) tail(fn *capsule.Func) {
	p := fn.Cap
	var n capsule.Node
	if p.Len() > 0 {
		n = p.Node(p.Len() - 1)
	}
	if n.Kind != capsule.Skip {
		c.add(Text, Content, fn.Capsule, 8, "last node", "SKIP", "another")
		return
	}
	body := int(n.SASS) / capsule.WordSize
	want := (body+1+tailWords+tailWords-1)/tailWords*tailWords - body
	if c.stub(fn) { // fills its entry of the table
		want = (body+tailWords-1)/tailWords*tailWords - body
	}
	if int(n.Span) != want {
		c.add(Text, Content, fn.Capsule, 0, "span of the last SKIP", fmt.Sprint(want), fmt.Sprint(n.Span))
	}
	for i := uint32(0); i < uint32(n.Span); i++ {
		expected := tailNOP
		if i == 0 {
			expected = tailBranch
		}
		at := n.SASS + i*capsule.WordSize
		if w := wordAt(fn.Code, at); w != expected {
			c.add(Text, Content, fn.Text, uint64(at), "padding at the text's end", expected.String(), w.String())
			c.repairWord(fn.Text, uint64(at), expected)
		}
	}
}
