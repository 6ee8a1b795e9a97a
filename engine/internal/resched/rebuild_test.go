package resched

import "testing"

// TestIndexedBranch wants a branch by a register to count from the function's
// start still, where words in front of it were inserted: as nvlink 13.0.88 -g
// writes BRX.
func TestIndexedBranch(t *testing.T) {
	exit := word{lo: opEXIT, hi: 7 << (87 - 64)} // @P0
	exit.setWr(noBoard)
	exit.setRd(noBoard)
	brx := instr(opBRX, 0, 0, noBoard, noBoard, 0)
	brx.setBranchTarget(1, 0)
	end := instr(opEXIT, 0, 0, noBoard, noBoard, 0)
	var r Result
	out, ok := fence([]word{exit, brx, end}, &r)
	if !ok || r.Moves[1] != 4 {
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
}
