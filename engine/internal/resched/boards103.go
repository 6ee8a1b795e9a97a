package resched

import "slices"

// Which doubles of sm_100 get scoreboards on sm_103.

// fresh is the scoreboards that an instruction gets which it had not.
type fresh struct{ wr, rd bool }

// lateReads omits what an instruction reads at once, and what it overwrites
// itself: its result is waited for.
func lateReads(o *operands) (list []span) {
	for _, r := range o.reads {
		if r.first < uniformFile && !slices.Contains(o.writes, r) {
			list = append(list, r)
		}
	}
	return list
}

// unit is the instructions of a block that are pending in the unit, in order.
type unit struct {
	f       *flow
	results []int
	sources []int
}

// step takes a word: it returns the youngest results and sources that it must wait
// for, -1 for none.
func (u *unit) step(i int) (result, source int) {
	w, o := &u.f.words[i], &u.f.ops[i]
	result, source = -1, -1
	for _, at := range u.results {
		if u.f.excludes(at, i) {
			continue
		}
		if own := u.f.ops[at].writes; overlap(own, o.reads) || !w.inUnit() && overlap(own, o.writes) {
			result = at
		}
	}
	u.results, u.sources = u.behind(u.results, result), u.behind(u.sources, result)
	if !w.inUnit() {
		for _, at := range u.sources {
			if !u.f.excludes(at, i) && overlap(lateReads(&u.f.ops[at]), o.writes) {
				source = at
			}
		}
		u.sources = u.behind(u.sources, source)
		return result, source
	}
	if len(o.writes) > 0 {
		u.results = append(u.results, i)
	}
	if len(lateReads(o)) > 0 {
		u.sources = append(u.sources, i)
	}
	return result, source
}

// after returns what a wait for a word leaves of a list in order: those after it, and
// those of the other kind.
func (u *unit) behind(list []int, at int) (left []int) {
	for _, x := range list {
		if at < 0 || x > at || u.f.words[x].isIMMA() != u.f.words[at].isIMMA() {
			left = append(left, x)
		}
	}
	return left
}

// youngest returns the youngest pending result of each kind.
func (u *unit) youngest() (list []int) {
	for k, at := range u.results {
		if !slices.ContainsFunc(u.results[k+1:], func(x int) bool { return u.f.words[x].isIMMA() == u.f.words[at].isIMMA() }) {
			list = append(list, at)
		}
	}
	return list
}

// freshBoards finds which instructions get scoreboards.
func freshBoards(f *flow) map[int]*fresh {
	need := map[int]*fresh{}
	get := func(at int) *fresh {
		if need[at] == nil {
			need[at] = &fresh{}
		}
		return need[at]
	}
	for b := range f.blocks {
		if !f.seen[b] {
			continue
		}
		u := unit{f: f}
		for i := f.blocks[b].from; i < f.blocks[b].to; i++ {
			result, source := u.step(i)
			if result >= 0 {
				get(result).wr = true
			}
			if source >= 0 {
				get(source).rd = true
			}
		}
		last := &f.words[f.blocks[b].to-1]
		if len(f.blocks[b].next) == 0 && last.op() != opRET {
			continue
		}
		results := u.results
		if last.op() == opRET {
			results = u.youngest()
		}
		for _, at := range results {
			get(at).wr = true
		}
		if len(f.blocks[b].next) == 0 {
			u.sources = nil // what follows a return comes after the results
		}
		for _, at := range u.sources {
			get(at).rd = true
		}
	}
	return need
}

// unhold takes the scoreboards from doubles, which some releases give them on sm_100 too.
func unhold(words []word) {
	for i := range words {
		if w := &words[i]; w.inUnit() {
			w.setWr(noBoard)
			w.setRd(noBoard)
		}
	}
}
