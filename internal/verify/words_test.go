package verify

import "testing"

func TestExpectedWord(t *testing.T) {
	const found = "00112233445566778899aabbccddeeff"
	for _, c := range []struct {
		want string
		at   int
		out  string
	}{
		{"aabb", 2, "0011aabb445566778899aabbccddeeff"},
		{"ff", 15, found},
		{"ffff", 15, ""},     // longer than the word
		{"R_CUDA_32", 0, ""}, // no bytes
		{"", 0, ""},
	} {
		if got := expectedWord(found, c.want, c.at); got != c.out {
			t.Errorf("%q at %d: %q, want %q", c.want, c.at, got, c.out)
		}
	}
}
