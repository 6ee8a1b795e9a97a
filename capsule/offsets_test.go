package capsule

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// payload is words of an attribute.
func payload(words ...uint32) (b []byte) {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// The places of offsets in each attribute's payload, and what is wrong with one that is cut.
func TestVisitOffsets(t *testing.T) {
	const indirect, notes = cuda.AttrIndirectBranchTargets, cuda.AttrAnnotations
	for _, c := range []struct {
		attr          cuda.InfoAttr
		data          []byte
		at            []int
		offset, value uint64 // of the fault; value 0 for none
	}{
		{cuda.AttrExitInstrOffsets, payload(1, 2, 3), []int{0, 4, 8}, 0, 0},
		{cuda.AttrExitInstrOffsets, payload(1, 2, 3)[:11], nil, 0, 11},
		{cuda.AttrCoopGroupInstrOffsets, payload(1, 2), []int{0, 4}, 0, 0},
		{cuda.AttrIntWarpWideInstrOffsets, payload(1, 2), []int{0, 4}, 0, 0},
		{cuda.AttrSyscallOffsets, payload(1, 2), []int{0, 4}, 0, 0},
		{cuda.AttrSwWarMembarSysInstrOffsets, payload(1, 2), []int{0, 4}, 0, 0},
		{cuda.AttrStackCanaryTrapOffsets, payload(1, 2), []int{0, 4}, 0, 0},
		{101, payload(1, 2), []int{0, 4}, 0, 0},
		{cuda.AttrAtom16EmulInstrRegMap, payload(1, 2, 3, 4), []int{0, 8}, 0, 0},
		{cuda.AttrAtom16EmulInstrRegMap, payload(1, 2, 3), nil, 0, 12},
		{cuda.AttrUnusedLoadByteOffset, payload(1, 2, 3, 4), []int{0, 8}, 0, 0},
		{cuda.AttrInstrRegMap, payload(1, 2, 3, 4, 5, 6), []int{0, 12}, 0, 0},
		{cuda.AttrMbarrierInstrOffsets, payload(1, 2, 3, 4, 5, 6, 7, 8), []int{0, 16}, 0, 0},
		{cuda.AttrRegcount, payload(1, 2), nil, 0, 0},
		{indirect, payload(16, 9, 2, 32, 48, 64, 9, 0), []int{0, 12, 16, 20}, 0, 0},
		{indirect, payload(16, 9, 2, 32), nil, 8, 2},
		{indirect, payload(16, 9), nil, 0, 8},
		{indirect, payload(16, 9, 1, 32, 64), []int{0, 12}, 16, 20},
		{notes, payload(1, 16, 2, 32, 5, 0, 0, 3, 4, 7, 1, 48), []int{4, 12, 44}, 0, 0},
		{notes, payload(1), nil, 4, 1},
		{notes, payload(2), nil, 4, 2},
		{notes, payload(2, 16, 9, 0, 0), []int{4}, 8, 9},
		{notes, payload(3, 5, 0), nil, 4, 5},
		{notes, payload(4, 16), nil, 0, 4},
		{notes, payload(1, 16, 5), []int{4}, 8, 5},
		{notes, payload(1, 16, 0)[:10], []int{4}, 8, 10},
	} {
		var at []int
		f := VisitOffsets(c.attr, c.data, func(k int) { at = append(at, k) })
		if !slices.Equal(at, c.at) {
			t.Errorf("attribute %d, %x: offsets at %v, want %v", c.attr, c.data, at, c.at)
		}
		if (f != nil) != (c.value != 0) || f != nil && (f.Offset != c.offset || f.Value != c.value) {
			t.Errorf("attribute %d, %x: %+v, want offset %d and value %d", c.attr, c.data, f, c.offset, c.value)
		}
		if HasOffsets(c.attr) != (c.attr != cuda.AttrRegcount) {
			t.Errorf("attribute %d has offsets: %v", c.attr, HasOffsets(c.attr))
		}
	}
	var own, targets []int
	f := VisitBranches(payload(16, 9, 2, 32, 48, 64, 9, 0), func(k int) { own = append(own, k) }, func(k int) { targets = append(targets, k) })
	if f != nil || !slices.Equal(own, []int{0, 20}) || !slices.Equal(targets, []int{12, 16}) {
		t.Errorf("branches at %v, targets at %v, %+v", own, targets, f)
	}
}

// A section of the Mercury side has the name of its counterpart, but for constants.
func TestNameOfCounterpart(t *testing.T) {
	for name, want := range map[string]string{
		".nv.info.f": ".nv.info.f", ".rela.text.f": ".rela.text.f", ".nv.constant.user": ".nv.constant3", ".nv.constant.pic": ".nv.constant4",
		".nv.constant.optimizer.f": ".nv.constant2.f", ".rela.nv.constant.user": ".rela.nv.constant3", ".rela.nv.constant.optimizer.f": ".rela.nv.constant2.f", ".nv.constant.users": ".nv.constant.users",
	} {
		if got := sassName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
