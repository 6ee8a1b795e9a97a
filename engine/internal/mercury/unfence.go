package mercury

import (
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/engine/internal/resched"
)

// unfence takes the fences away that a link with -r -g put before EXITs: a link
// without -g, in which no input asks for fences, makes each EXIT of its record again. It
// returns the words that go.
//
// Source: 78 programs put to nvlink 13.0.88 for sm_100 and 13.5.37 for sm_120; code of
// the final link is that of a part made without -g.
func (fn *code) unfence() (gone []int) {
	if !slices.ContainsFunc(fn.cap.Wide(), func(w capsule.Wide) bool { return w.Kind == capsule.Full && w.Span > 1 }) {
		return nil
	}
	for i := range fn.cap.Nodes {
		n := &fn.cap.Nodes[i]
		if n.Kind != capsule.Full || !n.Spanned {
			continue
		}
		from := int(n.SASS / capsule.WordSize)
		if to := from + int(n.Span); resched.IsFenced(fn.sass, from, to) {
			for k := from; k < to-1; k++ {
				gone = append(gone, k)
			}
			n.Kind = capsule.Plain
		}
	}
	return gone
}
