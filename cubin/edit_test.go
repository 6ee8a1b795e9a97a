package cubin_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

func want(t *testing.T, err error, kind cubin.Kind) {
	t.Helper()
	if !errors.Is(err, &cubin.Error{Kind: kind}) {
		t.Errorf("error %v instead of one of kind %q", err, kind)
	}
}

// TestInsertAndDrop wants a section or symbol that is put in and taken out to
// leave no trace.
func TestInsertAndDrop(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		d := decode(t, name, data)
		at := 1 + d.NumSections()/2
		if err := shiftSections(d, at); err != nil {
			t.Fatal(name, err)
		}
		gone, err := d.Drop([]int{at}, nil)
		if err != nil || !slices.Equal(gone.Sections, []int{at}) || len(gone.Symbols) != 0 {
			t.Fatal(name, gone, err)
		}
		same(t, name, layout(t, d), data)

		if err := d.InsertSymbol(d.Symtab(), 1, cubin.Sym{}); err != nil {
			t.Fatal(name, err)
		}
		if _, err := d.Drop(nil, map[int][]int{d.Symtab(): {1}}); err != nil {
			t.Fatal(name, err)
		}
		same(t, name, layout(t, d), data)
	})
}

// TestNumbersAfterInsert looks at numbers that nvlink doesn't.
func TestNumbersAfterInsert(t *testing.T) {
	for name, data := range mercury(t) {
		d := decode(t, name, neutral(t, name, data, 3))
		symbols, err := d.Symbols(d.MercSymtab())
		if err != nil {
			t.Fatal(err)
		}
		capsules := 0
		for i := range d.NumSections() {
			p := d.Part(i)
			f, ok := strings.CutPrefix(d.SectionName(i), ".nv.capmerc.text.")
			if !ok {
				continue
			}
			capsules++
			if got := symbols[p.Info].Name; got != f {
				t.Errorf("%s: the capsule of %s names symbol %q", name, f, got)
			}
		}
		if capsules == 0 {
			t.Errorf("%s: no capsules", name)
		}
		before := decode(t, name, data)
		for _, tab := range [][2]int{{before.Symtab(), d.Symtab()}, {before.MercSymtab(), d.MercSymtab()}} {
			if got, old := d.Part(tab[1]).Info, before.Part(tab[0]).Info; got != old+1 {
				t.Errorf("%s: %s has %d locals, with one more than %d", name, d.SectionName(tab[1]), got, old)
			}
		}
	}
}

// TestUnifiedEntries follows the symbols of .nv.uft.entry and .nv.udt.entry.
func TestUnifiedEntries(t *testing.T) {
	name, data := shortest(t, "unified/13.0-sm_90/a.cubin")
	names := func(d *cubin.Editor) (list []string) {
		symbols, err := d.Symbols(d.Symtab())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{".nv.uft.entry", ".nv.udt.entry"} {
			entries := d.Data(d.Lookup(table))
			for at := 0; at < len(entries); at += 32 {
				list = append(list, symbols[entries[at]].Name)
			}
		}
		return list
	}
	d := decode(t, name, data)
	before := names(d)
	if !slices.Equal(before, []string{"both", "shared_data"}) {
		t.Fatalf("the tables name %q", before)
	}
	if err := shiftSymbols(d); err != nil {
		t.Fatal(err)
	}
	if after := names(d); !slices.Equal(after, before) {
		t.Errorf("the tables name %q", after)
	}
	symbols, _ := d.Symbols(d.Symtab())
	both := slices.IndexFunc(symbols, func(s cubin.Sym) bool { return s.Name == "both" })
	if _, err := d.Drop(nil, map[int][]int{d.Symtab(): {both}}); err != nil {
		t.Fatal(err)
	}
	if after := names(d); !slices.Equal(after, before[1:]) {
		t.Errorf("without the function the tables name %q", after)
	}
}

// TestShared changes bytes that two sections share.
func TestShared(t *testing.T) {
	data := mercury(t)["13.0-sm_100-linked.cubin"]
	d := decode(t, "linked", data)
	sass, merc := d.Lookup(".nv.global.init"), d.Lookup(".nv.merc.nv.global.init")
	if d.SharesWith(merc) != sass {
		t.Fatalf("section %d is the shared of %d, not of %d", merc, d.SharesWith(merc), sass)
	}
	if err := d.Patch(merc, 3, []byte("xyz")); err != nil {
		t.Fatal(err)
	}
	out := encode(t, d)
	if len(out) != len(data) || bytes.Equal(out, data) {
		t.Error("a patch must change bytes and no size")
	}
	if err := d.SetData(merc, []byte("longer than the sixteen bytes it was")); err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("changed", layout(t, d))
	if err != nil {
		t.Fatal(err)
	}
	a, b := f.Section(sass), f.Section(merc)
	if a.Off != b.Off || string(f.Content(&a)) != "longer than the sixteen bytes it was" || !bytes.Equal(f.Content(&a), f.Content(&b)) {
		t.Errorf("the shared hold %q and %q", f.Content(&a), f.Content(&b))
	}
	if data[a.Off+3] == 'x' {
		t.Error("the input was changed")
	}

	// Without the first the second keeps the bytes.
	if _, err := d.Drop([]int{sass}, nil); err != nil {
		t.Fatal(err)
	}
	if f, err = cubin.Open("dropped", layout(t, d)); err != nil {
		t.Fatal(err)
	}
	b = f.Section(f.Lookup(".nv.merc.nv.global.init"))
	if string(f.Content(&b)) != "longer than the sixteen bytes it was" {
		t.Errorf("the shared that stays holds %q", f.Content(&b))
	}
}

// TestDropFunction takes the code of each function out of each object and
// looks for what should have gone with it.
func TestDropFunction(t *testing.T) {
	dropped := 0
	each(t, func(t *testing.T, name string, data []byte) {
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < f.NumSections(); i++ {
			s := f.Section(i)
			fn, ok := strings.CutPrefix(f.SectionName(&s), ".text.")
			if !ok || dropped > 2000 {
				continue
			}
			dropped++
			d := f.Editor()
			gone, err := d.Drop([]int{i}, nil)
			if err != nil {
				t.Errorf("%s: without %s: %v", name, fn, err)
				continue
			}
			checkNumbers(t, name+" without "+fn, layout(t, d))
			if len(gone.Symbols[f.Lookup(".symtab")]) == 0 {
				t.Errorf("%s: without %s: no symbol went", name, fn)
			}
			for k := 1; k < f.NumSections(); k++ {
				x := f.Section(k)
				if (x.Owner() == uint32(i) || f.SectionName(&x) == ".nv.capmerc.text."+fn) && !slices.Contains(gone.Sections, k) {
					t.Errorf("%s: without %s: %s stays", name, fn, f.SectionName(&x))
				}
			}
		}
	})
	if dropped < 1000 {
		t.Errorf("only %d functions", dropped)
	}
}

// checkNumbers wants every number of a section or symbol to name one.
func checkNumbers(t *testing.T, name string, data []byte) {
	t.Helper()
	f, err := cubin.Open(name, data)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	d := f.Editor()
	for i := 1; i < d.NumSections(); i++ {
		p := d.Part(i)
		symbols := len(d.Data(int(p.Link))) / cubin.SymbolSize
		if int(p.Link) >= d.NumSections() {
			t.Errorf("%s: %s: sh_link %d", name, d.SectionName(i), p.Link)
		}
		if p.Flags&cuda.SHFInfoLink != 0 && int(p.Info) >= d.NumSections() {
			t.Errorf("%s: %s: sh_info %d", name, d.SectionName(i), p.Info)
		}
		list := []uint32{}
		switch {
		case p.Type == cuda.SHTCudaCompat:
		case cubin.IsRelocs(p.Type):
			relocs, err := d.Relocs(i)
			if err != nil {
				t.Error(name, err)
			}
			for _, r := range relocs {
				list = append(list, r.Symbol)
			}
		case cubin.IsInfo(p.Type):
			records, err := d.Info(i)
			if err != nil {
				t.Error(name, err)
			}
			for _, r := range records {
				if w, ok := r.Word(0); ok && (r.Attr == cuda.AttrRegcount || r.Attr == cuda.AttrFrameSize || r.Attr == cuda.AttrExterns) {
					list = append(list, w)
				}
			}
		case cubin.IsCallgraph(p.Type):
			groups, err := d.Callgraph(i)
			if err != nil {
				t.Error(name, err)
			}
			for _, g := range groups {
				for _, pair := range g.Pairs {
					if list = append(list, pair.X); !g.NamesString() {
						list = append(list, pair.Y)
					}
				}
			}
		}
		for _, n := range list {
			if int(n) >= symbols {
				t.Errorf("%s: %s names symbol %d of %d", name, d.SectionName(i), n, symbols)
			}
		}
	}
}

// Where a symbol is put in beside the end of the local ones, sh_info counts it if it is local.
func TestInsertAmongLocals(t *testing.T) {
	tried := 0
	each(t, func(t *testing.T, name string, data []byte) {
		tab := decode(t, name, data).Symtab()
		locals := int(decode(t, name, data).Part(tab).Info)
		for _, c := range []struct{ at, local, global int }{{locals - 1, 1, 1}, {locals, 1, 0}, {locals + 1, 0, 0}} {
			for binding, more := range map[cuda.Binding]int{cuda.STBLocal: c.local, cuda.STBGlobal: c.global, cuda.STBWeak: c.global} {
				d := decode(t, name, data)
				s := cubin.Sym{Symbol: cubin.Symbol{Info: uint8(binding) << 4}}
				if err := d.InsertSymbol(tab, c.at, s); c.at < 1 || err != nil {
					continue
				}
				tried++
				if got := int(d.Part(tab).Info); got != locals+more {
					t.Errorf("%s: binding %d as number %d: %d local ones of %d", name, binding, c.at, got, locals)
				}
			}
		}
	})
	if tried < 100 {
		t.Errorf("%d insertions", tried)
	}
}
