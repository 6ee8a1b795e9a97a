package cubin

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// e_flags from 13.0 on names the section of cuinfo, 255 for all from 255 on, and follows it.
func TestCuinfoNumber(t *testing.T) {
	note := made{name: "n", typ: cuda.SHTNote, flags: cuda.SHFCuinfo, align: 4}
	filled := func(n int) (list []made) {
		for range n {
			list = append(list, made{name: "s", typ: cuda.SHTProgbits, align: 1})
		}
		return list
	}
	for _, c := range []struct {
		before, number int
		flag           uint32
		old            bool
		named          bool
	}{
		{0, 2, 2, false, true}, {3, 5, 5, false, true}, {3, 5, 4, false, false}, {3, 5, 6, false, false}, {3, 5, 0, false, false}, {3, 5, 5, true, false},
		{252, 254, 254, false, true}, {253, 255, 255, false, true}, {254, 256, 255, false, true}, {300, 302, 255, false, true}, {254, 256, 0, false, false}, {252, 254, 255, false, false},
	} {
		m := &madeFile{old: c.old, flags: c.flag<<24 | 0x123456, sections: append(append(filled(c.before), note), filled(2)...)}
		d := m.open(t)
		want := 0
		if c.named {
			want = c.number
		}
		if got := d.cuinfoIndex(); got != want {
			t.Errorf("%+v: section %d", c, got)
		}
		for _, more := range []int{1, -1} { // a section before it
			at, d := 2, m.open(t)
			if more == 1 {
				if err := d.Insert(at, "x", Section{Type: cuda.SHTProgbits, Align: 1}, nil); err != nil {
					t.Fatal(err)
				}
			} else if c.before == 0 {
				continue
			} else if _, err := d.Drop([]int{at}, nil); err != nil {
				t.Fatal(err)
			}
			flags := m.flags
			if c.named {
				flags = uint32(min(c.number+more, 255))<<24 | 0x123456
			}
			if d.Header.Flags != flags || d.cuinfoIndex() != max(want+more, 0) && c.named {
				t.Errorf("%+v: with %d sections more %#x, want %#x", c, more, d.Header.Flags, flags)
			}
		}
		d = m.open(t)
		if _, err := d.Drop([]int{c.number}, nil); err != nil {
			t.Fatal(err)
		}
		if gone := d.Header.Flags>>24 == 0; c.named && (!gone || d.Header.Flags != 0x123456) {
			t.Errorf("%+v: without the note %#x", c, d.Header.Flags)
		}
	}
	// The first section may be it, and of two the one that the number names.
	first := &madeFile{first: []made{note}, flags: 1 << 24}
	if got := first.open(t).cuinfoIndex(); got != 1 {
		t.Errorf("the first section: %d", got)
	}
	two := &madeFile{flags: 3 << 24, sections: []made{note, note, {name: "n", typ: cuda.SHTNote, align: 4}}}
	if got := two.open(t).cuinfoIndex(); got != 3 {
		t.Errorf("of two notes section %d", got)
	}
	two.flags = 4 << 24
	if got := two.open(t).cuinfoIndex(); got != 0 {
		t.Errorf("a note that isn't cuinfo: section %d", got)
	}
}

// What sh_info of a section is goes by its type, then its flags, then by what it names.
func TestInfoKinds(t *testing.T) {
	code := made{name: "c", typ: cuda.SHTProgbits, flags: cuda.SHFExec, align: 1}
	for _, c := range []struct {
		typ   cuda.SectionType
		flags cuda.SectionFlags
		info  uint32
		want  infoKind
	}{
		{cuda.SHTSymtab, 0, 0, infoLocals}, {cuda.SHTMercSymtab, cuda.SHFInfoLink, 2, infoLocals},
		{cuda.SHTRel, 0, 0, infoPlain}, {cuda.SHTRel, 0, 3, infoSection}, {cuda.SHTRela, 0, 99, infoSection}, {cuda.SHTMercRela, 0, 3, infoSection},
		{cuda.SHTProgbits, cuda.SHFInfoLink, 0, infoPlain}, {cuda.SHTProgbits, cuda.SHFInfoLink, 3, infoSection}, {cuda.SHTCudaCapmerc, cuda.SHFInfoLink, 3, infoSection},
		{cuda.SHTCudaCapmerc, 0, 3, infoSymbol}, {cuda.SHTCudaCapmerc, cuda.SHFExec, 2, infoSymbol}, {cuda.SHTCudaCapmerc, 0, 0, infoPlain},
		{cuda.SHTProgbits, cuda.SHFExec, 2, infoCode}, {cuda.SHTProgbits, cuda.SHFExec, 0x05000002, infoCode}, {cuda.SHTProgbits, cuda.SHFExec, 0, infoPlain},
		{cuda.SHTCudaInfo, 0, 2, infoSection}, {cuda.SHTCudaInfo, 0, 3, infoPlain}, {cuda.SHTCudaInfo, 0, 4, infoPlain}, {cuda.SHTCudaInfo, 0, 5, infoPlain}, {cuda.SHTCudaInfo, 0, 1 << 31, infoPlain},
	} {
		m := &madeFile{sections: []made{code, {name: "s", typ: c.typ, flags: c.flags, info: c.info, align: 1}, {name: "e", typ: cuda.SHTProgbits, align: 1}}}
		d, err := Decode("a.cubin", m.bytes(t))
		if err != nil {
			if c.typ != cuda.SHTSymtab { // without names
				t.Fatal(err)
			}
			continue
		}
		if got := d.infoKind(3); got != c.want {
			t.Errorf("%s, flags %#x, info %#x: %d, want %d", c.typ, uint64(c.flags), c.info, got, c.want)
		}
	}
	for n := range 6 {
		m := &madeFile{sections: []made{{name: "c", typ: cuda.SHTCudaCapmerc, align: 1, data: []byte{7, 1, 0, 0, 9}[:max(n-1, 0)]}, {name: "p", typ: cuda.SHTProgbits, align: 1, data: []byte{7, 1, 0, 0}}}}
		d := m.open(t)
		if to, ok := d.capsuleCode(2); ok != (n == 5) || ok && to != 0x107 {
			t.Errorf("a capsule of %d bytes is of section %#x, %v", n-1, to, ok)
		}
		if _, ok := d.capsuleCode(3); ok {
			t.Error("what is no capsule has code")
		}
	}
}

// program is a file with a function, its relocations and facts, a note that names .nv.compat, an owned bank and two symbols.
func program() *madeFile {
	symbols := append(append(symbol(0, 0, 0), symbol(1, 0x03, 4)...), append(symbol(3, 0x12, 4), symbol(5, 0x12, 0)...)...)
	rel := make([]byte, 2*RelSize)
	for k, s := range []uint32{2, 3} {
		r := Reloc{Off: uint64(8 * k), Type: cuda.R_CUDA_32, Symbol: s}
		r.PutRel((*[RelSize]byte)(rel[k*RelSize:]))
	}
	var info []byte
	for _, r := range []InfoRecord{
		{Format: cuda.FormatSized, Attr: cuda.AttrRegcount, Data: words(2, 24)}, {Format: cuda.FormatSized, Attr: cuda.AttrFrameSize, Data: words(3, 8)},
		{Format: cuda.FormatSized, Attr: cuda.AttrExterns, Data: words(2, 3)}, {Format: cuda.FormatSized, Attr: cuda.AttrExterns, Data: words(3)}, {Format: cuda.FormatSized, Attr: cuda.AttrMaxThreads, Data: words(2, 3, 1)},
	} {
		info = r.Append(info)
	}
	unified := append(words(2, 1, 1, 1, 1, 1, 1, 1), words(3, 4, 4, 4, 4, 4, 4, 5)...)
	return &madeFile{sections: []made{
		{name: "strtab", typ: cuda.SHTStrtab, align: 1, data: []byte("\x00s\x00f\x00g\x00")},                                                    // 2
		{name: "symtab", typ: cuda.SHTSymtab, link: 2, info: 2, align: 8, data: symbols},                                                        // 3
		{name: "code", typ: cuda.SHTProgbits, flags: cuda.SHFExec, link: 3, info: 0x05000002, align: 16, data: make([]byte, 16)},                // 4
		{name: "rel", typ: cuda.SHTRel, flags: cuda.SHFInfoLink, link: 3, info: 4, align: 8, data: rel},                                         // 5
		{name: "info", typ: cuda.SHTCudaInfo, link: 3, align: 4, data: info},                                                                    // 6
		{name: "calls", typ: cuda.SHTCudaCallgraph, link: 3, align: 8, data: words(0, 0xffffffff, 2, 3, 3, 2, 0, 0xfffffffe, 2, 3, 3, 3, 0, 9)}, // 7
		{name: "protos", typ: cuda.SHTCudaPrototype, link: 3, align: 8, data: words(3, 2, 2, 3)},                                                // 8
		{name: "unified", typ: cuda.SHTCudaUFTEntry, link: 3, align: 8, data: unified},                                                          // 9
		{name: "bank", typ: cuda.SHTCudaConstant0, info: 4, align: 4, data: make([]byte, 8)},                                                    // 10
		{name: "note", typ: cuda.SHTNote, flags: cuda.SHFInfoLink, link: 12, info: 12, align: 4},                                                // 11
		{name: "compat", typ: cuda.SHTCudaCompat, align: 4},                                                                                     // 12
		{name: "plain", typ: cuda.SHTProgbits, link: 0, align: 4, data: words(2, 3)},                                                            // 13
	}}
}

func words(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// Every number of a symbol follows it, and records about one that goes go with it, and nothing else.
func TestSymbolGoes(t *testing.T) {
	type contents struct{ info, calls, protos, unified []byte }
	sized := func(attr cuda.InfoAttr, list ...uint32) []byte {
		r := InfoRecord{Format: cuda.FormatSized, Attr: attr, Data: words(list...)}
		return r.Append(nil)
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		gone    int
		code    uint32 // sh_info of the code
		symbols []uint32
		locals  uint32
		want    contents
	}{
		{1, 0x05000001, []uint32{1, 2}, 1, contents{
			join(sized(cuda.AttrRegcount, 1, 24), sized(cuda.AttrFrameSize, 2, 8), sized(cuda.AttrExterns, 1, 2), sized(cuda.AttrExterns, 2), sized(cuda.AttrMaxThreads, 2, 3, 1)),
			words(0, 0xffffffff, 1, 2, 2, 1, 0, 0xfffffffe, 1, 3, 2, 3, 0, 9), words(2, 2, 1, 3), join(words(1, 1, 1, 1, 1, 1, 1, 1), words(2, 4, 4, 4, 4, 4, 4, 5))}},
		{2, 0x05000000, []uint32{2}, 2, contents{
			join(sized(cuda.AttrFrameSize, 2, 8), sized(cuda.AttrExterns, 2), sized(cuda.AttrExterns, 2), sized(cuda.AttrMaxThreads, 2, 3, 1)),
			words(0, 0xffffffff, 0, 0xfffffffe, 2, 3, 0, 9), words(2, 2), words(2, 4, 4, 4, 4, 4, 4, 5)}},
		{3, 0x05000002, []uint32{2}, 2, contents{
			join(sized(cuda.AttrRegcount, 2, 24), sized(cuda.AttrExterns, 2), sized(cuda.AttrMaxThreads, 2, 3, 1)),
			words(0, 0xffffffff, 0, 0xfffffffe, 2, 3, 0, 9), words(2, 3), words(2, 1, 1, 1, 1, 1, 1, 1)}},
	} {
		d := program().open(t)
		gone, err := d.Drop(nil, map[int][]int{3: {c.gone}})
		if err != nil || len(gone.Sections) != 0 || len(gone.Symbols[3]) != 1 || gone.Symbols[3][0] != c.gone {
			t.Fatalf("symbol %d: %+v, %v", c.gone, gone, err)
		}
		d = laidOut(t, d)
		relocs, err := d.Relocs(5)
		if err != nil || len(relocs) != len(c.symbols) {
			t.Errorf("without symbol %d: %+v, %v", c.gone, relocs, err)
		}
		for k, s := range c.symbols {
			if k < len(relocs) && relocs[k].Symbol != s {
				t.Errorf("without symbol %d: relocation %d names %d, want %d", c.gone, k, relocs[k].Symbol, s)
			}
		}
		if got := d.Part(4).Info; got != c.code || d.Part(3).Info != c.locals {
			t.Errorf("without symbol %d: the code names %#x, %d locals", c.gone, got, d.Part(3).Info)
		}
		for i, want := range map[int][]byte{6: c.want.info, 7: c.want.calls, 8: c.want.protos, 9: c.want.unified, 13: words(2, 3)} {
			if got := d.Data(i); !bytes.Equal(got, want) {
				t.Errorf("without symbol %d: %s is % x, want % x", c.gone, d.SectionName(i), got, want)
			}
		}
	}
}

// With a section goes what belongs to it, and what needs it but stays is told, with the number that it has.
func TestSectionGoes(t *testing.T) {
	for _, c := range []struct {
		gone    []int
		want    []int // sections
		symbols []int
	}{
		{[]int{4}, []int{4, 5, 10}, []int{1, 2}}, {[]int{5}, []int{5}, nil}, {[]int{10, 13}, []int{10, 13}, nil}, {[]int{12}, []int{12}, nil}, {[]int{6, 4}, []int{4, 5, 6, 10}, []int{1, 2}},
	} {
		d := program().open(t)
		gone, err := d.Drop(c.gone, nil)
		if err != nil || !equalInts(gone.Sections, c.want) || !equalInts(gone.Symbols[3], c.symbols) {
			t.Errorf("%v: %+v, %v", c.gone, gone, err)
		}
		if d = laidOut(t, d); d.NumSections() != 14-len(c.want) {
			t.Errorf("%v: %d sections", c.gone, d.NumSections())
		}
	}
	d := program().open(t)
	if _, err := d.Drop([]int{12}, nil); err != nil || d.Part(11).Flags != 0 || d.Part(11).Info != 0 || d.Part(11).Link != 0 {
		t.Errorf("the note without .nv.compat: %+v, %v", d.Part(11).Section, err)
	}
	for _, c := range []struct {
		what  string
		gone  []int
		edit  func(d *Editor)
		where string
		off   uint64
		value uint64
	}{
		{"strings", []int{2}, func(d *Editor) {}, "symtab", 0, 2},
		{"symbols", []int{3}, func(d *Editor) {}, "code", 0, 3},
		{"what a capsule's sh_info names", []int{4}, func(d *Editor) { d.parts[6].Link = 4 }, "info", 0, 4},
		{"names", []int{1}, func(d *Editor) {}, ".shstrtab", 62, 1},
	} {
		d := program().open(t)
		c.edit(d)
		before := d.NumSections()
		_, err := d.Drop(c.gone, nil)
		fault(t, c.what, err, BadIndex, c.where, c.off, c.value)
		if d.NumSections() != before {
			t.Errorf("%s: refused and done", c.what)
		}
	}
	d = program().open(t)
	r := &renumbering{sections: sameNumbers(14), symbols: map[int][]int{}}
	r.sections[4] = 0
	fault(t, "a symbol of code that goes", d.renumberSymbols(3, &renumbering{sections: r.sections}), BadIndex, "symtab", SymbolSize, 4)
	r.symbols[3] = []int{0, 0, 1, 2}
	fault(t, "the second symbol of code that goes", d.renumberSymbols(3, r), BadIndex, "symtab", 2*SymbolSize, 4)
	r.symbols[3] = []int{0, 0, 0, 1}
	if err := d.renumberSymbols(3, r); err != nil {
		t.Error(err)
	}
	d = program().open(t)
	d.parts[9].data = d.parts[9].data[:63]
	_, err := d.Drop(nil, map[int][]int{3: {1}})
	fault(t, "an entry cut short", err, BadRecord, "unified", 0, 63)
	d = program().open(t)
	for budget, want := range map[uint64]bool{15: false, 16: true, 17: true} {
		left := budget
		if err := d.spend(4, &left); (err == nil) != want || want && left != budget-16 {
			t.Errorf("16 bytes of %d: %v, %d left", budget, err, left)
		} else if !want {
			fault(t, "more than the budget", err, OverBudget, "code", 0, 16)
		}
	}
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// sh_info of a symbol table is one more than the last local symbol's number.
func TestLocals(t *testing.T) {
	for _, c := range []struct {
		moved      []int
		info, want uint32
	}{
		{nil, 7, 7}, {[]int{0, 1, 2, 3}, 2, 2}, {[]int{0, 2, 3, 4}, 2, 3}, {[]int{0, 0, 1, 2}, 2, 1}, {[]int{0, 1, 0, 2}, 3, 2}, {[]int{0, 1, 3, 4}, 4, 5}, {[]int{0, 1, 2}, 9, 3}, {[]int{0, 1}, 0, 1}, {[]int{0, 2, 1}, 3, 3},
	} {
		r := &renumbering{symbols: map[int][]int{}}
		if c.moved != nil {
			r.symbols[3] = c.moved
		}
		if got := r.locals(3, c.info); got != c.want {
			t.Errorf("%v, %d: %d, want %d", c.moved, c.info, got, c.want)
		}
	}
}

// Numbers that name nothing stay; those of another table too.
func TestMapped(t *testing.T) {
	r := &renumbering{sections: []int{0, 2, 0, 1}, symbols: map[int][]int{5: {0, 0, 3}}}
	for _, c := range []struct {
		tab  int // -1: sections
		n    uint32
		want uint32
		ok   bool
	}{
		{-1, 0, 0, true}, {-1, 1, 2, true}, {-1, 2, 0, false}, {-1, 3, 1, true}, {-1, 4, 4, true}, {-1, 1 << 31, 1 << 31, true},
		{5, 0, 0, true}, {5, 1, 0, false}, {5, 2, 3, true}, {5, 3, 3, true}, {5, 1 << 31, 1 << 31, true}, {6, 1, 1, true},
	} {
		got, ok := r.section(c.n)
		if c.tab >= 0 {
			got, ok = r.symbol(uint32(c.tab), c.n)
		}
		if got != c.want || ok != c.ok {
			t.Errorf("%+v: %d, %v", c, got, ok)
		}
	}
}
