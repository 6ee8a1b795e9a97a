package resched

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// slowKernel is a kernel with doubles and what nvlink 13.0.88 makes of it for sm_103.
type slowKernel struct {
	name    string
	in, out []word
	stays   bool // a function that isn't a kernel
}

func slowKernels(t *testing.T) (list []slowKernel) { return slowKernelsOf(t, "testdata/slow.txt") }

func slowKernelsOf(t *testing.T, file string) (list []slowKernel) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch f[0] {
		case "kernel", "function":
			list = append(list, slowKernel{name: f[1], stays: f[0] == "function"})
		case "in", "out":
			var words []word
			for _, s := range f[1:] {
				hi, err := strconv.ParseUint(s[:16], 16, 64)
				if err != nil {
					t.Fatal(err)
				}
				lo, err := strconv.ParseUint(s[16:], 16, 64)
				if err != nil {
					t.Fatal(err)
				}
				words = append(words, word{lo, hi})
			}
			if k := &list[len(list)-1]; f[0] == "in" {
				k.in = words
			} else {
				k.out = words
			}
		}
	}
	return list
}

// The code is nvlink's, word for word: chains, loads between, branches, loops, shared
// memory, comparisons, conversions, calls and returns.
func TestSlow(t *testing.T) {
	if n := wantSlow(t, "testdata/slow.txt", Options{Slow: true}); n < 20 {
		t.Errorf("%d kernels", n)
	}
}

// Later releases fill the time beside products of matrices with another instruction; the
// last ones pace nothing else.
func TestSlowLate(t *testing.T) {
	n := wantSlow(t, "testdata/slow-13.1.txt", Options{Slow: true, Late: true})
	n += wantSlow(t, "testdata/slow-13.5.txt", Options{Slow: true, Late: true, HoldsDoubles: true, Unpaced: true})
	if n < 12 {
		t.Errorf("%d kernels", n)
	}
}

// A double that shares a scoreboard with what the next word waits for stalls for two cycles, and what follows it for
// less; waits for who shared a scoreboard in the input go with it.
func TestSlowShared(t *testing.T) {
	n := wantSlow(t, "testdata/soon.txt", Options{Slow: true})
	n += wantSlow(t, "testdata/soon-13.5.txt", Options{Slow: true, Late: true, HoldsDoubles: true, Unpaced: true})
	if n < 5 {
		t.Errorf("%d kernels", n)
	}
}

// In 13.5 sources that go beyond their block leave the last scoreboard to others, where the block's results that do hold
// the rest.
func TestSlowLeavesLast(t *testing.T) {
	how := Options{Slow: true, Late: true, HoldsDoubles: true, Unpaced: true, LeavesLast: true}
	if n := wantSlow(t, "testdata/leaveslast-13.5.txt", how); n < 3 {
		t.Errorf("%d kernels", n)
	}
}

// A double is complete for the next word, which may wait for it before a loop too; what comes around a loop is waited
// for where its first block needs it, with all that shares its scoreboard.
func TestSlowComplete(t *testing.T) {
	how := Options{Slow: true, Late: true, HoldsDoubles: true, Unpaced: true, LeavesLast: true}
	if n := wantSlow(t, "testdata/complete-13.5.txt", how); n < 6 {
		t.Errorf("%d kernels", n)
	}
}

// Products of halves wait for the unit, and what counts on their results keeps its distance, before branches and
// at ends of blocks too.
func TestSlowHalves(t *testing.T) {
	n := wantSlow(t, "testdata/halves.txt", Options{Slow: true})
	n += wantSlow(t, "testdata/halves-13.5.txt", Options{Slow: true, Late: true, HoldsDoubles: true, Unpaced: true})
	if n < 18 {
		t.Errorf("%d kernels", n)
	}
}

// Code of an older toolkit becomes what nvlink 13.5 makes of it for sm_103.
func TestSlowAnew(t *testing.T) {
	n := wantSlow(t, "testdata/slowanew-13.5.txt", Options{Quick: true, Anew: true, Late: true, HoldsDoubles: true, Unpaced: true, Pauses: true, JoinsMoves: true, LeavesLast: true})
	if n < 8 {
		t.Errorf("%d kernels", n)
	}
}

// wantSlow wants the kernels of a file as nvlink makes them, and returns how many there are.
func wantSlow(t *testing.T, file string, how Options) int {
	t.Helper()
	list := slowKernelsOf(t, file)
	for _, k := range list {
		how.Stays = k.stays
		r := Kernel(join(k.in), how)
		words := split(r.Text)
		if len(words) != len(k.out) {
			t.Errorf("%s: %d words, nvlink has %d", k.name, len(words), len(k.out))
		}
		for i, w := range words {
			if i >= len(k.out) || w != k.out[i] {
				t.Errorf("%s: word %d is %016x.%016x, not nvlink's", k.name, i, w.hi, w.lo)
				break
			}
		}
		if !r.Changed || r.Unfit || r.Lost != nil {
			t.Errorf("%s: changed %v, unfit %v, lost %v", k.name, r.Changed, r.Unfit, r.Lost)
		}
	}
	return len(list)
}

// nvlink's code waits for every double; the input's, which counts cycles, and code that
// lacks a wait for one do not.
func TestSound103(t *testing.T) {
	taken, missed := 0, 0
	for _, k := range slowKernels(t) {
		if !sound103(k.out) {
			t.Errorf("%s: nvlink's code is taken for unsound", k.name)
		}
		if sound103(k.in) {
			t.Errorf("%s: the code of sm_100 is taken for sound", k.name)
		}
		for i := range k.out {
			if !k.out[i].isDouble() || k.out[i].wr() == noBoard {
				continue
			}
			words := split(join(k.out))
			words[i].setWr(noBoard)
			taken++
			if sound103(words) {
				missed++ // a later one of its block is waited for as well
			}
		}
	}
	if taken < 40 || missed*10 > taken {
		t.Errorf("%d of %d scoreboards of results may go", missed, taken)
	}
}

// Code that calls or returns while a double is pending is unsound.
func TestSoundCalls(t *testing.T) {
	taken := 0
	for _, k := range slowKernels(t) {
		if !slices.Contains([]string{"call", "callarm", "return", "mediumpath"}, k.name) {
			continue // others wait for something else there
		}
		for i := range k.out {
			if w := &k.out[i]; !w.isCall() && w.op() != opRET || w.wait() == 0 {
				continue
			}
			words := split(join(k.out))
			words[i].setWait(0)
			if taken++; sound103(words) {
				t.Errorf("%s: word %d waits for nothing", k.name, i)
			}
		}
	}
	if taken < 3 {
		t.Errorf("%d waits", taken)
	}
}

// Two doubles of a block stand 64 cycles apart.
func TestPace(t *testing.T) {
	for _, k := range slowKernels(t) {
		r := Kernel(join(k.in), Options{Slow: true, Stays: k.stays})
		words := split(r.Text)
		for _, b := range blocks(words) {
			since := pace
			for i := b.from; i < b.to; i++ {
				if words[i].isPaced() {
					if since < pace {
						t.Errorf("%s: word %d comes after %d cycles", k.name, i, since)
					}
					since = 0
				}
				since += cycles(&words[i])
			}
		}
	}
}

// An instruction that clears what it reads, with the zero register for a result, and a
// barrier of clusters are understood; a product of sparse matrices isn't.
func TestUnderstood(t *testing.T) {
	for _, c := range []struct {
		name string
		w    word
		want bool
	}{
		{"BMOV.32.CLEAR RZ", word{lo: 0x355 | 7<<12 | zero<<16}, true},
		{"UCGABAR_ARV", word{lo: 0x9c7 | 7<<12}, true},
		{"IMMA.16816", word{lo: 0x0000000004047237, hi: 0x004fde00004054ff}, true},
		{"IMMA.SP.16832", word{lo: 0x0000000604047237, hi: 0x004fde0000405dff}, false},
		{"no known instruction", word{lo: 0x3fe | 7<<12}, false},
	} {
		if got := c.w.isUnderstood(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What other changes are made to is left alone and named.
func TestSlowUnfit(t *testing.T) {
	k := slowKernels(t)[0]
	for _, how := range []Options{{Slow: true, Debug: true}, {Slow: true, Fence: true}, {Slow: true, Gone: []int{1}}} {
		if r := Kernel(join(k.in), how); !r.Unfit || r.Changed {
			t.Errorf("%+v: unfit %v, changed %v", how, r.Unfit, r.Changed)
		}
	}
}
