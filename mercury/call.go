package mercury

import "slices"

// On sm_107 a texture or surface instruction is a call of the driver. Its words save what the
// callee may change, put the arguments into R4 and up and on the stack, call, move the results to
// where the instruction has them, and restore the rest:
//
//	BRA.U !guard                       where there is a guard, and MACTIVE is what it holds for
//	IADD R1, R1, -frame
//	STL                                R0, R3 to R15, R20, R21
//	MOV R4, number                     the one word that the shape's own rules make
//	MOV, MOV from UR, LDL              arguments; LDL where its register is an argument's already
//	P2R, STL, BMOV MEXITED             predicates and lanes
//	LEPC, CALL.ABS
//	R2P, ISETP, MOV                    results
//	LDL, IADD R1, R1, frame
//
// Only one thing isn't in the record: whether the call goes through bank 4, and by which offset.
type call struct {
	args    []argument
	stack   []argument
	results []result
	guard   uint8 // the first bit of a predicate that is a result, 0 where there is none
}

// argument gives a register, or four bytes of the stack, the value of an operand.
type argument struct {
	to   uint8
	kind uint8 // 'r', 'u' for a uniform register, 'z' for zero
	from operandPart
}

// result gives a register of an operand what the callee left.
type result struct {
	to   operandPart
	from uint8
}

// operandPart is one of the registers that an operand of a record begins.
type operandPart struct{ at, add uint8 }

func (p operandPart) value(v *bits) uint8 { return uint8(v.field(uint(p.at), regWidth)) + p.add }

func (p operandPart) none(v *bits) bool { return v.field(uint(p.at), regWidth) == 1<<regWidth-1 }

const (
	regWidth  = 10
	predWidth = 5
	truePred  = 1<<predWidth - 1
	callGuard = 35 // of the record; its inversion is bit 32
	noReg     = 255
	scratch   = 20
	firstArg  = 4
	pairAbove = 16 // a register that is saved only where the call goes through it
	leastBank = 10 // the last argument's register of calls that were seen to go through bank 4
)

// saved is the registers that a call keeps, and whether with the next.
var saved = [...]struct {
	reg  uint8
	wide bool
}{{0, false}, {3, false}, {4, true}, {6, true}, {8, true}, {10, true}, {12, true}, {14, true}, {pairAbove, true}, {scratch, true}}

// decode makes the words of a call for which the rules make the word that sets R4.
func (c *call) decode(first Word, v *bits, sass, want, mask []Word) Reason {
	if len(want) != len(sass) || len(mask) != len(sass) {
		return Span
	}
	if !c.possible(v) {
		return Operand
	}
	words, offset := c.words(first, v, 0), -1
	if through := c.through(); len(words) != len(sass) && through > 0 {
		words = c.words(first, v, through)
		offset = slices.IndexFunc(words, func(w Word) bool { return w == callThrough(through) }) - 2
	}
	if len(words) != len(sass) {
		return Span
	}
	copy(want, words)
	for i := range mask {
		mask[i] = Word{^uint64(0), ^uint64(Schedule)}
	}
	if offset >= 0 {
		mask[offset].Lo = 1<<32 - 1 // which entry of the bank it is, no record tells
	}
	return Known
}

// first makes the word that sets R4.
func (s *shape) first(v *bits) Word {
	out := []Word{s.base[0]}
	s.fill(v, out)
	return out[0]
}

// count returns how many words a call has that doesn't go through bank 4, 0 where none is known.
func (c *call) count(first Word, v *bits) int {
	if !c.possible(v) {
		return 0
	}
	return len(c.words(first, v, 0))
}

// possible reports whether the operands are such as some tool writes: results go to
// registers of their own, and uniform registers exist.
func (c *call) possible(v *bits) bool {
	for _, a := range c.args {
		if a.kind == 'u' && a.from.none(v) {
			return false
		}
	}
	var taken [256]bool
	for _, r := range c.results {
		if r.to.none(v) {
			continue
		}
		if d := r.to.value(v); taken[d] {
			return false
		} else {
			taken[d] = true
		}
	}
	return true
}

// through returns the register by which the call goes where it goes through bank 4, 0 where no
// such call was seen: the even one after the arguments.
func (c *call) through() uint8 {
	last := uint8(0)
	for _, a := range c.args {
		last = max(last, a.to)
	}
	if last < leastBank {
		return 0
	}
	return last&^1 + 2
}

// caller is the words of a call as they are made.
type caller struct {
	*call
	bits   *bits
	words  []Word
	slots  [256]uint32 // where on the stack a saved register is
	target [256]bool   // registers that get a result
}

// words makes a call's words; through is the register by which it goes, 0 for none.
func (c *call) words(first Word, v *bits, through uint8) []Word {
	k := caller{call: c, bits: v, words: make([]Word, 0, 80)}
	guard, inverse := v.field(callGuard, predWidth), v.field(32, 1)
	guarded := guard != truePred || inverse != 0
	own := 4 * uint32(len(c.stack)) // of MACTIVE
	at := own
	if guarded {
		at += 4
	}
	saves, at := k.saves(at, through)
	frame := at + 8
	k.add(moveStack(-frame))
	if guarded {
		k.add(wordToScratch, activeToScratch, storeWord(own, scratch), voteWord(guard&7, inverse), scratchToActive, wordFromScratch)
	}
	k.add(saves...)
	k.arguments(first)
	k.add(predsToScratch, storeWord(at, scratch), exitedToScratch, storeWord(at+4, scratch), activeToScratch, invertScratch, scratchToExited)
	if through != 0 {
		k.add(returnFar, moveNumber(through, 0), loadBank(through), callThrough(through))
	} else {
		k.add(returnNear, callDirect)
	}
	k.add(syncAll, loadWord(scratch, at+4), scratchToExited, loadWord(scratch, at), scratchToPreds)
	k.give()
	k.restore(through)
	if guarded {
		k.add(wordToScratch, loadWord(scratch, own), scratchToActive, wordFromScratch)
	}
	k.add(moveStack(frame))
	if guarded {
		k.words = slices.Insert(k.words, 0, skipCall(guard&7, inverse, uint64(len(k.words))))
	}
	return k.words
}

func (k *caller) add(words ...Word) { k.words = append(k.words, words...) }

// saves returns the words that save registers from an offset on, and the offset after them.
func (k *caller) saves(at uint32, through uint8) ([]Word, uint32) {
	var words []Word
	for _, s := range saved {
		switch {
		case s.reg == pairAbove && through != pairAbove:
			continue
		case !s.wide:
			k.slots[s.reg] = at
			words = append(words, storeWord(at, s.reg))
			at += 4
		default:
			at = (at + 7) &^ 7
			k.slots[s.reg], k.slots[s.reg+1] = at, at+4
			words = append(words, storeWords(at, s.reg))
			at += 8
		}
	}
	return words, at
}

// arguments puts all in place. What an argument before it has taken comes from where it is saved;
// a uniform register stands for an argument of two.
func (k *caller) arguments(first Word) {
	for i, a := range k.stack {
		r := uint8(noReg)
		if a.kind != 'z' {
			r = a.from.value(k.bits)
		}
		k.add(storeWord(4*uint32(i), r))
	}
	k.add(first)
	gone := [256]bool{firstArg: true}
	for _, a := range k.args {
		switch r := a.from.value(k.bits); {
		case a.kind == 'z':
			k.add(moveNumber(a.to, 0))
		case a.kind == 'u':
			k.add(moveUniform(a.to, r))
			gone[a.to|1] = true
		case r == a.to:
		case gone[r]:
			k.add(loadWord(a.to, k.slots[r]))
		default:
			k.add(moveReg(a.to, r))
		}
		gone[a.to] = true
	}
}

// give moves the results in their order. One that is where another is to go is put aside
// first, in the register that was freed last.
func (k *caller) give() {
	var where []uint8 // of each result, as long as it is needed
	var left []result
	for _, r := range k.results {
		if !r.to.none(k.bits) {
			left = append(left, r)
			where = append(where, r.from)
			k.target[r.to.value(k.bits)] = true
		}
	}
	if p := k.bits.field(uint(k.guard), predWidth); k.guard != 0 && p != truePred {
		k.add(resultPred(p))
		where = append(where, firstArg)
	}
	free := make([]uint8, 0, 16)
	for _, r := range [...]uint8{9, 10, 11, 12, 13, 14, 15, scratch, scratch + 1} {
		if !k.target[r] {
			free = append(free, r)
		}
	}
	for i, r := range left {
		to, was := r.to.value(k.bits), where[i]
		if to == was {
			continue
		}
		if other := slices.Index(where[i+1:], to); other >= 0 && len(free) > 0 {
			aside := free[len(free)-1]
			free = free[:len(free)-1]
			k.add(moveReg(aside, to))
			where[i+1+other] = aside
		}
		k.add(moveReg(to, was))
		if was != r.from {
			free = append(free, was)
		}
	}
}

// restore loads what isn't a result.
func (k *caller) restore(through uint8) {
	for _, s := range saved {
		if s.reg == pairAbove && through != pairAbove {
			continue
		}
		switch one, two := k.target[s.reg], !s.wide || k.target[s.reg+1]; {
		case !one && !two:
			k.add(loadWords(s.reg, k.slots[s.reg]))
		case !one:
			k.add(loadWord(s.reg, k.slots[s.reg]))
		case !two:
			k.add(loadWord(s.reg+1, k.slots[s.reg+1]))
		}
	}
}
