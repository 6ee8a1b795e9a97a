package corpus

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Each kind of edit changes the bytes that it names; what it can't name is refused.
func TestEdit(t *testing.T) {
	file := make([]byte, 64+3*64+48)
	file[40], file[60] = 64, 3                // two sections after the null one
	file[64+64+4], file[64+64+25] = 2, 0x01   // .symtab at 256, with
	file[64+64+32] = 48                       // two symbols
	file[64+128+4], file[64+128+24] = 1, 0x10 // bytes at 16
	for _, c := range []struct {
		edit string
		at   int
		want byte
	}{
		{"section 2 size + 3", 64 + 128 + 32, 3}, {"section 1 type ^ 3", 64 + 64 + 4, 1}, {"symbol 1 value = 9", 256 + 24 + 8, 9},
		{"byte 2 1 ^ 6", 17, 6}, {"word 2 4 = 0x0700", 21, 7}, {"file 20 + 1", 20, 1}, {"file 20 + 1; file 20 + 1", 20, 2},
	} {
		b := append(bytes.Clone(file), make([]byte, 64)...)
		if err := Edit(b, c.edit); err != nil || b[c.at] != c.want {
			t.Errorf("%s: %d, %v", c.edit, b[c.at], err)
		}
	}
	for _, bad := range []string{"", "section 2 size", "section x size + 1", "section 99 size + 1", "section 2 what + 1", "mercury 1 size + 1", "what 1 2 + 3",
		"section 2 size * 2", "byte 2 x + 1", "file 20 + x"} {
		if Edit(bytes.Clone(file), bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// Random edits are the same for the same seed, and most can be made.
func TestRandomEdit(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	out := cases[0].Output
	for _, c := range cases {
		if len(out) == 0 {
			out = c.Output
		}
	}
	made := 0
	for n := range uint64(300) {
		text := RandomEdit(out, rand.New(rand.NewPCG(n, 1)))
		if again := RandomEdit(out, rand.New(rand.NewPCG(n, 1))); again != text {
			t.Fatalf("%s and %s", text, again)
		}
		b := bytes.Clone(out)
		if Edit(b, text) == nil && !bytes.Equal(b, out) {
			made++
		}
	}
	if made < 150 {
		t.Errorf("%d of 300 change something", made)
	}
}
