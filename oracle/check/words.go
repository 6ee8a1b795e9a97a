package check

import (
	"bytes"

	"github.com/twinlink/twinlink/oracle"
)

// Which word of the input's SASS is which of the output's.
//
// From sm_100 on nvlink writes the SASS from the Mercury side. The words are the
// input's with their relocations, but a kernel may be scheduled anew (bits 105 to
// 125 of a word), a MEMBAR that another one covers may be dropped with the dummy
// loads before it, and with -g each EXIT of a kernel gets a MEMBAR, an ERRBAR and a
// CGAERRBAR before it. NOP comes and goes as padding. Anything else is no word
// of the input.
//
//	105..108 stall   109 yield   110..112 write barrier   113..115 read barrier
//	116..121 wait mask           122..125 reuse
//
// Source: 2,736 kernels through nvlink 13.0.88 (sm_100, sm_120).

const instruction = 16

const (
	controlFirst = 105
	controlLast  = 125
)

// wordMap tells for each word of the input's code where it is in the output's.
type wordMap struct {
	to       []int32 // by word of the input; -1: dropped
	from     []int32 // by word of the output; -1: put in
	identity bool
	short    map[int32]bool // words of the output that are an IADD for an IADD3
	strange  bool           // some are not the input's, and nothing can be said of that
}

const (
	opMembar    = 0x992
	opErrbar    = 0x9ab
	opTmaFlush  = 0x9b7 // UTMACMDFLUSH
	opCgaErrbar = 0x5ab
	opNop       = 0x918
	opDepbar    = 0x91a
	opBra       = 0x947
	opBraU      = 0x547
	opBraDiv    = 0x948
	opBrx       = 0x949
	opBrxU      = 0x958
	opBssy      = 0x945
	opCallRel   = 0x944
	opCall      = 0x943
	opCallTo    = 0x343 // what a register says
	opCallRelTo = 0x344
	opExit      = 0x94d
	opBsync     = 0x941
	opRet       = 0x950
	opUmov      = 0xc82 // of a uniform register
	opMov       = 0x202
)

// opcode is bits 0 to 11 of a word.
func opcode(word []byte) uint64 { return number(word, 0, 2) % 4096 }

// mapWords finds the words of all code of the SASS side, and what the output did
// with YIELD.
func (c *check) mapWords() error {
	for _, a := range c.areas {
		if !a.code() || a.out == nil {
			continue
		}
		if c.out.side == sassSide && a.words == nil {
			if err := c.mapWordsOf(a); err != nil {
				return err
			}
		}
		if c.out.side != mercurySide {
			c.findYields(a)
		}
	}
	return nil
}

func (c *check) mapWordsOf(a *area) error {
	if err := c.budget.spend("output", a.size/8); err != nil {
		return err
	}
	a.words, _ = a.owner.mapCode(a.out.body)
	return nil
}

// mapCode goes through the input's code and the output's side by side, and counts
// the words that are not alike.
func (b *body) mapCode(out []byte) (w *wordMap, unlike int) {
	in := b.section.body
	masks := b.fieldMasks()
	n, m := len(in)/instruction, len(out)/instruction
	w = &wordMap{to: make([]int32, n), from: make([]int32, m), identity: n == m}
	for j := range w.from {
		w.from[j] = -1
	}
	i, j := 0, 0
	for i < n {
		x, _ := cut(in, uint64(i)*instruction, instruction)
		y, ok := cut(out, uint64(j)*instruction, instruction)
		same := ok && (sameWord(x, y, masks[uint64(i)]) || countsElsewhere(in, out, i, j))
		switch {
		case same:
		case ok && putIn(y):
			w.identity = false
			j++
			continue
		case mayDrop(in, i) || !ok:
			if !mayDrop(in, i) {
				unlike++
			}
			w.to[i] = -1
			w.identity = false
			i++
			continue
		default:
			unlike++
		}
		if same && opcode(x) != opcode(y) && opcode(x)%0x100 == 0x10 {
			if w.short == nil {
				w.short = map[int32]bool{}
			}
			w.short[int32(j)] = true
		}
		w.to[i], w.from[j] = int32(j), int32(i)
		i, j = i+1, j+1
	}
	for k := j; k < m; k++ {
		if y, _ := cut(out, uint64(k)*instruction, instruction); !putIn(y) {
			unlike++
		}
	}
	w.identity = w.identity && j == m
	return w, unlike
}

// fieldMasks are the bits of each word that relocations write.
func (b *body) fieldMasks() map[uint64]*[instruction]byte {
	masks := map[uint64]*[instruction]byte{}
	for _, l := range b.relocLists() {
		for _, r := range l.list {
			recipe, err := oracle.RecipeOf(r.kind)
			if err != nil {
				continue
			}
			mask := masks[r.offset/instruction]
			if mask == nil {
				mask = new([instruction]byte)
				masks[r.offset/instruction] = mask
			}
			for _, step := range recipe.Steps() {
				for at := step.Field.Start; at < step.Field.Start+step.Field.Width; at++ {
					if bit := uint64(at) + r.offset%instruction*8; bit < 8*instruction {
						mask[bit/8] |= 1 << (bit % 8)
					}
				}
			}
		}
	}
	return masks
}

// sameWord compares words but for scheduling, fields and the distances of
// branches.
func sameWord(a, b []byte, mask *[instruction]byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := bytes.Clone(a), bytes.Clone(b)
	for _, word := range [...][]byte{x, y} {
		blank(word, controlFirst, controlLast)
		blankDistance(word)
		if mask != nil {
			for k := range mask {
				word[k] &^= mask[k]
			}
		}
	}
	return bytes.Equal(x, y) || shortAddition(x, y) || withoutYield(x, y)
}

// shortAddition reports whether y is the IADD that does what the IADD3 x does: nvlink
// 13.5 writes it for code of older ptxas where the third source is RZ, and nothing
// is in the places of a second carry. The words are blanked.
//
//	        64..71   72      74   77..80   81..83   84..86     87..90   91
//	IADD3   RZ       negate  .X   !PT      carry    PT         carry in uniform
//	IADD    0        negate  .X   0        carry    0          carry in uniform
//
// Source: code of ptxas 13.0.88 linked by nvlink 13.5.37, listed by nvdisasm 13.5.
func shortAddition(x, y []byte) bool {
	op := opcode(x)
	if op%0x100 != 0x10 || op>>8%2 != 0 || op+0x25 != opcode(y) || number(x, 0, 8)+0x25 != number(y, 0, 8) {
		return false
	}
	const (
		both  = 1<<(72-64) | 1<<(74-64) | 7<<(81-64) | 15<<(87-64) | 1<<(91-64)
		alone = 0xff | 15<<(77-64) | 7<<(84-64)
	)
	high := number(x, 8, 8)
	return high&^both == alone && number(y, 8, 8) == high&both
}

// throttles reports whether a DEPBAR counts in another scoreboard than in the input, as the
// next word does: it only keeps that one from running over.
//
// Source: DEPBAR.LE SB1, 0x36 before UTCATOMSWS in code of ptxas 13.0.88, SB3 by nvlink 13.5.37; 13.3 to 13.5 for
// code of their own ptxas.
func (w *wordMap) throttles(in, out []byte, i int) bool {
	return i+1 < len(w.to) && w.to[i+1] == w.to[i]+1 && countsElsewhere(in, out, i, int(w.to[i]))
}

// countsElsewhere reports whether two words are such a DEPBAR.
func countsElsewhere(in, out []byte, i, j int) bool {
	x, _ := cut(in, uint64(i)*instruction, instruction)
	y, ok := cut(out, uint64(j)*instruction, instruction)
	from, more := cut(in, uint64(i+1)*instruction, instruction)
	to, also := cut(out, uint64(j+1)*instruction, instruction)
	if !ok || !more || !also || opcode(x) != opDepbar || boardOf(x) != controlOf(from).write || boardOf(y) != controlOf(to).write {
		return false
	}
	x, y = bytes.Clone(x), bytes.Clone(y)
	for _, word := range [...][]byte{x, y} {
		blank(word, controlFirst, controlLast)
		blank(word, 44, 46)
	}
	return bytes.Equal(x, y)
}

// boardOf is the scoreboard that a DEPBAR names.
func boardOf(word []byte) uint64 { return number(word, 5, 1) >> 4 % 8 }

// blankDistance clears how far a branch goes: bits 16 to 23 and 34 to 81, of a
// BSSY 34 to 63.
func blankDistance(word []byte) {
	switch opcode(word) {
	case opBra, opBraU, opBraDiv, opBrx, opBrxU, opCallRel:
		blank(word, 16, 23)
		blank(word, 34, 81)
	case opBssy:
		blank(word, 34, 63)
	}
}

// blank clears the bits from first to last.
func blank(word []byte, first, last uint) {
	for at := first; at <= last; at++ {
		word[at/8] &^= 1 << (at % 8)
	}
}

// putIn reports whether a word does nothing to what a program computes: NOP, a
// fence, an error barrier, a flush of tensor maps' commands, an addition of nothing to nothing, or what
// is never executed. nvlink from 13.1 on puts the flush behind each UTMACCTL of code of ptxas 13.0, as ptxas from 13.1 on does.
func putIn(b []byte) bool {
	if never(b) {
		return true
	}
	switch low := number(b, 0, 8) &^ 0xf000; opcode(b) { // but for the guard
	case opNop:
		return number(b, 0, 8) == 0x7918 && number(b, 8, 8)&^controlMask == 0
	case opMembar:
		return low == opMembar && number(b, 8, 8)&^controlMask == 0x5000 // .SC.VC
	case opTmaFlush:
		return number(b, 0, 8) == 0x79b7 && number(b, 8, 8)&^controlMask == 0
	case opErrbar:
		return low == opErrbar && number(b, 8, 8)&^controlMask == 0
	case opCgaErrbar:
		return low == opCgaErrbar && number(b, 8, 8)&^controlMask == 0
	case 0x290: // UIADD3 to URZ
		return number(b, 2, 1) == 0xff
	}
	return false
}

// isFence reports whether a word is a MEMBAR, an ERRBAR or a CGAERRBAR.
func isFence(word []byte) bool {
	op := opcode(word)
	return op == opMembar || op == opErrbar || op == opCgaErrbar
}

// guardOf is the guard of a word: a predicate, and whether it is negated.
func guardOf(word []byte) byte { return word[1] >> 4 }

// fenced is the guard of the first word from j on that is no fence.
func fenced(code []byte, j int) byte {
	for ; ; j++ {
		word, ok := cut(code, uint64(j)*instruction, instruction)
		if !ok {
			return always
		}
		if !isFence(word) {
			return guardOf(word)
		}
	}
}

// controlMask are bits 105 to 125 in the upper half of a word.
const controlMask = uint64(1<<21-1) << (controlFirst - 64)

// mayDrop reports whether a word of the input may be missing: padding, a fence
// right before a stronger one, the fence that ptxas -g puts before the end, a register
// moved to itself (nvJitLink 13.3 and 13.4 leave that out), or what is never executed.
func mayDrop(code []byte, i int) bool {
	word, _ := cut(code, uint64(i)*instruction, instruction)
	high := number(word, 8, 8) &^ controlMask
	following := func(k int) uint64 {
		next, ok := cut(code, uint64(k)*instruction, instruction)
		if !ok {
			return 0
		}
		return opcode(next)
	}
	switch opcode(word) {
	case opNop:
		return true
	case opBra:
		return following(i+1) == opNop || following(i+1) == 0 // the loop behind the end
	case opMembar:
		next := following(i + 1)
		return high == 0x8000 && next == opMembar || high == 0x5000 && (next == opErrbar || next == opCgaErrbar || next == opExit)
	case opErrbar, opCgaErrbar:
		return high == 0
	case opDepbar:
		return keepsCount(code, i)
	case opUmov:
		return word[2] == word[4] && high == 1<<(91-64)
	case opMov:
		return word[2] == word[4] && high == 0xf<<(72-64)
	}
	return never(word)
}

// keepsCount reports whether a DEPBAR counts in the scoreboard that the next word takes: it
// keeps that one from running over. Code without any schedule, by nvlink 13.5, lacks it.
func keepsCount(code []byte, i int) bool {
	word, _ := cut(code, uint64(i)*instruction, instruction)
	next, ok := cut(code, uint64(i+1)*instruction, instruction)
	return ok && opcode(word) == opDepbar && boardOf(word) == controlOf(next).write
}

// never reports whether a word's guard is never true, as that of @!PT LDS RZ, [RZ].
func never(word []byte) bool { return word[1]>>4 == 15 }

// movedTo is where a place of the input's code is in the output's.
func (c *check) movedTo(a *area, offset uint64) uint64 {
	if a.nodes != nil {
		return a.nodes.at(offset)
	}
	if a.words == nil || a.words.identity {
		return offset
	}
	i := offset / instruction
	if i >= uint64(len(a.words.to)) || a.words.to[i] < 0 {
		return offset
	}
	return uint64(a.words.to[i])*instruction + offset%instruction
}

// leadsTo is where a branch to a word of the input may go: to the word, to what
// was put in before it, or to the next that is still there.
func (w *wordMap) leadsTo(i uint64) (first, last uint64, ok bool) {
	for ; i < uint64(len(w.to)); i++ {
		if j := w.to[i]; j >= 0 {
			first, last = uint64(j), uint64(j)
			for first > 0 && w.from[first-1] < 0 {
				first--
			}
			return first, last, true
		}
	}
	return 0, 0, false
}
