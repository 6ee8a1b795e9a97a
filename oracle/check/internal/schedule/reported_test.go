package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// told is what a check of a whole schedule says of which word; after "?" is what could not be judged, after "+" a remark.
func (s *schedule) told(t *testing.T) string {
	t.Helper()
	if err := s.c.compareSchedule(s.area, 3); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range s.c.Verdict.Findings {
		list = append(list, fmt.Sprintf("%x: %s", f.Offset, f.Detail))
	}
	for _, f := range s.c.Verdict.Unjudged {
		list = append(list, fmt.Sprintf("? %x: %s", f.Offset, f.Detail))
	}
	for _, f := range s.c.Verdict.Remarks {
		list = append(list, "+ "+f.Detail)
	}
	return strings.Join(list, "; ")
}

// putIn says of words of the output that the input has none for them.
func (s *schedule) putIn(words ...int) *schedule {
	for _, j := range words {
		s.area.Words.From[j] = -1
	}
	return s
}

// Words as ptxas 13.0.88 has them for sm_100, without waits.
var (
	constant = scheduled{0x00000a00, 0x00000000ff047b82, 2, 0, 7, 0}      // LDC R4, c[0x0][RZ]
	shared   = scheduled{0x00000800, 0x0000000003107984, 2, 1, 7, 0}      // LDS R16, [R3]
	local    = scheduled{0x00100800, 0x0000002001007387, 2, 7, 1, 0}      // STL [R1+...], R32
	moves    = scheduled{0x00000f00, 0x0000000500047202, 4, 7, 7, 0}      // MOV R4, R5
	uses     = scheduled{0x00000f00, 0x0000000400067202, 4, 7, 7, 0}      // MOV R6, R4
	compares = scheduled{0x03f05270, 0x000000ff3500720c, 13, 7, 7, 0}     // ISETP.NE.AND P0, PT, R53, RZ, PT
	guarded  = scheduled{0x00000f00, 0x0000000500060202, 4, 7, 7, 0}      // @P0 MOV R6, R5
	nothing  = scheduled{0, 0x0000000000007918, 1, 7, 7, 0}               // NOP
	unknown  = scheduled{0, 0x0000000000007fff, 4, 7, 7, 0}               // nobody knows what it does
	call     = scheduled{0x03c00000, 0x0000000000007943, 5, 7, 7, 0}      // CALL
	leaves   = scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}      // EXIT
	membar   = scheduled{0x5000, 0x0000000000007992, 2, 7, 7, 0}          // MEMBAR.SC.VC
	returns  = scheduled{0x03c3ffff, 0xfffffffc14007950, 5, 7, 7, 0}      // RET.REL.NODEC R20
	never    = scheduled{0x00000800, 0x000000000310f984, 1, 7, 7, 0}      // @!PT LDS R16, [R3]
	double   = scheduled{0x00000000, 0x000000040404722b, 2, 7, 7, 0}      // DFMA R4, R4, R4, R0
	onward   = scheduled{0x03800000, 0x0000000000007947, 5, 7, 7, 0}      // BRA to the next word
	endless  = scheduled{0x0383ffff, 0xfffffffc00fc7947, 5, 7, 7, 0}      // BRA to itself
	flushes  = scheduled{0, 0x00000000000079b7, 2, 7, 7, 0}               // UTMACMDFLUSH
	adds     = scheduled{0x07ffe0ff, 0x0000000504047210, 1, 7, 7, 0}      // IADD3 R4, R4, R5, RZ
	over     = scheduled{0x00000f00, 0x0000000100207802, 4, 7, 7, 1 << 1} // MOV R32, 0x1
	sums     = scheduled{0x078e0000, 0x0000208002027835, 4, 7, 7, 0}      // IADD R2, R2, 0x2080
	loads    = scheduled{0x0c1e1900, 0x0000000802367981, 4, 3, 7, 0}      // LDG.E R54, desc[UR8][R2.64]
	fences   = scheduled{0, 0x00000000000073c6, 11, 1, 7, 0}              // FENCE.VIEW.ASYNC.S
	uniform  = scheduled{0x08000000, 0x0000000000047882, 2, 7, 7, 0}      // UMOV UR4, 0x0
	sets     = scheduled{0x08000100, 0x0000000407ff75b2, 2, 7, 7, 0}      // SYNCS.EXCH.64 URZ, [UR7], UR4
	special  = scheduled{0x2500, 0x00000000000979c3, 2, 0, 7, 0}          // S2UR UR9, SR_CTAID.X
	stored   = scheduled{0x00000f00, 0x0000001000067202, 4, 7, 7, 0}      // MOV R6, R16
	barrier  = scheduled{0x00010000, 0x0000000000007b1d, 6, 7, 7, 0}      // BAR.SYNC
	global   = scheduled{0x0c101904, 0x0000002002007986, 2, 7, 1, 0}      // STG.E desc[UR4][R2.64], R32
)

func (x scheduled) stalls(n uint64) scheduled   { x.stall = n; return x }
func (x scheduled) results(n uint64) scheduled  { x.write = n; return x }
func (x scheduled) operands(n uint64) scheduled { x.read = n; return x }
func (x scheduled) waits(mask uint64) scheduled { x.wait = mask; return x }

// TestTold looks at whole schedules, of the input and of the output.
func TestTold(t *testing.T) {
	const sound = "+ 3 instructions rescheduled, soundly"
	type code = []scheduled
	for i, x := range []struct {
		in, out code
		added   []int
		want    string
	}{
		{code{constant, uses.waits(1), leaves}, code{constant, uses.waits(1), leaves}, nil, sound},
		{code{constant, uses.waits(1), leaves}, code{constant, uses.waits(2), leaves}, nil, "10: uses what the instruction at 0x0 has not finished writing: no instruction on the path waits for it"},
		{code{constant, uses.waits(1), leaves}, code{constant.results(3), uses.waits(8), leaves}, nil, sound},
		{code{constant, uses.waits(1), leaves}, code{constant.results(7), uses.waits(1), leaves}, nil, "10: uses what the instruction at 0x0 has not finished writing: no instruction on the path waits for it"},
		{code{local, over, leaves}, code{local, over, leaves}, nil, sound},
		{code{local, over, leaves}, code{local, over.waits(1), leaves}, nil, "10: uses what the instruction at 0x0 has not finished reading: no instruction on the path waits for it"},
		{code{local.results(5), over, leaves}, code{local.results(5), over.waits(1 << 5), leaves}, nil, sound}, // whose result is there has read them
		{code{local.results(5), over, leaves}, code{local.results(5), over.waits(1 << 4), leaves}, nil, "10: uses what the instruction at 0x0 has not finished reading: no instruction on the path waits for it"},
		{code{constant, uses.waits(1), leaves}, code{constant.results(6), uses.waits(1), leaves}, nil, "0: a scoreboard that doesn't exist"},
		{code{constant, uses.waits(1), leaves}, code{constant, uses.operands(6).waits(1), leaves}, nil, "10: a scoreboard that doesn't exist"},
		{code{constant, uses.waits(1), leaves}, code{constant.stalls(1), uses.waits(1), leaves}, nil, "10: waits for the scoreboard of the instruction at 0x0 before that sets it"},
		{code{constant, nothing, uses.waits(1), leaves}, code{constant, uses.waits(1), leaves, leaves}, nil, sound},

		// A word that was put in takes no scoreboard, but for a flush or a fence its own.
		{code{membar, leaves}, code{membar, leaves}, []int{0}, sound},
		{code{membar, leaves}, code{membar.results(0), leaves}, []int{0}, "0: an inserted instruction sets a scoreboard"},
		{code{membar, leaves}, code{membar.operands(0), leaves}, []int{0}, sound},
		{code{membar, leaves}, code{membar.operands(0).results(0), leaves}, []int{0}, "0: an inserted instruction sets a scoreboard"},
		{code{never, leaves}, code{never.operands(0), leaves}, []int{0}, "0: an inserted instruction sets a scoreboard"},
		{code{flushes, leaves}, code{flushes.operands(0), leaves}, []int{0}, sound},
		{code{flushes, leaves}, code{flushes.results(0), leaves}, []int{0}, "0: an inserted instruction sets a scoreboard"},
		{code{flushes, leaves}, code{flushes.operands(0).results(0), leaves}, []int{0}, "0: an inserted instruction sets a scoreboard"},

		// A word of which nothing is known matters from where the input has waited.
		{code{constant, unknown, uses.waits(1), leaves}, code{constant, unknown, uses.waits(1), leaves}, nil, sound},
		{code{constant, uses.waits(1), unknown, leaves}, code{constant, nothing.stalls(4), unknown.waits(1), leaves}, nil, sound},
		{code{constant, nothing.stalls(4).waits(1), unknown, uses, leaves}, code{constant, nothing.stalls(4), unknown, uses.waits(1), leaves}, nil,
			"? 20: rescheduled, and whether opcode 0xfff touches what opcode 0xb82 has not finished is not known; " + sound},
		{code{constant, nothing.waits(1), unknown, uses, leaves}, code{constant, nothing, unknown, uses, leaves}, nil,
			"? 20: rescheduled, and whether opcode 0xfff touches what opcode 0xb82 has not finished is not known; " + sound},

		// Stalls.
		{code{moves, uses, leaves}, code{moves.stalls(3), uses, leaves}, nil, "10: uses the result of the instruction at 0x0 after 3 cycles, in the input after 4"},
		{code{moves.stalls(9), uses, leaves}, code{moves, uses, leaves}, nil, sound},
		{code{moves.stalls(3), uses.stalls(5), leaves}, code{moves.stalls(3), uses, leaves}, nil, sound}, // as near as in the input
		{code{moves, uses, leaves}, code{moves, uses, leaves.stalls(4)}, nil, "20: stalls for 4 cycles; such instructions always stall for at least 5"},
		{code{moves, uses, leaves.stalls(4)}, code{moves, uses, leaves.stalls(4)}, nil, sound},
		{code{moves.stalls(15), unknown, leaves}, code{moves, unknown, leaves}, nil, "? 10: stalls less than the input, and whether opcode 0xfff uses the result of opcode 0x202 is not known; " + sound},
		{code{adds.stalls(2), returns}, code{adds.stalls(1), returns}, nil, "10: returns 6 cycles after the instruction at 0x0, in the input 7: the caller may use its result at once"},
		{code{adds.stalls(1), returns}, code{adds.stalls(1), returns}, nil, sound},
		{code{adds.stalls(9), returns}, code{adds.stalls(2), returns}, nil, sound},
		{code{unknown.stalls(3), returns}, code{unknown.stalls(2), returns}, nil, "? 10: stalls less than the input, and whether opcode 0x950 uses the result of opcode 0xfff is not known; " + sound},
		{code{never.stalls(9), uses, leaves}, code{never, uses, leaves}, nil, sound},
		{code{never.stalls(9), stored, leaves}, code{never, stored, leaves}, nil, sound},
		{code{unknown.stalls(9), onward.under(0), uses, leaves}, code{unknown, onward.under(0), uses, leaves}, nil, "? 10: stalls less than the input, and whether opcode 0x947 uses the result of opcode 0xfff is not known; " + sound},
		{code{moves.stalls(9), nothing, nothing, leaves}, code{moves.stalls(1), nothing, nothing, leaves}, nil, sound},

		{code{moves, nothing.stalls(9), uses, leaves}, code{moves.stalls(1), nothing, uses, leaves}, []int{0}, sound}, // of a word that was put in
		{code{moves, uses, uses, leaves}, code{moves.stalls(1), uses.stalls(1), uses, leaves}, nil, "10: uses the result of the instruction at 0x0 after 1 cycles, in the input after 4"},

		// An IADD's result may be read by a load five cycles later where a scoreboard is waited for between, else six.
		{code{sums.stalls(9), loads, leaves}, code{sums.stalls(5), loads.waits(1), leaves}, nil, sound},
		{code{sums.stalls(9), loads, leaves}, code{sums.stalls(6), loads, leaves}, nil, sound},
		{code{sums.stalls(9), loads, leaves}, code{sums.stalls(5), loads, leaves}, nil, "10: uses the result of the instruction at 0x0 after 5 cycles, in the input after 9"},
		{code{sums.stalls(9), loads, leaves}, code{sums.stalls(4), loads.waits(1), leaves}, nil, "10: uses the result of the instruction at 0x0 after 4 cycles, in the input after 9"},
		{code{sums.stalls(9), nothing, loads, leaves}, code{sums.stalls(4), nothing.waits(1), loads, leaves}, nil, sound},
		{code{sums.stalls(9), nothing, loads, leaves}, code{sums.stalls(4), nothing, loads, leaves}, nil, "20: uses the result of the instruction at 0x0 after 5 cycles, in the input after 10"},

		// A value that is written over is another's; under a guard it may stay.
		{code{compares, compares.stalls(10), guarded, leaves}, code{compares.stalls(2), compares.stalls(10), guarded, leaves}, nil, sound},
		{code{compares, compares.stalls(10).under(1), guarded, leaves}, code{compares.stalls(2), compares.stalls(10).under(1), guarded, leaves}, nil, "20: uses the result of the instruction at 0x0 after 12 cycles, in the input after 23"},

		// Of two accesses one may come before what the other waits for; after a fence none.
		{code{fences, uniform.waits(2), sets, leaves}, code{fences, uniform, sets.waits(2), leaves}, nil, sound},
		{code{fences, uniform.waits(2), sets, leaves}, code{fences, uniform, sets, leaves}, nil, "20: uses what the instruction at 0x0 has not finished writing: no instruction on the path waits for it"},
		{code{constant, local.operands(7).waits(1), uses, leaves}, code{constant, local.operands(7), uses.waits(1), leaves}, nil, sound},

		{code{sets.operands(2), nothing.waits(4), loads, leaves}, code{sets.operands(2), nothing, loads, leaves}, nil, sound}, // which has been read

		// Whoever is called may use a result, also of a word that has read its operands.
		{code{special, nothing.waits(1), returns}, code{special, nothing, returns}, nil, "20: uses what the instruction at 0x0 has not finished writing: no instruction on the path waits for it"},

		{code{constant, returns}, code{constant.results(1), returns}, nil, sound}, // nor does the input wait
		{code{local, returns}, code{local.operands(2), returns}, nil, sound},

		// A barrier says of stores to shared and local memory that they have read their registers, and of no other.
		{code{local, barrier, nothing.stalls(4), over, leaves}, code{local, barrier, nothing.stalls(4), over.waits(0), leaves}, nil, sound},
		{code{global, barrier, nothing.stalls(4), over, leaves}, code{global, barrier, nothing.stalls(4), over.waits(0), leaves}, nil, "30: uses what the instruction at 0x0 has not finished reading: no instruction on the path waits for it"},

		// A CALL: what is made stands seven cycles before it, and after it everything is there.
		{code{moves.stalls(9), call, leaves}, code{moves.stalls(6), call, leaves}, nil, "10: uses the result of the instruction at 0x0 after 6 cycles, in the input after 9"},
		{code{moves.stalls(9), call, leaves}, code{moves.stalls(7), call, leaves}, nil, sound},
		{code{local.operands(7).stalls(9), call, leaves}, code{local.operands(7), call, leaves}, nil, sound},
		{code{compares, call, guarded, leaves}, code{compares.stalls(7), call, guarded, leaves}, nil, sound},
		{code{call.stalls(9), uses, leaves}, code{call, uses, leaves}, nil, sound},
		{code{unknown.stalls(9), call, leaves}, code{unknown, call, leaves}, nil, "? 10: stalls less than the input, and whether opcode 0x943 uses the result of opcode 0xfff is not known; " + sound},
	} {
		s := scheduleOf(x.in, x.out).putIn(x.added...)
		if got := s.told(t); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}

// TestKeptTooLong: a register that is kept for the next word, which writes it, is told with its word.
func TestKeptTooLong(t *testing.T) {
	s := scheduleOf([]scheduled{uses, moves, leaves}, []scheduled{uses, moves, leaves})
	s.area.Out.Body[15] |= 1 << (123 % 8) // of the register at 32: R4
	if got := s.told(t); got != "0: caches a register for the next instruction, but one of the two writes it" {
		t.Error(got)
	}
}

// TestLoops: a path is followed round a loop once, and to the end of code that has none.
func TestLoops(t *testing.T) {
	s := scheduleOf([]scheduled{constant, nothing.waits(1), endless}, []scheduled{constant, nothing, endless})
	if got := s.told(t); !strings.HasPrefix(got, "+") {
		t.Error(got)
	}
	s = scheduleOf([]scheduled{constant, nothing.waits(1)}, []scheduled{constant, nothing})
	if got := s.told(t); !strings.HasPrefix(got, "+") {
		t.Error(got)
	}
	s = scheduleOf([]scheduled{moves.stalls(9), nothing}, []scheduled{moves, nothing})
	if got := s.told(t); !strings.HasPrefix(got, "+") {
		t.Error(got)
	}
	// What the first token has passed the second passes as well, in the same scoreboard too.
	in, out := []scheduled{constant, shared.results(0), nothing.waits(1), uses, leaves}, []scheduled{constant, shared.results(0), nothing, uses, leaves}
	out[3].low, in[3].low = 0x0000001000067202, 0x0000001000067202 // MOV R6, R16
	if got := scheduleOf(in, out).told(t); got != "30: uses what the instruction at 0x10 has not finished writing: no instruction on the path waits for it" {
		t.Error(got)
	}
	// Where two ways meet, one on which the input has waited and one on which it never does, both go on.
	branch := func(guard uint64, words int64) scheduled {
		w := branchWord(sass.OpBra, guard, words, plainBranch)
		return scheduled{image.Number(w, 8, 8), image.Number(w, 0, 8), 5, 7, 7, 0}
	}
	for _, turned := range []bool{false, true} {
		first, second := nothing.waits(1), nothing
		if turned {
			first, second = second, first
		}
		in := []scheduled{constant, branch(0, 2), first, branch(7, 1), second, uses, leaves}
		out := []scheduled{constant, branch(0, 2), nothing, branch(7, 1), nothing, uses, leaves}
		if got := scheduleOf(in, out).told(t); got != "50: uses what the instruction at 0x0 has not finished writing: no instruction on the path waits for it" {
			t.Error(turned, got)
		}
	}
	in, out = []scheduled{constant, shared, nothing.waits(3), uses, leaves}, []scheduled{constant, shared, nothing.waits(1), uses, leaves}
	out[3].low, in[3].low = 0x0000001000067202, 0x0000001000067202 // MOV R6, R16
	if got := scheduleOf(in, out).told(t); got != "30: uses what the instruction at 0x10 has not finished writing: no instruction on the path waits for it" {
		t.Error(got)
	}
}

// TestWaitOfWordLeftOut: what a word that is gone waited for counts for the next.
func TestWaitOfWordLeftOut(t *testing.T) {
	for wait, want := range map[uint64]string{1: "+ 3 instructions rescheduled, soundly", 0: "10: uses what the instruction at 0x0 has not finished writing: no instruction on the path waits for it"} {
		s := scheduleOf([]scheduled{constant, uses, leaves}, []scheduled{constant, uses.waits(wait), leaves})
		s.area.Owner.Section.Body = slices.Concat(constant.word(), nothing.waits(1).word(), uses.word(), leaves.word())
		s.area.Words = &sass.WordMap{To: []int32{0, -1, 1, 2}, From: []int32{0, 2, 3}}
		if got := s.told(t); got != want {
			t.Errorf("%d: %s", wait, got)
		}
	}
}

// TestNoSchedule: code without any schedule, by nvlink 13.3 and later, of code that waits after each word, or was
// compiled for a debugger.
func TestNoSchedule(t *testing.T) {
	const finding = "0: the code has no schedule at all: no stall, no scoreboard, no wait"
	const unjudged = "? " + finding + ". nvlink 13.5 writes such code for inputs that an older ptxas compiled with -g, and for stubs of unified functions with -g; what the driver does about it is not known"
	for i, x := range []struct {
		release oracle.Release
		stalls  []uint64 // of the input's words
		added   []int
		debug   bool
		section string // of the input
		name    string
		want    string
	}{
		{130, []uint64{15, 15, 15}, nil, false, "", ".text.f", finding},
		{132, []uint64{15, 15, 15}, nil, false, "", ".text.f", finding},
		{133, []uint64{15, 15, 15}, nil, false, "", ".text.f", unjudged},
		{135, []uint64{15, 15, 15}, nil, false, "", ".text.f", unjudged},
		{135, []uint64{14, 14, 14}, nil, false, "", ".text.f", finding},
		{135, []uint64{15, 15, 1, 1}, nil, false, "", ".text.f", unjudged},
		{135, []uint64{15, 1, 1}, nil, false, "", ".text.f", finding},
		{135, []uint64{15, 1, 1}, []int{1, 2}, false, "", ".text.f", unjudged}, // words that were put in don't count
		{135, []uint64{1, 15, 15}, []int{1, 2}, false, "", ".text.f", finding},
		{135, []uint64{1, 1, 1}, nil, false, ".nv_debug_info_reg_sass", ".text.f", unjudged},
		{132, []uint64{1, 1, 1}, nil, false, ".nv_debug_info_reg_sass", ".text.f", finding},
		{135, []uint64{1, 1, 1}, nil, true, "", ".text.f", finding},
		{135, []uint64{1, 1, 1}, nil, true, "", image.UnifiedPrefix + "f", unjudged},
		{135, []uint64{1, 1, 1}, nil, false, "", image.UnifiedPrefix + "f", finding},
	} {
		var in, out []scheduled
		for _, n := range x.stalls {
			in, out = append(in, moves.stalls(n)), append(out, moves.stalls(0))
		}
		in, out = append(in, nothing, never), append(out, nothing.stalls(0), never.stalls(0)) // which don't count
		s := scheduleOf(in, out).putIn(x.added...)
		for j := range out {
			s.area.Out.Body[16*j+13] &^= 1 << (109 % 8) // no yield bit
		}
		s.c.Release, s.c.Options.Debug, s.area.Name = x.release, x.debug, x.name
		if x.section != "" {
			s.area.Owner.Mod.Sections = []image.Section{{Name: x.section}}
		}
		if got := s.told(t); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}

// TestBudgetOfSchedule: a search that costs more steps than there are ends with an error, that for a wait and that for a
// stall.
func TestBudgetOfSchedule(t *testing.T) {
	for i, x := range []struct {
		in, out []scheduled
		steps   uint64
		ends    bool
	}{
		{[]scheduled{constant, nothing, uses.waits(1), leaves}, []scheduled{constant, nothing, uses.waits(1), leaves}, 1, true},
		{[]scheduled{constant, nothing, uses.waits(1), leaves}, []scheduled{constant, nothing, uses.waits(1), leaves}, 2, false},
		{[]scheduled{moves.stalls(9), nothing, uses, leaves}, []scheduled{moves, nothing, uses, leaves}, 3, true},
		{[]scheduled{moves.stalls(9), nothing, uses, leaves}, []scheduled{moves, nothing, uses, leaves}, 60, false},
	} {
		s := scheduleOf(x.in, x.out)
		leave(t, s.c.Budget, x.steps)
		if err := s.c.compareSchedule(s.area, 1); (err != nil) != x.ends {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// leave leaves so many steps of a budget.
func leave(t *testing.T, b *image.Budget, steps uint64) {
	t.Helper()
	for n := uint64(1) << 40; n > 0; n /= 2 {
		for c := *b; c.Spend("", n+steps) == nil; c = *b {
			if err := b.Spend("", n); err != nil {
				t.Fatal(err)
			}
		}
	}
}
