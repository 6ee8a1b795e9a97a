package learn

import "testing"

// The size of a tag's records, for all first bytes of records that stand for words.
func TestRecordSize(t *testing.T) {
	for tag, want := range map[uint32]int{0x0147060a: 16, 0x0222030e: 32, 0x1192040a: 16} {
		if got := recordSize(tag); got != want {
			t.Errorf("%08x: %d, want %d", tag, got, want)
		}
	}
}
