package resched

// Sound103 reports whether code has instructions of the unit of doubles of sm_103, and whether it
// waits for all of them.
func Sound103(text []byte) (uses, sound bool) {
	const most = 1 << 30 // bits
	words := split(text)
	n := 0
	for i := range words {
		if words[i].inUnit() {
			n++
		}
	}
	if n == 0 {
		return false, true
	}
	return true, 2*n*len(blocks(words)) <= most && sound103(words)
}

// sound103 reports whether code for sm_103 waits for every double: for its results
// before anything uses or overwrites their registers, for its sources before
// anything overwrites those, for both before the code calls or returns, on every path.
// A wait for one of a block counts for those before it in the same block, since the
// unit works in order; the unit's own instructions read and write in order too.
func sound103(words []word) bool {
	p := newUnitPending(words)
	sound := true
	p.spread(2*len(p.at), func(set bitset, i int) {
		p.wait(set, i)
		set.each(func(t int) { sound = sound && p.lets(t, i) })
		p.start(set, i)
	})
	return sound
}

// unitPending follows what is pending in the unit. Of its instruction k member k of a set is
// the result, and member n+k the sources, where n is how many there are.
type unitPending struct {
	*flow
	at     []int       // by instruction of the unit: its word
	number map[int]int // of such a word: the instruction
	again  []bool      // by instruction: it started while one of an earlier round was pending
}

func newUnitPending(words []word) *unitPending {
	p := &unitPending{flow: trace(words), number: map[int]int{}}
	for i := range words {
		if words[i].inUnit() {
			p.number[i] = len(p.at)
			p.at = append(p.at, i)
		}
	}
	p.again = make([]bool, len(p.at))
	return p
}

// wait takes out what word i waits for. A result is there after its sources.
func (p *unitPending) wait(set bitset, i int) {
	n, mask := len(p.at), p.words[i].wait()
	set.each(func(t int) {
		switch x := &p.words[p.at[t%n]]; {
		case t < n && x.wr() < boards && mask>>x.wr()&1 != 0:
			p.finish(set, t, 0, i)
			p.finish(set, t, n, i)
		case t >= n && x.rd() < boards && mask>>x.rd()&1 != 0:
			p.finish(set, t-n, n, i)
		}
	})
}

// finish takes out instruction k and those of its kind before it in its block, of the
// members from base on. Seen from word i before k those before i are of a later round
// of a loop.
func (p *unitPending) finish(set bitset, k, base, i int) {
	b, first := p.of[p.at[k]], 0
	if p.of[i] == b && i <= p.at[k] {
		first = i
	}
	for x := k; x >= 0 && p.of[p.at[x]] == b && p.at[x] >= first; x-- {
		if p.words[p.at[x]].isIMMA() == p.words[p.at[k]].isIMMA() {
			set.drop(base + x)
		}
	}
}

// lets reports whether member t may be pending where word i starts.
func (p *unitPending) lets(t, i int) bool {
	n := len(p.at)
	k, isResult := t%n, t < n
	w, o, own := &p.words[i], &p.ops[i], &p.ops[p.at[k]]
	switch {
	case w.isCall() || w.op() == opRET:
		return false // what runs then may use any register
	case !p.again[k] && p.excludes(p.at[k], i):
		return true
	case isResult:
		return !overlap(own.writes, o.reads) && (w.inUnit() || !overlap(own.writes, o.writes))
	}
	return w.inUnit() || !overlap(lateReads(own), o.writes)
}

// start puts in what word i leaves pending.
func (p *unitPending) start(set bitset, i int) {
	k, ok := p.number[i]
	if !ok {
		return
	}
	n := len(p.at)
	p.again[k] = p.again[k] || set.has(k) || set.has(n+k) // an earlier round's may have had another guard
	set.set(k)
	set.set(n + k)
}
