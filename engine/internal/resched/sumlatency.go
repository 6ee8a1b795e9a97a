package resched

// dependence is what one word asks of a later one: both as they were, with IADD3s for new IADDs.
type dependence struct {
	*changes
	from, to       word
	h              hazard
	fromSum, toSum bool // that word is a new IADD
	fromPairs      bool // the first word is an IADD of pairs as it is
}

// sumLatency is what the latency of a pair of words was, and is.
func (f *flow) sumLatency(from, to int, h hazard, c *changes) (was, is int, known bool) {
	d := dependence{changes: c, from: f.words[from], to: f.words[to], h: h, fromSum: c.isSum[from], toSum: c.isSum[to], fromPairs: f.words[from].isPairSum()}
	if d.fromSum {
		d.from = *d.from.asThree()
	}
	if d.toSum {
		d.to = *d.to.asThree()
	}
	if was, is, known = d.byKind(); known {
		return was, is, true
	}
	was, known = d.latencyWas()
	if d.isOverPaced() {
		return max(was, 1), 1, true
	}
	return was, d.latencyIs(was, known), known
}

// hasSum reports whether one of the words is a new IADD.
func (d *dependence) hasSum() bool { return d.fromSum || d.toSum }

// byKind returns the latencies where the kinds of both words tell, whatever else was seen.
func (d *dependence) byKind() (was, is int, ok bool) {
	isNext := d.h == hazardNext
	switch {
	case d.h == hazardPredicate && d.from.isSum() && d.to.isSum():
		return d.ofCarry()
	case d.from.arrivesBehind() && !isNext && d.h != hazardUnit:
		return 1, 1, true // those who need it wait for a later one
	case isNext && d.unpaced && (d.from.isPaced() || d.to.isPaced()):
		if d.to.isPaced() && d.from.isPair() {
			return takesPair, takesPair, true
		}
		return 1, 1, true
	case isNext && d.from.isPair():
		return d.behindPair()
	case d.unpaced:
		n := d.to.doubleLatency(&d.from, d.h)
		return n, n, n > 0
	}
	return 0, 0, false
}

// ofCarry returns the latencies of a carry from sum to sum.
func (d *dependence) ofCarry() (was, is int, ok bool) {
	if d.hasSum() {
		return withinPipe, acrossPipe, true
	}
	return withinPipe, withinPipe, true
}

// behindPair returns the latencies of a word right after one that its pipe takes twice.
func (d *dependence) behindPair() (was, is int, ok bool) {
	was = takesPair
	if d.to.isOfIntegers() {
		was++
	}
	if d.toSum {
		return was, takesPair, true
	}
	return was, was, true
}

// latencyWas returns the latency of the words as they were: what was seen, where no rule says more.
func (d *dependence) latencyWas() (cycles int, known bool) {
	cycles, known = d.seen()
	if most := d.usual(); most > 0 && (!known || cycles > most || d.from.isPairSum() && !d.to.isOfIntegers() && d.h < hazardGuard) {
		cycles, known = most, true
	}
	if n := d.from.pairLatency(&d.to); n > 0 && (d.h < hazardGuard || d.h >= hazardHigh) {
		cycles, known = n, true
	}
	switch {
	case (d.h == hazardGuard || d.h == hazardPredicate) && d.from.isVector():
		return d.ofPredicate(cycles, known)
	case !known && d.h >= hazardUniform && d.h < hazardHigh && d.from.isArithmetic() && !d.from.isVector() && d.to.isMemory():
		return uniformAddress, true
	}
	return cycles, known
}

// seen returns what the table has. Of the second of a pair it has what it has of the first.
func (d *dependence) seen() (cycles int, known bool) {
	from, to := kindOf(&d.from), kindOf(&d.to)
	cycles, known = d.table[pair{from, to, d.h}]
	if high := d.h&^(hazardOperand-1) + hazardHigh; !known && d.h >= high && d.h < high+8 {
		cycles, known = d.table[pair{from, to, d.h - hazardHigh}]
	}
	return cycles, known
}

// usual returns the most that arithmetic asks of arithmetic, or of memory by a vector register, 0 for
// other words.
func (d *dependence) usual() int {
	toMemory := d.to.isMemory() && (d.h < hazardUniform || d.h >= hazardHigh)
	if !d.from.isVector() || !d.to.isVector() && !toMemory {
		return 0
	}
	return d.from.usualLatency(&d.to, d.h)
}

// ofPredicate returns the latency of a predicate. What compares pairs makes it a cycle later.
func (d *dependence) ofPredicate(cycles int, known bool) (int, bool) {
	switch usual := d.from.usualLatency(&d.to, d.h); {
	case !known || d.h == hazardGuard && d.from.isPairLogic():
		return max(cycles, usual), true
	case d.from.isPairLogic() && d.to.op() != opP2R:
		return cycles + 1, true
	}
	return cycles, known
}

// isOverPaced reports whether the words write the same, and the second isn't paced any more or needs
// no distance.
func (d *dependence) isOverPaced() bool {
	return d.h == hazardOver && d.unpaced && (d.to.isPaced() || d.from.isUniformMove() && d.to.wr() == noBoard)
}

// latencyIs returns the latency of the words as they are: an IADD is in another pipe than IADD3.
func (d *dependence) latencyIs(was int, known bool) int {
	intoPipe := d.to.isOfIntegers() || d.to.op() == opR2UR
	switch {
	case !d.hasSum():
	case d.h == hazardNext && d.toSum && d.fromPairs:
		return takesPair
	case d.h == hazardNext, d.h == hazardOver && was == takesIntegers:
		return 1
	case d.h == hazardOver, d.h == hazardUnit, !known:
	case was == withinPipe && d.from.isOfIntegers() && intoPipe:
		return acrossPipe
	case was == acrossPipe && d.toSum && d.from.isPair():
		return acrossPipe + 1 // as for all but the pipe of IADD3
	}
	return was
}
