package mercury_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/gather"
	"github.com/twinlink/twinlink/mercury/internal/learn"
	"github.com/twinlink/twinlink/mercury/internal/probe"
	"github.com/twinlink/twinlink/mercury/internal/ptx"
)

// Records that nobody wrote: held-back ones with other numbers in them. nvlink
// says what they mean.
func TestAgainstNvlink(t *testing.T) {
	tools := nvidiatest.Need(t, "13.5", nvidia.Nvlink, nvidia.Ptxas)
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
	if 4*exact < len(nodes) {
		t.Errorf("%d of %d known", exact, len(nodes))
	}
}

// The Mercury of PLAIN words of lines that were held back.
func TestEncodeAgainstNvlink(t *testing.T) {
	tools := nvidiatest.Need(t, "13.5", nvidia.Nvlink, nvidia.Ptxas)
	nvidiatest.Need(t, "13.0", nvidia.Ptxas)
	var lines []string
	for _, name := range []string{"math", "convert", "special"} {
		b, err := os.ReadFile("ptx/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range ptx.Lines(string(b)) {
			if ptx.HeldBack(l) && len(lines) < 96 {
				lines = append(lines, l)
			}
		}
	}
	seen := map[string]bool{}
	var words [][]byte
	var sizes []int
	unknown := map[uint64]int{}
	total := 0
	job := gather.Job{Release: "13.0", Version: "9.0", Target: "sm_100a"}
	err := gather.Lines(t.Context(), tools, job, lines, func(_ []string, cubin []byte) error {
		plain, err := gather.Plain(cubin)
		for _, s := range plain {
			w := learn.Bare(s.Words)
			if seen[w] {
				continue
			}
			seen[w] = true
			total++
			word := mercury.GetWord([]byte(w))
			size := mercury.Default().PlainSize(100, word)
			if size == 0 {
				unknown[word.Lo&0xfff]++
				continue
			}
			words, sizes = append(words, []byte(w)), append(sizes, size)
		}
		return err
	}, func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	r, err := probe.NewReader(t.Context(), tools, "13.5", "sm_100")
	if err != nil {
		t.Fatal(err)
	}
	records, err := r.Records(t.Context(), words, sizes)
	if err != nil {
		t.Fatal(err)
	}
	exact := 0
	for i, want := range records {
		got, why := mercury.Encode(100, mercury.GetWord(words[i]))
		switch {
		case want == nil:
			t.Errorf("%x: nvlink 13.5.37 shows nothing at this size, %d", words[i], sizes[i])
		case why != mercury.Known:
		case bytes.Equal(got, want):
			exact++
		default:
			t.Errorf("%x: %x, nvlink 13.5.37 has %x", words[i], got, want)
		}
	}
	t.Logf("%d of %d words exact, opcodes unknown: %x", exact, total, unknown)
	if 100*exact < leastPlain*total {
		t.Errorf("%d of %d words exact, want %d %%", exact, total, leastPlain)
	}
}

// leastPlain is the share of PLAIN words whose Mercury is known, in percent.
const leastPlain = 35
