package resched

import (
	"slices"
	"testing"
)

// TestIndexedBranch wants a branch by a register to count from the function's
// start still, where words before it were inserted: as nvlink 13.0.88 -g
// writes BRX.
func TestIndexedBranch(t *testing.T) {
	exit := word{lo: opEXIT, hi: 7 << (87 - 64)} // @P0
	exit.setWr(noBoard)
	exit.setRd(noBoard)
	brx := instr(opBRX, 0, 0, noBoard, noBoard, 0)
	brx.setBranchTarget(1, 0)
	end := instr(opEXIT, 0, 0, noBoard, noBoard, 0)
	var r Result
	words := []word{exit, brx, end}
	out := rebuild(words, make([]bool, len(words)), fence(words, &r), &r)
	if r.Moves[1] != 4 {
		t.Fatalf("no fence in front of EXIT: %v", r.Moves)
	}
	if at, ok := out[4].branchTarget(4); !ok || at != 0 {
		t.Errorf("BRX counts from word %d, want 0", at)
	}
	// A jump's target is a block of its own that BRX reaches.
	list := blocks([]word{exit, brx, end})
	if n := len(list); n != 3 || len(list[1].next) != 1 || list[1].next[0] != 2 {
		t.Errorf("blocks %+v, want one behind BRX", list)
	}
	// So is the word after the first block, where control can't fall into it.
	if list = blocks([]word{end, brx, end}); len(list) != 3 || !slices.Equal(list[1].next, []int{1, 2}) {
		t.Errorf("blocks %+v, want two that BRX reaches", list)
	}
}

// TestCallOfItself wants a function's call of itself to name its start still, where a word before the
// call is new: words 0x2a0 and 0x2b0 of one by ptxas 13.0.88 and nvlink 13.5.37. A call that a relocation
// completes stays.
func TestCallOfItself(t *testing.T) {
	call := word{lo: 0xfffffffc00547944, hi: 0x000fea0003c3ffff}
	const at = 0x2a0 / WordSize
	words := make([]word, at+2)
	for i := range words {
		words[i] = instr(opEXIT, 0, 0, noBoard, noBoard, 0)
	}
	words[at], words[at+1] = call, word{lo: 0x7944, hi: 0x000fea0003c00000}
	nop := []word{instr(opNOP, 0, 0, noBoard, noBoard, 0)}
	var r Result
	out := rebuild(words, make([]bool, len(words)), map[int][]word{3: nop, at + 1: nop}, &r)
	if want := (word{lo: 0xfffffffc00507944, hi: call.hi}); out[at+1] != want {
		t.Errorf("%x, want %x", out[at+1], want)
	}
	if got := out[r.Moves[at+1]]; got != words[at+1] {
		t.Errorf("%x, want %x", got, words[at+1])
	}
}

// TestFenceUnscheduled wants the fence of code that ptxas made with -O0 to wait and
// stall as that code does. Words of an empty kernel by ptxas 13.0.88, and of what
// nvlink 13.0.88 -g made of it.
func TestFenceUnscheduled(t *testing.T) {
	in := []word{
		{lo: 0x0000df00ff017b82, hi: 0x00321e0000000800},
		{lo: 0x000000000000794d, hi: 0x003fde0003800000},
		{lo: 0xfffffffc00fc7947, hi: 0x000fc0000383ffff},
	}
	want := []word{
		{lo: 0x0000df00ff017b82, hi: 0x00321e0000000800},
		{lo: 0x0000000000007992, hi: 0x000fc00000005000},
		{lo: 0x00000000000079ab, hi: 0x003fc00000000000},
		{lo: 0x00000000000075ab, hi: 0x003fde0000000000},
		{lo: 0x000000000000794d, hi: 0x003fde0003800000},
		{lo: 0xfffffffc00fc7947, hi: 0x000fc0000383ffff},
	}
	r := Kernel(join(in), Options{Debug: true, Fence: true})
	if got := split(r.Text); !r.Exact || !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("%x, exact %v", got, r.Exact)
	}
}
