package resched

import "slices"

// Kinds of MEMBAR, by the upper half's low 16 bits.
const (
	membarCTA = 0x8000 // of the block
	membarEnd = 0x5000 // before a kernel's EXIT, with -g

	dummyLoads = 4 // at most so many loads that never happen are before one
)

// repeated removes barriers that others make needless: a block's before another,
// and the one at a kernel's end; and before any the loads that never happen.
// Branches are aimed again, and the code is padded to eight words. gone are words
// that go anyway, front what comes before some; any says that there are such.
//
// Code with barriers in shared memory (SYNCS) keeps its MEMBARs of the block, code that
// copies to shared memory (LDGSTS) its loads, and code that writes to a surface the MEMBAR of
// its end. Source: 156 kernels of our own put to nvlink 13.0.88, and 13.5.37; for surfaces 25
// by 13.0.88 to 13.5.37.
func repeated(words []word, gone []bool, front map[int][]word, any bool, r *Result) []word {
	first := slices.IndexFunc(words, word.isMEMBAR)
	if first >= 0 {
		any = takeOut(words, first, gone, keptIn(words), r) || any
	}
	if !any {
		return words
	}
	return rebuild(words, gone, front, r)
}

// kept says what repeated leaves: MEMBARs of the block, loads that never happen, the MEMBAR
// of a kernel's end.
type kept struct{ fences, loads, end bool }

func keptIn(words []word) kept {
	return kept{
		fences: slices.ContainsFunc(words, word.isSYNCS),
		loads:  slices.ContainsFunc(words, word.isLDGSTS),
		end:    slices.ContainsFunc(words, word.writesSurface),
	}
}

// takeOut marks as gone what repeated removes from word first on. It reports whether it did.
func takeOut(words []word, first int, gone []bool, keeps kept, r *Result) (any bool) {
	for i := first; i < len(words); i++ {
		if !words[i].isMEMBAR() {
			continue
		}
		for j := i - 1; !keeps.loads && j >= 0 && i-j <= dummyLoads && words[j].isDummyLoad(); j-- {
			gone[j], any = true, true
		}
		switch kind := words[i].hi & 0xffff; {
		case kind == membarEnd && !keeps.end:
			gone[i], any = true, true
		case kind == membarCTA && !keeps.fences && i+1 < len(words) && words[i+1].isMEMBAR():
			gone[i], any = true, true
			dropWait(words, gone, i, r)
		}
	}
	return any
}

// dropWait takes from the word after i, which goes, the wait for word i alone. Code of
// ptxas 13.5 has such a wait between the MEMBARs of a fence. Where ptxas doesn't optimize each
// word waits for everything, and goes on to.
func dropWait(words []word, gone []bool, i int, r *Result) {
	board, next := words[i].rd(), &words[i+1]
	if board >= boards || next.wait()>>board&1 == 0 || isUnoptimized(words) {
		return
	}
	list := blocks(words)
	b := slices.IndexFunc(list, func(b block) bool { return b.from <= i && i < b.to })
	for j := i - 1; j >= list[b].from; j-- {
		w := &words[j]
		if !gone[j] && (w.rd() == board || w.wr() == board) {
			return // it is for that one, too
		}
		if w.isCollective() {
			r.Exact = false // what follows it was once seen to keep the wait, nvlink 13.1.115
			return
		}
		if w.waitMask()>>board&1 != 0 {
			next.setWait(next.wait() &^ (1 << board))
			return
		}
	}
	if b > 0 && isHeldAtEntry(words, b, board) {
		r.Exact = false
		return
	}
	next.setWait(next.wait() &^ (1 << board))
}

// isHeldAtEntry reports whether something of another block may hold a scoreboard where a block begins.
func isHeldAtEntry(words []word, b, board int) (held bool) {
	f := trace(words)
	f.entry[b].each(func(t int) { held = held || f.tokens[t].board == board })
	return held
}

// AfterFence returns which word of an instruction that begins with a fence is its principal
// one: the first that is no part of the fence, or the last MEMBAR of a fence alone. ok is
// false where it doesn't begin with one. Source: attributes and frames of 44 kernels for
// sm_100, 103 and 120 by nvlink 13.0.88.
func AfterFence(text []byte) (at int, ok bool) {
	for i := range len(text) / WordSize {
		switch w := wordAt(text, i); {
		case w.isMEMBAR():
			at, ok = i, true
		case w.isDummyLoad():
			ok = true
		case !ok || !w.isOfFence():
			return i, ok
		}
	}
	return at, ok
}

// IsFenced reports whether words from to the one before to are a fence and an EXIT, as
// a link with -g makes them.
func IsFenced(text []byte, from, to int) bool {
	if to-from <= 1 || to*WordSize > len(text) {
		return false
	}
	last := wordAt(text, to-1)
	if last.op() != opEXIT {
		return false
	}
	for k := from; k < to-1; k++ {
		if w := wordAt(text, k); !w.isMEMBAR() && !w.isOfFence() {
			return false
		}
	}
	return true
}

// fenceWords is how many words fence puts before an EXIT.
const fenceWords = 3

// shortenFences takes the MEMBAR out of new fences, which a kernel doesn't need but where it writes to
// a surface. It returns how long they are.
func (r *Result) shortenFences(words []word, front map[int][]word) int {
	if slices.ContainsFunc(words, word.writesSurface) {
		r.Exact = r.Exact && len(front) < 2 // which scoreboards a guarded EXIT waits for then isn't known
		return fenceWords
	}
	for i := range front {
		front[i] = front[i][1:]
	}
	return fenceWords - 1
}

// fence returns what goes before every EXIT, by word, so that errors are known
// before a kernel ends, under the EXIT's predicate. A fence of that predicate that is there already is enough.
func fence(words []word, r *Result) map[int][]word {
	const (
		guardBits  = 0xf << 12
		lastFenced = opCGAERR
		exitStall  = 5
	)
	front := make(map[int][]word)
	slow, slowDoubles := unscheduled(words), doublesHold(words)
	for i := range words {
		w := &words[i]
		if w.op() != opEXIT || i > 0 && words[i-1].op() == lastFenced && words[i-1].guard() == w.guard() {
			continue
		}
		g := w.lo & guardBits
		if w.isBare() {
			front[i] = fenceOf(g, bareWord, bareWord)
			r.Fenced = append(r.Fenced, i)
			continue
		}
		if slow {
			front[i] = fenceOf(g, 0x003fc00000000000, 0x003fde0000000000)
			r.Fenced = append(r.Fenced, i)
			continue
		}
		if slowDoubles && doubleGuard(words, i) {
			r.Exact = false // the comparison gets a scoreboard
		}
		w.setStall(exitStall)
		w.hi |= 1 << yieldBit
		last := exitAfterFence
		if sooner(words, i) {
			last = max(last, predicateLatency-words[i-1].stall()-1)
		}
		guarded := w.wait() & guardBoards(words, i)
		if i > 0 && words[i-1].stall() == apart && words[i-1].isWaitedFor(w) && words[i-1].kind() != kindDouble && !words[i-1].holds(guarded) {
			words[i-1].setStall(1) // the fence is between it and the wait, but where that waits for its guard
			r.Exact = r.Exact && !(w.fallsThrough() && sharesBoards(words, i-1) && slices.ContainsFunc(words, word.writesSurface))
		}
		w.setWait(w.wait() &^ guarded)
		front[i] = fenceOf(g, bareWord, 0x000fec0000000000)
		front[i][1].setWait(guarded)
		front[i][2].setStall(last)
		r.Fenced = append(r.Fenced, i)
	}
	return front
}

// sharesBoards reports whether the word before word i holds a scoreboard of its. Before guarded EXITs of
// code that writes to surfaces such a word was seen to keep its stall, nvlink 13.0.88.
func sharesBoards(words []word, i int) bool {
	if i == 0 {
		return false
	}
	before, w := &words[i-1], &words[i]
	return before.rd() < boards && before.rd() == w.rd() || before.wr() < boards && before.wr() == w.wr()
}

// bareWord is the schedule of a word that neither stalls, waits nor holds a scoreboard.
const bareWord = 0x000fc00000000000

// fenceOf returns a fence under a guard: a MEMBAR, an ERRBAR and a CGAERRBAR, the last two
// with these schedules.
func fenceOf(guard, errbar, cgaerrbar uint64) []word {
	return []word{{lo: opMEMBAR | guard, hi: membarEnd | bareWord}, {lo: opERRBAR | guard, hi: errbar}, {lo: opCGAERR | guard, hi: cgaerrbar}}
}

// unscheduled reports whether code is what ptxas makes without optimization: all share
// two scoreboards, and an EXIT stalls as long as it can and waits for both.
func unscheduled(words []word) bool {
	const both = 3
	return shareTwoBoards(words) && !slices.ContainsFunc(words, func(w word) bool {
		return w.op() == opEXIT && (w.stall() != maxStall || w.wait() != both)
	})
}

// isBare reports whether an instruction has no schedule at all, as ptxas 13.3 and later
// leave code without optimization: it neither stalls, waits nor holds a scoreboard.
func (w *word) isBare() bool {
	return w.stall() == 0 && w.wait() == 0 && w.wr() == noBoard && w.rd() == noBoard
}

// hasBareEXIT reports whether an EXIT has no schedule.
func hasBareEXIT(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.op() == opEXIT && w.isBare() })
}

// tailWords is a bound of the padding: the code is a multiple of 8 words, with at
// least 9 of them after its end.
const (
	tailMin   = 9
	codeAlign = 8
)

const (
	predicateLatency = 13 // cycles from a comparison to the use of its predicate
	exitAfterFence   = 6  // stall of a fence's last word
)

// sooner shortens the stall before an EXIT, word i, that waits for a predicate
// which the fence doesn't need: that of the EXIT itself. It reports whether it did.
func sooner(words []word, i int) bool {
	const (
		least    = 3
		ownFirst = 87
	)
	own := words[i].field(ownFirst, 3)
	if own == 7 || i == 0 || words[i-1].stall() != predicateLatency {
		return false
	}
	guard := []span{{predFile + int(words[i].guard()&7), 1}}
	stall, since := least, 0
	for j := i - 1; j >= 0 && since < predicateLatency; j-- {
		if j < i-1 {
			since += max(1, words[j].stall())
		}
		if overlap(words[j].operands().writes, guard) {
			stall = max(stall, predicateLatency-since)
			break
		}
	}
	words[i-1].setStall(stall)
	return true
}

// guardBoards returns the scoreboard of the instruction before word i, in the
// same run of code, that makes its guard; 0 for none. The second word of a fence
// waits for it.
func guardBoards(words []word, i int) uint8 {
	const always = 7
	p := int(words[i].guard() & 7)
	if p == always {
		return 0
	}
	for j := i - 1; j >= 0 && !words[j].endsBlock(); j-- {
		o := words[j].operands()
		if overlap(o.writes, []span{{predFile + p, 1}}) {
			if wr := words[j].wr(); wr != noBoard {
				return 1 << wr
			}
			return 0
		}
	}
	return 0
}

// doubleGuard reports whether the guard of word i is made, in the same run of code,
// by a comparison of doubles that holds no scoreboard.
func doubleGuard(words []word, i int) bool {
	guard := []span{{predFile + int(words[i].guard()&7), 1}}
	for j := i - 1; j >= 0 && !words[j].endsBlock(); j-- {
		if overlap(words[j].operands().writes, guard) {
			return words[j].kind() == kindDouble && words[j].wr() == noBoard
		}
	}
	return false
}

// doublesHold reports whether doubles hold scoreboards, as on sm_103, sm_110 and
// sm_120.
func doublesHold(words []word) bool {
	for i := range words {
		if words[i].kind() == kindDouble && words[i].wr() != noBoard {
			return true
		}
	}
	return false
}

// rebuild removes words and puts others before some.
func rebuild(words []word, gone []bool, front map[int][]word, r *Result) []word {
	end := len(words)
	for end > 0 && words[end-1].op() == opNOP {
		end--
	}
	r.Moves, r.Starts = make([]int, len(words)), make([]int, len(words)+1)
	var out []word
	var from []int // by word of the output; -1 is new
	for i := range words {
		r.Starts[i], r.Moves[i] = len(out), -1
		if i >= end || gone[i] {
			continue
		}
		for _, w := range front[i] {
			out, from = append(out, w), append(from, -1)
		}
		r.Moves[i] = len(out)
		out, from = append(out, words[i]), append(from, i)
	}
	for k := range out {
		if from[k] < 0 {
			continue
		}
		t, ok := out[k].branchTarget(from[k])
		if !ok {
			t, ok = out[k].callTarget(from[k])
		}
		if ok && t >= 0 && t < end {
			out[k].setBranchTarget(k, r.Starts[t])
		}
	}
	// The trap after the end is one word, the rest NOPs.
	total := (len(out) - 1 + tailMin + codeAlign - 1) / codeAlign * codeAlign
	nop := word{lo: opNOP | 7<<12, hi: 0x000fc00000000000}
	for len(out) < total {
		out = append(out, nop)
	}
	r.Starts[len(words)] = len(out)
	return out
}
