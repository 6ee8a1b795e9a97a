package relayout

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/oracle/check"
)

// plain are recorded links without options, with their inputs, one of so many.
func plain(t *testing.T, each int) (list []corpus.Case) {
	t.Helper()
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range cases {
		options := slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool {
			return a == "-o" || strings.HasSuffix(a, ".cubin") || strings.HasPrefix(a, "-arch")
		})
		if !c.Linked() || len(c.Output) == 0 || !c.Complete() || len(options) > 0 {
			continue
		}
		if n++; n%each == 0 {
			list = append(list, c)
		}
	}
	return list
}

// A right link is right in every layout: the oracle accepts it, and still sees a defect in its code.
func TestJudged(t *testing.T) {
	accepted := 0
	for i, c := range plain(t, 13) {
		var in []check.Input
		for _, x := range c.Inputs {
			in = append(in, check.Input{Name: x.Name, Data: x.Data})
		}
		o := check.Options{Arch: c.Arch, Toolkit: c.Release}
		if v := check.Check(in, c.Output, o); !v.Agrees() {
			continue
		}
		accepted++
		for _, way := range Ways {
			other, err := File(c.Output, way, uint64(i)+100)
			if err != nil {
				t.Fatal(err)
			}
			if v := check.Check(in, other, o); !v.Agrees() {
				t.Errorf("%s, %s: %s", c.ID(), way, v.String())
			}
		}
	}
	if accepted < 8 {
		t.Errorf("%d links", accepted)
	}
}

// tables is a file whose numbers are resolved to names.
type tables struct {
	*elf.File
	data    []byte
	symbols []elf.Symbol
}

func openTables(t *testing.T, data []byte) tables {
	t.Helper()
	plain := bytes.Clone(data)
	copy(plain[20:], []byte{1, 0, 0, 0})
	f, err := elf.NewFile(bytes.NewReader(plain))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return tables{f, data, append([]elf.Symbol{{}}, symbols...)}
}

// facts are what no way but that of variables may change: names instead of numbers.
func (f tables) facts() (list []string) {
	name := func(n uint32) string {
		if int(n) < len(f.Sections) {
			return f.Sections[n].Name
		}
		return fmt.Sprint(n)
	}
	for _, s := range f.Sections {
		info := fmt.Sprint(s.Info & 0xff000000)
		if s.Flags&elf.SHF_EXECINSTR == 0 && s.Type != elf.SHT_SYMTAB && s.Type != 0x70000085 && int(s.Info) < len(f.Sections) {
			info = name(s.Info)
		}
		list = append(list, fmt.Sprintf("section %s %v %v entry %d link %s info %s", s.Name, s.Type, s.Flags, s.Entsize, name(s.Link), info))
		width := map[elf.SectionType]int{elf.SHT_REL: 16, elf.SHT_RELA: 24}[s.Type]
		body, err := s.Data()
		if width == 0 || err != nil {
			continue
		}
		for r := range slices.Chunk(body, width) {
			list = append(list, fmt.Sprintf("record of %s at %x: %s %x", s.Name, little.Uint64(r), f.symbols[little.Uint32(r[12:])].Name, append(bytes.Clone(r[8:12]), r[16:]...)))
		}
	}
	for _, s := range f.symbols[1:] {
		where := fmt.Sprint(s.Section)
		if int(s.Section) < len(f.Sections) {
			where = f.Sections[s.Section].Name
		}
		list = append(list, fmt.Sprintf("symbol %s info %#x other %#x in %s at %#x size %d", s.Name, s.Info, s.Other, where, s.Value, s.Size))
	}
	slices.Sort(list)
	return list
}

// Whatever a way changes, the numbers go on to name what they named; local symbols come first, and what is aligned stays so.
func TestNumbers(t *testing.T) {
	for i, c := range plain(t, 9) {
		want := openTables(t, c.Output).facts()
		for _, way := range Ways {
			if way&Variables != 0 {
				continue
			}
			for seed := range uint64(3) {
				other, err := File(c.Output, way, seed+uint64(i))
				if err != nil {
					t.Fatal(err)
				}
				f := openTables(t, other)
				if got := f.facts(); !slices.Equal(got, want) {
					for k := range min(len(got), len(want)) {
						if got[k] != want[k] {
							t.Errorf("%s, %s: %s, want %s", c.ID(), way, got[k], want[k])
							break
						}
					}
				}
				for _, s := range f.Sections {
					if s.Type == elf.SHT_SYMTAB && way&Symbols != 0 {
						for k := range f.symbols {
							if local := elf.ST_BIND(f.symbols[k].Info) == elf.STB_LOCAL; k > 0 && local != (uint32(k) < s.Info) {
								t.Errorf("%s, %s: symbol %d, the first that isn't local is %d", c.ID(), way, k, s.Info)
							}
						}
					}
					if s.Addralign > 1 && s.Type != elf.SHT_NOBITS && s.Offset%s.Addralign != 0 && s.FileSize > 0 && s.Flags&elf.SHF_ALLOC != 0 {
						t.Errorf("%s, %s: %s at %#x, aligned to %d", c.ID(), way, s.Name, s.Offset, s.Addralign)
					}
				}
			}
		}
	}
}

// Each way changes what it says, by most seeds.
func TestChanges(t *testing.T) {
	order := func(data []byte, of func(f tables) []string) string {
		return strings.Join(of(openTables(t, data)), "\n")
	}
	sections := func(f tables) (list []string) {
		for _, s := range f.Sections {
			list = append(list, s.Name)
		}
		return list
	}
	symbols := func(f tables) (list []string) {
		for _, s := range f.symbols {
			list = append(list, fmt.Sprint(s.Name, s.Value, s.Section == 0))
		}
		return list
	}
	offsets := func(f tables) (list []string) {
		for _, s := range f.Sections {
			list = append(list, fmt.Sprint(s.Name, s.Offset))
		}
		return list
	}
	for _, c := range []struct {
		way Way
		of  func(f tables) []string
	}{{Sections, sections}, {Symbols, symbols}, {Places, offsets}} {
		changed, all := 0, 0
		for i, x := range plain(t, 9) {
			other, err := File(x.Output, c.way, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if all++; order(other, c.of) != order(x.Output, c.of) {
				changed++
			}
			// The others leave it.
			for _, y := range []Way{Sections, Symbols} {
				if y == c.way || c.way == Places {
					continue
				}
				if other, err := File(x.Output, y, uint64(i)); err != nil || order(other, c.of) != order(x.Output, c.of) {
					t.Errorf("%s: %s changes what %s is about: %v", x.ID(), y, c.way, err)
				}
			}
		}
		if changed*10 < all*9 {
			t.Errorf("%s: %d of %d", c.way, changed, all)
		}
	}
	for w, want := range map[Way]string{Sections: "sections", All: "all", Segments: "segments", Variables: "variables"} {
		if w.String() != want {
			t.Errorf("%d: %s", w, w)
		}
	}
	if All != Sections|Symbols|Names|Places|Tables|Variables|Segments {
		t.Error("all are not all")
	}
}

// Tables keep their order where nobody asked for another, and get one where somebody did.
func TestTables(t *testing.T) {
	of := func(data []byte) (list []string) {
		for _, s := range openTables(t, data).Sections {
			if body, err := s.Data(); err == nil && (strings.HasPrefix(s.Name, ".nv.info") || strings.HasPrefix(s.Name, ".rel") || s.Name == ".nv.callgraph") {
				list = append(list, fmt.Sprintf("%s %x", s.Name, body))
			}
		}
		return list
	}
	changed, all := 0, 0
	for i, c := range plain(t, 9) {
		want := of(c.Output)
		for _, way := range []Way{Places, Segments, Variables, Tables} {
			other, err := File(c.Output, way, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			switch got := of(other); {
			case way == Tables:
				all++
				if !slices.Equal(got, want) {
					changed++
				}
			case way != Variables && !slices.Equal(got, want):
				t.Errorf("%s: %s changes tables", c.ID(), way)
			}
		}
	}
	if changed*10 < all*7 {
		t.Errorf("%d of %d tables have another order", changed, all)
	}
}
