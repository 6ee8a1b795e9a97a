package resched

import "testing"

// bare is a word that holds and waits for nothing.
func bare(op uint64, guard, d, a uint64) (w word) {
	w.put(0, 12, op)
	w.put(12, 4, guard)
	w.put(dField, 8, d)
	w.put(aField, 8, a)
	w.put(bField, 8, zero)
	w.put(cField, 8, zero)
	w.setWr(noBoard)
	w.setRd(noBoard)
	w.setStall(2)
	return w
}

// A word needn't wait for a double under the inverted guard, but where an earlier round of a
// loop may have done it under another value, or something writes the predicate in between.
func TestExcluded(t *testing.T) {
	const dadd, add, compare, always = 0x229, 0x210, 0x20c, 7
	double := bare(dadd, 1, 8, 4)
	double.put(64, 8, 6)
	double.setWr(0)
	use := bare(add, 9, 12, 8) // @!P1
	for _, field := range []uint{pField, p2Field, ppField, 77} {
		use.put(field, 3, always)
	}
	write := bare(compare, always, 0, 12)
	write.put(pField, 3, 1) // P1
	write.put(p2Field, 3, always)
	write.put(ppField, 3, always)
	write.put(68, 3, always)
	back := bare(opBRA, 0, 0, zero)
	back.put(ppField, 3, always)
	exit := bare(opEXIT, always, 0, zero)
	exit.put(ppField, 3, always)
	loop := []word{double, use, write, back, exit}
	loop[3].setBranchTarget(3, 0)
	for name, c := range map[string]struct {
		words []word
		sound bool
	}{
		"straight": {[]word{double, use, exit}, true},
		"written":  {[]word{double, write, use, exit}, false},
		"loop":     {loop, false},
	} {
		if got := sound103(c.words); got != c.sound {
			t.Errorf("%s: sound %v", name, got)
		}
	}
}
