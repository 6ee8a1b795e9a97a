package check

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// TestShortProducts: where a product of integers has no more than a tag on the Mercury side, each bit of its word that
// means something is still held against the input's, and so is the tag.
func TestShortProducts(t *testing.T) {
	const imma = 0x237
	c := behaviourOf(t, "fast_path/13.0-sm_100-integers")
	output, err := os.ReadFile("testdata/products/13.5-of-13.0.cubin") // of the same object, by nvlink 13.5
	if err != nil {
		t.Fatal(err)
	}
	c.Output, c.Release = output, "13.5"
	e := editorOf(t, c)
	code := e.out.Sections[e.named(".text.integers")]
	at := uint64(0)
	for sass.Opcode(code.Body[at:]) != imma {
		at += sass.Instruction
	}
	// A longer or shorter stall before what waits for the result, more waits and another scoreboard
	// for sources, which nothing waits for, are slower or faster code and no other; reuse is of sources that stay.
	free := []int{105, 106, 107, 108, 109, 114, 115, 116, 117, 119, 120, 121, 122, 123, 125}
	for bit := range 8 * sass.Instruction {
		x := bytes.Clone(c.Output)
		x[code.Offset+at+uint64(bit/8)] ^= 1 << (bit % 8)
		v := Check(inputsOf(c), x, optionsOf(c))
		if got, want := v.Agrees(), slices.Contains(free, bit); got != want {
			t.Errorf("bit %d: agrees %t\n%s", bit, got, v)
		}
	}
	tag := []byte{0x42, 0x5a, 0x08, 0x26}
	if n := bytes.Count(c.Output, tag); n != 1 {
		t.Fatalf("the tag stands there %d times", n)
	}
	for bit := range 8 * len(tag) {
		x := bytes.Clone(c.Output)
		x[bytes.Index(x, tag)+bit/8] ^= 1 << (bit % 8)
		if v := Check(inputsOf(c), x, optionsOf(c)); v.Agrees() {
			t.Errorf("bit %d of the tag: agrees", bit)
		}
	}
}
