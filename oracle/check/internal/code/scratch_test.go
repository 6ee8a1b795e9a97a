package code

import (
	"strings"
	"testing"
)

// TestHandsOver: two words of a maximum of three may hand their value over in another register, as nvlink 13.5.37 has
// them do in code of ptxas 13.0.88 with -O0, where nothing reads what that one held.
func TestHandsOver(t *testing.T) {
	const other = " want 09720e0e0f0000000000800700000000 got 09721d0e0f0000000000800700000000 another"
	for i, x := range []struct {
		in, out string
		want    string // of the first word that is another
	}{
		{"x1 x2 w e", "y1 y2 w e", ""},
		{"x1 x2 e", "y1 y2 e", ""},
		{"m x1 x2 m e", "m y1 y2 m e", ""},
		{"x1 x2 u e", "y1 y2 u e", "+0x0" + other},          // something reads it
		{"x1 x2 w0 u e", "y1 y2 w0 u e", "+0x0" + other},    // the word before may not be applied
		{"x1 x2 x b-4", "y1 y2 x b-4", ""},                  // a loop that doesn't
		{"u x1 x2 x b-5", "u y1 y2 x b-5", "+0x10" + other}, // the next round does
		{"x1 x2 t", "y1 y2 t", "+0x0" + other},              // who called may
		{"x1 x2 ? e", "y1 y2 ? e", "+0x0" + other},          // nobody knows
		{"x1 x2", "y1 y2", "+0x0" + other},                  // nor what follows the end
		{"x1 m e", "y1 m e", "+0x0" + other},                // no second word
		{"x1 x2 e", "y1 x2 e", "+0x0" + other},              // which doesn't read it
		{"x1 x2 e", "x1 y2 e", "+0x10 want 09720e0e040000000000800700000000 got 09720e1d040000000000800700000000 another"},
		{"x1 m x2 e", "y1 m y2 e", "+0x0" + other},
		{"x1", "y1", "+0x0" + other},
		{"m x2", "m y2", "+0x10 want 09720e0e040000000000800700000000 got 09720e1d040000000000800700000000 another"},
	} {
		c, a := coded(t, x.in, x.out, nil)
		if err := c.compareCode(a); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(told(c), "\n"); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}
