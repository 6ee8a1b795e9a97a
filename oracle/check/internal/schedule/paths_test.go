package schedule

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

const plainBranch = 0xe0 << 18 // what the upper half of a branch has that all threads take together

// branchWord is a branch under a guard by a distance in words.
func branchWord(op, guard uint64, words int64, high uint64) []byte {
	n := uint64(words*sass.Instruction/4) & (1<<56 - 1)
	low := op | guard<<12 | n&0xff<<16 | n>>8<<34
	high |= n >> 38 & (1<<18 - 1)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)
}

// row is code of a word among others that do nothing.
func row(at, length int, word []byte) *schedule {
	s := &schedule{targets: map[int][]int{}}
	for range length {
		s.words = append(s.words, branchWord(sass.OpNop, 7, 0, 0))
	}
	s.words[at] = word
	return s
}

// TestNext lists where control may go after a word.
func TestNext(t *testing.T) {
	changed := func(word []byte, at int, b byte) []byte { word[at] = b; return word }
	for i, x := range []struct {
		word    []byte
		targets []int
		want    []int
		leaves  bool
	}{
		{branchWord(sass.OpNop, 7, 0, 0), nil, []int{3}, false},
		{branchWord(sass.OpExit, 7, 0, 0), nil, nil, true},
		{branchWord(sass.OpExit, 0, 0, 0), nil, []int{3}, false},
		{branchWord(sass.OpRet, 7, 0, 0), nil, nil, true},
		{branchWord(sass.OpRet, 8, 0, 0), nil, []int{3}, false},
		{branchWord(sass.OpBra, 7, 2, plainBranch), nil, []int{5}, true},
		{branchWord(sass.OpBra, 7, 0, plainBranch), nil, []int{3}, false},
		{branchWord(sass.OpBra, 7, -3, plainBranch), nil, []int{0}, true},
		{branchWord(sass.OpBra, 7, -4, plainBranch), nil, nil, true},
		{branchWord(sass.OpBra, 7, 4, plainBranch), nil, []int{7}, true},
		{branchWord(sass.OpBra, 7, 5, plainBranch), nil, nil, true},
		{branchWord(sass.OpBra, 0, 2, plainBranch), nil, []int{5, 3}, true},
		{branchWord(sass.OpBra, 7, 2, plainBranch-1<<18), nil, []int{5, 3}, true},
		{changed(branchWord(sass.OpBra, 7, 2, plainBranch), 3, 1), nil, []int{5, 3}, true},
		{branchWord(sass.OpBra, 7, 2, plainBranch|1<<40), nil, []int{5, 3}, true},
		{branchWord(sass.OpBra, 7, 2, plainBranch|1<<41), nil, []int{5}, true}, // a stall
		{branchWord(sass.OpBraU, 7, 2, plainBranch), nil, []int{5, 3}, true},
		{branchWord(sass.OpBrx, 7, 0, 0), []int{1, 6}, []int{1, 6}, true},
		{branchWord(sass.OpBrx, 0, 0, 0), []int{1, 6}, []int{1, 6, 3}, true},
		{branchWord(sass.OpBrxU, 7, 0, 0), []int{1}, []int{1}, true},
		{branchWord(sass.OpBrx, 7, 0, 0), nil, nil, true},
		{branchWord(sass.OpCall, 7, 0, 0), nil, []int{3}, true},
		{branchWord(sass.OpCallRelTo, 7, 0, 0), nil, []int{3}, true},
	} {
		s := row(2, 8, x.word)
		s.targets[2] = x.targets
		if got := s.next(2); !slices.Equal(got, x.want) {
			t.Errorf("%d: %v, want %v", i, got, x.want)
		}
		if got := s.leaves(2); got != x.leaves {
			t.Errorf("%d: leaves %v", i, got)
		}
	}
}

// TestLeaving: nothing may be pending where code of others follows; where nobody knows what follows, nothing is known.
func TestLeaving(t *testing.T) {
	for i, x := range []struct {
		word    []byte
		targets []int
		want    sass.Soundness
	}{
		{branchWord(sass.OpNop, 7, 0, 0), nil, sass.Sound},
		{branchWord(sass.OpExit, 7, 0, 0), nil, sass.Sound},
		{branchWord(sass.OpRet, 7, 0, 0), nil, sass.Unsound},
		{branchWord(sass.OpRet, 0, 0, 0), nil, sass.Unsound},
		{branchWord(sass.OpCall, 7, 0, 0), nil, sass.Unsound},
		{branchWord(sass.OpCallRel, 7, 0, 0), nil, sass.Unsound},
		{branchWord(sass.OpCallTo, 7, 0, 0), nil, sass.Unsound},
		{branchWord(sass.OpCallRelTo, 7, 0, 0), nil, sass.Unsound},
		{branchWord(sass.OpBrx, 7, 0, 0), nil, sass.Unknown},
		{branchWord(sass.OpBrxU, 7, 0, 0), nil, sass.Unknown},
		{branchWord(sass.OpBrx, 7, 0, 0), []int{1}, sass.Sound},
		{branchWord(sass.OpBra, 7, 2, plainBranch), nil, sass.Sound},
		{branchWord(sass.OpBra, 7, -3, plainBranch), nil, sass.Sound},
		{branchWord(sass.OpBra, 7, -4, plainBranch), nil, sass.Unsound},
		{branchWord(sass.OpBra, 7, 4, plainBranch), nil, sass.Sound},
		{branchWord(sass.OpBra, 7, 5, plainBranch), nil, sass.Unsound},
	} {
		s := row(2, 8, x.word)
		s.targets[2] = x.targets
		if got := s.leaving(2); got != x.want {
			t.Errorf("%d: %d, want %d", i, got, x.want)
		}
	}
}

// TestTooSoon: a word sees a scoreboard two cycles after the one that takes it, and no sooner.
func TestTooSoon(t *testing.T) {
	const none = sass.NoBoard
	c := func(stall, write, read, wait uint64) sass.Control {
		return sass.Control{Stall: stall, Write: write, Read: read, Wait: wait}
	}
	for i, x := range []struct {
		in, out []sass.Control
		want    int
	}{
		{[]sass.Control{c(2, 0, none, 0), c(1, none, none, 1)}, []sass.Control{c(2, 0, none, 0), c(1, none, none, 1)}, 0},
		{[]sass.Control{c(2, 0, none, 0), c(1, none, none, 1)}, []sass.Control{c(1, 0, none, 0), c(1, none, none, 1)}, 1},
		{[]sass.Control{c(1, 0, none, 0), c(1, none, none, 1)}, []sass.Control{c(1, 0, none, 0), c(1, none, none, 1)}, 0}, // as in the input
		{[]sass.Control{c(2, none, 1, 0), c(1, none, none, 2)}, []sass.Control{c(1, none, 1, 0), c(1, none, none, 2)}, 1},
		{[]sass.Control{c(2, 0, none, 0), c(1, none, none, 1)}, []sass.Control{c(1, 0, none, 0), c(1, none, none, 2)}, 0},
		{[]sass.Control{c(2, none, none, 0), c(1, none, none, 1)}, []sass.Control{c(1, none, none, 0), c(1, none, none, 1)}, 0},
		{[]sass.Control{c(1, 0, none, 0), c(1, none, none, 0), c(1, none, none, 1)}, []sass.Control{c(1, 0, none, 0), c(0, none, none, 0), c(1, none, none, 1)}, 2},
		{[]sass.Control{c(1, 0, none, 0), c(1, none, none, 0), c(1, none, none, 1)}, []sass.Control{c(1, 0, none, 0), c(1, none, none, 0), c(1, none, none, 1)}, 0},
		{[]sass.Control{c(2, 0, none, 0)}, []sass.Control{c(1, 0, none, 0)}, 0},
	} {
		s := row(0, len(x.in), branchWord(sass.OpNop, 7, 0, 0))
		s.in, s.out = x.in, x.out
		if got := s.tooSoon(0); got != x.want {
			t.Errorf("%d: %d, want %d", i, got, x.want)
		}
	}
	s := row(1, 3, branchWord(sass.OpBra, 7, 1, plainBranch))
	s.in = []sass.Control{c(1, 0, none, 0), c(1, none, none, 0), c(1, none, none, 1)}
	s.out = []sass.Control{c(1, 0, none, 0), c(0, none, none, 0), c(1, none, none, 1)}
	if got := s.tooSoon(0); got != 0 {
		t.Errorf("behind a branch: %d", got)
	}
}

// TestSoonByTable asks the table of distances as its file says.
func TestSoonByTable(t *testing.T) {
	for i, x := range []struct {
		from, to, cycles uint64
		wait, over       bool
		want             sass.Soundness
	}{
		// 2 2: 4, often; with a wait 4; over 1.
		{2, 2, 4, false, false, sass.Sound},
		{2, 2, 3, false, false, sass.Unsound},
		{2, 2, 4, true, false, sass.Sound},
		{2, 2, 3, true, false, sass.Unsound},
		{2, 2, 1, false, true, sass.Sound},
		{2, 2, 0, false, true, sass.Unsound},
		// 19 2: 4, with a wait 5: what is far enough without a wait is with one.
		{0x19, 2, 4, true, false, sass.Sound},
		{0x19, 2, 3, true, false, sass.Unsound},
		// 19 4: 4, seldom; less than anything else uses such a result is too near all the same.
		{0x19, 4, 4, false, false, sass.Sound},
		// 2 8: 4, seldom, over 10; whoever uses a MOV's result does so a cycle later at the least.
		{2, 8, 4, false, false, sass.Sound},
		{2, 8, 3, false, false, sass.Unknown},
		{2, 8, 0, false, false, sass.Unsound},
		{2, 8, 10, false, true, sass.Sound},
		// 2 4 has a distance with a wait alone.
		{2, 4, 8, true, false, sass.Sound},
		{2, 4, 8, false, false, sass.Unknown},
		// 15 986: 15, seldom, and nothing else: whether less is too near is not known, nor is it elsewhere.
		{0x15, 0x986, 14, false, false, sass.Unknown},
		{0x15, 0x986, 15, false, false, sass.Sound},
		// 4b: used after four cycles at the most; whoever else comes after six is late enough.
		{0x4b, 0xfff, 5, false, false, sass.Unknown},
		{0x4b, 0xfff, 6, false, false, sass.Sound},
		// 54: used after fourteen cycles at the most.
		{0x54, 0xfff, 13, false, false, sass.Unknown},
		{0x54, 0xfff, 14, false, false, sass.Sound},
		{2, 0xfff, 14, false, false, sass.Unknown},
		{2, 0xfff, 15, false, false, sass.Sound},
		// Where the result would be there for the first who could use it, it may be written over.
		{2, 0xfff, 1, false, true, sass.Sound},
		{2, 0xfff, 0, false, true, sass.Unknown},
		// Nobody was seen to use such a result.
		{0xfff, 2, 16, false, false, sass.Unknown},
		{0xfff, 2, 16, false, true, sass.Unknown},
		{2, 0xfff, 16, false, false, sass.Sound}, // later than anybody else uses a MOV's
		{2, 0xfff, 1, false, false, sass.Unknown},
	} {
		got := useSoon(x.from, x.to, x.cycles, x.wait)
		if x.over {
			got = overSoon(x.from, x.to, x.cycles)
		}
		if got != x.want {
			t.Errorf("%d: %x %x after %d: %d, want %d", i, x.from, x.to, x.cycles, got, x.want)
		}
	}
}

// TestUnitsInOrder lists what the words of one unit tell of each other.
func TestUnitsInOrder(t *testing.T) {
	const (
		shfl, lds, ldc, i2f, f2i = 0x589, 0x984, 0xb82, 0x306, 0x305
		dfma, dsetp, mov         = 0x22b, 0x22a, 0x202
		sts, stl, ldl, ldg, stg  = 0x388, 0x387, 0x983, 0x981, 0x986
	)
	word := func(op uint64) []byte { return branchWord(op, 7, 0, 0) }
	for i, x := range []struct {
		from, by        uint64
		results, inputs bool
	}{
		{shfl, shfl, true, false}, {lds, lds, true, false}, {ldc, ldc, true, false}, {lds, ldc, false, false}, {ldg, ldg, false, false},
		{i2f, f2i, true, false}, {i2f, mov, false, false}, {mov, i2f, false, false},
		{dfma, dsetp, true, true}, {dsetp, dfma, true, true}, {dfma, mov, false, false}, {mov, dfma, false, false},
		{opIMMA, opIMMA, false, true}, {opIMMA, mov, false, false}, {mov, opIMMA, false, false},
		{0xf9b, 0xf9d, false, true}, {0xf9d, 0xf9b, false, true}, {0xf9b, mov, false, false}, {mov, 0xf9d, false, false}, {0xf9c, 0xf9d, false, false}, {0xf9d, 0xf9a, false, false}, {0xf9e, 0xf9d, false, false},
		{0x989, 0x989, true, false}, {0x9c3, 0x9c3, true, false}, {0xf89, 0xf89, true, false}, {0xf8a, 0xf8a, false, false}, {0xf88, 0xf88, false, false}, {0x988, 0x988, false, true}, {0x98a, 0x98a, false, false},
		{0x9c2, 0x9c2, false, false}, {0x9c4, 0x9c4, false, false}, {0xb81, 0xb81, false, false}, {0xb83, 0xb83, false, false}, {0x58a, 0x58a, false, false}, {0x588, 0x588, false, false}, {0x985, 0x985, false, false},
		{opIMMA + 1, opIMMA, false, false}, {opIMMA - 1, opIMMA, false, false}, {0x983, 0x984, false, false}, {sts, 0x982, false, false}, {sts, 0x985, false, false}, {0x386, sts, false, false}, {0x389, sts, false, false}, {0x986, 0x984, false, false}, {0x989, 0x984, false, false},
		{sts, sts, false, true}, {sts, lds, false, true}, {stl, ldl, false, true}, {sts, ldg, false, false}, {lds, sts, false, false}, {stg, sts, false, false},
		{0x987, 0x988, false, true}, {0x988, 0x987, false, true}, {sts, mov, false, false},
	} {
		if got := resultsInOrder(x.from, x.by); got != x.results {
			t.Errorf("%d: results of %x and %x: %v", i, x.from, x.by, got)
		}
		if got := readInOrder(word(x.from), word(x.by)); got != x.inputs {
			t.Errorf("%d: operands of %x and %x: %v", i, x.from, x.by, got)
		}
	}
}

// TestSlow: on sm_103 doubles and IMMA of code for sm_100 are done after 64 cycles.
func TestSlow(t *testing.T) {
	s := row(0, 6, branchWord(0x22b, 7, 0, 0))
	s.known, s.slower = make([]bool, 6), true
	s.out = make([]sass.Control, 6)
	if s.slow(0) {
		t.Error("a word that was put in")
	}
	s.known[0], s.known[1], s.known[2] = true, true, true
	s.words[1] = branchWord(opIMMA, 7, 0, 0)
	if !s.slow(0) || !s.slow(1) || s.slow(2) {
		t.Error("doubles and IMMA are slow")
	}
	for i := range s.out {
		s.out[i].Stall = 16
	}
	if at := s.doneAt(token{word: 0, result: true}); at != 4 {
		t.Errorf("done at %d", at)
	}
	s.out[3].Stall = 15
	if at := s.doneAt(token{word: 0, result: true}); at != 5 {
		t.Errorf("a cycle too few: done at %d", at)
	}
	for _, other := range []token{{word: 0}, {word: 2, result: true}} {
		if at := s.doneAt(other); at != -1 {
			t.Errorf("%+v: done at %d", other, at)
		}
	}
	for i := range s.out {
		s.out[i].Stall = 1
	}
	if at := s.doneAt(token{word: 0, result: true}); at != -1 {
		t.Errorf("at the end of code too soon: done at %d", at)
	}
	for i := range s.out {
		s.out[i].Stall = 16
	}
	s.words[2] = branchWord(sass.OpBra, 7, 1, plainBranch)
	if at := s.doneAt(token{word: 0, result: true}); at != -1 {
		t.Errorf("behind a branch: done at %d", at)
	}
	if s.slower = false; s.slow(0) {
		t.Error("code for its own target")
	}
}

// TestBoardBit: there are six scoreboards.
func TestBoardBit(t *testing.T) {
	for board, want := range []uint64{1, 2, 4, 8, 16, 32, 0, 0} {
		if got := boardBit(uint64(board)); got != want {
			t.Errorf("%d: %b", board, got)
		}
	}
}
