package learn_test

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/learn"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

func TestMain(m *testing.M) { replay.Main(m) }

var update = flag.Bool("update", false, "write testdata/TAG.tsv anew, from what the tools answer")

var sms = []int{100, 107, 120}

// samplesOf are those of a tag that ptxas 13.0 was seen to write, and records without words.
func samplesOf(t *testing.T, tag string) (list []learn.Sample) {
	t.Helper()
	for line := range strings.Lines(read(t, "../../testdata/heldback.txt")) {
		var s learn.Sample
		if n, _ := fmt.Sscanf(line, "%d %x %x", &s.SM, &s.Record, &s.Words); n == 3 && strings.HasPrefix(hex.EncodeToString(s.Record), tag) {
			list = append(list, s)
		}
	}
	for line := range strings.Lines(read(t, "../../ptx/records.txt")) {
		if strings.HasPrefix(line, tag) {
			b, err := hex.DecodeString(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, learn.Sample{Record: b})
		}
	}
	return list
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func find(t *testing.T) (map[int]*probe.Oracle, map[int]*probe.Reader) {
	t.Helper()
	tools, err := probe.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	oracles, readers := map[int]*probe.Oracle{}, map[int]*probe.Reader{}
	for _, sm := range sms {
		arch := fmt.Sprintf("sm_%d", sm)
		if oracles[sm], err = probe.NewOracle(t.Context(), tools, "13.5", arch); err != nil {
			t.Fatal(err)
		}
		if readers[sm], err = probe.NewReader(t.Context(), tools, "13.5", arch); err != nil {
			t.Fatal(err)
		}
	}
	return oracles, readers
}

// The rules that are learned of a tag on three SMs, from what nvlink 13.5 answers: they are in testdata as they were
// made when nvlink itself was asked. They have the words that ptxas wrote for each record that they know.
func TestForm(t *testing.T) {
	for _, tag := range []string{"024d0232", "024e6832"} {
		t.Run(tag, func(t *testing.T) {
			replay.Use(t, "testdata/"+tag+".gz", "13.5")
			oracles, _ := find(t)
			samples := samplesOf(t, tag)
			var number uint32
			fmt.Sscanf(tag, "%x", &number)
			var traced []string
			text, err := learn.Form(t.Context(), number, samples, oracles, func(f string, a ...any) { traced = append(traced, fmt.Sprintf(f, a...)) })
			if err != nil {
				t.Fatal(err)
			}
			same(t, text, "testdata/"+tag+".tsv")
			if len(traced) < 5 {
				t.Errorf("traced %q", traced)
			}
			table, err := mercury.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			known := 0
			for _, s := range samples {
				n := table.Words(cuda.SM(s.SM), s.Record)
				if n == 0 || len(s.Words) != 16*n {
					continue
				}
				words, want, mask := make([]mercury.Word, n), make([]mercury.Word, n), make([]mercury.Word, n)
				for k := range words {
					words[k] = mercury.GetWord(s.Words[16*k:])
				}
				if table.Decode(cuda.SM(s.SM), s.Record, words, want, mask) != mercury.Known {
					t.Errorf("sm_%d %x isn't known", s.SM, s.Record)
					continue
				}
				known++
				for k, w := range words {
					if (w.Lo^want[k].Lo)&mask[k].Lo != 0 || (w.Hi^want[k].Hi)&mask[k].Hi&^learn.Schedule != 0 {
						t.Errorf("sm_%d %x: %x, ptxas has %x", s.SM, s.Record, want, words)
					}
				}
			}
			t.Logf("%d of %d, %d %d %d links", known, len(samples), oracles[100].Links, oracles[107].Links, oracles[120].Links)
			if known == 0 {
				t.Error("no sample is known")
			}
		})
	}
}

// same compares what was learned with what was learned when the tools were asked.
func same(t *testing.T, got, file string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, file); got != want {
		t.Errorf("%s has\n%s\nand this was learned:\n%s", file, want, got)
	}
}

// The same of opcodes: what the record of a word is.
func TestPlainForm(t *testing.T) {
	for _, op := range []uint64{0x301} {
		name := fmt.Sprintf("testdata/%x", op)
		t.Run(fmt.Sprintf("%x", op), func(t *testing.T) {
			replay.Use(t, name+".gz", "13.5")
			_, readers := find(t)
			var words [][]byte
			for line := range strings.Lines(read(t, "../../testdata/plain.txt")) {
				for _, f := range strings.Fields(line) {
					if b, err := hex.DecodeString(f); err == nil && len(b) == 16 && uint64(b[0])|uint64(b[1]&15)<<8 == op {
						words = append(words, b)
					}
				}
			}
			if len(words) == 0 {
				t.Fatal("no words")
			}
			text, err := learn.PlainForm(t.Context(), op, words, readers, func(string, ...any) {})
			if err != nil {
				t.Fatal(err)
			}
			same(t, text, name+".tsv")
		})
	}
}

// Links that are all made end the learning of a form: what is known of one SM by then holds.
func TestBudget(t *testing.T) {
	replay.Use(t, "testdata/budget.gz", "13.5")
	oracles, readers := find(t)
	budget := &probe.Budget{}
	for _, sm := range sms {
		oracles[sm].Budget, readers[sm].Budget = budget, budget
	}
	quiet := func(string, ...any) {}
	word, err := hex.DecodeString("01730500000000000000000000244e00") // BREV R5, R0
	if err != nil {
		t.Fatal(err)
	}
	plain := func() (string, error) { return learn.PlainForm(t.Context(), 0x301, [][]byte{word}, readers, quiet) }
	form := func() (string, error) {
		return learn.Form(t.Context(), 0x010b0e0a, samplesOf(t, "010b0e0a")[:12], oracles, quiet)
	}
	for _, test := range []struct {
		learn func() (string, error)
		left  int
		want  string
	}{
		{plain, 1, ""}, {plain, 4, ""}, {plain, 5, "plain\t301\t100\t13.5"}, {plain, 6, "plain\t301\t100,107\t13.5"}, {plain, 7, "plain\t301\t100,107,120\t13.5"},
		{form, 10, ""}, {form, 245, "form\t010b0e0a\t100,107\t13.5"},
	} {
		budget.Left = test.left
		text, err := test.learn()
		got, _, _ := strings.Cut(text, "\n")
		if got != test.want || (test.want == "") != errors.Is(err, probe.ErrBudget) {
			t.Errorf("%d links: %s, %v, want %s", test.left, got, err, test.want)
		}
	}
}
