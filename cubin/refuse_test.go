package cubin_test

import (
	"math"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// TestRefusals asks for what can't be done.
func TestRefusals(t *testing.T) {
	name, data := shortest(t, "constants/12.4-sm_86")
	open := func() *cubin.Editor { return decode(t, name, data) }
	find := func(d *cubin.Editor, typ cuda.SectionType) int {
		for i := range d.NumSections() {
			if d.Part(i).Type == typ {
				return i
			}
		}
		t.Fatalf("%s has no %s", name, typ)
		return 0
	}
	tab := open().Symtab()
	for _, c := range []struct {
		name string
		kind cubin.Kind
		do   func(d *cubin.Editor) error
	}{
		{"bytes of a section that isn't there", cubin.BadIndex, func(d *cubin.Editor) error { return d.SetData(d.NumSections(), nil) }},
		{"bytes of the null section", cubin.BadIndex, func(d *cubin.Editor) error { return d.SetData(0, nil) }},
		{"a patch past the end", cubin.BadExtent, func(d *cubin.Editor) error { return d.Patch(tab, uint64(len(d.Data(tab)))-1, []byte{1, 2}) }},
		{"a patch far past the end", cubin.BadExtent, func(d *cubin.Editor) error { return d.Patch(tab, math.MaxUint64, []byte{1, 2}) }},
		{"encoding a size that isn't laid out", cubin.BadExtent, func(d *cubin.Editor) error {
			if err := d.SetData(tab, append(d.Data(tab), make([]byte, 24)...)); err != nil {
				return err
			}
			_, err := d.Encode()
			return err
		}},
		{"encoding two changed sections at one place", cubin.BadExtent, func(d *cubin.Editor) error {
			d.Part(tab).Off = d.Part(tab + 1).Off
			_, err := d.Encode()
			return err
		}},
		{"encoding a section count that isn't laid out", cubin.BadTable, func(d *cubin.Editor) error {
			d.Header.ShNum++
			_, err := d.Encode()
			return err
		}},
		{"an alignment that makes the file huge", cubin.OverBudget, func(d *cubin.Editor) error {
			d.Part(d.NumSections() - 1).Align = 1 << 40
			return d.Layout()
		}},
		{"an alignment past the end of numbers", cubin.OverBudget, func(d *cubin.Editor) error {
			d.Part(d.NumSections() - 1).Align = math.MaxUint64
			return d.Layout()
		}},
		{"a place that makes the file huge", cubin.OverBudget, func(d *cubin.Editor) error {
			d.Part(tab).Off = 1 << 40
			_, err := d.Encode()
			return err
		}},
		{"an addend in a REL record", cubin.BadRelocation, func(d *cubin.Editor) error {
			return d.SetRelocs(find(d, cuda.SHTRel), []cubin.Reloc{{Addend: 1}})
		}},
		{"relocations of something else", cubin.BadTable, func(d *cubin.Editor) error { return d.SetRelocs(tab, nil) }},
		{"relocations read from something else", cubin.BadTable, func(d *cubin.Editor) error { _, err := d.Relocs(tab); return err }},
		{"facts read from something else", cubin.BadTable, func(d *cubin.Editor) error { _, err := d.Info(tab); return err }},
		{"symbols read from something else", cubin.BadTable, func(d *cubin.Editor) error { _, err := d.Symbols(1); return err }},
		{"a fact of no format", cubin.BadRecord, func(d *cubin.Editor) error {
			return d.SetInfo(find(d, cuda.SHTCudaInfo), []cubin.InfoRecord{{Format: 9}})
		}},
		{"a fact too long", cubin.BadRecord, func(d *cubin.Editor) error {
			return d.SetInfo(find(d, cuda.SHTCudaInfo), []cubin.InfoRecord{{Format: cuda.FormatSized, Data: make([]byte, 1<<16)}})
		}},
		{"a symbol with an escape and no table for it", cubin.BadIndex, func(d *cubin.Editor) error {
			list, err := d.Symbols(tab)
			if err != nil {
				return err
			}
			list[1].SetSection(0x12345)
			return d.SetSymbols(tab, list)
		}},
		{"a name with a NUL", cubin.BadName, func(d *cubin.Editor) error { return d.Rename(tab, "a\x00b") }},
		{"a name in something else", cubin.BadTable, func(d *cubin.Editor) error { _, err := d.Intern(tab, "a"); return err }},
		{"a section before the null section", cubin.BadIndex, func(d *cubin.Editor) error { return d.Insert(0, "x", cubin.Section{}, nil) }},
		{"a section past the end", cubin.BadIndex, func(d *cubin.Editor) error {
			return d.Insert(d.NumSections()+1, "x", cubin.Section{}, nil)
		}},
		{"bytes for a section that has none", cubin.BadExtent, func(d *cubin.Editor) error {
			return d.Insert(2, "x", cubin.Section{Type: cuda.SHTNobits}, []byte{1})
		}},
		{"a symbol past the end", cubin.BadIndex, func(d *cubin.Editor) error { return d.InsertSymbol(tab, 1<<20, cubin.Sym{}) }},
		{"dropping the section names", cubin.BadIndex, func(d *cubin.Editor) error { _, err := d.Drop([]int{1}, nil); return err }},
		{"dropping the symbols alone", cubin.BadIndex, func(d *cubin.Editor) error { _, err := d.Drop([]int{tab}, nil); return err }},
		{"dropping the null symbol", cubin.BadIndex, func(d *cubin.Editor) error {
			_, err := d.Drop(nil, map[int][]int{tab: {0}})
			return err
		}},
		{"dropping symbols of something else", cubin.BadTable, func(d *cubin.Editor) error {
			_, err := d.Drop(nil, map[int][]int{1: {1}})
			return err
		}},
	} {
		d := open()
		err := c.do(d)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		want(t, err, c.kind)
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %q doesn't name the file", c.name, err)
		}
	}
}

// TestRefusedEditChangesNothing looks at an editor after refused insertions and
// drops.
func TestRefusedEditChangesNothing(t *testing.T) {
	name, data := shortest(t, "constants/12.4-sm_86")
	d := decode(t, name, data)
	if _, err := d.Drop([]int{d.Symtab(), 5}, nil); err == nil {
		t.Fatal("the symbols went")
	}
	if err := d.Insert(d.NumSections()+7, ".new", cubin.Section{Type: cuda.SHTProgbits}, []byte("new")); err == nil {
		t.Fatal("a section came")
	}
	same(t, name, encode(t, d), data)
}
