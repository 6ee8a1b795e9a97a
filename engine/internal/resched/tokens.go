package resched

// token is a scoreboard held by an instruction.
type token struct {
	at    int  // word
	read  bool // held until the sources are read
	slow  bool // results of memory or textures
	board int  // of the input
	now   int  // of the output
	block int
	point int  // the word of its block that needs it complete, -1 for none
	dead  bool // taken away
	fresh bool // not in the input
}

// flow is a kernel with its tokens.
type flow struct {
	words    []word
	blocks   []block
	of       []int // block of a word
	ops      []operands
	tokens   []token
	first    [][]int  // by word: its tokens, the read one first
	entry    []bitset // by block: tokens pending at its entry, in the input
	seen     []bool   // by block: it can be reached
	order    []int    // blocks, in the order in which they are looked at
	rank     []int    // by block: its place in that order
	time     []int    // by word: cycles from the start, if nothing waits and nothing jumps
	shared   [noBoard + 1]bitset
	live     []bitset // by block: registers that are read after its end
	strange  bool     // another finalizer's
	pads     bool     // NOPs come before BSYNCs
	older    bool     // of an older toolkit, which waits without need too
	extra    []int    // by word: cycles of the NOPs that was after it; nil for none
	fixed    bool     // doubles have a fixed latency
	noTurns  bool     // the unit takes doubles as they come
	filler   filler   // what paces it
	paused   []bool   // by word: what follows it lets nobody go first; nil for none
	products bool     // products of matrices keep what they read at hand
	adds     bool     // it is code for sm_120
	soon     []bool   // by word: a double that the next word waits for; nil for none
	apart    bool     // it is code of sm_100 for sm_103: what a return waits for it needs
}

// trace finds the tokens of a kernel and where they are pending.
func trace(words []word) *flow { return traceFresh(words, nil) }

// traceFresh is trace with tokens that the input hasn't.
func traceFresh(words []word, more map[int]*fresh) *flow {
	return traceIn(words, blocks(words), false, more)
}

// traceIn is traceFresh for code divided into blocks.
func traceIn(words []word, list []block, apart bool, more map[int]*fresh) *flow {
	f := &flow{words: words, blocks: list, apart: apart, of: make([]int, len(words)), first: make([][]int, len(words)),
		ops: make([]operands, len(words)), time: make([]int, len(words)+1)}
	for b := range f.blocks {
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			f.of[i] = b
		}
	}
	for i := range words {
		w := &words[i]
		f.ops[i] = w.operands()
		f.time[i+1] = f.time[i] + max(1, w.stall())
		if apart && w.inUnit() {
			f.holdDead(i)
		}
		if x := more[i]; x != nil {
			if x.rd {
				f.hold(token{at: i, read: true, board: noBoard, fresh: true})
			} else if w.rd() < boards && !w.inUnit() {
				f.hold(token{at: i, read: true, board: w.rd()})
			}
			if x.wr {
				f.hold(token{at: i, board: noBoard, fresh: true})
			}
			continue
		}
		if w.countsCopies() || apart && w.inUnit() {
			continue // its scoreboard is a counter
		}
		if w.rd() < boards {
			f.hold(token{at: i, read: true, board: w.rd()})
		}
		if w.wr() < boards {
			f.hold(token{at: i, board: w.wr(), slow: w.isSlow()})
		}
	}
	for b := range f.shared {
		f.shared[b] = newBitset(len(f.tokens))
	}
	for t := range f.tokens {
		f.shared[f.tokens[t].board].set(t)
	}
	f.setOrder()
	f.entry, f.seen = f.spread(len(f.tokens), func(set bitset, i int) {
		f.release(set, words[i].wait())
		f.addInput(set, i)
	})
	f.findPoints()
	return f
}

func (f *flow) hold(t token) {
	t.now, t.block, t.point = t.board, f.of[t.at], -1
	f.first[t.at] = append(f.first[t.at], len(f.tokens))
	f.tokens = append(f.tokens, t)
}

// holdDead has the tokens that a word holds in the input and not in the output.
func (f *flow) holdDead(i int) {
	from := len(f.tokens)
	if rd := f.words[i].rd(); rd < boards {
		f.hold(token{at: i, read: true, board: rd})
	}
	if wr := f.words[i].wr(); wr < boards {
		f.hold(token{at: i, board: wr})
	}
	for t := from; t < len(f.tokens); t++ {
		f.tokens[t].dead, f.tokens[t].now = true, noBoard
	}
}

// release removes what a wait mask of the input makes free.
func (f *flow) release(set bitset, mask uint8) {
	for sb := 0; sb < boards && mask>>sb != 0; sb++ {
		if mask>>sb&1 != 0 {
			for k := range set {
				set[k] &^= f.shared[sb][k]
			}
		}
	}
}

// add puts in the tokens of a word.
func (f *flow) add(set bitset, i int) {
	for _, t := range f.first[i] {
		if !f.tokens[t].dead {
			set.set(t)
		}
	}
}

// spread returns the set of so many bits at the entry of each block, which joins
// those of all ways there, and the blocks that are reached. step takes a set over a
// word.
func (f *flow) spread(bits int, step func(set bitset, i int)) (entry []bitset, seen []bool) {
	entry, seen = make([]bitset, len(f.blocks)), make([]bool, len(f.blocks))
	for b := range entry {
		entry[b] = newBitset(bits)
	}
	work := []int{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		seen[b] = true
		set := entry[b].clone()
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			step(set, i)
		}
		for _, s := range f.blocks[b].next {
			if entry[s].join(set) || !seen[s] {
				work = append(work, s)
			}
		}
	}
	return entry, seen
}

// hasResult reports whether the instruction of a token holds a scoreboard for its result.
func (f *flow) hasResult(t int) bool {
	for _, o := range f.first[f.tokens[t].at] {
		if !f.tokens[o].read && !f.tokens[o].dead {
			return true
		}
	}
	return false
}

// alone reports whether t is the only token of its scoreboard in a set.
func (f *flow) alone(t int, set bitset) bool {
	for k := range set {
		x := set[k] & f.shared[f.tokens[t].board][k]
		if k == t/64 {
			x &^= 1 << (t % 64)
		}
		if x != 0 {
			return false
		}
	}
	return true
}
