package schedule

import (
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// Dead reports whether what a register holds after a word of the output is read by nothing: on every path it is
// written first, or the kernel ends. Where control goes to other functions, or a word isn't known, it may be read.
func Dead(a *apply.Applied, code *link.Area, word int, register uint64) bool {
	s := (&check{a}).newSchedule(code)
	seen := make([]bool, len(s.words))
	for open := s.next(word); len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if at >= len(s.words) {
			return false
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		ops := s.ops[at]
		switch {
		case !ops.Known || ops.Rough || ops.Reads.Has(register):
			return false
		case ops.Always && ops.Writes.Has(register):
			continue
		case s.leaving(at) != sass.Sound:
			return false
		}
		open = append(open, s.next(at)...)
	}
	return true
}
