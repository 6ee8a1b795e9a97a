package resched

import (
	"slices"
	"testing"
)

// TestReturnsDouble wants a double right before a return to hold what it reads and what it makes by one
// scoreboard, and the return to stall for less: a function of two doubles by ptxas 13.0.88, and what nvlink
// 13.5.37 -g made of it.
func TestReturnsDouble(t *testing.T) {
	in := []word{
		{lo: 0x0000000004047229, hi: 0x000fd00000000006},
		{lo: 0x0000000408047228, hi: 0x000fe20000000000},
		{lo: 0x0000000014007950, hi: 0x000ff40003e00000},
		{lo: 0xfffffffc00fc7947, hi: 0x000fc0000383ffff},
	}
	want := []word{
		{lo: 0x0000000004047229, hi: 0x000e100000000006},
		{lo: 0x0000000408047228, hi: 0x0010240000000000},
		{lo: 0x0000000014007950, hi: 0x001ff20003e00000},
		{lo: 0xfffffffc00fc7947, hi: 0x000fc0000383ffff},
	}
	r := Kernel(join(in), Options{Debug: true, Fence: true, Late: true, Anew: true, Pads: true, HoldsDoubles: true, LeavesLast: true})
	if got := split(r.Text); !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// TestCollectiveBlocks wants what lanes do together to be a block of its own where code is rescheduled, and not else.
func TestCollectiveBlocks(t *testing.T) {
	const collective = 1 << (86 - 64)
	nop := instr(opNOP, 0, 0, noBoard, noBoard, 0)
	words := []word{nop, instr(opWARPSYNCReg, 0, 0, noBoard, noBoard, 0), nop, instr(opENDCOLLECTIVE, 0, 0, noBoard, noBoard, 0), nop}
	words[1].hi |= collective
	for _, apart := range []bool{true, false} {
		var ends []int
		for _, b := range blocksBy(words, nil, apart) {
			ends = append(ends, b.to)
		}
		want := []int{5}
		if apart {
			want = []int{2, 4, 5}
		}
		if !slices.Equal(ends, want) {
			t.Errorf("apart %v: blocks end at %v, want %v", apart, ends, want)
		}
	}
}
