package check

import (
	"bytes"
	"fmt"
)

// Every word of code is one of the input's: unchanged, relocated, or scheduled
// anew in a way that is sound. Words that were put in or left out change nothing
// of what is computed, and branches go where they went.

// compareCode holds the code of the SASS side against what it must be.
func (c *check) compareCode(a *area) error {
	if len(a.want)%instruction != 0 || len(a.out.body)%instruction != 0 || a.words == nil {
		c.verdict.add(Finding{Kind: SectionSize, File: a.parts0(), Section: a.name, Want: hex(a.size), Got: hex(a.out.size), Detail: "no whole number of instructions"})
		return nil
	}
	if err := c.budget.spend("output", a.size/8); err != nil {
		return err
	}
	c.rebaseSlots(a)
	changed, wrong := 0, 0
	for i := range a.words.to {
		at := uint64(i) * instruction
		want, _ := cut(a.want, at, instruction)
		j := a.words.to[i]
		if j < 0 {
			if !mayDrop(a.owner.section.body, i) || keepsCount(a.owner.section.body, i) && !c.newSchedule(a).without() {
				wrong++
				c.wrongCode(a, c.codeFinding(a, at, want, nil, "an instruction is missing"))
			}
			continue
		}
		got, _ := cut(a.out.body, uint64(j)*instruction, instruction)
		if bytes.Equal(want, got) && (a.words.identity || !branches(want)) {
			continue
		}
		x, y := bytes.Clone(want), bytes.Clone(got)
		blank(x, controlFirst, controlLast)
		blank(y, controlFirst, controlLast)
		if number(want, 8, 8)&controlMask != number(got, 8, 8)&controlMask {
			changed++
		}
		if branches(want) && !a.words.identity {
			blankDistance(x)
			blankDistance(y)
			c.compareTarget(a, uint64(i), uint64(j), want, got)
		}
		if bytes.Equal(x, y) || shortAddition(x, y) || withoutYield(x, y) || a.words.throttles(a.owner.section.body, a.out.body, i) {
			continue
		}
		if c.explainWord(a, at, uint64(j)*instruction, x, y) {
			wrong++
		}
	}
	for j, i := range a.words.from {
		got, _ := cut(a.out.body, uint64(j)*instruction, instruction)
		if i < 0 && !putIn(got) && !(opcode(got) == opBra && isLoop(got)) {
			wrong++
			c.wrongCode(a, c.codeFinding(a, uint64(j)*instruction, nil, got, "an instruction that the input lacks"))
		} else if i < 0 && isFence(got) && guardOf(got) != always && guardOf(got) != fenced(a.out.body, j) {
			wrong++
			c.verdict.add(c.codeFinding(a, uint64(j)*instruction, nil, got, "a fence under another guard than the word behind it"))
		}
	}
	if wrong == 0 && (changed > 0 || !a.words.identity) {
		return c.compareSchedule(a, changed)
	}
	return nil
}

func (c *check) codeFinding(a *area, at uint64, want, got []byte, detail string) Finding {
	f := Finding{Kind: CodeBytes, File: a.parts0(), Section: a.name, Symbol: a.owner.owner.String(), Offset: at, Detail: detail}
	if want != nil {
		f.Want = fmt.Sprintf("%x", want)
	}
	if got != nil {
		f.Got = fmt.Sprintf("%x", got)
	}
	return f
}

// explainWord tells whether it is a field that is wrong or the instruction, and
// reports whether anything is.
func (c *check) explainWord(a *area, at, out uint64, want, got []byte) bool {
	for k := range want {
		if a.isFree(at + uint64(k)) {
			want[k] = got[k]
		}
	}
	if bytes.Equal(want, got) {
		return false
	}
	for k := range want {
		if want[k] == got[k] {
			continue
		}
		for i := range a.fields {
			f := &a.fields[i]
			if f.offset <= at+uint64(k) && at+uint64(k) < f.offset+f.size {
				c.trace(f)
				c.verdict.add(Finding{Kind: RelocationField, File: a.parts0(), Section: a.name, Symbol: c.targetName(f.mod, f.rec), Offset: out,
					Relocation: relocationName(f.rec.kind), number: f.rec.kind, Want: fmt.Sprintf("%x", want), Got: fmt.Sprintf("%x", got)})
				return true
			}
		}
		break
	}
	c.wrongCode(a, c.codeFinding(a, out, want, got, "an instruction that is not the input's"))
	return true
}

// wrongCode tells of a word that is not the input's. Finalizers after 13.0 make some operations
// of 12.8 and 12.9 of other words and registers, so that nothing can be said of such code.
//
// Source: VOTE and S2UR in 4 of 170 objects of ptxas 12.9.86 for sm_120, by nvlink 13.2 to 13.4.
func (c *check) wrongCode(a *area, f Finding) {
	if c.release > 130 && c.unversioned(a.owner) {
		f.Detail += ", in code of 12.8 or 12.9, whose operations later releases make of other words"
		a.words.strange = true
		c.unjudged(a, f)
		return
	}
	c.verdict.add(f)
}

// branches reports whether a word has a distance in it that changes with the
// words between.
func branches(word []byte) bool {
	switch opcode(word) {
	case opBra, opBraU, opBraDiv, opBrx, opBrxU, opBssy, opCallRel:
		return true
	}
	return false
}

// distance is how far a branch goes, in bytes from the next word.
func distance(word []byte) int64 {
	low, high := number(word, 0, 8), number(word, 8, 8)
	if opcode(word) == opBssy {
		return int64(int32(low >> 34 << 2)) // 30 bits, in words of four bytes
	}
	// Bits 16 to 23 hold the lowest eight of a count of four bytes, 34 to 81
	// the others.
	n := low>>16&0xff | (low>>34|high&(1<<18-1)<<30)<<8
	return int64(n<<8) >> 8 * 4
}

// isLoop reports whether a branch goes to itself.
func isLoop(word []byte) bool { return distance(word) == -instruction }

// compareTarget wants a branch to go to the same word as in the input. An indirect one
// adds what a table says to the start of the function.
func (c *check) compareTarget(a *area, i, j uint64, want, got []byte) {
	to := int64(i+1)*instruction + distance(want)
	if to < 0 || to%instruction != 0 || uint64(to)/instruction >= uint64(len(a.words.to)) {
		if distance(want) != distance(got) {
			c.wrongCode(a, c.codeFinding(a, j*instruction, want, got, "a branch that leaves the function"))
		}
		return
	}
	first, last, ok := a.words.leadsTo(uint64(to) / instruction)
	is := int64(j+1)*instruction + distance(got)
	if !ok || is%instruction != 0 || is < int64(first)*instruction || is > int64(last)*instruction || fencesBetween(a.out.body, first, uint64(is)/instruction) {
		f := c.codeFinding(a, j*instruction, nil, nil, "a branch goes to another instruction")
		f.Want, f.Got = hex(last*instruction), hex(uint64(is))
		c.wrongCode(a, f)
	}
}

// fencesBetween reports whether a fence stands among words that were put in: a branch goes to
// the first of them.
func fencesBetween(code []byte, from, to uint64) bool {
	for ; from < to; from++ {
		if word, ok := cut(code, from*instruction, instruction); !ok || isFence(word) {
			return true
		}
	}
	return false
}
