package nvjitlink

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// image13 is an image that nvlink 13.0 made, with a note of the tool.
func image13(t testing.TB) []byte {
	t.Helper()
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Release == "13.0" && c.Output != nil && strings.HasPrefix(c.ID(), "constants/") {
			return c.Output
		}
	}
	t.Fatal("no such case")
	return nil
}

// TestSame changes every byte of an image in turn. What is in a section, but
// for the tool's note, in a section's header but for its offset, or in the ELF
// header must be seen; what is between sections must not.
func TestSame(t *testing.T) {
	data := image13(t)
	m, err := openImage(data)
	if err != nil {
		t.Fatal(err)
	}
	owner := make([]string, len(data))
	fill := func(at, n uint64, name string) {
		for i := at; i < at+n; i++ {
			owner[i] = name
		}
	}
	for i := range m.sections {
		s := &m.sections[i]
		name := "section"
		if m.name(s) == noteOfTool {
			name = "note"
		}
		fill(s.offset, uint64(len(s.data)), name)
		fill(m.shoff+uint64(i)*64, 64, "section header")
		fill(m.shoff+uint64(i)*64+24, 8, "offset")
		if name == "note" {
			fill(m.shoff+uint64(i)*64+32, 8, "offset")
		}
	}
	fill(m.phoff, uint64(len(m.segments))*56, "program header")
	fill(0, 64, "header")
	fill(0x20, 16, "offset")
	seen := map[string]int{}
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 0x10
		differs := Same(changed, data) != ""
		switch owner[i] {
		case "section", "section header", "header":
			if !differs {
				t.Errorf("byte 0x%x of a %s: not seen", i, owner[i])
			}
		case "", "note":
			if differs {
				t.Errorf("byte 0x%x of %q: %s", i, owner[i], Same(changed, data))
			}
		}
		seen[owner[i]]++
	}
	if seen["section"] < 1000 || seen[""] == 0 || seen["note"] == 0 {
		t.Errorf("%v", seen)
	}
	for n := range data {
		if Same(data[:n], data) == "" {
			t.Errorf("the first %d bytes are the same", n)
		}
	}
}

func FuzzSame(f *testing.F) {
	data := image13(f)
	f.Add(data, data)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if (Same(a, b) == "") != (Same(b, a) == "") {
			t.Error("not the same both ways")
		}
	})
}
