package resched

// doubt is why the result may not be nvlink's.
type doubt uint8

const (
	laterBlock      doubt = 1 << iota // scoreboards of a block behind the first were given out anew
	laterWait                         // a wait behind the first block changed
	overflow                          // no scoreboard was free for a token that its block needs
	overflowSources                   // for sources that are needed later
	overflowResults                   // for results that are needed later
)

// Result is a kernel as nvlink writes it.
type Result struct {
	Text     []byte
	Changed  bool
	Exact    bool  // the bytes can be promised
	Moves    []int // by word of the input: its number now, -1 if it went; nil where none moved
	Starts   []int // by word of the input, and its end: where it and what was put in front of it begin
	Fenced   []int // words of the input that got a fence
	doubts   doubt
	TooLarge bool  // it would take too much memory to tell
	Lost     *Lost // a wait that the new code lacks: it must not be used
}

// Kernel changes the code of a kernel. debug says that the link has -g; keeps,
// unless nil, that a MEMBAR stays.
func Kernel(text []byte, debug bool, keeps func(word int) bool) Result {
	r, dead := change(text, debug, keeps)
	if r.Changed {
		r.Lost = lost(split(text), split(r.Text), r.Moves, dead)
	}
	return r
}

// change returns the new code, and the word whose scoreboard went, -1 for none.
func change(text []byte, debug bool, keeps func(word int) bool) (Result, int) {
	words := split(text)
	r := Result{Text: text, Exact: true}
	dead := -1
	if debug {
		if out, ok := fence(words, &r); ok {
			r.Changed, r.Text = true, join(out)
		}
		return r, dead
	}
	for i := range words {
		if words[i].isCall() {
			return r, dead
		}
	}
	words = repeated(words, keeps, &r)
	if stackLoad(words) && isLarge(words) {
		r.TooLarge = true
		return r, dead
	}
	if stackLoad(words) {
		if a := (&allocator{flow: trace(words)}); len(a.first[0]) > 0 {
			finished := a.reallocate()
			dead = 0
			r.Changed = true
			r.doubts = a.doubts
			r.Exact = finished && a.doubts&(laterWait|overflowSources|overflowResults) == 0 && !hasDoubtful(words)
		}
	}
	if r.Moves != nil {
		r.Changed = true
	}
	if r.Changed {
		r.Text = join(words)
	}
	return r, dead
}

// isLarge reports whether tables of tokens by block would take too much memory.
func isLarge(words []word) bool {
	const most = 1 << 30 // bits
	tokens := 0
	for i := range words {
		if words[i].rd() < boards {
			tokens++
		}
		if words[i].wr() < boards {
			tokens++
		}
	}
	return tokens*len(blocks(words)) > most
}

// hasDoubtful reports whether an exchange of a barrier in shared memory holds
// scoreboards of both kinds: their order was once seen to be another.
func hasDoubtful(words []word) bool {
	for i := range words {
		if w := &words[i]; w.op() == opSYNCS && w.wr() != noBoard && w.rd() != noBoard {
			return true
		}
	}
	return false
}

// stackLoad reports whether the kernel begins by loading the stack pointer, with
// a scoreboard, and nothing reads it.
func stackLoad(words []word) bool {
	const (
		stackRegister = 1
		stackOffset   = 0x37c
	)
	if len(words) == 0 {
		return false
	}
	w := &words[0]
	if w.op() != opLDC || w.field(16, 8) != stackRegister || w.field(38, 16) != stackOffset || w.wr() == noBoard || w.rd() != noBoard {
		return false
	}
	for i := 1; i < len(words); i++ {
		for _, s := range words[i].operands().reads {
			if s.first == stackRegister {
				return false
			}
		}
	}
	return true
}
