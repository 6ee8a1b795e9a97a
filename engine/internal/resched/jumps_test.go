package resched

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAnewFence makes code that ptxas 13.0.88 compiled for sm_120 what nvlink 13.4 makes of it with
// -g: scoreboards are given out again in spite of the fence, and where its branch by a register goes is
// told. Where it isn't told the code keeps its schedule.
func TestAnewFence(t *testing.T) {
	jumps := Jumps{14: {15, 17, 19, 21}} // INDIRECT_BRANCH_TARGETS of the object
	eachPair(t, "anewfence", func(file string, text, want []byte) {
		how := Options{Debug: true, Fence: true, Late: true, Anew: true, Pads: true, Adds: true, Jumps: jumps}
		r := Kernel(text, how)
		if r.Lost != nil || r.Foreseen || !sameUpper(r.Text, want) {
			t.Errorf("%s: other than nvlink's, or promised; lost %+v", file, r.Lost)
		}
		how.Jumps = nil
		if r := Kernel(text, how); sameUpper(r.Text, want) || split(r.Text)[12].wr() != split(text)[12].wr() {
			t.Errorf("%s: scheduled anew though nothing tells where it branches", file)
		}
	})
}

// sameUpper reports whether the upper halves of all words are the same, where nothing is relocated.
func sameUpper(a, b []byte) bool {
	return slices.EqualFunc(split(a), split(b), func(x, y word) bool { return x.hi == y.hi })
}

// TestJumps wants branches by a register to go where is told, in that order and each once, and to follow
// words that move.
func TestJumps(t *testing.T) {
	bra := instr(opBRX, 0, 0, noBoard, noBoard, 0)
	end := instr(opEXIT, 0, 0, noBoard, noBoard, 0)
	words := []word{bra, end, end, end}
	if got := blocksBy(words, Jumps{0: {3, 1, 3}}, false)[0].next; !slices.Equal(got, []int{3, 1}) {
		t.Errorf("goes to blocks %v", got)
	}
	r := Result{Moves: []int{0, -1, 3, 5}, Starts: []int{0, 1, 1, 4, 6}}
	if got := (Jumps{0: {1, 2, 3, 9}, 1: {0}}).moved(&r); len(got) != 1 || !slices.Equal(got[0], []int{1, 1, 4}) {
		t.Errorf("moved to %v", got)
	}
	if (Jumps{1: {2}}).tellAll(words) || !(Jumps{0: {2}}).tellAll(words) {
		t.Error("it is not seen whether all branches are told of")
	}
}

// TestSelfMoves drops a move of a register to itself only as part of an instruction of several words: of two
// moves of ptxas's own checks of memory nvlink 13.4 and 13.5 keep both.
func TestSelfMoves(t *testing.T) {
	move := func(to, from uint64) word {
		w := instr(opMOVReg, 0, 0, noBoard, noBoard, 0)
		w.put(dField, 8, to)
		w.put(bField, 8, from)
		w.put(pairBit, 1, 0)
		return w
	}
	words := []word{move(8, 8), move(9, 12), move(10, 10), move(11, 13)}
	if got := dropSelfMoves(words, []int{2, 3}, make([]bool, len(words))); !slices.Equal(got, []int{2}) {
		t.Errorf("drops %v", got)
	}
}

// TestAnewCalls makes two functions of generated programs (ptxgen, seed 103914930203 for sm_120a by nvlink 13.1;
// 103914930195 with -sanitize=memcheck for sm_100 by 13.2) what nvlink makes of code of ptxas 13.0.88: a load
// whose result a call waits for beside a texture, and LDCUs whose place a register tells beside S2URs; and 13.5.37 for sm_100, sources that come around a loop.
func TestAnewCalls(t *testing.T) {
	hows := map[string]Options{
		"texture": {Late: true, Anew: true, Adds: true},
		"checked": {Late: true, Anew: true, Pads: true, Stays: true},
		"halves":  {Late: true, Anew: true, Pads: true, HoldsDoubles: true, JoinsMoves: true, LeavesLast: true},
	}
	eachPair(t, "anewcalls", func(file string, text, want []byte) {
		r := Kernel(text, hows[strings.TrimSuffix(filepath.Base(file), ".ptxas")])
		if r.Lost != nil || sameUpper(text, want) || !sameUpper(r.Text, want) {
			t.Errorf("%s: other than nvlink's, lost %+v", file, r.Lost)
		}
	})
}

// TestFenceStays keeps the stalls of a new fence, which are none, where doubles in front are set apart again.
func TestFenceStays(t *testing.T) {
	double := instr(0x22b, 2, 4, noBoard, noBoard, 0)
	move := instr(opMOVReg, 8, 9, noBoard, noBoard, 0)
	move.setStall(maxStall) // since it is before a double
	store := instr(0x986, 0, 2, noBoard, noBoard, 0)
	end := instr(opEXIT, 0, 0, noBoard, noBoard, 0)
	r := Kernel(join([]word{move, double, store, end}), Options{Debug: true, Fence: true, Late: true, Anew: true, Unpaces: true})
	if split(r.Text)[0].stall() == maxStall {
		t.Error("the move stalls as before")
	}
	for i, w := range split(r.Text) {
		if (w.isMEMBAR() || w.op() == opERRBAR) && w.stall() != 0 {
			t.Errorf("word %d stalls for %d", i, w.stall())
		}
	}
}

// TestBlockOfLEPC begins a block with a LEPC: of 20 functions of ptxas's own checks of memory nvlink 13.1 to
// 13.5 gave out scoreboards so (among them testdata/anewcalls/checked).
func TestBlockOfLEPC(t *testing.T) {
	place := instr(opLEPC, 6, 0, noBoard, noBoard, 0)
	end := instr(opEXIT, 0, 0, noBoard, noBoard, 0)
	nop := instr(opNOP, 0, 0, noBoard, noBoard, 0)
	if list := blocks([]word{nop, place, nop, end}); len(list) != 2 || list[1].from != 1 || !slices.Equal(list[0].next, []int{1}) {
		t.Errorf("blocks %+v", list)
	}
}
