package relayout

import (
	"bytes"
	"debug/elf"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// content is what a linker's layout doesn't change: each section's bytes by its name, and what the symbols name.
func content(t *testing.T, data []byte) (sections map[string][]byte, symbols []string) {
	t.Helper()
	data = bytes.Clone(data)
	copy(data[20:], []byte{1, 0, 0, 0}) // older releases have theirs there
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	sections = map[string][]byte{}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS {
			sections[s.Name], _ = s.Data()
		}
	}
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		section := s.Section.String()
		if s.Section > 0 && int(s.Section) < len(f.Sections) {
			section = f.Sections[s.Section].Name
		}
		symbols = append(symbols, s.Name+" in "+section)
	}
	slices.Sort(symbols)
	return sections, symbols
}

// Another layout has the same sections and symbols, in another order, and is read by anybody.
func TestFile(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	others := map[Way]int{}
	for i, c := range cases {
		if i%23 != 0 || !c.Linked() || len(c.Output) == 0 {
			continue
		}
		sections, symbols := content(t, c.Output)
		for _, way := range Ways {
			other, err := File(c.Output, way, uint64(i))
			if err != nil {
				t.Fatalf("%s: %s: %v", c.ID(), way, err)
			}
			if again, _ := File(c.Output, way, uint64(i)); !bytes.Equal(again, other) {
				t.Errorf("%s: %s: one seed gives two layouts", c.ID(), way)
			}
			if !bytes.Equal(other, c.Output) {
				others[way]++
			}
			inOther, named := content(t, other)
			if !slices.Equal(symbols, named) {
				t.Errorf("%s: %s: other symbols", c.ID(), way)
			}
			for name, body := range sections {
				if way&Variables == 0 && !bytes.Equal(body, inOther[name]) {
					t.Errorf("%s: %s: %s is other", c.ID(), way, name)
				}
			}
		}
	}
	for _, way := range Ways {
		if others[way] < 5 {
			t.Errorf("%s: %d layouts", way, others[way])
		}
	}
}

// What is no file of tables is an error.
func TestFileRefuses(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	whole := cases[0].Output
	for _, data := range [][]byte{nil, whole[:63], whole[:len(whole)/2], append(bytes.Clone(whole[:40]), make([]byte, 100)...)} {
		if _, err := File(data, All, 1); err == nil {
			t.Errorf("%d bytes are read", len(data))
		}
	}
}

// Constants lie elsewhere, each with its bytes and at a multiple of what its place was one of, and the map says where.
func TestConstants(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for i, c := range cases {
		if i%7 != 0 || !c.Linked() || len(c.Output) == 0 {
			continue
		}
		other, to, err := Constants(c.Output, uint64(i))
		if err != nil {
			t.Fatalf("%s: %v", c.ID(), err)
		}
		was, now := constantsOf(t, c.Output), constantsOf(t, other)
		for name, v := range was {
			at, known := to[v.at]
			if w := now[name]; known && (w.at != at || w.body != v.body) || !known && w != v {
				t.Errorf("%s: %s at 0x%x is now at 0x%x, by the map 0x%x %v", c.ID(), name, v.at, w.at, at, known)
			}
			if known && at != v.at {
				moved++
			}
		}
		if len(was) != len(now) {
			t.Errorf("%s: %d constants, now %d", c.ID(), len(was), len(now))
		}
	}
	if moved < 20 {
		t.Errorf("%d constants moved", moved)
	}
}

type constant struct {
	at   uint64
	body string
}

// constantsOf are the named constants of bank 3.
func constantsOf(t *testing.T, data []byte) map[string]constant {
	t.Helper()
	data = bytes.Clone(data)
	copy(data[20:], []byte{1, 0, 0, 0})
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	list, _ := f.Symbols()
	found := map[string]constant{}
	for _, s := range list {
		if s.Section == 0 || int(s.Section) >= len(f.Sections) || f.Sections[s.Section].Name != ".nv.constant3" || elf.ST_TYPE(s.Info) == elf.STT_SECTION {
			continue
		}
		body, err := f.Sections[s.Section].Data()
		if err != nil || s.Value+s.Size > uint64(len(body)) {
			t.Fatal(s.Name, err)
		}
		found[s.Name] = constant{s.Value, string(body[s.Value : s.Value+s.Size])}
	}
	return found
}
