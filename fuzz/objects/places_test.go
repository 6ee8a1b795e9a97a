package objects

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

type bytesOf struct{ r *rand.ChaCha8 }

func (b bytesOf) Byte() byte     { return byte(b.r.Uint64()) }
func (b bytesOf) Uint16() uint16 { return uint16(b.r.Uint64()) }

// Variables lie after each other in the section of their space, aligned as they want to be; the section ends with the last and is
// aligned as the strictest wants. Common ones, and those that the linker makes, lie in none.
func TestPlaces(t *testing.T) {
	placed, pointers, common := map[Space]int{}, 0, 0
	for n := range 800 {
		l := Read(bytesOf{rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), 'p'})})
		s := l.repaired()
		for m, o := range l.Objects() {
			f, err := cubin.Open(o.Name, o.Data)
			if err != nil {
				t.Fatal(err)
			}
			end, strict := map[uint32]uint64{}, map[uint32]uint64{}
			table := f.Symtab()
			for i := 1; i < table.Len(); i++ {
				sym, _ := table.At(i)
				number, err := strconv.Atoi(table.Name(&sym)[min(1, len(table.Name(&sym))):])
				if err != nil || table.Name(&sym)[0] != 'v' {
					continue
				}
				known := &s.Variables[number]
				align, where := uint64(4)<<known.Align, table.Shndx(i, &sym)
				switch {
				case where == 0:
					continue
				case where == shnCommon:
					if common++; sym.Value != align || cuda.Binding(sym.Info>>4) != cuda.STBGlobal {
						t.Errorf("link %d, module %d: common v%d at %#x, align %d", n, m, number, sym.Value, align)
					}
					continue
				case known.Space >= Texture:
					t.Errorf("link %d: v%d of space %d lies somewhere", n, number, known.Space)
				}
				placed[known.Space]++
				section := f.Section(int(where))
				if want := spaceSection(known.Space); f.SectionName(&section) != want.name || section.Type != want.typ || section.Flags != want.flags {
					t.Errorf("link %d: v%d of space %d lies in %s", n, number, known.Space, f.SectionName(&section))
				}
				at := sym.Value
				if known.Space == Shared || known.Space == DynamicShared {
					if known.Space == Shared && at != align {
						t.Errorf("link %d: shared v%d has the value %d, align %d", n, number, at, align)
					}
					at = (end[where] + align - 1) &^ (align - 1)
				}
				if want := (end[where] + align - 1) &^ (align - 1); at != want || sym.Size == 0 && known.Space < Texture && known.Space != DynamicShared {
					t.Errorf("link %d, module %d: v%d of %d bytes at %#x, want %#x", n, m, number, sym.Size, at, want)
				}
				end[where], strict[where] = at+sym.Size, max(strict[where], align)
			}
			for where, want := range end {
				if section := f.Section(int(where)); section.Size != want || section.Align != strict[where] {
					t.Errorf("link %d, module %d: %s has %d bytes, align %d, want %d, %d", n, m, f.SectionName(&section), section.Size, section.Align, want, strict[where])
				}
			}
			pointers += inVariables(t, fmt.Sprintf("link %d, module %d", n, m), f)
		}
	}
	for _, space := range []Space{Global, Initialized, Constant, Shared} {
		if placed[space] < 100 {
			t.Errorf("%d variables of space %d", placed[space], space)
		}
	}
	if pointers < 50 || common < 20 {
		t.Errorf("%d pointers, %d common variables", pointers, common)
	}
}

// inVariables sees that each record of initialized data is at a multiple of eight, in a variable that has room for a pointer.
func inVariables(t *testing.T, what string, f *cubin.File) (n int) {
	t.Helper()
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		if name := f.SectionName(&s); name != ".rela.nv.global.init" && name != ".rel.nv.global.init" {
			continue
		}
		list, err := f.Relocs(&s)
		if err != nil {
			t.Fatal(err)
		}
		table := f.Symtab()
		for k := range list.Len() {
			r, inside := list.At(k), false
			for j := 1; j < table.Len(); j++ {
				sym, _ := table.At(j)
				inside = inside || sym.Type() != cuda.STTSection && table.Shndx(j, &sym) == s.Info && r.Off >= sym.Value && r.Off < sym.Value+8 && r.Off+8 <= sym.Value+sym.Size
			}
			if n++; !inside || r.Off%8 != 0 {
				t.Errorf("%s: a pointer at %#x of initialized data", what, r.Off)
			}
		}
	}
	return n
}

// .nv.compat is there from 13.0 and sm_90 on, and the note names it.
func TestCompat(t *testing.T) {
	for i, target := range Targets {
		l := Link{Target: uint8(i), Functions: []FunctionName{{}}, Variables: []VariableName{{}}, Modules: []Module{{}}}
		f, err := cubin.Open("m", l.Objects()[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		sections := map[string]int{}
		for k := 1; k < f.NumSections(); k++ {
			s := f.Section(k)
			sections[f.SectionName(&s)] = k
		}
		has := target.Release >= "13" && target.SM >= 90
		if (sections[".nv.compat"] != 0) != has || (sections[".note.nv.cuinfo"] != 0) != (target.Release >= "13") || (sections[".note.nv.tkinfo"] != 0) != (target.Release >= "13") {
			t.Errorf("%+v: %v", target, sections)
		}
		if k := sections[".note.nv.cuinfo"]; k != 0 {
			if s := f.Section(k); int(s.Info) != sections[".nv.compat"] || int(s.Link) != sections[".note.nv.tkinfo"] {
				t.Errorf("%+v: info %d, link %d, %v", target, s.Info, s.Link, sections)
			}
		}
	}
	for _, c := range []struct{ sm, older, want int }{{80, 0, 80}, {80, 1, 75}, {80, 9, 50}, {86, 1, 75}, {90, 1, 80}, {50, 1, 50}, {75, 2, 60}, {52, 1, 50}} {
		if got := olderSM(c.sm, uint8(c.older)); got != c.want {
			t.Errorf("sm_%d, %d below: %d, want %d", c.sm, c.older, got, c.want)
		}
	}
}
