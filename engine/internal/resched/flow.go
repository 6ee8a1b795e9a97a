package resched

// The control flow of a kernel, and what is pending where.

// block is a run of instructions that is entered at its start alone.
type block struct {
	from, to int   // words
	next     []int // blocks
	prev     []int
}

// endsBlock reports whether control may go elsewhere behind an instruction.
func (w *word) endsBlock() bool {
	switch w.op() {
	case opBRA, opBRAUnif, opEXIT, opBSYNC, opRET, opBRX:
		return true
	}
	return false
}

// fallsThrough reports whether control may go on behind an instruction that
// ends a block.
func (w *word) fallsThrough() bool {
	const always = 7
	if w.guard() != always {
		return true
	}
	switch w.op() {
	case opBRA:
		// A branch with a predicate of its own.
		return w.field(87, 4) != always
	case opBRAUnif:
		return true
	case opBSYNC:
		return false
	}
	return false
}

// blocks divides the code. A BSYNC goes to where the BSSYs of its barrier
// register point.
func blocks(words []word) []block {
	n := len(words)
	starts := make([]bool, n+1)
	starts[0] = true
	targets := make(map[int][]int) // by word: where it may go
	joins := make(map[uint64][]int)
	for i := range words {
		w := &words[i]
		if t, ok := w.branchTarget(i); ok && t >= 0 && t < n && w.op() != opWARPSYNC {
			starts[t] = true
			if w.op() == opBSSY {
				b := w.field(16, 4)
				joins[b] = append(joins[b], t)
			} else {
				targets[i] = append(targets[i], t)
			}
		}
		if w.endsBlock() {
			starts[i+1] = true
		}
	}
	for i := range words {
		if w := &words[i]; w.op() == opBSYNC {
			targets[i] = append(targets[i], joins[w.field(16, 4)]...)
		}
	}
	var list []block
	at := make([]int, n)
	for i := 0; i < n; {
		j := i + 1
		for j < n && !starts[j] {
			j++
		}
		for k := i; k < j; k++ {
			at[k] = len(list)
		}
		list = append(list, block{from: i, to: j})
		i = j
	}
	for b := range list {
		last := list[b].to - 1
		w := &words[last]
		for _, t := range targets[last] {
			list[b].next = append(list[b].next, at[t])
		}
		if (!w.endsBlock() || w.fallsThrough()) && b+1 < len(list) {
			list[b].next = append(list[b].next, b+1)
		}
	}
	for b := range list {
		for _, s := range list[b].next {
			list[s].prev = append(list[s].prev, b)
		}
	}
	return list
}

// token is a scoreboard held by an instruction.
type token struct {
	at    int  // word
	read  bool // held until the sources are read
	board int  // of the input
	now   int  // of the output

	waits []int // words that wait for it, in order
	block int
	point int // the word of its block that waits for it, -1 for none
	dead  bool

	// forced: the word that waits has no use for it, but is a point that nothing
	// may be pending at: a transfer of control, a barrier.
	forced bool
}

// flow is a kernel with its tokens.
type flow struct {
	words  []word
	blocks []block
	of     []int // block of a word
	tokens []token
	first  [][]int  // by word: its tokens, the read one first
	entry  []bitset // by block: tokens pending at its entry
}

// bitset is a set of tokens.
type bitset []uint64

func newBitset(n int) bitset    { return make(bitset, (n+63)/64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) clone() bitset  { return append(bitset(nil), b...) }
func (b bitset) join(o bitset) (changed bool) {
	for i := range b {
		if o[i]&^b[i] != 0 {
			b[i] |= o[i]
			changed = true
		}
	}
	return changed
}

// trace finds the tokens and who waits for them.
func trace(words []word) *flow {
	f := &flow{words: words, blocks: blocks(words), of: make([]int, len(words)), first: make([][]int, len(words))}
	for b := range f.blocks {
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			f.of[i] = b
		}
	}
	for i := range words {
		w := &words[i]
		if w.rd() < boards {
			f.first[i] = append(f.first[i], len(f.tokens))
			f.tokens = append(f.tokens, token{at: i, read: true, board: w.rd(), now: w.rd(), block: f.of[i], point: -1})
		}
		if w.wr() < boards {
			f.first[i] = append(f.first[i], len(f.tokens))
			f.tokens = append(f.tokens, token{at: i, board: w.wr(), now: w.wr(), block: f.of[i], point: -1})
		}
	}
	n := len(f.tokens)
	byBoard := make([]bitset, boards)
	for b := range byBoard {
		byBoard[b] = newBitset(n)
	}
	for i := range f.tokens {
		byBoard[f.tokens[i].board].set(i)
	}
	f.entry = make([]bitset, len(f.blocks))
	for b := range f.entry {
		f.entry[b] = newBitset(n)
	}
	waits := make([]map[int]bool, n)
	// step takes the pending tokens over a block.
	step := func(b int, note bool) bitset {
		pending := f.entry[b].clone()
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			m := words[i].waits()
			for sb := 0; sb < boards; sb++ {
				if m>>sb&1 == 0 {
					continue
				}
				for k := range pending {
					hit := pending[k] & byBoard[sb][k]
					if note {
						for x := hit; x != 0; x &= x - 1 {
							t := k*64 + trailing(x)
							if waits[t] == nil {
								waits[t] = make(map[int]bool)
							}
							if !waits[t][i] {
								waits[t][i] = true
								f.tokens[t].waits = append(f.tokens[t].waits, i)
							}
						}
					}
					pending[k] &^= hit
				}
			}
			for _, t := range f.first[i] {
				pending.set(t)
			}
		}
		return pending
	}
	work := []int{0}
	seen := make([]bool, len(f.blocks))
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		seen[b] = true
		out := step(b, false)
		for _, s := range f.blocks[b].next {
			if f.entry[s].join(out) || !seen[s] {
				work = append(work, s)
			}
		}
	}
	for b := range f.blocks {
		if seen[b] {
			step(b, true)
		}
	}
	f.points(byBoard)
	return f
}

func trailing(x uint64) int {
	n := 0
	for x&1 == 0 {
		x >>= 1
		n++
	}
	return n
}

// points finds the word in each token's own block that waits for it. Where two
// tokens are pending on one scoreboard, the wait may be the other's: then it is
// the first word that touches the token's registers.
func (f *flow) points(byBoard []bitset) {
	for b := range f.blocks {
		bl := &f.blocks[b]
		for i := bl.from; i < bl.to; i++ {
			for _, t := range f.first[i] {
				tok := &f.tokens[t]
				wait := -1
				for j := i + 1; j < bl.to; j++ {
					if f.words[j].waits()>>tok.board&1 != 0 {
						wait = j
						break
					}
				}
				if wait < 0 {
					continue
				}
				tok.point = wait
				if !f.touches(t, wait) && f.ownedByOther(t, wait) {
					tok.point = f.touch(t, bl.to)
				}
				tok.forced = tok.point >= 0 && f.isForced(t)
			}
		}
	}
}

// isForced reports whether the word that waits for a token has no use for it.
// What has no registers of its own is waited for on purpose, and a slow load
// that leaves its block holds a certain scoreboard.
func (f *flow) isForced(t int) bool {
	tok := &f.tokens[t]
	o := f.words[tok.at].operands()
	switch {
	case tok.read && len(o.reads) == 0, !tok.read && len(o.writes) == 0:
		return false
	case !tok.read && f.words[tok.at].isSlow() && tok.board != slowBoard:
		return false
	}
	return !f.touches(t, tok.point)
}

// touches reports whether a word touches the registers of a token.
func (f *flow) touches(t, at int) bool {
	tok := &f.tokens[t]
	own, o := f.words[tok.at].operands(), f.words[at].operands()
	if tok.read {
		return overlap(own.reads, o.writes)
	}
	return overlap(own.writes, o.writes) || overlap(own.writes, o.reads)
}

// ownedByOther reports whether a wait that token t has no use for is another's:
// of one that holds the same scoreboard and is used there, or of the stack
// pointer.
func (f *flow) ownedByOther(t, wait int) bool {
	tok := &f.tokens[t]
	from := f.blocks[tok.block].from
	// Behind the last wait before this one all tokens of the scoreboard are
	// pending together.
	last := -1
	for j := wait - 1; j >= from; j-- {
		if f.words[j].waits()>>tok.board&1 != 0 {
			last = j
			break
		}
	}
	for o := range f.tokens {
		other := &f.tokens[o]
		if o == t || other.board != tok.board {
			continue
		}
		here := other.block == tok.block && other.at >= max(last, from) && other.at < wait
		if !here && (last >= 0 || !f.entry[tok.block].has(o)) {
			continue
		}
		if other.at == 0 || f.touches(o, wait) {
			return true
		}
	}
	return false
}

// touch returns the first word behind t in its block that touches its
// registers, -1 for none.
func (f *flow) touch(t, to int) int {
	tok := &f.tokens[t]
	for j := tok.at + 1; j < to; j++ {
		if f.touches(t, j) {
			return j
		}
	}
	return -1
}
