package anatomy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/anatomy"
)

// What is told of a file is what its tables have, in order: sections, objects by their place, registers of functions, calls.
func TestOf(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	objects, registers, calls := 0, 0, 0
	for n, c := range cases {
		if c.Output == nil || n%3 != 0 {
			continue
		}
		f, err := cubin.Open(c.ID(), c.Output)
		if err != nil {
			t.Fatal(err)
		}
		a, err := anatomy.Of(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Sections) != f.NumSections()-1 {
			t.Fatalf("%s: %d sections of %d", c.ID(), len(a.Sections), f.NumSections())
		}
		for i := range a.Sections {
			if s := f.Section(i + 1); a.Sections[i] != (anatomy.Section{Name: f.SectionName(&s), Size: s.Size}) {
				t.Errorf("%s: section %d is %+v", c.ID(), i+1, a.Sections[i])
			}
		}
		// Symbols, by the table itself.
		var want, got []string
		index := map[uint32]int{}
		table := f.Symtab()
		for i := 1; i < table.Len(); i++ {
			s, _ := table.At(i)
			if s.Type() == cuda.STTFunc {
				index[uint32(i)] = len(index)
				want = append(want, fmt.Sprintf("function %s %v", table.Name(&s), s.Other&cuda.STOEntry != 0))
			}
		}
		for _, fn := range a.Functions {
			got = append(got, fmt.Sprintf("function %s %v", fn.Name, fn.Kernel))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.ID(), got, want)
		}
		objects += inPlace(t, c.ID(), f, a)
		registers += withRegisters(t, c.ID(), f, a, index)
		for i := range a.Functions {
			calls += len(a.Functions[i].Calls)
			if !slices.IsSorted(a.Functions[i].Calls) || len(slices.Compact(slices.Clone(a.Functions[i].Calls))) != len(a.Functions[i].Calls) {
				t.Errorf("%s: %v", c.ID(), a.Functions[i].Calls)
			}
		}
	}
	if objects < 50 || registers < 50 || calls < 50 {
		t.Errorf("%d objects, %d registers, %d calls", objects, registers, calls)
	}
}

// inPlace sees that each space has the symbols of its section, by their place and then by name.
func inPlace(t *testing.T, id string, f *cubin.File, a *anatomy.File) (objects int) {
	t.Helper()
	table := f.Symtab()
	next := 0
	for n := 1; n < f.NumSections(); n++ {
		s := f.Section(n)
		name := f.SectionName(&s)
		if next == len(a.Spaces) || a.Spaces[next].Name != name || a.Spaces[next].Size != s.Size {
			if strings.HasPrefix(name, ".nv.constant") || name == ".nv.global" {
				t.Errorf("%s: %s is no space", id, name)
			}
			continue
		}
		var want []anatomy.Object
		for i := 1; i < table.Len(); i++ {
			sym, _ := table.At(i)
			if table.Shndx(i, &sym) == uint32(n) && sym.Type() != cuda.STTSection && sym.Type() != cuda.STTFunc {
				want = append(want, anatomy.Object{Name: table.Name(&sym), Offset: sym.Value, Size: sym.Size})
			}
		}
		slices.SortFunc(want, func(a, b anatomy.Object) int {
			return strings.Compare(fmt.Sprintf("%20d %s", a.Offset, a.Name), fmt.Sprintf("%20d %s", b.Offset, b.Name))
		})
		if !slices.Equal(a.Spaces[next].Objects, want) {
			t.Errorf("%s: %s: %v, want %v", id, name, a.Spaces[next].Objects, want)
		}
		objects += len(want)
		next++
	}
	if next != len(a.Spaces) {
		t.Errorf("%s: %d spaces of %d", id, next, len(a.Spaces))
	}
	return objects
}

func withRegisters(t *testing.T, id string, f *cubin.File, a *anatomy.File, index map[uint32]int) (n int) {
	t.Helper()
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		if f.SectionName(&s) != ".nv.info" {
			continue
		}
		info := f.Info(&s)
		for rec, ok := info.Next(); ok; rec, ok = info.Next() {
			symbol, _ := rec.Word(0)
			value, _ := rec.Word(1)
			at, ok := index[symbol]
			if !ok {
				continue
			}
			switch fn := &a.Functions[at]; rec.Attr {
			case cuda.AttrRegcount:
				if n++; fn.Registers != value {
					t.Errorf("%s: %s has %d registers, want %d", id, fn.Name, fn.Registers, value)
				}
			case cuda.AttrFrameSize:
				if fn.Frame != uint64(value) {
					t.Errorf("%s: %s has a frame of %d, want %d", id, fn.Name, fn.Frame, value)
				}
			}
		}
	}
	return n
}
