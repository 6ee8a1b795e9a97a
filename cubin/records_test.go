package cubin

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// bare is a file for messages alone.
var bare = &File{Name: "a.cubin"}

// wrong wants a fault of a kind at a place with a value.
func wrong(t *testing.T, what string, err error, kind Kind, offset, value uint64) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind || e.Offset != offset || e.Value != value || e.File != "a.cubin" {
		t.Errorf("%s: %v, want %s at %#x, value %#x", what, err, kind, offset, value)
	}
}

// A fault names what there is to name, and is one of its kind in any file.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]*Error{
		"f: " + BadTable.String() + " at offset 0x1: value 0x2":                 {Kind: BadTable, File: "f", Offset: 1, Value: 2},
		"f: " + BadTable.String() + " in section s at offset 0x1: value 0x2: d": {Kind: BadTable, File: "f", Section: "s", Offset: 1, Value: 2, Detail: "d"},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e, want)
		}
		for _, c := range []struct {
			target error
			want   bool
		}{{&Error{Kind: BadTable}, true}, {&Error{Kind: BadTable, File: "f"}, false}, {&Error{Kind: BadName}, false}, {errors.New("x"), false}} {
			if errors.Is(e, c.target) != c.want {
				t.Errorf("%v is %#v: %v", e, c.target, !c.want)
			}
		}
	}
}

// Every field of a header and of a program header is at the place that ELF has for it, in both directions.
func TestHeaderFields(t *testing.T) {
	var head [HeaderSize]byte
	for i := range head {
		head[i] = byte(i + 1)
	}
	h := decodeHeader(&head)
	var again [HeaderSize]byte
	if h.Put(&again); again != head {
		t.Errorf("% x, want % x", again, head)
	}
	if h.Entry != 0x201f1e1d1c1b1a19 || h.Flags != 0x34333231 || h.ShStrNdx != 0x403f || h.Type != 0x1211 || h.OSABI() != 8 || h.ABIVersion() != 9 {
		t.Errorf("%+v", h)
	}
	var prog [ProgSize]byte
	for i := range prog {
		prog[i] = byte(i + 1)
	}
	p := decodeProg(&prog)
	var progAgain [ProgSize]byte
	if p.Put(&progAgain); progAgain != prog || p.VAddr != 0x1817161514131211 || p.PAddr != 0x201f1e1d1c1b1a19 || p.Align != 0x3837363534333231 {
		t.Errorf("%+v", p)
	}
	for _, c := range []struct {
		abi         byte
		flags       uint32
		sm          cuda.SM
		accelerated bool
	}{
		{cuda.OSABICuda13, 0x06006402, 100, false}, {cuda.OSABICuda13, 0x0600640a, 100, true}, {cuda.OSABICuda13, 0xffffffff, 0xffff, true}, {cuda.OSABICuda13, 0xff0000f7, 0, false},
		{cuda.OSABICuda13, 0x00000800, 8, false}, {0x33, 0x0064055a, 90, false}, {0x33, 0x00640d5a, 90, true}, {0x33, 0xfffff7ff, 255, false}, {0x33, 0x00000008, 8, false},
	} {
		h := Header{Flags: c.flags}
		h.Ident[7] = c.abi
		if h.SM() != c.sm || h.Accelerated() != c.accelerated {
			t.Errorf("version %#x, flags %#x: sm_%d, %v", c.abi, c.flags, h.SM(), h.Accelerated())
		}
	}
}

// Records of .nv.info on the wire: what is read, how long each is, and where one is wrong.
func TestInfoOnTheWire(t *testing.T) {
	for wire, want := range map[string]struct {
		list   string // format, number and value or payload of each
		offset uint64 // of the fault, where there is a value
		value  uint64
		fails  bool
	}{
		"":                                      {"", 0, 0, false},
		"02050102":                              {"02 05 0201 ;", 0, 0, false},
		"01050000" + "03070101":                 {"01 05 0000 ;03 07 0101 ;", 0, 0, false},
		"04110000":                              {"04 11 0000 ;", 0, 0, false},
		"0411040001020304":                      {"04 11 0004 01020304;", 0, 0, false},
		"0411010001000000":                      {"04 11 0001 01;", 0, 0, false},
		"0411050001020304050000ff" + "01050000": {"04 11 0005 0102030405;01 05 0000 ;", 0, 0, false},
		"04110100" + "01":                       {"04 11 0001 01;", 0, 0, false}, // the last one need not be padded
		"010500":                                {"", 0, 3, true},
		"0105000002":                            {"01 05 0000 ;", 4, 1, true},
		"0411050001020304":                      {"", 0, 5, true},
		"01050000" + "04110100":                 {"01 05 0000 ;", 4, 1, true},
		"00050000":                              {"", 0, 0, true},
		"05050000":                              {"", 0, 5, true},
	} {
		data, err := hex.DecodeString(wire)
		if err != nil {
			t.Fatal(err)
		}
		r := InfoReader{file: bare, section: ".nv.info", data: data}
		got, size, tail := "", 0, []byte(nil)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			got += hex.EncodeToString([]byte{byte(rec.Format)}) + " " + hex.EncodeToString([]byte{byte(rec.Attr)}) + " " + hex.EncodeToString([]byte{byte(rec.Value >> 8), byte(rec.Value)}) + " " + hex.EncodeToString(rec.Data) + ";"
			size += rec.Len()
			tail = rec.Append(tail)
			if len(tail) != size {
				t.Errorf("%s: %d bytes, told %d", wire, len(tail), size)
			}
		}
		if got != want.list {
			t.Errorf("%s: %s, want %s", wire, got, want.list)
		}
		if want.fails {
			wrong(t, wire, r.Err(), BadRecord, want.offset, want.value)
			if _, ok := r.Next(); ok {
				t.Errorf("%s: a record behind a fault", wire)
			}
		} else if r.Err() != nil {
			t.Errorf("%s: %v", wire, r.Err())
		}
	}
	rec := InfoRecord{Data: []byte{1, 0, 0, 0, 2, 0, 0, 0, 3}}
	for i, want := range []uint32{1, 2} {
		if w, ok := rec.Word(i); !ok || w != want {
			t.Errorf("word %d is %d, %v", i, w, ok)
		}
	}
	for _, i := range []int{2, 3, -1} {
		if w, ok := rec.Word(i); ok || w != 0 {
			t.Errorf("word %d is %d", i, w)
		}
	}
	for n := range 24 {
		_, err := bare.pairs("s", make([]byte, n))
		if (err == nil) != (n%8 == 0) {
			t.Errorf("%d bytes of pairs: %v", n, err)
		} else if err != nil {
			wrong(t, "pairs", err, BadRecord, uint64(n), uint64(n))
		}
	}
}

// Notes on the wire, each part padded to four bytes, and the strings of a tool's note.
func TestNotesOnTheWire(t *testing.T) {
	for n := range 6 {
		for k := range 6 {
			name, desc := "abcdef"[:n], []byte("123456"[:k])
			wire := AppendNote(AppendNote(nil, 7, name, desc), 8, "x", nil)
			if len(wire) != 12+(n+3)/4*4+(k+3)/4*4+12+4 {
				t.Errorf("names of %d and %d bytes: %d", n, k, len(wire))
			}
			list, err := bare.notes("s", wire)
			if err != nil || len(list) != 2 || list[0].Name != name || !bytes.Equal(list[0].Desc, desc) || list[0].Type != 7 || list[1].Type != 8 || list[1].Name != "x" {
				t.Errorf("names of %d and %d bytes: %+v, %v", n, k, list, err)
			}
		}
	}
	sound := AppendNote(AppendNote(nil, 7, "ab", []byte("xyz")), 8, "abcde", []byte("1234567"))
	wrong(t, "header", second(bare.notes("s", sound[:31])), BadRecord, 20, 31)
	wrong(t, "name", second(bare.notes("s", sound[:36])), BadRecord, 20, 5)
	wrong(t, "description", second(bare.notes("s", sound[:44])), BadRecord, 40, 7)

	for _, object := range []string{"", "o", "ob", "obj"} {
		want := Tkinfo{Version: 2, Object: object, Tool: "t", Release: "release", Build: "b", Options: "-o x "}
		desc := AppendTkinfo([]byte{9, 9, 9}, &want)[3:]
		if len(desc)%4 != 0 || len(desc) != (24+len(object)+1+2+8+2+6+3)/4*4 {
			t.Errorf("%q: %d bytes", object, len(desc))
		}
		n := Note{Type: cuda.NoteTypeTkinfo, Desc: desc}
		if got, ok := n.Tkinfo(); !ok || got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		for _, bad := range []Note{{Type: cuda.NoteTypeTkinfo + 1, Desc: desc}, {Type: cuda.NoteTypeTkinfo, Desc: desc[:23]}, {Type: cuda.NoteTypeTkinfo, Desc: desc[:24]}, {Type: cuda.NoteTypeTkinfo, Desc: desc[:len(desc)-6]}} {
			if got, ok := bad.Tkinfo(); ok || got != (Tkinfo{}) {
				t.Errorf("%d bytes of type %d: %+v", len(bad.Desc), bad.Type, got)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Places of parts are rounded up, and a sum that doesn't fit is none.
func TestRoundUp(t *testing.T) {
	for _, c := range []struct {
		v, align, want uint64
		ok             bool
	}{
		{5, 0, 5, true}, {5, 1, 5, true}, {5, 2, 6, true}, {6, 2, 6, true}, {5, 4, 8, true}, {8, 4, 8, true}, {0, 16, 0, true}, {1, 3, 3, true},
		{1<<64 - 1, 2, 0, false}, {1<<64 - 16, 16, 1<<64 - 16, true}, {1<<64 - 15, 16, 0, false},
	} {
		if got, ok := roundUp(c.v, c.align); got != c.want || ok != c.ok {
			t.Errorf("%d to %d: %d, %v", c.v, c.align, got, ok)
		}
	}
}

// Tables of relocations: which types are some, how large a record is, and what is none.
func TestRelocTables(t *testing.T) {
	for _, c := range []struct {
		kind cuda.SectionType
		size int
	}{{cuda.SHTRel, 16}, {cuda.SHTRela, 24}, {cuda.SHTCudaResolvedRela, 24}, {cuda.SHTMercRela, 24}, {cuda.SHTMercResolvedRela, 24}} {
		if !IsRelocs(c.kind) || IsInfo(c.kind) {
			t.Errorf("%s", c.kind)
		}
		for _, entry := range []int{0, c.size - 1, c.size, c.size + 8} {
			for _, n := range []int{0, 1, 2*c.size - 1, 2 * c.size, 2*c.size + 8} {
				s := Section{Type: c.kind, Size: uint64(n), EntSize: uint64(entry)}
				table, err := bare.relocs(&s, "s", make([]byte, n))
				if sound := entry == c.size && n%c.size == 0; sound != (err == nil) {
					t.Errorf("%s: %d bytes in entries of %d: %v", c.kind, n, entry, err)
				} else if !sound {
					wrong(t, "table", err, BadTable, uint64(n), uint64(entry))
				} else if table.Len() != n/c.size {
					t.Errorf("%s: %d records", c.kind, table.Len())
				}
			}
		}
		data := bytes.Repeat([]byte{0xff}, 2*c.size)
		table, err := bare.relocs(&Section{Type: c.kind, EntSize: uint64(c.size)}, "s", data)
		if err != nil {
			t.Fatal(err)
		}
		for i, there := range map[int]bool{-1: false, 0: true, 1: true, 2: false} {
			if r := table.At(i); (r != Reloc{}) != there {
				t.Errorf("%s: record %d is %+v", c.kind, i, r)
			}
		}
	}
	for _, kind := range []cuda.SectionType{cuda.SHTProgbits, cuda.SHTStrtab, cuda.SHTCudaInfo, cuda.SHTMercInfo, cuda.SHTCudaCompat} {
		if IsRelocs(kind) || IsInfo(kind) != (kind != cuda.SHTProgbits && kind != cuda.SHTStrtab) {
			t.Errorf("%s", kind)
		}
	}
}

// The symbols that a record names: all words, the first, or none.
func TestSymbolWords(t *testing.T) {
	for _, c := range []struct {
		format cuda.InfoFormat
		attr   cuda.InfoAttr
		size   int
		want   int
	}{
		{cuda.FormatSized, cuda.AttrExterns, 0, 0}, {cuda.FormatSized, cuda.AttrExterns, 3, 0}, {cuda.FormatSized, cuda.AttrExterns, 4, 1}, {cuda.FormatSized, cuda.AttrExterns, 12, 3}, {cuda.FormatSized, cuda.AttrExterns, 15, 3},
		{cuda.FormatHalf, cuda.AttrExterns, 8, 0}, {cuda.FormatSized, cuda.AttrRegcount, 8, 1}, {cuda.FormatSized, cuda.AttrFrameSize, 4, 1}, {cuda.FormatSized, cuda.AttrFrameSize, 3, 0}, {cuda.FormatSized, cuda.AttrMaxThreads, 12, 0},
	} {
		r := InfoRecord{Format: c.format, Attr: c.attr, Data: make([]byte, c.size)}
		got := r.symbolWords()
		if len(got) != c.want {
			t.Errorf("%s of %d bytes: %v", c.attr, c.size, got)
		}
		for i, at := range got {
			if at != 4*i {
				t.Errorf("%s: word %d at %d", c.attr, i, at)
			}
		}
	}
}
