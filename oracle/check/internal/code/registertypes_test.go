package code

import (
	"slices"
	"testing"
)

// TestRegisterTypes wants a table of what registers hold that ends early not to be read.
func TestRegisterTypes(t *testing.T) {
	whole := []byte("k\x00\x02\x00\x00\x00ab" + "f\x00\x01\x00\x00\x00c")
	if names, ok := registerTypes(whole); !ok || !slices.Equal(names, []string{"k", "f"}) {
		t.Errorf("%q, %v", names, ok)
	}
	for n := 1; n < len(whole); n++ {
		if names, ok := registerTypes(whole[:n]); ok && n != 8 {
			t.Errorf("%d bytes are read as %q", n, names)
		}
	}
}
