package cubin_test

import (
	"math"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// What is before the beginning or after the end of a table isn't there, and has no value.
func TestEnds(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if tab := f.Symtab(); tab != nil {
			for _, i := range []int{-1, tab.Len(), tab.Len() + 1, math.MaxInt} {
				if s, ok := tab.At(i); ok || s != (cubin.Symbol{}) {
					t.Errorf("%s: symbol %d of %d is %+v", name, i, tab.Len(), s)
				}
			}
			if s, ok := tab.At(tab.Len() - 1); !ok || s == (cubin.Symbol{}) && tab.Len() > 1 {
				t.Errorf("%s: the last symbol isn't there", name)
			}
			if got := tab.Shndx(math.MaxInt, &cubin.Symbol{Shndx: cuda.SHNXindex}); got != cuda.SHNXindex {
				t.Errorf("%s: a symbol past the end lies in section %d", name, got)
			}
		}
		for i := 1; i < f.NumSections(); i++ {
			s := f.Section(i)
			if !cubin.IsInfo(s.Type) {
				continue
			}
			for r := f.Info(&s); ; {
				rec, ok := r.Next()
				if !ok {
					break
				}
				for _, k := range []int{-1, (len(rec.Data) + 3) / 4, len(rec.Data), math.MaxInt} {
					if w, ok := rec.Word(k); ok && (k < 0 || 4*k+4 > len(rec.Data)) || !ok && w != 0 {
						t.Errorf("%s: word %d of %d bytes is %#x, %v", name, k, len(rec.Data), w, ok)
					}
				}
			}
		}
	})
}

// A symbol table of another type, with entries of another size or a part of one at its end is none, whichever of the three
// it is.
func TestSymbolTables(t *testing.T) {
	name, data := shortest(t, "constants/12.4-sm_86")
	for what, change := range map[string]func(p *cubin.Part) bool{
		"type":               func(p *cubin.Part) bool { p.Type = cuda.SHTProgbits; return true },
		"size of an entry":   func(p *cubin.Part) bool { p.EntSize = cubin.SymbolSize + 8; return true },
		"no size of entries": func(p *cubin.Part) bool { p.EntSize = 0; return true },
		"a part at the end":  func(*cubin.Part) bool { return false },
	} {
		d := decode(t, name, data)
		tab := d.Symtab()
		if !change(d.Part(tab)) {
			if err := d.SetData(tab, append(d.Data(tab), 1)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := d.Symbols(tab)
		want(t, err, cubin.BadTable)
		if err == nil {
			t.Errorf("another %s: it is read", what)
		}
		want(t, d.SetSymbols(tab, nil), cubin.BadTable)
	}
}
