package cubin

import (
	"bytes"
	"math"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// Zeros that bring a section to the next multiple of its alignment, or of that of a section without bytes before it, are
// no tail; any other bytes before it are the tail of the section that ends there.
func TestPaddingOrTail(t *testing.T) {
	for _, c := range []struct {
		what   string
		before []made // between a and b
		align  uint64
		off    uint64 // of b, where a ends at 100
		gap    string
		tail   bool
	}{
		{"no gap", nil, 4, 100, "", false},
		{"one byte of alignment", nil, 101, 101, "", false},
		{"to a multiple of eight", nil, 8, 104, "", false},
		{"less than the alignment asks for", nil, 16, 104, "", true},
		{"more than the alignment asks for", nil, 8, 112, "", true},
		{"no alignment", nil, 1, 101, "", true},
		{"alignment of zero", nil, 0, 104, "", true},
		{"bytes that aren't zero", nil, 8, 104, "\x00\x00\x00x", true},
		{"first byte that isn't zero", nil, 8, 104, "x\x00\x00\x00", true},
		{"a section without bytes that asks for more", []made{{name: "c", typ: cuda.SHTNobits, align: 32, off: 128}}, 8, 128, "", false},
		{"a section without bytes that asks for less", []made{{name: "c", typ: cuda.SHTNobits, align: 4, off: 128}}, 8, 128, "", true},
		{"two without bytes, the first of which asks for more", []made{{name: "c", typ: cuda.SHTNobits, align: 64, off: 128}, {name: "c", typ: cuda.SHTNobits, align: 4, off: 128}}, 8, 128, "", false},
		{"a section with bytes and one without before it", []made{{name: "c", typ: cuda.SHTNobits, align: 64, off: 64}, {name: "c", typ: cuda.SHTProgbits, align: 1, off: 100}}, 8, 104, "", false},
		{"one without bytes, and one that shares those of the first", []made{{name: "c", typ: cuda.SHTNobits, align: 32, off: 128}, {name: "t", typ: cuda.SHTProgbits, align: 1}}, 8, 128, "", false},
	} {
		m := &madeFile{sections: append([]made{{name: "a", typ: cuda.SHTProgbits, align: 1}}, c.before...)}
		m.sections = append(m.sections, made{name: "b", typ: cuda.SHTProgbits, align: c.align, data: []byte("data"), off: c.off})
		m.endFirst(100)
		for i := range m.sections {
			if a := &m.sections[0]; m.sections[i].name == "t" {
				m.sections[i].off, m.sections[i].data = 100-uint64(len(a.data)), a.data
			}
		}
		data := m.bytes(t)
		copy(data[100:], c.gap)
		d, err := Decode("a.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		owner := 2
		for i := range c.before {
			if c.before[i].typ == cuda.SHTProgbits && c.before[i].name != "t" {
				owner = 3 + i
			}
		}
		want := []byte(nil)
		if c.tail {
			want = data[100:c.off]
		}
		if got := d.Tail(owner); !bytes.Equal(got, want) {
			t.Errorf("%s: the tail is %q, want %q", c.what, got, want)
		}
		if out, err := d.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: the file doesn't come back: %v", c.what, err)
		}
	}
}

// The first section may have no bytes, and move the second.
func TestPaddingBehindHeader(t *testing.T) {
	for align, tail := range map[uint64]bool{128: false, 64: true, 256: true} {
		m := &madeFile{first: []made{{name: "c", typ: cuda.SHTNobits, align: align, off: 128}}}
		data := m.bytes(t)
		moved := append(bytes.Clone(data[:HeaderSize]), make([]byte, 64)...)
		moved = append(moved, data[HeaderSize:]...)
		h := decodeHeader((*[HeaderSize]byte)(moved))
		h.ShOff += 64
		h.Put((*[HeaderSize]byte)(moved))
		names := moved[h.ShOff+2*SectionSize:]
		s := decodeSection((*[SectionSize]byte)(names))
		s.Off += 64
		s.Put((*[SectionSize]byte)(names))
		d, err := Decode("a.cubin", moved)
		if err != nil || (len(d.lead) > 0) != tail {
			t.Errorf("alignment %d: %d bytes behind the ELF header, %v", align, len(d.lead), err)
		}
	}
}

// The bytes before the section headers are padding where they bring them to a multiple of eight, or where sections
// without bytes ask for it.
func TestTailBeforeTables(t *testing.T) {
	for _, c := range []struct {
		what string
		last []made
		gap  int
		odd  bool // the table is at an odd place
		tail bool
	}{
		{"to a multiple of eight", nil, 5, false, false},
		{"eight more", nil, 13, false, true},
		{"an odd place", nil, 0, true, false},
		{"an odd place and a byte", nil, 2, true, true},
		{"a section without bytes", []made{{name: "c", typ: cuda.SHTNobits, align: 128, off: 128}}, 29, false, false},
		{"a section without bytes of less alignment", []made{{name: "c", typ: cuda.SHTNobits, align: 16, off: 128}}, 29, false, true},
	} {
		m := &madeFile{gap: make([]byte, c.gap), mod: 1, sections: append([]made{{name: "a", typ: cuda.SHTProgbits, align: 1}}, c.last...)}
		m.endFirst(99)
		data := m.bytes(t)
		d, err := Decode("a.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		if odd := d.Header.ShOff%8 != 0; odd != c.odd {
			t.Fatalf("%s: the table stands at %d", c.what, d.Header.ShOff)
		}
		if got := len(d.Tail(2)); (got > 0) != c.tail || got > 0 && got != c.gap {
			t.Errorf("%s: a tail of %d bytes", c.what, got)
		}
		if again := laidOut(t, d); again.Header.ShOff != d.Header.ShOff {
			t.Errorf("%s: laid out at %d", c.what, again.Header.ShOff)
		}
	}
}

// The Mercury clone of a section of shared memory has bytes but where something else begins before they would end.
func TestHollowClones(t *testing.T) {
	const at, size = 256, 16
	for _, c := range []struct {
		what   string
		next   made
		hollow bool
	}{
		{"something at the first byte", made{off: at, data: []byte{1}}, true},
		{"something at the last byte", made{off: at + size - 1, data: []byte{1}}, true},
		{"something behind the last byte", made{off: at + size, data: []byte{1}}, false},
		{"something before the first byte", made{off: at - 1, data: []byte{1}}, false},
		{"an empty section inside", made{off: at + 1}, false},
	} {
		for _, typ := range []cuda.SectionType{cuda.SHTCudaShared, cuda.SHTCudaSharedReserved, cuda.SHTProgbits} {
			for _, flags := range []cuda.SectionFlags{0, cuda.SHFMercury} {
				c.next.name, c.next.typ, c.next.align = "b", cuda.SHTProgbits, 1
				m := &madeFile{sections: []made{{name: "a", typ: typ, flags: flags, align: 1, off: at, size: size}, c.next, {name: "c", typ: cuda.SHTProgbits, align: 1, off: 512, data: []byte{2}}}}
				d, err := Decode("a.cubin", m.bytes(t))
				if err != nil {
					t.Fatal(err)
				}
				clone := typ != cuda.SHTProgbits && flags == cuda.SHFMercury
				want := clone && c.hollow || typ != cuda.SHTProgbits && flags == 0
				if got := d.Part(2).NoBits(); got != want {
					t.Errorf("%s: %s, flags %#x: without bytes %v", c.what, typ, uint64(flags), got)
				}
				if clone && (d.Data(2) == nil) != c.hollow {
					t.Errorf("%s: %d bytes", c.what, len(d.Data(2)))
				}
			}
		}
	}
	// A table may take the room too, or be before everything.
	m := &madeFile{sections: []made{{name: "b", typ: cuda.SHTProgbits, align: 1, data: make([]byte, 40)}, {name: "a", typ: cuda.SHTCudaShared, flags: cuda.SHFMercury, align: 1, size: 16}}}
	for _, progs := range [][]Prog{nil, {{Type: PTLoad}}} {
		m.progs = progs
		data := m.bytes(t)
		f, err := Open("a.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		tables := []uint64{f.Header.ShOff}
		if len(progs) > 0 {
			tables = append(tables, f.Header.PhOff)
		}
		for _, table := range tables {
			for off, hollow := range map[uint64]bool{table - 16: false, table - 15: true, table: true, table + 1: false} {
				moved := append(bytes.Clone(data), make([]byte, 16)...)
				s := f.Section(3)
				s.Off = off
				s.Put((*[SectionSize]byte)(moved[f.Header.ShOff+3*SectionSize:]))
				d, err := Decode("a.cubin", moved)
				if err != nil || d.Part(3).NoBits() != hollow {
					t.Errorf("%d program headers: a clone at %#x, tables at %#x: without bytes %v, %v", len(progs), off, tables, !hollow, err)
				}
			}
		}
	}
	d, err := Decode("a.cubin", tablesFirst(t))
	if err != nil || d.Part(2).NoBits() {
		t.Errorf("a clone behind everything: %v", err)
	}
}

// tablesFirst is a file that ends with a clone of shared memory: all tables are before it.
func tablesFirst(t *testing.T) []byte {
	m := &madeFile{sections: []made{{name: "a", typ: cuda.SHTCudaShared, flags: cuda.SHFMercury, align: 1, size: 16}}}
	data := m.bytes(t)
	f, err := Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(2)
	s.Off = uint64(len(data))
	s.Put((*[SectionSize]byte)(data[f.Header.ShOff+2*SectionSize:]))
	return append(data, make([]byte, 16)...)
}

// Sections of one offset and size are counterparts, empty ones where the later is of the Mercury group alone; of those whose
// bytes go with the first, the first that stays has them.
func TestSharedMade(t *testing.T) {
	const m = cuda.SHFMercury
	for _, c := range []struct {
		what string
		list []made // at 256 but where it says
		want []int  // counterparts of sections 2 and on
	}{
		{"equal", []made{{size: 8}, {size: 8}}, []int{2, 2}},
		{"three", []made{{size: 8}, {size: 8}, {size: 8}}, []int{2, 2, 2}},
		{"another size", []made{{size: 8}, {size: 7}}, []int{2, 3}},
		{"another place", []made{{size: 8}, {size: 8, off: 257}}, []int{2, 3}},
		{"one without bytes between", []made{{size: 8}, {size: 8, typ: cuda.SHTNobits}, {size: 8}}, []int{2, 3, 2}},
		{"empty", []made{{}, {}}, []int{2, 3}},
		{"empty, the second Mercury's", []made{{}, {flags: m}}, []int{2, 2}},
		{"empty, both Mercury's", []made{{flags: m}, {flags: m}}, []int{2, 3}},
		{"empty, the first Mercury's", []made{{flags: m}, {}}, []int{2, 3}},
		{"an empty one first", []made{{}, {size: 8, flags: m}}, []int{2, 3}},
		{"two pairs", []made{{size: 8}, {size: 4}, {size: 8, flags: m}, {size: 4, flags: m}}, []int{2, 3, 2, 3}},
	} {
		f := &madeFile{}
		for i, s := range c.list {
			s.name, s.align = "s", 1
			if s.typ == 0 {
				s.typ = cuda.SHTProgbits
			}
			if s.off == 0 {
				s.off = 256
			}
			if s.typ != cuda.SHTNobits && s.size > 0 {
				s.data = bytes.Repeat([]byte{7}, int(s.size))
			}
			c.list[i] = s
		}
		f.sections = append(c.list, made{name: "z", typ: cuda.SHTProgbits, align: 1, off: 300, data: []byte{1}})
		d := f.open(t)
		for k, want := range c.want {
			if got := d.SharesWith(2 + k); got != want {
				t.Errorf("%s: section %d shares with %d, want %d", c.what, 2+k, got, want)
			}
		}
		if d.SharesWith(99) != 99 || d.SharesWith(-1) != -1 {
			t.Errorf("%s: a section that isn't there has a shared", c.what)
		}
	}
	f := &madeFile{}
	for range 4 {
		f.sections = append(f.sections, made{name: "s", typ: cuda.SHTProgbits, align: 1, off: 256, data: []byte("whatever")})
	}
	for _, c := range []struct {
		drop []int
		want []int // counterparts of what stays
	}{
		{nil, []int{2, 2, 2, 2}}, {[]int{2}, []int{2, 2, 2}}, {[]int{3}, []int{2, 2, 2}}, {[]int{2, 3}, []int{2, 2}}, {[]int{2, 4}, []int{2, 2}}, {[]int{2, 3, 4}, []int{2}}, {[]int{5}, []int{2, 2, 2}},
	} {
		d := f.open(t)
		if _, err := d.Drop(c.drop, nil); err != nil {
			t.Fatal(err)
		}
		again := laidOut(t, d)
		for k, want := range c.want {
			if d.SharesWith(2+k) != want || again.SharesWith(2+k) != want || string(again.Data(2+k)) != "whatever" {
				t.Errorf("without %v section %d shares with %d, %d when written: %q", c.drop, 2+k, d.SharesWith(2+k), again.SharesWith(2+k), again.Data(2+k))
			}
		}
	}
}

// Parts may lie over each other where nothing of them was changed; a table that was, or was moved, may not.
func TestOverlappingTables(t *testing.T) {
	m := &madeFile{sections: []made{{name: "s", typ: cuda.SHTProgbits, align: 1, data: []byte("bytes")}}, progs: []Prog{{Type: PTLoad, Align: 8}}}
	data := m.bytes(t)
	f, err := Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	over := func(off, size uint64) []byte {
		out := bytes.Clone(data)
		s := f.Section(2)
		s.Off, s.Size = off, size
		s.Put((*[SectionSize]byte)(out[f.Header.ShOff+2*SectionSize:]))
		return out
	}
	for _, c := range []struct {
		what   string
		off    uint64
		size   uint64
		change func(d *Editor)
		where  uint64 // of what is refused, 0 for none
	}{
		{"section headers", f.Header.ShOff + 8, 8, func(d *Editor) {}, 0},
		{"section headers, changed", f.Header.ShOff + 8, 8, func(d *Editor) { d.Part(1).Addr++ }, f.Header.ShOff + 8},
		{"program headers", f.Header.PhOff + 8, 8, func(d *Editor) {}, 0},
		{"program headers, changed", f.Header.PhOff + 8, 8, func(d *Editor) { d.progs[0].VAddr++ }, f.Header.PhOff + 8},
		{"ELF header", 16, 8, func(d *Editor) {}, 0},
		{"ELF header, changed", 16, 8, func(d *Editor) { d.Header.Entry++ }, 16},
		{"the last byte of the ELF header, changed", 63, 1, func(d *Editor) { d.Header.Entry++ }, 63},
		{"ELF header, and the section changed", 16, 8, func(d *Editor) { d.parts[2].own = true }, 16},
	} {
		d, err := Decode("a.cubin", over(c.off, c.size))
		if err != nil {
			t.Fatal(err)
		}
		c.change(d)
		_, err = d.Encode()
		if c.where == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		fault(t, c.what, err, BadExtent, "s", c.where, c.size)
	}
	d := m.open(t)
	d.Header.PhOff = d.Header.ShOff + 1
	_, err = d.Encode()
	fault(t, "program headers in the section headers", err, BadExtent, "program headers", d.Header.ShOff+1, ProgSize)
	d = m.open(t)
	d.Header.ShOff = 8
	_, err = d.Encode()
	fault(t, "section headers in the ELF header", err, BadExtent, "section headers", 8, 3*SectionSize)
	d = m.open(t)
	d.Part(2).Align = 1 << 40
	pos := uint64(HeaderSize) + d.Part(1).Size
	fault(t, "an alignment past the limit", d.Layout(), OverBudget, "s", pos, 1<<40)
	d.Part(2).Align = math.MaxUint64
	fault(t, "an alignment past the end of numbers", d.Layout(), OverBudget, "s", pos, math.MaxUint64)
}
