package cubin_test

import (
	"errors"
	"math"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// at is where a refusal says that something is wrong, and the value that is.
type at struct {
	section       string
	offset, value uint64
}

// Each refusal of an editor tells the section, the place in it and the value that doesn't do; what stands just inside the
// limit is taken.
func TestRefusalPlaces(t *testing.T) {
	name, data := shortest(t, "constants/12.4-sm_86")
	first := decode(t, name, data)
	tab := first.Symtab()
	symbols, err := first.Symbols(tab)
	if err != nil {
		t.Fatal(err)
	}
	n, size := uint64(len(symbols)), uint64(len(first.Data(tab)))
	sections := uint64(first.NumSections())
	strtab := int(first.Part(tab).Link)
	info, rel, code := 0, 0, 0
	for i := range first.NumSections() {
		switch p := first.Part(i); {
		case p.Type == cuda.SHTCudaInfo && info == 0:
			info = i
		case p.Type == cuda.SHTRel && rel == 0:
			rel = i
		case p.Flags&cuda.SHFExec != 0 && code == 0:
			code = i
		}
	}
	if info*rel*code*strtab == 0 {
		t.Fatalf("%s lacks a section", name)
	}
	limit := uint64(16<<20) + 8*uint64(len(data))
	for _, c := range []struct {
		what string
		do   func(d *cubin.Editor) error
		want *at // nil: no fault
		kind cubin.Kind
	}{
		{"section behind the last", func(d *cubin.Editor) error { return d.SetData(int(sections), nil) }, &at{"", 0, sections}, cubin.BadIndex},
		{"null section", func(d *cubin.Editor) error { return d.SetTail(0, nil) }, &at{"", 0, 0}, cubin.BadIndex},
		{"last section", func(d *cubin.Editor) error { return d.SetTail(int(sections)-1, nil) }, nil, 0},
		{"patch up to the end", func(d *cubin.Editor) error { return d.Patch(tab, size-2, []byte{1, 2}) }, nil, 0},
		{"patch past the end", func(d *cubin.Editor) error { return d.Patch(tab, size-1, []byte{1, 2}) }, &at{".symtab", size - 1, 2}, cubin.BadExtent},
		{"more bytes than the header says", func(d *cubin.Editor) error {
			return errors.Join(d.SetData(code, append(d.Data(code)[:len(d.Data(code)):len(d.Data(code))], 0)), encoded(d))
		}, &at{first.SectionName(code), 0, first.Part(code).Size}, cubin.BadExtent},
		{"another number of sections", func(d *cubin.Editor) error { d.Header.ShNum--; return encoded(d) }, &at{"", 60, sections - 1}, cubin.BadTable},
		{"another number of program headers", func(d *cubin.Editor) error { d.Header.PhNum += 2; return encoded(d) }, &at{"", 56, uint64(first.Header.PhNum) + 2}, cubin.BadTable},
		{"the last place that fits", func(d *cubin.Editor) error { d.Part(code).Off = limit - first.Part(code).Size; return encoded(d) }, nil, 0},
		{"a place past the limit", func(d *cubin.Editor) error { d.Part(code).Off = limit - first.Part(code).Size + 1; return encoded(d) }, &at{"", 0, limit + 1}, cubin.OverBudget},
		{"a place past the end of numbers", func(d *cubin.Editor) error { d.Part(code).Off = math.MaxUint64 - 1; return encoded(d) }, &at{first.SectionName(code), math.MaxUint64 - 1, first.Part(code).Size}, cubin.BadExtent},
		{"moved onto another", func(d *cubin.Editor) error { d.Part(code).Off = d.Part(tab).Off; return encoded(d) }, &at{first.SectionName(code), first.Part(tab).Off, first.Part(code).Size}, cubin.BadExtent},
		{"an alignment to the limit", func(d *cubin.Editor) error { d.Part(code).Align = 1 << 20; return d.Layout() }, nil, 0},
		{"no relocations", func(d *cubin.Editor) error { _, err := d.Relocs(tab); return err }, &at{".symtab", 0, 2}, cubin.BadTable},
		{"no relocations to set", func(d *cubin.Editor) error { return d.SetRelocs(tab, nil) }, &at{".symtab", 0, 2}, cubin.BadTable},
		{"an addend in the second record", func(d *cubin.Editor) error { return d.SetRelocs(rel, []cubin.Reloc{{}, {Addend: -7}}) }, &at{first.SectionName(rel), 16, 1<<64 - 7}, cubin.BadRelocation},
		{"no facts", func(d *cubin.Editor) error { _, err := d.Info(tab); return err }, &at{".symtab", 0, 2}, cubin.BadTable},
		{"format 0 in the second record", func(d *cubin.Editor) error {
			return d.SetInfo(info, []cubin.InfoRecord{{Format: cuda.FormatNone}, {Format: 0}})
		}, &at{first.SectionName(info), 4, 0}, cubin.BadRecord},
		{"format 5", func(d *cubin.Editor) error { return d.SetInfo(info, []cubin.InfoRecord{{Format: 5}}) }, &at{first.SectionName(info), 0, 5}, cubin.BadRecord},
		{"formats 1 to 4", func(d *cubin.Editor) error {
			return d.SetInfo(info, []cubin.InfoRecord{{Format: 1}, {Format: 2}, {Format: 3}, {Format: 4, Data: make([]byte, 0xffff)}})
		}, nil, 0},
		{"a payload too long", func(d *cubin.Editor) error {
			return d.SetInfo(info, []cubin.InfoRecord{{Format: 3}, {Format: 4, Data: make([]byte, 0x10000)}})
		}, &at{first.SectionName(info), 4, 0x10000}, cubin.BadRecord},
		{"a payload of a format without one", func(d *cubin.Editor) error {
			return d.SetInfo(info, []cubin.InfoRecord{{Format: 3, Data: []byte{1}}})
		}, &at{first.SectionName(info), 0, 1}, cubin.BadRecord},
		{"no symbols", func(d *cubin.Editor) error { _, err := d.Symbols(code); return err }, &at{first.SectionName(code), 0, uint64(len(first.Data(code)))}, cubin.BadTable},
		{"symbols cut short", func(d *cubin.Editor) error {
			_, err := d.Symbols(tab)
			return errors.Join(err, d.SetData(tab, d.Data(tab)[:size-1]), errorOf(d.Symbols(tab)))
		}, &at{".symtab", 0, size - 1}, cubin.BadTable},
		{"a symbol's name at the table's end", func(d *cubin.Editor) error {
			list := append([]cubin.Sym(nil), symbols...)
			bytes := append([]byte(nil), d.Data(tab)...)
			end := uint32(len(d.Data(strtab)))
			bytes[48], bytes[49], bytes[50], bytes[51] = byte(end), byte(end>>8), byte(end>>16), byte(end>>24)
			return errors.Join(d.SetSymbols(tab, list), d.SetData(tab, bytes), errorOf(d.Symbols(tab)))
		}, &at{".symtab", 48, uint64(len(first.Data(strtab)))}, cubin.BadName},
		{"an escape without a table", func(d *cubin.Editor) error {
			list := append([]cubin.Sym(nil), symbols...)
			list[3].SetSection(0xff00)
			return d.SetSymbols(tab, list)
		}, &at{".symtab", 72, 0xff00}, cubin.BadIndex},
		{"the last number without an escape", func(d *cubin.Editor) error {
			list := append([]cubin.Sym(nil), symbols...)
			list[3].SetSection(0xfeff)
			return d.SetSymbols(tab, list)
		}, nil, 0},
		{"a NUL in a name", func(d *cubin.Editor) error { return d.Rename(code, "abc\x00d") }, &at{first.SectionName(int(first.Header.ShStrNdx)), 0, 3}, cubin.BadName},
		{"a NUL first in a name", func(d *cubin.Editor) error { return d.Rename(code, "\x00") }, &at{first.SectionName(int(first.Header.ShStrNdx)), 0, 0}, cubin.BadName},
		{"no names", func(d *cubin.Editor) error { _, err := d.Intern(tab, "a"); return err }, &at{".symtab", 0, size}, cubin.BadTable},
		{"no place for a section", func(d *cubin.Editor) error { return d.Insert(0, ".x", cubin.Section{}, nil) }, &at{".x", 0, 0}, cubin.BadIndex},
		{"the first place for a section", func(d *cubin.Editor) error { return d.Insert(1, ".x", cubin.Section{Type: 1}, nil) }, nil, 0},
		{"the last place for a section", func(d *cubin.Editor) error { return d.Insert(int(sections), ".x", cubin.Section{Type: 1}, nil) }, nil, 0},
		{"behind the last place for a section", func(d *cubin.Editor) error { return d.Insert(int(sections)+1, ".x", cubin.Section{}, nil) }, &at{".x", 0, sections + 1}, cubin.BadIndex},
		{"bytes for a section without", func(d *cubin.Editor) error {
			return d.Insert(2, ".x", cubin.Section{Type: cuda.SHTNobits}, make([]byte, 3))
		}, &at{".x", 0, 3}, cubin.BadExtent},
		{"no bytes for a section without", func(d *cubin.Editor) error { return d.Insert(2, ".x", cubin.Section{Type: cuda.SHTNobits}, nil) }, nil, 0},
		{"no place for a symbol", func(d *cubin.Editor) error { return d.InsertSymbol(tab, 0, cubin.Sym{}) }, &at{".symtab", 0, 0}, cubin.BadIndex},
		{"the first place for a symbol", func(d *cubin.Editor) error { return d.InsertSymbol(tab, 1, cubin.Sym{}) }, nil, 0},
		{"behind the last place for a symbol", func(d *cubin.Editor) error { return d.InsertSymbol(tab, int(n)+1, cubin.Sym{}) }, &at{".symtab", 0, n + 1}, cubin.BadIndex},
		{"the null symbol goes", func(d *cubin.Editor) error { return errorOf(d.Drop(nil, map[int][]int{tab: {0}})) }, &at{".symtab", 0, 0}, cubin.BadIndex},
		{"a symbol behind the last goes", func(d *cubin.Editor) error { return errorOf(d.Drop(nil, map[int][]int{tab: {int(n)}})) }, &at{".symtab", 0, n}, cubin.BadIndex},
		{"the last symbol goes", func(d *cubin.Editor) error { return errorOf(d.Drop(nil, map[int][]int{tab: {int(n) - 1}})) }, nil, 0},
		{"the names go", func(d *cubin.Editor) error { return errorOf(d.Drop([]int{int(d.Header.ShStrNdx)}, nil)) }, &at{first.SectionName(int(first.Header.ShStrNdx)), 62, uint64(first.Header.ShStrNdx)}, cubin.BadIndex},
		{"half a pair", func(d *cubin.Editor) error {
			for i := range d.NumSections() {
				if d.Part(i).Type == cuda.SHTCudaCallgraph {
					return errors.Join(d.SetData(i, make([]byte, 12)), errorOf(d.Pairs(i)))
				}
			}
			return nil
		}, &at{".nv.callgraph", 12, 12}, cubin.BadRecord},
		{"a pair before the first marker", func(d *cubin.Editor) error {
			for i := range d.NumSections() {
				if d.Part(i).Type == cuda.SHTCudaCallgraph {
					return errors.Join(d.SetData(i, []byte{5, 0, 0, 0, 1, 0, 0, 0}), errorOf(d.Callgraph(i)))
				}
			}
			return nil
		}, &at{".nv.callgraph", 0, 5}, cubin.BadRecord},
	} {
		err := c.do(decode(t, name, data))
		var fault *cubin.Error
		switch errors.As(err, &fault); {
		case c.want == nil && err != nil:
			t.Errorf("%s: %v", c.what, err)
		case c.want == nil:
		case fault == nil || fault.Kind != c.kind || (at{fault.Section, fault.Offset, fault.Value}) != *c.want || fault.File != name:
			t.Errorf("%s: %v, want %s in %q at %#x: %#x", c.what, err, c.kind, c.want.section, c.want.offset, c.want.value)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

func encoded(d *cubin.Editor) error {
	_, err := d.Encode()
	return err
}
