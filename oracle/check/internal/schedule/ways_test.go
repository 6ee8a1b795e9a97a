package schedule

import (
	"slices"
	"testing"
)

// Words of kernels of ptxas 13.0.88. A predicate is read thirteen cycles after ISETP, or eleven; a
// branch between is no reason to read it after six.
func TestAcrossBranch(t *testing.T) {
	isetp := scheduled{0x03f05270, 0x000000ff3500720c, 13, 7, 7, 0} // ISETP.NE.AND P0, PT, R53, RZ, PT
	branch := scheduled{0x03800000, 0x0000000000007947, 5, 7, 7, 0} // BRA to the next word
	guarded := scheduled{0x03800000, 0x0000000000000947, 5, 7, 7, 0}
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}
	other := guarded
	other.low = 0x0000000000001947 // @P1
	for _, x := range []struct {
		stall uint64
		uses  scheduled
		want  string
	}{
		{8, guarded, "accepted"},
		{1, guarded, "rejected"},
		{1, other, "accepted"},
	} {
		in := []scheduled{isetp, branch, x.uses, exit}
		out := []scheduled{isetp, branch, x.uses, exit}
		out[0].stall = x.stall
		if got := scheduleOf(in, out).judged(t); got != x.want {
			t.Errorf("stall %d: %s", x.stall, got)
		}
	}
}

// Whoever called may use a result at once: ptxas and nvlink have seven cycles at least from a
// word to the end of the RET.
func TestBeforeReturn(t *testing.T) {
	add := scheduled{0x07ffe0ff, 0x0000000504047210, 1, 7, 7, 0} // IADD3 R4, R4, R5, RZ
	store := scheduled{0x00100800, 0x0000000201007387, 1, 7, 7, 0}
	ret := scheduled{0x03c3ffff, 0xfffffffc14007950, 6, 7, 7, 0} // RET.REL.NODEC R20
	for _, x := range []struct {
		first scheduled
		stall uint64
		want  string
	}{
		{add, 6, "accepted"},
		{add, 5, "rejected"},
		{store, 5, "accepted"}, // nothing in a register
	} {
		in, out := []scheduled{x.first, ret}, []scheduled{x.first, ret}
		out[1].stall = x.stall
		if got := scheduleOf(in, out).judged(t); got != x.want {
			t.Errorf("%d cycles: %s", x.stall, got)
		}
	}
}

// A fence that was put in stalls as any: CGAERRBAR for six cycles at least, but in code without
// any schedule.
func TestStallOfFence(t *testing.T) {
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}
	for _, x := range []struct {
		stall uint64
		want  string
	}{{6, "accepted"}, {5, "rejected"}} {
		fence := scheduled{0, 0x00000000000075ab, x.stall, 7, 7, 0}
		s := scheduleOf([]scheduled{fence, exit}, []scheduled{fence, exit})
		s.area.Words.From[0] = -1
		s.area.Words.To = []int32{1}
		s.area.Owner.Section.Body = exit.word()
		s.area.Words.From[1] = 0
		if got := s.judged(t); got != x.want {
			t.Errorf("stall %d: %s", x.stall, got)
		}
	}
}

// Words of a kernel of ptxas 13.0.88 for sm_100: SYNCS.EXCH sets up a barrier after the fence, and
// waits for it. Neither leaves anything in a register.
func TestMemoryOrder(t *testing.T) {
	fence := scheduled{0, 0x00000000000073c6, 11, 1, 7, 0}          // FENCE.VIEW.ASYNC.S
	sets := scheduled{0x08000100, 0x00000004070075b2, 2, 3, 1, 2}   // SYNCS.EXCH.64 URZ, [UR7], UR4
	moves := scheduled{0x08000000, 0x0000000000047882, 2, 7, 7, 0}  // UMOV UR4, 0x0
	atomic := scheduled{0x0c1f5106, 0x8000000502ff79a8, 4, 5, 4, 2} // ATOMG.E.EXCH.STRONG.SYS PT, RZ, ..., R5
	exit := scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0}
	sets.low |= 0xff << 16
	if got := scheduleOf([]scheduled{{atomic.high, atomic.low, 4, 1, 7, 0}, atomic, exit}, []scheduled{{atomic.high, atomic.low, 4, 2, 7, 0}, atomic, exit}).judged(t); got != "accepted" {
		t.Errorf("an atomic without a result that nothing waits for: %s", got)
	}
	for _, x := range []struct {
		moved, waits uint64 // of UMOV and of SYNCS
		want         string
	}{
		{0, 2, "accepted"},
		{2, 0, "accepted"},
		{0, 0, "rejected"},
	} {
		in := []scheduled{fence, moves, sets, exit}
		out := []scheduled{fence, moves, sets, exit}
		out[1].wait, out[2].wait = x.moved, x.waits
		if got := scheduleOf(in, out).judged(t); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

// Code whose words stall for no cycle and branch to each other has no end of paths: the budget ends
// the search.
func TestEndlessPaths(t *testing.T) {
	branch := scheduled{0x03800000, 0x0000000000001947, 0, 7, 7, 0} // @P1 BRA
	in := append(slices.Repeat([]scheduled{branch}, 4000), scheduled{0x03800000, 0x000000000000794d, 5, 7, 7, 0})
	in[0] = scheduled{0x03f05270, 0x000000ff3500720c, 0, 7, 7, 0} // ISETP.NE.AND P0, PT, R53, RZ, PT
	out := slices.Clone(in)
	in[0].stall = 15
	s := scheduleOf(in, out)
	err := s.c.compareSchedule(s.area, 1)
	if err == nil && len(s.c.Verdict.Unjudged) == 0 {
		t.Error("all paths are followed")
	}
}
