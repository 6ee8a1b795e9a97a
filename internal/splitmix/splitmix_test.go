package splitmix

import (
	"slices"
	"testing"
)

// TestSequence holds the numbers of state 0 against those that the authors of
// splitmix64 publish: 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f.
func TestSequence(t *testing.T) {
	r := New(0)
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := r.Below(1 << 30); uint64(got) != want>>11&(1<<30-1) {
			t.Errorf("number %d is 0x%x, want 0x%x", i, got, want>>11&(1<<30-1))
		}
	}
}

func TestShuffleKeepsAll(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7}
	Shuffle(New(7), list)
	sorted := slices.Sorted(slices.Values(list))
	if slices.Equal(list, sorted) || !slices.Equal(sorted, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("%v", list)
	}
}
