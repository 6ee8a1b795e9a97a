package resched

// startTimes are when the words of a block start, and its end where it is counted: as they did, and as they do.
type startTimes struct{ was, is []int }

// bound is the least stall of the word before another, as it was and as it is.
type bound struct{ was, is int }

// distance is how far word k of the block was after an earlier one.
func (s *startTimes) distance(k, at int) int { return s.was[k] - s.was[at] }

// ask raises a bound of word k by so many cycles after an earlier one, be they more than there were.
func (s *startTimes) ask(to *bound, k, at, was, is int) {
	to.was = max(to.was, s.was[at]+was-s.was[k-1])
	to.is = max(to.is, s.is[at]+is-s.is[k-1])
}

// askApart is ask, but that what stood closer was known to be right. Nothing is asked after a word before
// the block.
func (s *startTimes) askApart(to *bound, k, at, was, is int) {
	if at < 0 {
		return
	}
	if n := s.distance(k, at); was > n {
		was, is = n, n
	}
	s.ask(to, k, at, was, is)
}
