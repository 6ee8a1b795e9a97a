package mercury_test

import (
	"encoding/hex"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

// sample is a node that ptxas 13.0.88 wrote: a record and its words.
type sample struct {
	sm     cuda.SM
	record []byte
	words  []mercury.Word
}

func parseSample(t testing.TB, line string) sample {
	t.Helper()
	f := strings.Fields(line)
	if len(f) != 3 {
		t.Fatalf("sample %q", line)
	}
	sm, err := strconv.ParseUint(f[0], 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	s := sample{sm: cuda.SM(sm)}
	words := unhex(t, f[2])
	s.record = unhex(t, f[1])
	for ; len(words) >= 16; words = words[16:] {
		s.words = append(s.words, mercury.GetWord(words))
	}
	return s
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// heldBack returns the samples of the lines of ptx/ that no rule was made from.
func heldBack(t testing.TB) []sample {
	t.Helper()
	b, err := os.ReadFile("testdata/heldback.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for l := range strings.Lines(string(b)) {
		if l[0] != '#' {
			all = append(all, parseSample(t, l))
		}
	}
	if len(all) < 500 {
		t.Fatalf("only %d samples", len(all))
	}
	return all
}

// decode returns the reason, and whether the words are those of the sample.
func decode(s sample) (why mercury.Reason, same bool) {
	want, mask := make([]mercury.Word, len(s.words)), make([]mercury.Word, len(s.words))
	if why = mercury.Decode(s.sm, s.record, s.words, want, mask); why != mercury.Known {
		return why, false
	}
	for i, w := range s.words {
		if (w.Lo^want[i].Lo)&mask[i].Lo != 0 || (w.Hi^want[i].Hi)&mask[i].Hi != 0 {
			return why, false
		}
	}
	return why, true
}

// least is the share of the held-back nodes that the table knows, in percent.
const least = 55

func TestHeldBack(t *testing.T) {
	all := heldBack(t)
	exact, unknown := 0, map[string]int{}
	for _, s := range all {
		why, same := decode(s)
		switch {
		case why != mercury.Known:
			unknown[hex.EncodeToString(s.record[:4])+" "+string(why)]++
		case same:
			exact++
		default:
			t.Errorf("sm_%d %x: ptxas 13.0.88 has other words: %v", s.sm, s.record, s.words)
		}
	}
	t.Logf("%d of %d exact, unknown %v", exact, len(all), unknown)
	if 100*exact < least*len(all) {
		t.Errorf("%d of %d held-back nodes predicted, want %d %%: unknown %v", exact, len(all), least, unknown)
	}
}

// A flip of any decided bit must show.
func TestMaskIsDecided(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range heldBack(t) {
		if why, same := decode(s); why != mercury.Known || !same {
			continue
		}
		k, bit := rng.IntN(len(s.words)), 16+rng.IntN(60)
		want, mask := make([]mercury.Word, len(s.words)), make([]mercury.Word, len(s.words))
		mercury.Decode(s.sm, s.record, s.words, want, mask)
		decided := mask[k].Lo>>(bit&63)&1 == 1
		if bit >= 64 {
			decided = mask[k].Hi>>(bit&63)&1 == 1
		}
		if len(s.words) > 1 || !decided {
			continue
		}
		if bit < 64 {
			s.words[k].Lo ^= 1 << bit
		} else {
			s.words[k].Hi ^= 1 << (bit - 64)
		}
		if _, same := decode(s); same {
			t.Errorf("%x: bit %d inverted is not seen", s.record, bit)
		}
	}
}

func TestUnknown(t *testing.T) {
	one := make([]mercury.Word, 1)
	all := heldBack(t)
	known := all[slices.IndexFunc(all, func(s sample) bool { why, _ := decode(s); return why == mercury.Known })]
	for _, test := range []struct {
		name   string
		sm     cuda.SM
		record []byte
		words  []mercury.Word
		want   mercury.Reason
	}{
		{"nothing", 100, nil, one, mercury.BadRecord},
		{"mini", 100, []byte{0x41, 0x04, 0, 0x0a}, one, mercury.BadRecord},
		{"32 bytes that say 16", 100, append([]byte{1}, make([]byte, 31)...), one, mercury.BadRecord},
		{"no such form", 100, append([]byte{1, 0xff}, make([]byte, 14)...), one, mercury.NoForm},
		{"no such SM", 90, known.record, known.words, mercury.NoForm},
		{"too many words", known.sm, known.record, make([]mercury.Word, len(known.words)+7), mercury.Span},
		{"no words", known.sm, known.record, nil, mercury.Span},
	} {
		n := len(test.words)
		if got := mercury.Decode(test.sm, test.record, test.words, make([]mercury.Word, n), make([]mercury.Word, n)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Whatever a record holds, and whatever is in the text, there is an answer.
func TestHostileRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	all := heldBack(t)
	for range 200_000 {
		s := all[rng.IntN(len(all))]
		r := append([]byte(nil), s.record...)
		for range 1 + rng.IntN(4) {
			r[rng.IntN(len(r))] = byte(rng.Uint32())
		}
		n := rng.IntN(12)
		mercury.Decode(s.sm, r[:rng.IntN(len(r)+1)], make([]mercury.Word, n), make([]mercury.Word, n), make([]mercury.Word, n))
		mercury.Decode(s.sm, r, s.words, make([]mercury.Word, len(s.words)), make([]mercury.Word, len(s.words)))
	}
}

func BenchmarkDecode(b *testing.B) {
	all := heldBack(b)
	want, mask := make([]mercury.Word, 512), make([]mercury.Word, 512)
	mercury.Default()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := &all[i%len(all)]
		n := len(s.words)
		mercury.Decode(s.sm, s.record, s.words, want[:n], mask[:n])
	}
}
