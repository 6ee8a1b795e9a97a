package view

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The table of a file made by hand: every kind of line it can have.
func TestText(t *testing.T) {
	long := "02380e32000000000000" // more than a tag
	f := &File{File: "a.cubin", SM: 100, Compat: []Attribute{{Name: "C", Value: "0x2"}}, Functions: []Function{{
		Name: "k", Text: 3, Capsule: 4, SASSSize: 0x50, MercSize: 0x80, Unsized: []uint32{0x20},
		Nodes: []Node{
			{SASS: 0, Mercury: 0x10, Kind: "stored", Span: 2, Tag: "02380e32", Record: long, Words: []string{"w0", "w1"}, Text: []string{"", "EXIT"}},
			{SASS: 0x20, Mercury: 0x20, Kind: "mini", Tag: "01000000", Record: "01000000"},
			{SASS: 0x20, Mercury: 0x30, Kind: "skip", Span: 1, Words: []string{"w2"}, Text: []string{"NOP"}, Relocs: []Reloc{{"R_X", 4, "f", 8}, {"R_Y", 0, "", -1}}},
		},
		Attributes: []Attribute{
			{Name: "A", Value: "0x1"}, {Name: "B", SASS: []uint32{16, 32}, Value: "no"}, {Name: "D", SASS: []uint32{16}, Mercury: []uint32{48, 64}}, {Name: "E", Value: "ff", Side: "sass"},
		},
	}, {Name: "l"}}}
	pad := func(s string) string { return fmt.Sprintf("  %-28s", s) }
	want := "a.cubin: sm_100, 2 functions with a capsule\n" +
		"  .nv.compat C" + strings.Repeat(" ", 28) + "0x2\n" +
		"\nk: 3 nodes, 0x50 bytes of SASS (section 3), 0x80 of Mercury (section 4)\n" +
		"  size in Mercury of the instruction at 0x20 is not known: later addresses are wrong\n" +
		"  SASS    Mercury  kind    tag       word                               text\n" +
		"  0x0000  0x0010   stored  02380e32  w0\n" +
		"  0x0010                             w1  EXIT\n" +
		"                   record  " + long + "\n" +
		"          0x0020   mini    01000000\n" +
		"  0x0020           skip              w2  NOP\n" +
		"                   reloc   R_X byte 4: f+8\n" +
		"                   reloc   R_Y byte 0: -1\n" +
		pad("A") + " 0x1\n" + pad("B") + " 0x10 0x20\n" + pad("D") + " Mercury 0x30 0x40, SASS 0x10\n" + pad("E") + " ff (sass only)\n" +
		"\nl: 0 nodes, 0x0 bytes of SASS (section 0), 0x0 of Mercury (section 0)\n" +
		"  SASS    Mercury  kind    tag       word                               text\n"
	var b bytes.Buffer
	if err := f.WriteText(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s, want\n%s", err, b.String(), want)
	}
}

// some of the corpus's capsules.
func some(t *testing.T, each int) (list []*capsule.Image) {
	t.Helper()
	all, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(all); i += each {
		data, err := all[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open(all[i].Name, data)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, capsule.Open(f))
	}
	return list
}

// What is shown is what the file's own tables have: the code's words, each side's relocations where they point, each
// side's attributes in their order.
func TestOf(t *testing.T) {
	relocations, joined, apart := 0, 0, 0
	for _, m := range some(t, 17) {
		f, err := Of(m, func(section int, off uint32) string {
			if off%32 == 0 {
				return fmt.Sprintf("%d:%x", section, off)
			}
			return ""
		})
		if err != nil || f.File != m.File.Name || f.SM != int(m.File.Header.SM()) {
			t.Errorf("%s: %v", m.File.Name, err)
			continue
		}
		k := 0
		for i := range m.Funcs {
			if m.Funcs[i].Cap == nil {
				continue
			}
			fn, got := &m.Funcs[i], &f.Functions[k]
			k++
			if got.Name != fn.Name || got.Text != fn.Text || got.Capsule != fn.Capsule || got.Symbol != fn.Symbol || got.MercSize != fn.Cap.MercSize || int(got.SASSSize) != len(fn.Code) {
				t.Errorf("%s: %+v", m.File.Name, got)
			}
			sameWords(t, fn, got)
			relocations += sameRelocs(t, m, fn, got)
			a, b := sameAttributes(t, m, fn, got)
			joined, apart = joined+a, apart+b
		}
		if k != len(f.Functions) {
			t.Errorf("%s: %d functions, want %d", m.File.Name, len(f.Functions), k)
		}
	}
	if relocations == 0 || joined == 0 || apart == 0 {
		t.Errorf("%d relocations, %d attributes of both sides, %d of one", relocations, joined, apart)
	}
}

func sameWords(t *testing.T, fn *capsule.Func, f *Function) {
	t.Helper()
	at := uint32(0)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.SASS != at || len(n.Words) != n.Span || n.Mercury != fn.Cap.Nodes[i].Merc || n.Kind != fn.Cap.Nodes[i].Kind.String() || n.Record != "" && n.Tag != n.Record[:8] || (n.Record == "") != (n.Tag == "") {
			t.Errorf("%s: node %d at %#x: %+v", f.Name, i, at, n)
		}
		for k, w := range n.Words {
			code := fn.Code[at:]
			if want := fmt.Sprintf("%016x.%016x", binary.LittleEndian.Uint64(code[8:]), binary.LittleEndian.Uint64(code)); w != want {
				t.Errorf("%s at %#x: %s, want %s", f.Name, at, w, want)
			}
			want := ""
			if at%32 == 0 {
				want = fmt.Sprintf("%d:%x", fn.Text, at)
			}
			if n.Text == nil && want != "" || n.Text != nil && n.Text[k] != want {
				t.Errorf("%s at %#x: %q", f.Name, at, n.Text)
			}
			at += 16
		}
	}
	if int(at) != len(fn.Code) {
		t.Errorf("%s: %#x bytes of %#x", f.Name, at, len(fn.Code))
	}
}

func sameRelocs(t *testing.T, m *capsule.Image, fn *capsule.Func, f *Function) (n int) {
	t.Helper()
	var want, got []string
	for side, section := range []int{fn.MercRela, fn.Rela} {
		if section == 0 {
			continue
		}
		table, err := m.File.Relocs(&m.Sections[section].Section)
		if err != nil {
			t.Fatal(err)
		}
		for i := range table.Len() {
			r := table.At(i)
			info, _ := cuda.LookupReloc(r.Type)
			want = append(want, fmt.Sprintf("%d %s at %#x: %s%+d", side, info.Name, r.Off, m.SASS.At(r.Symbol).Name, r.Addend))
		}
	}
	for i := range f.Nodes {
		for _, r := range f.Nodes[i].Relocs {
			side, start := 1, f.Nodes[i].SASS
			if strings.HasPrefix(r.Type, "R_MERCURY") {
				side, start = 0, f.Nodes[i].Mercury
			}
			got = append(got, fmt.Sprintf("%d %s at %#x: %s%+d", side, r.Type, start+r.Byte, r.Symbol, r.Addend))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", f.Name, got, want)
	}
	return len(got)
}

func sameAttributes(t *testing.T, m *capsule.Image, fn *capsule.Func, f *Function) (joined, apart int) {
	t.Helper()
	list := func(section int) (names []string) {
		if section == 0 {
			return nil
		}
		r := m.File.Info(&m.Sections[section].Section)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			names = append(names, fmt.Sprintf("%d %s", rec.Attr, rec.Attr))
		}
		return names
	}
	var merc, sass []string
	for _, a := range f.Attributes {
		name := fmt.Sprintf("%d %s", a.Number, a.Name)
		switch a.Side {
		case "":
			joined++
			merc, sass = append(merc, name), append(sass, name)
		case "mercury":
			apart++
			merc = append(merc, name)
		case "sass":
			apart++
			sass = append(sass, name)
		default:
			t.Errorf("side %q", a.Side)
		}
		if (a.SASS != nil || a.Mercury != nil) && !capsule.HasOffsets(cuda.InfoAttr(a.Number)) || a.Side != "" && a.Mercury != nil {
			t.Errorf("%s: %+v", f.Name, a)
		}
	}
	if want := list(fn.MercInfo); !slices.Equal(merc, want) {
		t.Errorf("%s: Mercury %q, want %q", f.Name, merc, want)
	}
	if want := list(fn.Info); !slices.Equal(sass, want) {
		t.Errorf("%s: SASS %q, want %q", f.Name, sass, want)
	}
	return joined, apart
}

// A value is a number, or the payload of a sized attribute; offsets are words of it.
func TestAttribute(t *testing.T) {
	sized := cubin.InfoRecord{Format: cuda.FormatSized, Attr: cuda.AttrExitInstrOffsets, Data: []byte{0x10, 0, 0, 0, 0x20, 1, 0, 0}}
	counterpart := sized
	counterpart.Data = []byte{0x30, 0, 0, 0}
	a := attribute(&sized, &counterpart, "")
	if a.Value != "1000000020010000" || !slices.Equal(a.SASS, []uint32{0x10, 0x120}) || !slices.Equal(a.Mercury, []uint32{0x30}) || a.Number != int(sized.Attr) || a.Name != sized.Attr.String() {
		t.Errorf("%+v", a)
	}
	if a := attribute(&sized, nil, "sass"); a.Mercury != nil || a.Side != "sass" || len(a.SASS) != 2 {
		t.Errorf("%+v", a)
	}
	plain := cubin.InfoRecord{Format: cuda.FormatHalf, Attr: cuda.AttrMaxregCount, Value: 0x1f}
	if a := attribute(&plain, &plain, ""); a.Value != "0x1f" || a.SASS != nil || a.Mercury != nil {
		t.Errorf("%+v", a)
	}
}

// A listing's texts go to the section of its name that holds its words; one of another file goes nowhere.
func TestParseDisassembly(t *testing.T) {
	for _, m := range some(t, 60) {
		var b strings.Builder
		b.WriteString("\t.headerflags @\"x\"\n\n")
		line := func(off int, text string, word uint64) {
			fmt.Fprintf(&b, "        /*%04x*/                   %s ;                /* 0x%016x */\n", off, text, word)
			b.WriteString("                                                       /* 0x0000000000000000 */\n")
		}
		for i := range m.Funcs {
			fn := &m.Funcs[i]
			fmt.Fprintf(&b, "\t.section\t%s,\"ax\",@progbits\n", m.Sections[fn.Text].Name)
			for off := 0; off+16 <= len(fn.Code); off += 16 {
				line(off, fmt.Sprintf("T%d.%x R1, R2", i, off), binary.LittleEndian.Uint64(fn.Code[off:]))
			}
			line(len(fn.Code), "BEHIND", 1)
		}
		b.WriteString("\t.section .text.other,\"ax\",@progbits\n")
		line(0, "OTHER", binary.LittleEndian.Uint64(m.Funcs[0].Code))
		d, err := ParseDisassembly(m, []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Funcs {
			fn := &m.Funcs[i]
			for off := 0; off <= len(fn.Code); off += 16 {
				want := ""
				if off < len(fn.Code) {
					want = fmt.Sprintf("T%d.%x R1, R2", i, off)
				}
				if got := d.Words(fn.Text, uint32(off)); got != want {
					t.Errorf("%s: section %d, %#x: %q, want %q", m.File.Name, fn.Text, off, got, want)
				}
			}
		}
		// A line whose word the file doesn't have there is of another file.
		wrong := strings.Replace(b.String(), "/* 0x", "/* 0xf", 1)
		if _, err := ParseDisassembly(m, []byte(wrong)); err != nil {
			t.Errorf("%v", err)
		}
	}
	m := some(t, 1000)[0]
	if _, err := ParseDisassembly(m, []byte(" /*1ffffffff*/ EXIT ; /* 0x0000000000000000 */\n")); err == nil || !strings.HasPrefix(err.Error(), "nvdisasm's line ") {
		t.Errorf("%v", err)
	}
	if got := (*Disassembly)(nil).Words(1, 2); got != "" {
		t.Errorf("%q", got)
	}
}

// A relocation that points at no node is an error that names it.
func TestOutside(t *testing.T) {
	for _, m := range some(t, 17) {
		for i := range m.Funcs {
			fn := &m.Funcs[i]
			if fn.Cap == nil || fn.Rela == 0 {
				continue
			}
			s := &m.Sections[fn.Rela]
			data := bytes.Clone(m.File.Data)
			binary.LittleEndian.PutUint64(data[s.Off:], 1<<32)
			f, err := cubin.Open(m.File.Name, data)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Of(capsule.Open(f), func(int, uint32) string { return "" })
			fault, ok := err.(*cubin.Error)
			if !ok || fault.Kind != cubin.BadRelocation || fault.Section != s.Name || fault.Value != 1<<32 || fault.Offset != 0 {
				t.Errorf("%s: %v", m.File.Name, err)
			}
			return
		}
	}
	t.Error("no relocations")
}
