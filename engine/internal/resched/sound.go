package resched

import (
	"math/bits"
	"slices"
)

// Lost is a token that has no wait before a word that uses its registers.
type Lost struct {
	At   int  // word of the input that holds the scoreboard
	Read bool // it is held until the sources are read
	User int  // word of the input that uses them too early
}

// lost compares a kernel with what became of it. A token may be pending at a
// word of the output only where it is in the input, or where the word doesn't
// touch its registers. It returns the first that breaks this rule, nil if none
// does. r says where words of the input went; what is before a word may
// wait for it. dead is the word whose scoreboard was taken away, -1 for none.
func lost(in, out []word, jumps Jumps, r *Result, dead int) *Lost {
	c := comparison{in: in, out: out, moves: r.Moves, starts: r.Starts, dead: dead, freed: r.Freed, flow: traceIn(in, blocksBy(in, jumps, false), false, nil)}
	if l := c.assign(); l != nil {
		return l
	}
	entry, seen := c.pending()
	for b := range c.flow.blocks {
		if !seen[b] {
			continue
		}
		if l := c.lostIn(b, entry[b]); l != nil {
			return l
		}
	}
	return nil
}

// comparison is a kernel and what became of it.
type comparison struct {
	in, out       []word
	moves, starts []int
	dead          int
	freed         []int
	flow          *flow
	holders       []bitset // of each scoreboard of the output, the tokens that have it
}

// at is the word of the output that was word i, nil where it is gone.
func (c *comparison) at(i int) *word {
	switch {
	case c.moves == nil:
		return &c.out[i]
	case c.moves[i] < 0:
		return nil
	}
	return &c.out[c.moves[i]]
}

// waits is what the output waits for before word i of the input.
func (c *comparison) waits(i int) (mask uint8) {
	if c.moves == nil {
		return c.out[i].wait()
	}
	for k := c.starts[i]; k <= c.moves[i]; k++ {
		mask |= c.out[k].wait()
	}
	return mask
}

// board is the scoreboard of a token in the output, noBoard where it has none
// any more.
func (c *comparison) board(t int) int {
	tok := &c.flow.tokens[t]
	w := c.at(tok.at)
	switch {
	case w == nil || tok.at == c.dead && !tok.read:
		return noBoard
	case tok.read:
		return w.rd()
	}
	return w.wr()
}

// isFreed reports whether a token's sources hold no scoreboard any more on purpose.
func (c *comparison) isFreed(tok *token) bool {
	if !tok.read || len(c.freed) == 0 {
		return false
	}
	to := tok.at
	if c.moves != nil {
		to = c.moves[to]
	}
	return slices.Contains(c.freed, to)
}

// assign fills holders. It returns the first token that lost its scoreboard
// though its word is still there.
func (c *comparison) assign() *Lost {
	n := len(c.flow.tokens)
	c.holders = make([]bitset, noBoard+1)
	for b := range c.holders {
		c.holders[b] = newBitset(n)
	}
	for t := range c.flow.tokens {
		b := c.board(t)
		if tok := &c.flow.tokens[t]; b == noBoard && c.at(tok.at) != nil && tok.at != c.dead && !c.isFreed(tok) {
			return &Lost{At: tok.at, Read: tok.read, User: tok.at}
		}
		c.holders[b].set(t)
	}
	return nil
}

// release takes from pending what a mask of the output waits for.
func (c *comparison) release(pending bitset, mask uint8) {
	for sb := 0; mask != 0; sb, mask = sb+1, mask>>1 {
		if mask&1 != 0 {
			c.releaseFreed(pending, c.holders[sb])
			for k := range pending {
				pending[k] &^= c.holders[sb][k]
			}
		}
	}
}

// releaseFreed takes from pending the sources of surfaces without a scoreboard that later ones of their
// block, which are waited for, answer for.
func (c *comparison) releaseFreed(pending, waited bitset) {
	if len(c.freed) == 0 {
		return
	}
	tokens := c.flow.tokens
	pending.each(func(t int) {
		if !waited.has(t) || !c.flow.words[tokens[t].at].writesSurface() {
			return
		}
		for o := t - 1; o >= 0 && tokens[o].block == tokens[t].block; o-- {
			if c.isFreed(&tokens[o]) {
				pending.drop(o)
			}
		}
	})
}

// start adds to pending the tokens that word i begins.
func (c *comparison) start(pending bitset, i int) {
	if c.at(i) == nil {
		return
	}
	for _, t := range c.flow.first[i] {
		if c.board(t) != noBoard || c.isFreed(&c.flow.tokens[t]) {
			pending.set(t) // what is freed for good, so that nothing may touch it
		}
	}
}

// pending says which tokens may be pending in the output where a block begins,
// and which blocks are reached.
func (c *comparison) pending() (entry []bitset, seen []bool) {
	blocks := c.flow.blocks
	entry, seen = make([]bitset, len(blocks)), make([]bool, len(blocks))
	for b := range entry {
		entry[b] = newBitset(len(c.flow.tokens))
	}
	for work := []int{0}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		seen[b] = true
		pending := entry[b].clone()
		for i := blocks[b].from; i < blocks[b].to; i++ {
			if c.at(i) != nil {
				c.release(pending, c.waits(i))
			}
			c.start(pending, i)
		}
		for _, s := range blocks[b].next {
			if entry[s].join(pending) || !seen[s] {
				work = append(work, s)
			}
		}
	}
	return entry, seen
}

// lostIn returns the first word of a block that touches a token that is pending
// in the output and not in the input.
func (c *comparison) lostIn(b int, entry bitset) *Lost {
	f := c.flow
	was, is := f.entry[b].clone(), entry.clone()
	for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
		f.release(was, c.in[i].wait())
		if c.at(i) != nil {
			c.release(is, c.waits(i))
			if t := f.touched(i, is, was); t >= 0 {
				return &Lost{At: f.tokens[t].at, Read: f.tokens[t].read, User: i}
			}
		}
		for _, t := range f.first[i] {
			was.set(t)
		}
		c.start(is, i)
	}
	return nil
}

// touched returns the first token of is, but not of was, whose registers word i
// touches, -1 for none.
func (f *flow) touched(i int, is, was bitset) int {
	for k := range is {
		for x := is[k] &^ was[k]; x != 0; x &= x - 1 {
			if t := k*64 + bits.TrailingZeros64(x); f.touches(t, i) {
				return t
			}
		}
	}
	return -1
}
