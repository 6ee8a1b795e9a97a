package cubin

import (
	"math"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// A view has the sections as they were changed, and is refused as a file with those headers would be.
func TestView(t *testing.T) {
	d := program().open(t)
	f := d.src
	size, names := uint64(len(f.Data)), uint64(len(f.shstr))
	head := f.Header.ShOff
	for _, c := range []struct {
		what    string
		edit    func(s *Section) // of section 4
		kind    Kind             // 0 for none
		section string
		off     uint64
		value   uint64
	}{
		{"nothing", func(s *Section) {}, 0, "", 0, 0},
		{"the last name", func(s *Section) { s.NameOff = uint32(names) - 1 }, 0, "", 0, 0},
		{"a name outside", func(s *Section) { s.NameOff = uint32(names) }, BadName, "", head + 4*SectionSize, names},
		{"bytes to the end", func(s *Section) { s.Size = size - s.Off }, 0, "", 0, 0},
		{"bytes past the end", func(s *Section) { s.Size = size - s.Off + 1 }, BadExtent, "code", f.Section(4).Off, size - f.Section(4).Off + 1},
		{"a place past the end of numbers", func(s *Section) { s.Off = math.MaxUint64 }, BadExtent, "code", math.MaxUint64, 16},
		{"another name and bytes past the end", func(s *Section) { s.NameOff++; s.Off = size }, BadExtent, "ode", size, 16},
		{"no bytes past the end", func(s *Section) { s.Type, s.Off = cuda.SHTNobits, size+1 }, 0, "", 0, 0},
		{"nothing past the end", func(s *Section) { s.Type, s.Off = cuda.SHTNull, size+1 }, 0, "", 0, 0},
	} {
		v, err := f.View(func(i int, s *Section) {
			if *s != f.Section(i) {
				t.Errorf("section %d is shown as %+v", i, s)
			}
			if i == 4 {
				c.edit(s)
			}
		})
		if c.kind != 0 {
			fault(t, c.what, err, c.kind, c.section, c.off, c.value)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		want := f.Section(4)
		c.edit(&want)
		for i := range f.NumSections() {
			if i != 4 {
				want := f.Section(i)
				if v.Section(i) != want {
					t.Errorf("%s: section %d is %+v", c.what, i, v.Section(i))
				}
			}
		}
		if v.Section(4) != want || v.types[4] != want.Type || v.Symtab() == nil || v.Symtab().Len() != 4 || v.NumSections() != f.NumSections() {
			t.Errorf("%s: %+v", c.what, v.Section(4))
		}
	}
	if f.Section(4).Type != cuda.SHTProgbits || f.types[4] != cuda.SHTProgbits {
		t.Error("the file was changed")
	}
	// The symbols are read again.
	v, err := f.View(func(i int, s *Section) {
		if i == 3 {
			s.Type = cuda.SHTNull
		}
	})
	if err != nil || v.Symtab() != nil {
		t.Errorf("symbols of a table that isn't there, %v", err)
	}
	_, err = f.View(func(i int, s *Section) {
		if i == 3 {
			s.Link = 99
		}
	})
	fault(t, "names of symbols", err, BadIndex, "symtab", 0, 99)
}

// A section's number that sixteen bits can't hold is in .symtab_shndx.
func TestEscapedNumbers(t *testing.T) {
	symbols := append(append(append(symbol(0, 0, 0), symbol(1, 0, 0xffff)...), symbol(1, 0, 4)...), symbol(1, 0, 0xfff1)...)
	file := func(shndx []byte, link uint32) *madeFile {
		return &madeFile{sections: []made{
			{name: "strtab", typ: cuda.SHTStrtab, align: 1, data: []byte("\x00s\x00")}, {name: "symtab", typ: cuda.SHTSymtab, link: 2, align: 8, data: symbols},
			{name: "shndx", typ: cuda.SHTSymtabShndx, link: link, align: 4, data: shndx},
		}}
	}
	f, err := Open("a.cubin", file(words(0, 3, 1, 2), 3).bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	tab := f.Symtab()
	for k, want := range []uint32{0, 3, 4, 0xfff1} {
		s, ok := tab.At(k)
		if got := tab.Shndx(k, &s); !ok || got != want {
			t.Errorf("symbol %d is of section %#x, want %#x", k, got, want)
		}
	}
	if s, ok := tab.At(4); ok || s != (Symbol{}) {
		t.Error("a symbol behind the last")
	}
	if name, ok := tab.String(1); !ok || name != "s" || tab.file != f || tab.index != 3 {
		t.Errorf("%q, %v", name, ok)
	}
	for _, c := range []struct {
		what  string
		file  *madeFile
		value uint64 // 0: none
	}{
		{"the last section", file(words(0, 4), 3), 0}, {"behind the last section", file(words(0, 5), 3), 5}, {"far behind", file(words(0, 1<<31), 3), 1 << 31}, {"a number that is reserved elsewhere", file(words(0, 0xfff1), 3), 0xfff1},
		{"no word", file(words(0), 3), 0xffff}, {"of another table", file(words(0, 4), 2), 0xffff},
	} {
		_, err := Open("a.cubin", c.file.bytes(t))
		if c.value == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		fault(t, c.what, err, BadIndex, "symtab", SymbolSize, c.value)
	}

	d := file(words(0, 4, 9, 9), 3).open(t)
	list, err := d.Symbols(3)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []struct {
		n   uint32
		has bool
	}{{0, false}, {4, true}, {4, true}, {0xfff1, false}} {
		if n, has := list[k].Section(); n != want.n || has != want.has {
			t.Errorf("symbol %d is in section %#x, %v", k, n, has)
		}
	}
	if list[2].Word != 9 {
		t.Errorf("the word of a symbol that needs none is %d", list[2].Word)
	}
	for _, c := range []struct {
		shndx uint16
		to    uint32
		want  uint16
		word  uint32
	}{{4, 0xfeff, 0xfeff, 9}, {4, 0xff00, 0xffff, 0xff00}, {0xffff, 3, 0xffff, 3}, {4, 1 << 20, 0xffff, 1 << 20}} {
		s := Sym{Symbol: Symbol{Shndx: c.shndx}, Word: 9}
		if s.SetSection(c.to); s.Shndx != c.want || s.Word != c.word {
			t.Errorf("section %#x: %#x and %#x", c.to, s.Shndx, s.Word)
		}
	}
	if n, has := (&Sym{Symbol: Symbol{Shndx: 0xffff}}).Section(); n != 0 || has {
		t.Errorf("no section: %d, %v", n, has)
	}
	if err := d.InsertSymbol(3, 1, Sym{}); err != nil {
		t.Fatal(err)
	}
	if list, err = d.Symbols(3); err != nil || len(list) != 5 || list[2].Word != 4 || list[3].Word != 9 || len(d.Data(4)) != 20 {
		t.Errorf("%+v, %v", list, err)
	}
	d = file(words(0, 3, 9, 9), 3).open(t)
	_, err = d.Drop([]int{4}, nil)
	fault(t, "the escaped numbers go, and a symbol needs one", err, BadIndex, "symtab", SymbolSize, 3)
	if _, err := d.Drop([]int{4}, map[int][]int{3: {1}}); err != nil || len(d.Data(3)) != 2*SymbolSize {
		t.Errorf("with the symbol: %v", err)
	}
}
