package diff

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dump"
)

// Places in the image of nvlink 13.0.88, by readelf.
const (
	image        = "13.0-sm_90-linked.cubin"
	programTable = 0x19d0
	sectionTable = 0x1390
	symbolTable  = 0x420
)

func lines(t *testing.T, a, b []byte) string {
	t.Helper()
	var text bytes.Buffer
	if err := Text(&text, compare(t, a, b)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// TestLines changes one field and wants the line of just that, with what either file has.
func TestLines(t *testing.T) {
	a := read(t, image)
	put := func(at int, list ...byte) func([]byte) { return func(b []byte) { copy(b[at:], list) } }
	section := func(i, field int, list ...byte) func([]byte) { return put(sectionTable+64*i+field, list...) }
	symbol := func(i, field int, list ...byte) func([]byte) { return put(symbolTable+24*i+field, list...) }
	for _, c := range []struct {
		what   string
		change func([]byte)
		want   string
	}{
		{"type", put(16, 1), "header.type: EXEC -> REL"},
		{"version", put(20, 2), "header.version: 1 -> 2"},
		{"entry", put(24, 0x10), "header.entry: 0x0 -> 0x10"},
		{"flags", put(48, 2), "header.flags: 0x06005a04 -> 0x06005a02"},
		{"program's type", put(programTable+56, 6), "program.1.type: LOAD -> PHDR"},
		{"program's flags", put(programTable+56+4, 4), "program.1.flags: RE -> R"},
		{"program's offset", put(programTable+56+8, 0xdc), "program.1.offset: 0xbd8 -> 0xbdc"},
		{"program's vaddr", put(programTable+2*56+16, 1), "program.2.vaddr: 0x0 -> 0x1"},
		{"program's paddr", put(programTable+3*56+24, 1), "program.3.paddr: 0x0 -> 0x1"},
		{"program's filesz", put(programTable+56+32, 0xa0), "program.1.filesz: 0x7a8 -> 0x7a0"},
		{"program's memsz", put(programTable+2*56+40, 0x20), "program.2.memsz: 0x510 -> 0x520"},
		{"program's align", put(programTable+48, 16), "program.0.align: 8 -> 16"},
		{"section's type", section(18, 4, 0x64, 0, 0, 0x70), "section.nv.constant3.type: PROGBITS -> CUDA_CONSTANT_0"},
		{"section's flags", section(18, 8, 3), "section.nv.constant3.flags: ALLOC -> WRITE ALLOC"},
		{"section's address", section(18, 16, 4), "section.nv.constant3.addr: 0x0 -> 0x4"},
		{"section's offset", section(24, 24, 0x94), "section.nv.shared.k.offset: 0x1390 -> 0x1394"},
		{"section's size", section(24, 32, 0x10), "section.nv.shared.k.size: 0x500 -> 0x510"},
		{"section's link", section(18, 40, 3), "section.nv.constant3.link: \"\" -> .symtab"},
		{"section's info", section(24, 44, 21), "section.nv.shared.k.info: .text.k -> .text.negate"},
		{"section's alignment", section(18, 48, 8), "section.nv.constant3.align: 4 -> 8"},
		{"section's entry size", section(4, 56, 1), "section.debug_frame.entsize: 0 -> 1"},
		{"symbol's value", symbol(6, 8, 8), "symbol.scale.value: 0x0 -> 0x8"},
		{"symbol's size", symbol(6, 16, 8), "symbol.scale.size: 16 -> 8"},
		{"symbol's type", symbol(6, 4, 2), "symbol.scale.type: OBJECT -> FUNC"},
		{"symbol's binding", symbol(19, 4, 0x22), "symbol.negate.binding: GLOBAL -> WEAK"},
		{"symbol's other", symbol(19, 5, 2), "symbol.negate.other: \"\" -> HIDDEN"},
		{"symbol's section", symbol(18, 6, 0), "symbol.table.section: .nv.global.init -> UND"},
		{"record's symbol", put(0xba8+12, 19), "reloc.nv.global.init.0x0.R_CUDA_64.symbol: twice -> negate"},
		{"record's addend", put(0xba8+16, 5), "reloc.nv.global.init.0x0.R_CUDA_64.addend: 0 -> 5"},
		{"what a record writes over", put(0x1380, 1), "reloc.nv.global.init.0x0.R_CUDA_64.field: 0+64=0x0 -> 0+64=0x1\ndata.nv.global.init.0x0: 00000000000000000000000000000000 -> 01000000000000000000000000000000"},
		{"what two fields of one record hold", put(0xe80+0x160+2, 9), "reloc.text.k.0x160.R_CUDA_ABS55_16_34.field: 16+8=0x0,34+47=0x0 -> 16+8=0x9,34+47=0x0"},
		{"code beside a record's fields", put(0xe80+0x160+1, 0xff), "text.k.0x160: 43790000000000000000c00300ea2f00 -> 43ff0000000000000000c00300ea2f00"},
		{"data", put(0xbd8+4, 0x7f), "data.nv.constant3.0x0: 0000803f000000400000404000008040 -> 0000803f7f0000400000404000008040"},
		{"registers", put(0x940+4+12+8, 25), "info.negate.REGCOUNT: SVAL 24 -> SVAL 25"},
		{"format of an attribute", put(0x940, 2), "info.module.MERCURY_ISA_VERSION: HVAL 1.1 -> BVAL 0x1"},
		{"a note's version of the API", put(0x920+12+12+4, 0x5b), "note.cuinfo.0.api: 13.0 -> 9.1"},
		{".nv.compat", put(0x998+2, 1), "compat.CUDA_ACCELERATOR_TARGET: BVAL 0x0 -> BVAL 0x1"},
		{"a rule of the driver", put(0xa98+8+1, 3), "relaction.R_CUDA_CONST_FIELD22_37: address flags=0 [{0 17 37} {0 5 54}] -> address flags=3 [{0 17 37} {0 5 54}]"},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := bytes.Clone(a)
			c.change(b)
			got := lines(t, a, b)
			if got != c.want {
				t.Errorf("\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// One file has a thing more than the other: it is reported as a whole, on its side, and its like isn't told as moved.
func TestOneSided(t *testing.T) {
	a := read(t, image)
	b := bytes.Clone(a)
	copy(b[0xa58+8:], bytes.Repeat([]byte{0}, 8)) // k's call of twice is a marker without meaning
	if got, want := lines(t, a, b), "callgraph.call.k->twice: present -> (none)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lines(t, b, a), "callgraph.call.k->twice: (none) -> present"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGroups(t *testing.T) {
	filled := func(f func(g *group)) *group { g := newGroup(); f(g); return g }
	one := filled(func(g *group) {
		for _, key := range []string{"x", "y", "z", "only"} {
			g.follow("order", g.add(key, field{"", "1"}))
		}
		g.add("t", field{"a", "1"}, field{"b", "2"})
		g.add("u", field{"", ""})
		fault(g, "table", "bad")
		fault(g, "table", "")
	})
	two := filled(func(g *group) {
		for _, key := range []string{"new", "x", "z", "y", "x"} {
			g.follow("order", g.add(key, field{"", "1"}))
		}
		g.add("t", field{"a", "1"}, field{"b", "2"}, field{"c", "3"})
	})
	show := func(a, b *group) string {
		c := &comparison{}
		c.groups(a, b)
		var text bytes.Buffer
		if err := Text(&text, c.found); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	if got, want := show(one, two), "only: 1 -> (none)\nt.c: (none) -> 3\nu: present -> (none)\ntable.fault: bad -> (none)\nnew: (none) -> 1\nx#2: (none) -> 1\norder: y at 1 -> z at 1\n"; got != want {
		t.Errorf("\n%swant\n%s", got, want)
	}
	if got, want := show(two, one), "new: 1 -> (none)\nx#2: 1 -> (none)\nt.c: 3 -> (none)\nonly: (none) -> 1\nu: (none) -> present\ntable.fault: (none) -> bad\norder: z at 1 -> y at 1\n"; got != want {
		t.Errorf("\n%swant\n%s", got, want)
	}
	x := element{"key", []field{{"", "v"}, {"empty", ""}, {"n", "7"}}}
	if got := x.String(); got != "v n=7" {
		t.Errorf("%q", got)
	}
	if x.fieldKey(0) != "key" || x.fieldKey(2) != "key.n" {
		t.Errorf("%q and %q", x.fieldKey(0), x.fieldKey(2))
	}
	if dotted("a") != ".a" || dotted(".a") != ".a" {
		t.Error("dots")
	}
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		a, b string
		size int
		mask map[int][]byte
		want string
	}{
		{"abcd", "abcd", 2, nil, ""},
		{"abcd", "abxd", 2, nil, "k.0x2: 6364 -> 7864\n"},
		{"abcd", "ab", 2, nil, "k.0x2: 6364 -> (none)\n"},
		{"ab", "abcde", 2, nil, "k.0x2: (none) -> 6364\nk.0x4: (none) -> 65\n"},
		{"abc", "abd", 2, nil, "k.0x2: 63 -> 64\n"},
		{"abcd", "abce", 2, map[int][]byte{2: {0xff, 0xfe}}, ""},
		{"abcd", "abcg", 2, map[int][]byte{2: {0xff, 0xfe}}, "k.0x2: 6364 -> 6367\n"},
		{"abcd", "abbd", 2, map[int][]byte{2: {0xfe, 0xff}}, ""},
		{"abcd", "abc", 2, map[int][]byte{2: {0xff, 0}}, "k.0x2: 6364 -> 63\n"},
		{"abc", "abcd", 2, map[int][]byte{2: {0xff, 0}}, "k.0x2: 63 -> 6364\n"},
	} {
		d := &comparison{}
		d.rows("k", []byte(c.a), []byte(c.b), c.size, c.mask)
		var text bytes.Buffer
		if err := Text(&text, d.found); err != nil {
			t.Fatal(err)
		}
		if text.String() != c.want {
			t.Errorf("%q, %q: %q, want %q", c.a, c.b, text.String(), c.want)
		}
	}
	if instructionSize(69) != 8 || instructionSize(70) != 16 || instructionSize(52) != 8 {
		t.Error("instructions have 8 bytes below sm_70, 16 from there on")
	}
}

// The first string that is another, and how many there are.
func TestStringTables(t *testing.T) {
	a := read(t, image)
	b := bytes.Clone(a)
	at := 0x1e5 + bytes.Index(b[0x1e5:], []byte(".text.negate\x00"))
	b[at+6] = 'N'
	got := ""
	for line := range strings.Lines(lines(t, a, b)) {
		if strings.HasPrefix(line, "strtab: ") {
			got = strings.TrimSpace(line)
		}
	}
	whole := a[0x1e5 : 0x1e5+0x23b]
	n := bytes.Count(whole, []byte{0}) + 1
	k := bytes.Count(whole[:at-0x1e5], []byte{0})
	num := strconv.Itoa
	want := "strtab: " + num(n) + ` strings, ".text.negate" at ` + num(k) + " -> " + num(n) + ` strings, ".text.Negate" at ` + num(k)
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBytes(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"abc", "abd", "file.bytes: 0x63 at 0x2 -> 0x64 at 0x2\n"},
		{"abc", "ab", "file.bytes: 0x63 at 0x2 -> end\n"},
		{"", "a", "file.bytes: end -> 0x61 at 0x0\n"},
	} {
		d := &comparison{}
		d.bytes([]byte(c.a), []byte(c.b))
		var text bytes.Buffer
		if err := Text(&text, d.found); err != nil || text.String() != c.want {
			t.Errorf("%q, want %q (%v)", text.String(), c.want, err)
		}
	}
}

// The file that can't be read is named, and two that are alike aren't read.
func TestUnreadable(t *testing.T) {
	good, bad := read(t, image), []byte("nothing")
	for _, c := range []struct{ a, b []byte }{{good, bad}, {bad, good}} {
		list, err := Compare(Input{"a", c.a}, Input{"b", c.b})
		want := "b"
		if bytes.Equal(c.a, bad) {
			want = "a"
		}
		var fault *cubin.Error
		if !errors.As(err, &fault) || fault.File != want || list != nil {
			t.Errorf("%v, %v", list, err)
		}
	}
	if list, err := Compare(Input{"a", bad}, Input{"b", bad}); err != nil || list != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// Fields that differ come in the order in which the file has them.
func TestLineOrder(t *testing.T) {
	a := read(t, image)
	for _, c := range []struct {
		what    string
		at      []int
		ordered string
	}{
		{"header", []int{16, 20, 24, 48}, "header.type header.version header.entry header.flags"},
		{"segment", []int{programTable + 4, programTable + 8, programTable + 16, programTable + 24, programTable + 32, programTable + 40, programTable + 48},
			"program.0.flags program.0.offset program.0.vaddr program.0.paddr program.0.filesz program.0.memsz program.0.align"},
		{"section", []int{sectionTable + 24*64 + 16, sectionTable + 24*64 + 32, sectionTable + 24*64 + 48, sectionTable + 24*64 + 56},
			"section.nv.shared.k.addr section.nv.shared.k.size section.nv.shared.k.align section.nv.shared.k.entsize"},
		{"symbol", []int{symbolTable + 6*24 + 8, symbolTable + 6*24 + 16, symbolTable + 6*24 + 4, symbolTable + 6*24 + 5}, "symbol.scale.value symbol.scale.size symbol.scale.type symbol.scale.other"},
	} {
		b := bytes.Clone(a)
		for _, at := range c.at {
			b[at] ^= 2
		}
		if got := strings.Join(keys(compare(t, a, b)), " "); got != c.ordered {
			t.Errorf("%s: %s, want %s", c.what, got, c.ordered)
		}
	}
}

// Sections whose records are compared aren't compared by bytes again; all others are.
func TestDecoded(t *testing.T) {
	records := map[uint32]bool{
		2: true, 3: true, 4: true, 7: true, 9: true, 0x70000000: true, 0x70000001: true, 0x70000002: true, 0x70000003: true, 0x7000000b: true, 0x70000082: true, 0x70000083: true, 0x70000086: true, 0x70000088: true,
	}
	for _, from := range []uint32{0, 0x70000000} {
		for n := range uint32(256) {
			if typ := from + n; decoded(cuda.SectionType(typ)) != records[typ] {
				t.Errorf("type %#x: %v", typ, !records[typ])
			}
		}
	}
}

// Prototypes follow in the order in which they stand.
func TestPrototypes(t *testing.T) {
	facts := func(list ...dump.Edge) *group {
		return callgraphFacts(&side{model: &dump.File{Prototypes: &dump.Prototypes{Edges: list}, Callgraph: &dump.Callgraph{Edges: list, Fault: "cut"}}})
	}
	one, two := dump.Edge{Kind: "prototype", From: "f", To: "#ii"}, dump.Edge{Kind: "prototype", From: "g", To: "#ij"}
	c := &comparison{}
	c.groups(facts(one, two), facts(two, dump.Edge{Kind: "prototype", From: "f", To: "#jj"}))
	var text bytes.Buffer
	if err := Text(&text, c.found); err != nil {
		t.Fatal(err)
	}
	want := "callgraph.prototype.f->#ii: present -> (none)\nprototype.f: #ii -> #jj\ncallgraph.prototype.f->#jj: (none) -> present\nprototype.order: prototype.f at 0 -> prototype.g at 0\n"
	if text.String() != want {
		t.Errorf("\n%swant\n%s", text.String(), want)
	}
}
