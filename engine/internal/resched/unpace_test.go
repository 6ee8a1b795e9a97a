package resched

import (
	"bytes"
	"strings"
	"testing"
)

// relocated reports whether the lower halves of a file's words have values of the link.
func relocated(file string) bool {
	return strings.Contains(file, "call") || strings.Contains(file, "warpsync")
}

// TestUnpaced takes the pacing out of doubles that ptxas 13.3.73 compiled for sm_120, as nvlink
// 13.5.37 does; of "fewer", by 13.0.88, it gives out the scoreboards again as well: doubles that had
// none get none. A block that a call follows (call) ends later then, since all its results must be complete;
// so on sm_110 too (call110). A WARPSYNC stalls for
// what it takes itself (warpsync, of a generated program, for sm_121 through nvlink 13.4.92).
func TestUnpaced(t *testing.T) {
	eachPair(t, "unpaced", func(file string, text, want []byte) {
		fillers := FillersOf(text)
		r := Kernel(text, Options{Late: true, Adds: !strings.Contains(file, "110"), Fillers: fillers, Gone: fillers, Unpaces: true, Stays: strings.Contains(file, "square") || strings.Contains(file, "warpsync"), Anew: strings.Contains(file, "fewer"), Pads: true})
		if r.Lost != nil || len(fillers) == 0 || r.Exact {
			t.Errorf("%s: lost %+v, %d fillers, exact %t", file, r.Lost, len(fillers), r.Exact)
		}
		if !bytes.Equal(r.Text, want) && !(relocated(file) && sameUpper(r.Text, want)) {
			t.Errorf("%s: other", file)
		}
	})
}

func TestHoldsManySources(t *testing.T) {
	w := word{lo: 0x981, hi: 7<<rdShift | 5<<wrShift}
	if HoldsManySources(join([]word{w})) {
		t.Error("a result of memory isn't a source")
	}
	w.setRd(4)
	if !HoldsManySources(join([]word{w})) {
		t.Error("the fifth scoreboard of sources isn't seen")
	}
}
