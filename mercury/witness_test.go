package mercury_test

import (
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/probe"
	"github.com/twinlink/twinlink/witness"
	"github.com/twinlink/twinlink/witness/witnesstest"
)

// Records that nobody wrote: held-back ones with other numbers in them. nvlink
// says what they mean.
func TestAgainstNvlink(t *testing.T) {
	tools := witnesstest.Need(t, "13.5", witness.Nvlink, witness.Ptxas)
	oracle, err := probe.NewOracle(t.Context(), tools, "13.5", "sm_100")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	var nodes []probe.Node
	for _, s := range heldBack(t) {
		if s.sm != 100 {
			continue
		}
		r := append([]byte(nil), s.record...)
		if rng.IntN(3) > 0 {
			continue
		}
		// Numbers: the upper bits of a register, some of an immediate.
		if rng.IntN(2) == 0 {
			r[11] = r[11]&0xc0 | byte(rng.IntN(63))
		} else {
			r[len(r)-4+rng.IntN(3)] = byte(rng.Uint32())
		}
		nodes = append(nodes, probe.Node{Record: r})
	}
	answers, err := oracle.Ask(t.Context(), nodes)
	if err != nil {
		t.Fatal(err)
	}
	exact, unknown := 0, 0
	for i, a := range answers {
		var words []mercury.Word
		for w := a.Words; len(w) >= 16; w = w[16:] {
			words = append(words, mercury.GetWord(w))
		}
		if len(words) == 0 || words[0] == (mercury.Word{Hi: words[0].Hi & mercury.Schedule}) {
			continue // an instruction that isn't
		}
		why, same := decode(sample{100, nodes[i].Record, words})
		switch {
		case why != mercury.Known:
			unknown++
		case same:
			exact++
		default:
			t.Errorf("%x: nvlink 13.5.37 makes %x of it", nodes[i].Record, a.Words)
		}
	}
	t.Logf("%d exact, %d unknown of %d; %d links", exact, unknown, len(nodes), oracle.Links)
	if 100*exact < least*len(nodes) {
		t.Errorf("%d of %d known", exact, len(nodes))
	}
}
