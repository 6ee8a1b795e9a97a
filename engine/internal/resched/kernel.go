package resched

import "slices"

// doubt is why the result may not be nvlink's.
type doubt uint16

const (
	laterBlock      doubt = 1 << iota // scoreboards of a block after the first were given out again
	laterWait                         // a wait after the first block changed
	overflow                          // no scoreboard was free for a token that its block needs
	overflowSources                   // for sources that are needed later
	overflowResults                   // for results that are needed later
	unforeseen                        // a choice of the input is not what the rules give
	overBack                          // a wait changed where a token comes over a back edge
	noModel                           // the input's choice leads to none
	nearFence                         // whether a fenced EXIT, or a loop after one, waits was a close call
	nearLoop                          // and whether the end of a block before a loop does, of rescheduled code
)

// none reports whether no kernel was seen to differ with these doubts. Where the
// input's own choices are foreseen, so are the others, but where nothing is free.
func (d doubt) none() bool {
	return d&(overflow|overflowSources|overflowResults|unforeseen|overBack|nearFence) == 0
}

// Result is a kernel as nvlink writes it.
type Result struct {
	Text     []byte
	Changed  bool
	Exact    bool  // the bytes can be promised
	Moves    []int // by word of the input: its number now, -1 if it went; nil where none moved
	Starts   []int // by word of the input, and its end: where it and what was put before it begin
	Fenced   []int // words of the input that got a fence
	Padded   []int // words of the input that got a NOP in front
	Added    []int // words of the input that became IADDs
	Dropped  []int // words of the input that went since they move half of a pair to itself
	Freed    []int // words of the output whose sources hold no scoreboard any more since nothing overwrites them
	Fillers  []int // by word: NOPs before it that are no part of it; nil where there is none
	doubts   doubt
	paused   bool  // pauses stand where NOPs did
	slowed   bool  // code of an older toolkit was set apart for sm_103
	unpaced  bool  // stalls changed since doubles aren't paced any more
	TooLarge bool  // it would take too much memory to tell
	Unfit    bool  // doubles of sm_100 in code that can't be made that of sm_103
	Lost     *Lost // a wait that the new code lacks: it must not be used
	Quicker  bool  // code of sm_100 that may stall for less on sm_103; it doesn't here
	Foreseen bool  // code of an older finalizer that was rescheduled, like which none was seen to come out otherwise
	Bare     bool  // the code has no schedule: nothing waits, as nvlink has it
}

// Options says how a kernel is changed.
type Options struct {
	Debug        bool  // the link has -g
	Fence        bool  // an EXIT gets a fence in front
	Stays        bool  // but for words that are gone the code stays
	KeepsLeaves  bool  // a load of a stack pointer that nothing reads keeps its scoreboard
	Gone         []int // words that go whatever they are
	Slow         bool  // code of sm_100 is for sm_103
	Quick        bool  // so it is, of an older toolkit
	Unpaced      bool  // then doubles aren't paced
	Late         bool  // as releases from 13.1 on do it
	Anew         bool  // all scoreboards are given out again
	Pads         bool  // then a NOP is before some words
	HoldsDoubles bool  // and all doubles hold scoreboards
	Fillers      []int // of those that go, NOPs that paced doubles
	Unpaces      bool  // doubles that stall since they are paced don't any more
	Adds         bool  // and an IADD3 of two is an IADD
	Bares        bool  // and what is not optimized has no schedule at all
	JoinsMoves   bool  // and a part of an instruction that moves a register to itself goes
	Parts        []int // words of instructions of several
	Pauses       bool  // pauses are beside products of matrices
	Jumps        Jumps // where branches by a register go
	Nested       bool  // functions stand inside the code, so that its calls leave nothing to others
	LeavesLast   bool  // sources that go beyond their block leave one scoreboard to others
	keeps        bool  // but for that, code of an older finalizer keeps its schedule
	keepsBoards  bool  // no scoreboard is given out again
	keepsUnit    bool  // code of an older toolkit isn't set apart for sm_103
}

// Kernel changes the code of a kernel.
func Kernel(text []byte, how Options) Result {
	r, dead := change(text, how)
	if r.Unfit && how.HoldsDoubles {
		how.Slow = false // the code for sm_100 has scoreboards
		return Kernel(text, how)
	}
	if r.Changed && !r.Bare {
		was := split(text)
		if r.slowed || how.Slow && r.Fillers != nil {
			unhold(was)
		}
		r.Lost = lost(was, split(r.Text), how.Jumps, &r, dead)
	}
	switch {
	case r.slowed && r.Lost != nil:
		how.keepsUnit = true
		return Kernel(text, how)
	case how.Anew && (r.Lost != nil || r.TooLarge):
		how.Anew, how.keeps = false, true // the schedule that it has is sound
		return Kernel(text, how)
	case r.Lost != nil && !how.Slow && !how.keepsBoards:
		how.keepsBoards = true
		return Kernel(text, how)
	}
	return r
}

// change returns the new code, and the word whose scoreboard went, -1 for none.
func change(text []byte, how Options) (Result, int) {
	c := changing{how: &how, words: split(text), Result: Result{Text: text, Exact: true}, dead: -1}
	c.drop()
	stays := how.Stays
	for i := range c.words {
		stays = stays || c.words[i].isCall()
	}
	if how.Anew {
		return anew(c.words, c.gone, stays, how, c.Result)
	}
	fit := !how.Debug && !how.Fence && len(how.Gone) == 0
	if how.Slow && (countsOnUnit(c.words) && !how.HoldsDoubles || fit && (usesUnit(c.words) || hasUncovered(c.words) || !how.Late && hasLateMUFU(c.words))) {
		return c.slow(c.words, !stays, fit, how)
	}
	c.Quicker = how.Slow && (usesUnit(c.words) || hasQuicker(c.words) || hasUncovered(c.words) || hasHalves(c.words))
	quicken := c.Quicker && fit && !usesUnit(c.words)
	if how.Fence {
		c.front, c.ends = fence(c.words, &c.Result), fenceWords
		if !how.Debug && (!stays || how.Nested) {
			c.ends = c.shortenFences(c.words, c.front)
		}
	}
	old := how.keepOld(c.words, &c.Result)
	c.added = with(c.front, old)
	renewed := len(how.Gone)+len(c.front)+len(old)+len(c.Added) > 0
	bare := how.keeps && how.Bares && isUnoptimized(c.words)
	switch {
	case !how.Debug && !stays:
		c.finalize(renewed, bare)
	case renewed || bare:
		c.keepSchedule(bare)
	case how.Unpaces:
		c.unpace()
	}
	if quicken && c.quicken() {
		c.Changed, c.Text = true, join(c.words)
	}
	return c.Result, c.dead
}

// changing is a function's code while it is changed.
type changing struct {
	Result
	how   *Options
	words []word
	gone  []bool
	front map[int][]word // new fences
	ends  int            // how many words each has
	added map[int][]word // and all else that comes in front of words
	dead  int            // the word whose scoreboard went, -1 for none
}

// drop marks the words that go.
func (c *changing) drop() {
	c.gone = make([]bool, len(c.words))
	for _, i := range c.how.Gone {
		c.gone[i] = true
	}
	for _, i := range c.how.Gone {
		if i+1 < len(c.words) && c.words[i].isMEMBAR() && c.words[i+1].isMEMBAR() {
			dropWait(c.words, c.gone, i, &c.Result)
		}
	}
	closeUp(c.words, c.gone)
}

// keepSchedule makes code whose schedule stays, but for what new fences ask for.
func (c *changing) keepSchedule(bare bool) {
	c.words = rebuild(c.words, c.gone, c.added, &c.Result)
	c.how.setApart(c.words, &c.Result)
	switch {
	case bare:
		c.Result = c.bare(c.words)
		return
	case len(c.front) == 0:
	case c.how.keepsBoards:
		c.Exact = false
	case isLarge(c.words):
		c.TooLarge = true
		return
	case !unscheduled(c.words) && !hasBareEXIT(c.words):
		a := c.newAllocator(trace(c.words), c.ends, c.how.Late)
		c.Exact = a.reallocate(-1) && c.Exact && a.isSure()
		c.doubts = a.doubts
	}
	c.Exact = c.Exact && len(c.how.Fillers) == 0
	c.Changed, c.Text = true, join(c.words)
}

// unpace sets doubles that were paced without NOPs apart again.
func (c *changing) unpace() {
	c.how.setApart(c.words, &c.Result)
	if c.unpaced {
		c.Changed, c.Exact, c.Text = true, false, join(c.words)
	}
}

// finalize makes a kernel as a link without -g does.
func (c *changing) finalize(renewed, bare bool) {
	c.words = repeated(c.words, c.gone, c.added, renewed, &c.Result)
	c.how.setApart(c.words, &c.Result)
	leaf := stackLoad(c.words) && !c.how.KeepsLeaves
	switch {
	case bare:
		c.Result = c.bare(c.words)
		return
	case leaf && c.how.keepsBoards:
		c.Changed, c.Exact = true, false
	case leaf && isLarge(c.words):
		c.TooLarge = true
		return
	case leaf:
		c.freeStackLoad()
	}
	c.Changed = c.Changed || c.Moves != nil || c.unpaced
	c.Exact = c.Exact && len(c.how.Fillers) == 0 && !c.unpaced
	if c.Changed {
		c.Text = join(c.words)
	}
}

// freeStackLoad gives scoreboards out again where the load of a stack pointer that nothing reads needs
// none any more.
func (c *changing) freeStackLoad() {
	var own []word
	given, crowded := false, false
	asked := c.how.Late && !c.how.keeps && c.Moves == nil
	if asked {
		own, given, crowded = ownChoices(c.words, *c.how)
	}
	f := trace(c.words)
	a := c.newAllocator(f, c.ends, c.how.Late && f.isSimple())
	if len(a.first[0]) == 0 {
		return
	}
	finished := a.reallocate(a.first[0][0])
	c.dead = 0
	c.Changed = true
	c.doubts = a.doubts
	shortened := c.how.Late && c.Moves != nil // of 156 such kernels 43 came out otherwise, nvlink 13.5.37
	c.Exact = c.Exact && finished && a.isSure() && (a.method == likeInput) == c.how.Late && !hasDoubtful(c.words) && !shortened
	switch {
	case given:
		c.Exact = finished && !crowded && !hasDoubtful(c.words) && !waitsAtYield(c.words)
		c.words = own
	case asked:
		c.Exact = false
	}
}

// newAllocator gives out scoreboards again where something changed, with fences of so many words. asInput
// says that the input's choices tell.
func (c *changing) newAllocator(f *flow, fenceWords int, asInput bool) *allocator {
	a := &allocator{flow: f, rules: rules{lateWaits: c.how.Late}, fencing: fencing{fences(c.words, c.front, &c.Result), fenceWords}}
	if asInput {
		a.method = likeInput
	}
	return a
}

// isSure reports whether no kernel was seen to come out otherwise.
func (a *allocator) isSure() bool {
	if a.method == likeInput {
		return a.doubts&^(laterBlock|laterWait|overBack) == 0
	}
	return a.doubts.none()
}

// fences returns which words are EXITs with a new fence, nil where there is none.
func fences(words []word, front map[int][]word, r *Result) []bool {
	if len(front) == 0 {
		return nil
	}
	fenced := make([]bool, len(words))
	for i := range front {
		fenced[r.Moves[i]] = true
	}
	return fenced
}

// Scheduled reports whether any instruction holds a scoreboard.
func Scheduled(text []byte) bool {
	for _, w := range split(text) {
		if w.wr() != noBoard || w.rd() != noBoard {
			return true
		}
	}
	return false
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

// waitsAtYield reports whether a YIELD waits: in a loop's first block it was once seen to leave a
// wait to a later word.
func waitsAtYield(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.op() == opYIELD && w.wait() != 0 })
}

const stackRegister = 1

// loadsStack reports whether a word loads the stack pointer.
func (w *word) loadsStack() bool {
	const stackOffset = 0x37c
	return w.op() == opLDC && w.field(16, 8) == stackRegister && w.field(38, 16) == stackOffset
}

// stackLoad reports whether the kernel begins by loading the stack pointer, with
// a scoreboard, and nothing reads it.
func stackLoad(words []word) bool {
	if len(words) == 0 {
		return false
	}
	if w := &words[0]; !w.loadsStack() || w.wr() == noBoard || w.rd() != noBoard {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w word) bool { return w.readsStack() })
}

// readsStack reports whether a word reads the stack pointer, be it as the second of two registers
// where their number is known: of addresses, textures and matrices it is the most there may be.
func (w *word) readsStack() bool {
	d := decoder{word: w}
	s, ok := memory[w.op()]
	if ok && s.b < 0 && w.field(bField, 8) == stackRegister-1 && d.access() > 1 {
		return true
	}
	return slices.ContainsFunc(w.operands().reads, func(s span) bool {
		return s.first == stackRegister || !ok && s == (span{stackRegister - 1, 2})
	})
}
