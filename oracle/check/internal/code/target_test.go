package code

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// A branch to an EXIT goes to the first of the fences that -g puts before it, not past one.
func TestBranchPastFence(t *testing.T) {
	word := func(high, low, stall uint64) []byte {
		control := stall | 1<<4 | 7<<5 | 7<<8
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high|control<<41)
	}
	fences := slices.Concat(word(0x5000, 0x7992, 0), word(0, 0x79ab, 0), word(0x03800000, 0x794d, 5))
	for words, right := range []bool{true, false, false} {
		branch := func(by int) []byte { return word(0x03800000, 0x0947|uint64(by)*4<<16, 5) }
		b := &link.Body{Owner: &link.Identity{Name: "f"}, Section: &image.Section{Name: ".text.f"}, Mod: &link.Module{Image: &image.Image{Name: "f.cubin"}}}
		a := &link.Area{Name: ".text.f", Owner: b, Out: &image.Section{Body: slices.Concat(branch(words), fences)}, Words: &sass.WordMap{To: []int32{0, 3}, From: []int32{0, -1, -1, 1}}}
		c := &check{apply.New(link.New(0, verdict.Options{}))}
		c.compareTarget(a, 0, 0, branch(0), branch(words))
		if got := c.Verdict.Total == 0; got != right {
			t.Errorf("%d words further: %v", words, c.Verdict)
		}
	}
}
