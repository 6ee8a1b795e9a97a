package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// What planting reads of a file is what package cubin reads: sections, their names and numbers, and symbols of both sides.
func TestFileAsCubin(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	mercury, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	var files [][]byte
	for i, c := range append(slices.Clone(cases), corpus.CasesOf(mercury)...) {
		if i%11 == 0 || i >= len(cases) {
			files = append(files, c.Inputs[0].Data, c.Output)
		}
	}
	symbols, second := 0, 0
	for _, data := range files {
		want, err := cubin.Open("a.cubin", data)
		if err != nil {
			continue // of a refused link
		}
		f := open(data, splitmix.At(1))
		if len(f.sections) != want.NumSections() || f.shoff != want.Header.ShOff {
			t.Fatalf("%d sections at %#x", len(f.sections), f.shoff)
		}
		d := want.Editor()
		var tables []int
		for i := range want.NumSections() {
			s, got := want.Section(i), f.sections[i]
			if got.name != want.SectionName(&s) || got.kind != uint32(s.Type) || got.flags != uint64(s.Flags) || got.addr != s.Addr || got.off != s.Off || got.size != s.Size || got.link != s.Link || got.info != s.Info ||
				got.align != s.Align || got.entry != s.EntSize || got.at != f.shoff+uint64(i)*64 || f.text(got.nameAt) != got.name {
				t.Errorf("section %d is %+v, want %+v", i, got, s)
			}
			if s.Flags&cuda.SHFExec != 0 != got.code() && len(got.name) > 6 && got.name[:6] == ".text." {
				t.Errorf("%s is code: %v", got.name, got.code())
			}
			if cubin.IsSymbols(s.Type) {
				tables = append(tables, i)
			}
		}
		if !slices.Equal(f.symtabs, tables) {
			t.Errorf("tables of symbols %v, want %v", f.symtabs, tables)
		}
		for n, tab := range tables {
			list, err := d.Symbols(tab)
			if err != nil {
				t.Fatal(err)
			}
			got := f.symbols(&f.sections[tab])
			if len(got) != len(list) {
				t.Fatalf("%d symbols, want %d", len(got), len(list))
			}
			for k, s := range list {
				g := got[k]
				if g.name != s.Name || g.kind != byte(s.Type()) || g.bind != byte(s.Binding()) || g.other != s.Other || g.shndx != s.Shndx || g.value != s.Value || g.size != s.Size || g.index != k || g.at != d.Part(tab).Off+uint64(k)*24 || g.table != &f.sections[tab] {
					t.Errorf("symbol %d is %+v, want %+v", k, g, s)
				}
				symbols++
				second += n
			}
		}
	}
	if symbols < 500 || second < 100 {
		t.Errorf("%d symbols, %d of them of a second table", symbols, second)
	}
}

// Fields are read and written where they are, and nothing past the end.
func TestFields(t *testing.T) {
	f := &file{bytes: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for _, c := range []struct {
		at    uint64
		width int
		want  uint64
	}{{0, 1, 1}, {1, 2, 0x0302}, {5, 4, 0x09080706}, {1, 8, 0x0908070605040302}, {6, 4, 0}, {2, 8, 0}, {9, 1, 0}, {100, 1, 0}} {
		if got := f.get(c.at, c.width); got != c.want {
			t.Errorf("%d bytes at %d: %#x, want %#x", c.width, c.at, got, c.want)
		}
		g := &file{bytes: bytes.Clone(f.bytes)}
		g.put(c.at, c.width, 0xaabbccddeeff1122)
		changed := 0
		for i := range g.bytes {
			if g.bytes[i] != f.bytes[i] {
				changed++
			}
		}
		if fits := c.at+uint64(c.width) <= 9; fits != (changed > 0) || fits && (g.get(c.at, 1) != 0x22 || changed > c.width || f.bytes[0] != 1) {
			t.Errorf("%d bytes at %d: % x", c.width, c.at, g.bytes)
		}
	}
	if got := f.entries(&header{off: 100, size: 50}, 16); !slices.Equal(got, []uint64{100, 116, 132}) {
		t.Errorf("%d", got)
	}
	if got := f.entries(&header{off: 100, size: 48}, 16); len(got) != 3 {
		t.Errorf("%d", got)
	}
	if f.text(9) != "" || f.text(100) != "" || (&file{bytes: []byte("ab\x00c")}).text(1) != "b" || (&file{bytes: []byte("ab\x00c")}).text(3) != "c" {
		t.Error("text")
	}
}

// A word's fields, as nvdisasm shows them.
func TestWordFields(t *testing.T) {
	f := &file{bytes: bytes.Repeat([]byte{0xff}, 48)}
	f.put(16, 8, 0x0000000402ff7981)
	f.put(24, 8, 0x0+3<<41+2<<46+0x15<<52)
	if f.op(16) != 0x981 || f.stall(16) != 3 || f.writeBoard(16) != 2 || f.waits(16) != 0x15 || f.low(16) != 0x0000000402ff7981 {
		t.Errorf("%#x, stall %d, board %d, waits %#x", f.op(16), f.stall(16), f.writeBoard(16), f.waits(16))
	}
	if f.op(0) != 0xfff || f.stall(0) != 15 || f.writeBoard(0) != 7 || f.waits(0) != 63 {
		t.Error("all ones")
	}
}
