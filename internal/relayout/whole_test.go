package relayout

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
)

// seen is a section header as it is in a file.
type seen struct {
	name                  string
	kind                  uint32
	flags, addr, at, size uint64
	link, info            uint32
	align, entry          uint64
	body                  []byte
}

// look reads a file's sections, by ELF's rules alone.
func look(t *testing.T, data []byte) (list []seen) {
	t.Helper()
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	table, count := u64(data[40:]), int(binary.LittleEndian.Uint16(data[60:]))
	for i := range count {
		r := data[table+uint64(64*i):][:64]
		s := seen{kind: u32(r[4:]), flags: u64(r[8:]), addr: u64(r[16:]), at: u64(r[24:]), size: u64(r[32:]), link: u32(r[40:]), info: u32(r[44:]), align: u64(r[48:]), entry: u64(r[56:])}
		switch s.kind {
		case 0, 8, 0x70000007, 0x70000008, 0x7000000a, 0x70000015:
		default:
			s.body = data[s.at : s.at+s.size]
		}
		list = append(list, s)
	}
	names := list[binary.LittleEndian.Uint16(data[62:])].body
	for i := range list {
		name, _, _ := bytes.Cut(names[u32(data[table+uint64(64*i):]):], []byte{0})
		list[i].name = string(name)
	}
	return list
}

// symbolsOf are the symbols of a table as text, in order: name, kind, section's name, value and size.
func symbolsOf(list []seen, table int) (symbols []string) {
	t := &list[table]
	for b := t.body; len(b) >= 24; b = b[24:] {
		name, _, _ := bytes.Cut(list[t.link].body[binary.LittleEndian.Uint32(b):], []byte{0})
		section := fmt.Sprint(binary.LittleEndian.Uint16(b[6:]))
		if n := int(binary.LittleEndian.Uint16(b[6:])); n < 0xff00 && n < len(list) {
			section = list[n].name
		}
		symbols = append(symbols, fmt.Sprintf("%s %x %x in %s at %x of %x", name, b[4], b[5], section, b[8:16], b[16:24]))
	}
	return symbols
}

// told says what a file holds, in words that no layout changes: each section with the names of what it points to, each
// symbol, each record. Of code and data only the size is told, TestFile compares the bytes.
func told(t *testing.T, data []byte) (text []string) {
	t.Helper()
	list := look(t, data)
	symbol := func(table uint32, n uint32) string {
		if int(table) >= len(list) || list[table].kind != 2 && list[table].kind != 0x70000085 {
			return fmt.Sprint("number ", n)
		}
		if all := symbolsOf(list, int(table)); int(n) < len(all) {
			return all[n]
		}
		return fmt.Sprint("number ", n)
	}
	for i := range list {
		s := &list[i]
		if s.align > 1 && s.kind != 0 && s.body != nil && s.size > 0 && s.at%s.align != 0 {
			t.Errorf("%s at %#x, aligned to %#x", s.name, s.at, s.align)
		}
		info, size := fmt.Sprint("number ", s.info), fmt.Sprint(s.size)
		switch {
		case s.kind == 2 || s.kind == 0x70000085:
			locals := 0
			for k := range s.size / 24 {
				if s.body[24*k+4]>>4 == 0 {
					locals++
					if k >= uint64(s.info) {
						t.Errorf("%s: symbol %d is local, and the first that is none is %d", s.name, k, s.info)
					}
				}
			}
			info = fmt.Sprintf("%d local", locals)
			for _, y := range symbolsOf(list, i) {
				text = append(text, s.name+": "+y)
			}
		case s.kind == 3:
			size = "any"
		case s.kind == 1 && s.flags&4 != 0, s.kind == 0x70000016, s.kind == 0x70000011 && s.flags&4 != 0:
			info = fmt.Sprintf("%x %s", s.info>>24, symbol(s.link, s.info&0xffffff))
			if s.kind == 0x70000016 {
				text = append(text, s.name+" is of "+list[binary.LittleEndian.Uint32(s.body)].name)
			}
		case int(s.info) < len(list):
			info = list[s.info].name
		}
		width := map[uint32]int{4: 24, 9: 16, 0x70000003: 24, 0x70000082: 24, 0x70000084: 24}[s.kind]
		for k := 0; width > 0 && k+width <= len(s.body); k += width {
			text = append(text, fmt.Sprintf("%s: %x %x %x against %s", s.name, s.body[k:k+8], s.body[k+8:k+12], s.body[k+16:k+width], symbol(s.link, binary.LittleEndian.Uint32(s.body[k+12:]))))
		}
		text = append(text, fmt.Sprintf("%s %x %x addr %x size %s link %s info %s entry %d", s.name, s.kind, s.flags, s.addr, size, list[s.link].name, info, s.entry))
	}
	slices.Sort(text)
	return text
}

// covered wants the program headers to be in order: each section that is loaded is in one with its permissions, as long
// in memory as it is, and none has more in the file than in memory.
func covered(t *testing.T, data []byte, single bool) {
	t.Helper()
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	at, n := u64(data[32:]), int(binary.LittleEndian.Uint16(data[56:]))
	list := look(t, data)
	loads := 0
	capsules := slices.ContainsFunc(list, func(s seen) bool { return s.kind == 0x70000016 })
	for k := range n {
		p := data[at+uint64(56*k):][:56]
		offset, inFile, inMemory := u64(p[8:]), u64(p[32:]), u64(p[40:])
		if inFile > inMemory || offset+inFile > uint64(len(data)) || u64(p[48:]) != 8 {
			t.Errorf("header %d: %x", k, p)
		}
		if u32(p) == 6 && (offset != at || inFile != uint64(56*n) || k != 0 || single) {
			t.Errorf("header %d of the table of %d headers at %#x: %x", k, n, at, p)
		}
		if u32(p) == 1 {
			loads++
		}
	}
	sections := 0
	for i := range list {
		s := &list[i]
		if s.flags&2 == 0 || s.flags&0x10000000 != 0 || bytes.HasPrefix([]byte(s.name), []byte(".nv.merc")) {
			continue
		}
		sections++
		want := uint32(5)
		switch {
		case s.flags&1 != 0:
			want = 6
		case s.flags&4 == 0 && capsules && !single:
			want = 4
		}
		found := false
		for k := range n {
			p := data[at+uint64(56*k):][:56]
			offset, inFile, inMemory := u64(p[8:]), u64(p[32:]), u64(p[40:])
			if u32(p) != 1 || u32(p[4:]) != want {
				continue
			}
			if s.body != nil {
				found = found || offset <= s.at && s.at+s.size <= offset+inFile
			} else {
				found = found || offset <= s.at && s.at <= offset+inFile && inMemory-inFile >= s.size
			}
		}
		if !found {
			t.Errorf("%s, %#x bytes at %#x, lies in no header", s.name, s.size, s.at)
		}
	}
	if single && loads != sections {
		t.Errorf("%d headers of %d sections", loads, sections)
	}
}

// Another layout says the same: nothing of a section, a symbol or a record is other but numbers, order and place. Each way
// changes what it is named for, and no two parts lie over each other.
func TestSaysTheSame(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	mercury, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	first := len(cases)
	cases = append(cases[:first:first], corpus.CasesOf(mercury)...)
	changed, kinds := map[Way]int{}, map[uint32]int{}
	for i, c := range cases {
		if (i%67 != 0 && (i < first || i%11 != 0)) || !c.Linked() || len(c.Output) == 0 {
			continue
		}
		for _, way := range Ways {
			if way&Variables != 0 {
				continue
			}
			other, err := File(c.Output, way, uint64(i))
			if err != nil {
				t.Fatal(c.ID(), err)
			}
			was, is := told(t, c.Output), told(t, other)
			if !slices.Equal(was, is) {
				t.Errorf("%s: %s: %q", c.ID(), way, missing(was, is))
				t.Fatalf("instead %q", missing(is, was))
			}
			if binary.LittleEndian.Uint16(c.Output[56:]) > 0 {
				covered(t, other, way&Segments != 0)
			}
			if was, is := permissions(c.Output), permissions(other); way&Segments == 0 && !slices.Equal(was, is) {
				t.Errorf("%s: %s: program headers %v, nvlink's are %v", c.ID(), way, is, was)
			}
			if table := binary.LittleEndian.Uint64(other[40:]); way == Places && table > 64+16*4 {
				t.Errorf("%s: the headers are at %#x", c.ID(), table)
			}
			if way == Tables {
				shuffled(t, c.Output, other, kinds)
			}
			apart(t, other)
			if orders(look(t, c.Output), way) != orders(look(t, other), way) {
				changed[way]++
			}
		}
	}
	for _, way := range []Way{Sections, Symbols, Names, Places, Tables} {
		if changed[way] < 5 {
			t.Errorf("%s: %d files are other", way, changed[way])
		}
	}
	for kind := range shuffledKinds {
		if kinds[kind] == 0 && kind != 0x7000008a && kind != 0x7000008b { // those are in no recorded image
			t.Errorf("no table of kind %#x was shuffled", kind)
		}
	}
}

// shuffledKinds are the kinds of tables of parts whose order may be any, and how long a part is; 0: its length is in it.
var shuffledKinds = map[uint32]int{4: 24, 0x70000000: 0, 0x70000083: 0, 0x70000001: 8, 0x70000002: 8, 0x7000008a: 8, 0x7000008b: 8}

// shuffled wants each table to have the same parts, and counts those that have them in another order.
func shuffled(t *testing.T, before, after []byte, kinds map[uint32]int) {
	t.Helper()
	parts := func(s *seen) (list []string) {
		width, ok := shuffledKinds[s.kind]
		for b := s.body; ok && len(b) > 0; {
			n := width
			if n == 0 {
				if n = 4; b[0] == 4 {
					n += int(binary.LittleEndian.Uint16(b[2:]))
				}
			}
			list, b = append(list, string(b[:n])), b[n:]
		}
		return list
	}
	was, is := look(t, before), look(t, after)
	for i := range was {
		a, b := parts(&was[i]), parts(&is[i])
		if !slices.Equal(a, b) {
			kinds[was[i].kind]++
		}
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%s has other parts: %x, was %x", was[i].name, b, a)
		}
	}
}

// permissions are the types and permissions of a file's program headers.
func permissions(data []byte) (list []string) {
	at := binary.LittleEndian.Uint64(data[32:])
	for k := range uint64(binary.LittleEndian.Uint16(data[56:])) {
		list = append(list, fmt.Sprintf("%x", data[at+56*k:][:8]))
	}
	if len(list) > 2 && list[1] == "0100000004000000" { // the finalizer's lie in any order after the two of the table
		slices.Sort(list[2:])
	}
	return list
}

// The kinds of tables that 13.5 has for a Mercury side are taken as those of the other.
func TestKinds(t *testing.T) {
	for kind, want := range map[cuda.SectionType][3]bool{cuda.SHTCudaCallgraph: {0: true}, cuda.SHTMercCallgraph: {0: true}, cuda.SHTCudaPrototype: {1: true}, cuda.SHTMercPrototype: {1: true},
		cuda.SHTCudaInfo: {2: true}, cuda.SHTMercInfo: {2: true}, cuda.SHTProgbits: {}} {
		s := section{kind: kind}
		if got := [3]bool{s.calls(), s.prototypes(), s.attributes()}; got != want {
			t.Errorf("%v: %v", kind, got)
		}
	}
	f := &file{sections: []*section{{}, {kind: cuda.SHTMercSymtab}, {kind: cuda.SHTSymtab}, {kind: cuda.SHTProgbits}}}
	for link, want := range []bool{false, true, true, false, false} {
		if got := f.tableOf(&section{link: uint32(link)}); (got != nil) != want || want && got != f.sections[link] {
			t.Errorf("link %d: %v", link, got)
		}
	}
}

// A section that ends after the file is refused, one that ends with it isn't.
func TestEnds(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c corpus.Case) bool { return c.Linked() && len(c.Output) > 0 })
	whole := cases[i].Output
	table := binary.LittleEndian.Uint64(whole[40:])
	for k, s := range look(t, whole) {
		if s.body == nil {
			continue
		}
		for _, test := range []struct {
			at, size uint64
			fine     bool
		}{
			{uint64(len(whole)) - s.size, s.size, true}, {uint64(len(whole)) - s.size + 1, s.size, false}, {s.at, uint64(len(whole)) - s.at + 1, false},
			{uint64(len(whole)) + 1, 0, false}, {1 << 63, s.size, false}, {s.at, 1 << 63, false},
		} {
			data := bytes.Clone(whole)
			binary.LittleEndian.PutUint64(data[table+64*uint64(k)+24:], test.at)
			binary.LittleEndian.PutUint64(data[table+64*uint64(k)+32:], test.size)
			if s.kind == 2 || s.kind == 3 {
				continue // what they hold counts as well
			}
			if _, err := File(data, Places, 1); (err == nil) != test.fine {
				t.Errorf("section %d at %#x of %#x bytes in a file of %#x: %v", k, test.at, test.size, len(whole), err)
			}
		}
	}
}

// missing are the first lines that another list lacks.
func missing(a, b []string) (list []string) {
	for _, line := range a {
		if !slices.Contains(b, line) && len(list) < 4 {
			list = append(list, line)
		}
	}
	return list
}

// orders says what a way is to change.
func orders(list []seen, way Way) string {
	var text []string
	for i := range list {
		s := &list[i]
		switch {
		case way == Sections:
			text = append(text, s.name)
		case way == Symbols && s.kind == 2:
			text = append(text, symbolsOf(list, i)...)
		case way == Names && s.kind == 3, way == Tables && (s.kind == 4 || s.kind == 0x70000000 || s.kind == 0x70000001):
			text = append(text, string(s.body))
		case way == Places:
			text = append(text, fmt.Sprint(s.at))
		}
	}
	return fmt.Sprintf("%q", text)
}

// apart wants no two sections over each other, but where they are one.
func apart(t *testing.T, data []byte) {
	t.Helper()
	list := look(t, data)
	list = slices.DeleteFunc(list, func(s seen) bool { return s.body == nil || s.size == 0 })
	slices.SortStableFunc(list, func(a, b seen) int { return int(a.at) - int(b.at) })
	for i := 1; i < len(list); i++ {
		if a, b := &list[i-1], &list[i]; a.at+a.size > b.at && (a.at != b.at || a.size != b.size) {
			t.Errorf("%s and %s lie over each other", a.name, b.name)
		}
	}
	table, count := binary.LittleEndian.Uint64(data[40:]), uint64(binary.LittleEndian.Uint16(data[60:]))
	for i := range list {
		if s := &list[i]; s.at < 64 || s.at < table+64*count && table < s.at+s.size || table%8 != 0 {
			t.Errorf("%s at %#x lies over the headers", s.name, s.at)
		}
	}
}
