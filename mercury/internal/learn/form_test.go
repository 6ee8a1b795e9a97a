package learn

import (
	"maps"
	"slices"
	"testing"
)

// A register of which one bit is free is free as a whole, in its own word alone; bits of
// no register stay alone.
func TestFillRegisters(t *testing.T) {
	s := bitSet{}
	for _, bit := range differing([]uint64{1 << 20, 1, 0}, []uint64{0, 0, 1 << 10}) {
		s[bit] = true
	}
	s.fillRegisters()
	want := []int{16, 17, 18, 19, 20, 21, 22, 23, 64, 65, 66, 67, 68, 69, 70, 71, 128 + 10}
	if got := slices.Sorted(maps.Keys(s)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
