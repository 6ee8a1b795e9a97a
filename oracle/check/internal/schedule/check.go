package schedule

import (
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// check is the link whose code is judged.
type check struct{ *apply.Applied }

// Compare checks code whose words are the input's but for their schedule, or for words
// that were put in or omitted.
func Compare(a *apply.Applied, code *link.Area, changed int) error {
	return (&check{a}).compareSchedule(code, changed)
}

// Without reports whether the code of the output has no schedule at all.
func Without(a *apply.Applied, code *link.Area) bool { return (&check{a}).newSchedule(code).without() }
