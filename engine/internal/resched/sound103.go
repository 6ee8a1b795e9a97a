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
	f := trace(words)
	var at []int
	number := map[int]int{}
	for i := range words {
		if words[i].inUnit() {
			number[i] = len(at)
			at = append(at, i)
		}
	}
	n := len(at)
	// What stands before k in its block is done with k; seen from word i in front of k
	// those in front of i are of a later round of a loop.
	earlier := func(set bitset, k, base, i int) {
		from := 0
		if f.of[i] == f.of[at[k]] && i <= at[k] {
			from = i
		}
		for x := k; x >= 0 && f.of[at[x]] == f.of[at[k]] && at[x] >= from; x-- {
			if words[at[x]].isIMMA() == words[at[k]].isIMMA() {
				set.drop(base + x)
			}
		}
	}
	good, again := true, make([]bool, n)
	step := func(set bitset, i int) {
		w, o := &words[i], &f.ops[i]
		mask := w.wait()
		set.each(func(t int) {
			x := &words[at[t%n]]
			if t < n && x.wr() < boards && mask>>x.wr()&1 != 0 {
				earlier(set, t, 0, i)
				earlier(set, t, n, i)
			} else if t >= n && x.rd() < boards && mask>>x.rd()&1 != 0 {
				earlier(set, t-n, n, i)
			}
		})
		leaves := w.isCall() || w.op() == opRET // what runs then may use any register
		set.each(func(t int) {
			own := &f.ops[at[t%n]]
			switch {
			case leaves:
				good = false
			case !again[t%n] && f.excludes(at[t%n], i):
			case t < n:
				good = good && !overlap(own.writes, o.reads) && (w.inUnit() || !overlap(own.writes, o.writes))
			case !w.inUnit():
				good = good && !overlap(lateReads(own), o.writes)
			}
		})
		if k, ok := number[i]; ok {
			again[k] = again[k] || set.has(k) || set.has(n+k) // an earlier round's may have had another guard
			set.set(k)
			set.set(n + k)
		}
	}
	f.spread(2*n, step)
	return good
}
