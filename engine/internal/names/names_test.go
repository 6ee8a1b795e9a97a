package names

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A table that is written block by block is its names, each with a NUL.
func TestStrtab(t *testing.T) {
	for _, lengths := range [][]int{{}, {1}, {3, 0, 5}, {Block - 2, 7}, {Block - 1, 7}, {Block, 7}, {3 * Block, 1, Block / 2}} {
		n := New(16, nil)
		table := NewStrtab(n, 4)
		want := []byte{0}
		for i, length := range lengths {
			name := ""
			if length > 0 {
				name = fmt.Sprint(i) + strings.Repeat("x", length-1)
				table.Add(n.ID(name))
			} else {
				table.AddEmpty()
			}
			want = append(append(want, name...), 0)
		}
		for i := range 20_000 {
			name := fmt.Sprintf("function_%05d", i)
			if off := table.Add(n.ID(name)); int(off) != len(want) {
				t.Fatalf("%s at %d, want %d", name, off, len(want))
			}
			want = append(append(want, name...), 0)
		}
		again := n.ID("function_00007")
		table.AddAgain(again)
		want = append(append(want, "function_00007"...), 0)
		got := make([]byte, table.Size)
		table.PutAll(got)
		if !bytes.Equal(got, want) {
			t.Errorf("lengths %d: %d bytes, want %d, or other ones", lengths, len(got), len(want))
		}
	}
}

// Equal names have equal numbers, others other ones, however they are asked for.
func TestIDs(t *testing.T) {
	n := New(16, nil)
	known := make(map[string]ID)
	check := func(how, s string, id ID) {
		t.Helper()
		if n.Str(id) != s {
			t.Errorf("%s: %q is number %d, which is %q", how, s, id, n.Str(id))
		}
		if have, ok := known[s]; ok && have != id {
			t.Errorf("%s: %q is number %d, and %d", how, s, have, id)
		}
		known[s] = id
	}
	parts := []string{"", ".", "f", "a.f", ".f", ".text.", ".text", ".nv.info.", ".rel", ".rela", "rel.", ".rel.", ".rela.", "a.", "\x00"}
	for range 2 { // what is there already too
		for _, a := range parts {
			for _, b := range parts {
				for _, c := range parts {
					s := a + b + c
					check("ID", s, n.ID(s))
					for p := range prefixes {
						rest := n.ID(s)
						check("Join", prefixText[p]+s, n.Join(p, rest))
						check("Joined", prefixText[p]+s, n.Joined(prefixText[p]+s, p, rest))
						check("Joined, another", s, n.Joined(s, p, rest))
					}
				}
			}
		}
	}
	numbers := make(map[ID]string)
	for s, id := range known {
		if have, ok := numbers[id]; ok {
			t.Errorf("%q and %q are number %d", s, have, id)
		}
		numbers[id] = s
	}
}
