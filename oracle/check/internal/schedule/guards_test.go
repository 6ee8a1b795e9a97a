package schedule

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// ofWords is code of words as they stand.
func ofWords(list ...scheduled) *schedule {
	s := &schedule{targets: map[int][]int{}}
	for _, x := range list {
		s.words, s.ops, s.out = append(s.words, x.word()), append(s.ops, sass.OperandsOf(x.word())), append(s.out, sass.ControlOf(x.word()))
	}
	return s
}

// under gives a word another guard: a predicate, and 8 more where it is negated.
func (x scheduled) under(guard uint64) scheduled { x.low = x.low&^0xf000 | guard<<12; return x }

// TestExclusive: of two words under opposite guards one is executed, while nothing writes the predicate.
func TestExclusive(t *testing.T) {
	uniform := scheduled{0x08000000, 0x0000000000047882, 2, 7, 7, 0} // UMOV UR4, 0x0
	test := func(predicate uint64) scheduled {                       // ISETP
		return scheduled{0x03f05270 | predicate<<17, 0x000000ff3500720c, 13, 7, 7, 0}
	}
	for i, x := range []struct {
		words []scheduled
		want  bool
	}{
		{[]scheduled{moves.under(0), uses.under(8)}, true},
		{[]scheduled{moves.under(8), uses.under(0)}, true},
		{[]scheduled{moves.under(6), uses.under(14)}, true},
		{[]scheduled{moves.under(0), uses.under(0)}, false},
		{[]scheduled{moves.under(0), uses.under(9)}, false},
		{[]scheduled{moves.under(8), uses.under(8)}, false},
		{[]scheduled{moves, uses.under(15)}, false}, // of which one is for all
		{[]scheduled{moves.under(15), uses}, false},
		{[]scheduled{moves.under(0), uniform.under(8)}, false}, // of a thread and of all
		{[]scheduled{uniform.under(0), uniform.under(8)}, true},
		{[]scheduled{moves.under(0), test(0), uses.under(8)}, false},
		{[]scheduled{moves.under(8), test(0), uses.under(0)}, false},
		{[]scheduled{moves.under(0), test(1), uses.under(8)}, true},
		{[]scheduled{moves.under(8), test(1), uses.under(0)}, true},
		{[]scheduled{moves.under(9), test(1), uses.under(1)}, false},
		{[]scheduled{moves.under(9), test(2), uses.under(1)}, true},
		{[]scheduled{moves.under(0), unknown, uses.under(8)}, false},
		{[]scheduled{moves.under(0), nothing, test(0).under(8)}, true},                   // after its guard
		{[]scheduled{{1 << 27, 0x000000000004024a, 4, 7, 7, 0}, uniform.under(8)}, true}, // FMUL2 of uniform registers
		{[]scheduled{{0, 0x000000000004024a, 4, 7, 7, 0}, uniform.under(8)}, false},
		{[]scheduled{uniform.under(0), {1 << 27, 0x000000000004824a, 4, 7, 7, 0}}, true},
		{[]scheduled{uniform.under(0), {0, 0x000000000004824a, 4, 7, 7, 0}}, false},
		{[]scheduled{moves.under(0), {0, 0x000000000004824a, 4, 7, 7, 0}}, true},
	} {
		s := ofWords(x.words...)
		if got := s.exclusive(0, len(s.words)-1); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}

	// One that is kept elsewhere may be reached under either guard, and what isn't known stays so.
	s := ofWords(moves.under(0), uses.under(8))
	if got := s.soonAfter(0, 1, &s.ops[0], 1, false, true); got != sass.Unsound {
		t.Errorf("behind a branch: %d", got)
	}
	s = ofWords(unknown.under(0), uses.under(8))
	if got := s.soonAfter(0, 1, &s.ops[0], 1, false, false); got != sass.Unknown {
		t.Errorf("of what isn't known: %d", got)
	}
}

// TestFamily: arithmetic counts by its lowest eight bits, whatever its operands; other words by all of them.
func TestFamily(t *testing.T) {
	for op, want := range map[uint64]uint64{
		0x202: 0x02, 0x802: 0x02, 0xc02: 0x02, 0x402: 0x402, // MOV and MOV.64
		0x210: 0x10, 0x810: 0x10, 0xc10: 0x10, 0x20c: 0x0c,
		0x803: 0x803, 0x81c: 0x81c, 0x886: 0x886, 0x806: 0x806, // P2R, PLOP3, VOTEU, VOTE
		0x804: 0x04, 0x81d: 0x1d, 0x887: 0x87, 0x81b: 0x1b, 0x885: 0x85,
		0x1ff: 0x1ff, 0x5ff: 0x5ff, 0x2ff: 0xff,
		0xb82: 0xb82, 0x984: 0x984, 0x3c6: 0x3c6, 0x947: 0x947, 0x94d: 0x94d,
	} {
		if got := family((scheduled{low: op | 7<<12}).word()); got != want {
			t.Errorf("%x: %x, want %x", op, got, want)
		}
	}
}

// TestReuseMarks: each of three bits is about a register of its own.
func TestReuseMarks(t *testing.T) {
	word := scheduled{0x00000003, 0x00000002010a7223, 4, 7, 7, 0} // FFMA R10, R1, R2, R3
	for i, x := range []struct {
		bit, register uint64
		want          int
	}{
		{122, 1, 0}, {122, 2, -1}, {122, 3, -1},
		{123, 1, -1}, {123, 2, 0}, {123, 3, -1},
		{124, 1, -1}, {124, 2, -1}, {124, 3, 0},
		{125, 1, -1}, {125, 2, -1}, {125, 3, -1},
		{122, 254, -1}, // another's
	} {
		next := scheduled{0x00000f00, 0x0000000500007202 | x.register<<16, 4, 7, 7, 0} // MOV
		s := scheduleOf([]scheduled{word, next}, []scheduled{word, next})
		s.words[0] = slices.Clone(s.words[0])
		s.words[0][x.bit/8] |= 1 << (x.bit % 8)
		if got := s.staleReuse(); got != x.want {
			t.Errorf("%d: %d", i, got)
		}
	}
	word.low = 0x00000002fe0a7223 // FFMA R10, R254, R2, R3
	next := scheduled{0x00000f00, 0x0000000500fe7202, 4, 7, 7, 0}
	s := scheduleOf([]scheduled{word, next}, []scheduled{word, next})
	s.words[0] = slices.Clone(s.words[0])
	if s.words[0][15] |= 1 << (122 % 8); s.staleReuse() != 0 {
		t.Error("R254 is a register as any")
	}
}

// TestTargetsIn reads where indirect branches go: two groups of 13.0's attribute, of code before whose third word
// two fences were put.
func TestTargetsIn(t *testing.T) {
	w := &sass.WordMap{To: []int32{0, 1, 4, 5, -1, 6}, From: []int32{0, 1, -1, -1, 2, 3, 5}}
	s := scheduleOf([]scheduled{nothing}, []scheduled{nothing})
	s.area.Words, s.words = w, make([][]byte, 7)
	group := func(branch uint32, list ...uint32) (value []byte) {
		for _, n := range append([]uint32{branch, 0x77, uint32(len(list))}, list...) {
			value = append(value, sass.BytesOf(n)...)
		}
		return value
	}
	for i, x := range []struct {
		value []byte
		want  map[int][]int
	}{
		{nil, nil},
		{group(0x10, 0, 0x20, 0x40), map[int][]int{1: {0, 2, 6}}}, // before what was inserted, after what is gone
		{slices.Concat(group(0x20, 0x30), group(0x10, 0)), map[int][]int{4: {5}, 1: {0}}},
		{slices.Concat(group(0x10), group(0x20, 0x30)), map[int][]int{4: {5}}},
		{group(0x60, 0), map[int][]int{7: {0}}}, // after the end
		{group(0x10, 0x60), map[int][]int{1: {7}}},
		{group(0x10, 0, 0x20)[:16], map[int][]int{1: {0}}},
		{group(0x10, 0, 0x20)[:19], map[int][]int{1: {0}}},
		{group(0x10, 0)[:12], nil},
		{group(0x10, 0)[:11], nil},
	} {
		got := s.targetsIn(x.value)
		if len(got) != len(x.want) {
			t.Errorf("%d: %v, want %v", i, got, x.want)
		}
		for branch, list := range x.want {
			if !slices.Equal(got[branch], list) {
				t.Errorf("%d: %v, want %v", i, got, x.want)
			}
		}
	}
}

// TestForeignDoubles: code of sm_100 with doubles must wait for them on sm_103; its own target's, and that of others,
// may rely on stalls.
func TestForeignDoubles(t *testing.T) {
	for i, x := range []struct {
		object uint32
		target int
		want   string
	}{{100, 103, "rejected"}, {103, 103, "accepted"}, {100, 100, "accepted"}, {101, 103, "accepted"}, {99, 103, "accepted"}, {100, 104, "accepted"}, {100, 102, "accepted"}} {
		in := []scheduled{double.stalls(15), nothing.stalls(15), uses, leaves}
		s := scheduleOf(in, in)
		s.area.Owner.Mod.Header.Osabi, s.area.Owner.Mod.Header.Abi, s.area.Owner.Mod.Header.Flags = 0x41, 8, x.object<<8
		s.c.SM = x.target
		s = s.c.newSchedule(s.area)
		if got := s.judged(t); got != x.want {
			t.Errorf("%d: %s", i, got)
		}
	}
}

// TestFencesAtEnd: a fence that was put in at the end of code has nothing after it that waits.
func TestFencesAtEnd(t *testing.T) {
	s := scheduleOf([]scheduled{compares, membar.under(0)}, []scheduled{compares, membar.under(0)}).putIn(1)
	for i, x := range []struct {
		result bool
		board  uint64
		waits  uint64
		known  bool
		want   bool
	}{
		{true, 2, 4, false, true}, {true, 2, 2, false, false}, {true, 2, 0, false, false}, {false, 2, 4, false, false}, {true, sass.NoBoard, 1 << 7, false, false}, {true, 2, 4, true, false},
	} {
		s.out[1].Wait, s.known[1] = x.waits, x.known
		if got := s.fencesWait(token{result: x.result, out: x.board}, 1); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
	s.out[1].Wait, s.known[1] = 4, false
	s.words[1] = uses.word()
	if s.fencesWait(token{result: true, out: 2}, 1) {
		t.Error("no fence")
	}
}

// TestCyclesOfPaths: a way on which the input waited longer, on which somebody waits between, or whose value is written
// over.
func TestCyclesOfPaths(t *testing.T) {
	for i, x := range []struct {
		in, out []scheduled
		want    string
	}{
		// After a branch too; nearer than the table has.
		{[]scheduled{compares, onward, guarded, leaves}, []scheduled{compares.stalls(7), onward, guarded, leaves}, "20: uses the result of the instruction at 0x0 after 12 cycles, in the input after 18"},
		{[]scheduled{compares, onward, guarded, leaves}, []scheduled{compares.stalls(8), onward, guarded, leaves}, "+"},
		// No more than sixteen cycles are followed.
		{[]scheduled{compares.stalls(15), nothing.stalls(6), guarded, leaves}, []scheduled{compares.stalls(14), nothing.stalls(1), guarded, leaves}, "+"},
		// A value that is written over is another's; under a guard it may stay.
		{[]scheduled{compares, {0x03f05270, 0x000000ff3500720c, 15, 7, 7, 0}, guarded, leaves}, []scheduled{compares.stalls(2), {0x03f05270, 0x000000ff3500720c, 15, 7, 7, 0}, guarded, leaves}, "+"},
		{[]scheduled{moves.stalls(8), adds.stalls(1), uses, leaves}, []scheduled{moves.stalls(4), unknown, uses, leaves}, "?"},
	} {
		s := scheduleOf(x.in, x.out)
		if got := s.told(t); got != x.want && (len(x.want) > 1 || got[:1] != x.want) {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}
