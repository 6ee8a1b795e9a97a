package relocs

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// sheet is a cubin with the names of its sections alone.
func sheet() *cubinEditor {
	return &cubinEditor{parts: []*part{{}, {name: 1, kind: uint32(cuda.SHTStrtab), data: []byte("\x00.names\x00")}}, names: 1}
}

// named is a section of that name.
func (f *cubinEditor) named(name string, p part) *cubinEditor {
	p.name = f.title(name)
	f.parts = append(f.parts, &p)
	return f
}

// A share of a section begins after those of the objects before, aligned; a function's text has no shares.
func TestShareBase(t *testing.T) {
	object := func(name string, size, align uint64) *cubinEditor {
		return sheet().named(name, part{kind: 1, size: size, align: align})
	}
	const g = ".nv.global"
	for _, c := range []struct {
		sheets []*cubinEditor
		name   string
		want   uint64
	}{
		{[]*cubinEditor{object(g, 5, 4)}, g, 0},
		{[]*cubinEditor{object(g, 5, 4), object(g, 9, 8)}, g, 8},
		{[]*cubinEditor{object(g, 8, 4), object(g, 9, 8)}, g, 8},
		{[]*cubinEditor{object(g, 5, 4), object(g, 3, 2), object(g, 9, 4)}, g, 12},
		{[]*cubinEditor{object(g, 5, 0), object(g, 9, 0)}, g, 5},
		{[]*cubinEditor{object(g, 5, 4), object(".nv.other", 7, 1), object(g, 9, 4)}, g, 8},
		{[]*cubinEditor{object(".text.f", 128, 128), object(".text.f", 256, 128)}, ".text.f", 0},
		{[]*cubinEditor{object(".nv.capmerc.text.f", 128, 16), object(".nv.capmerc.text.f", 256, 16)}, ".nv.capmerc.text.f", 0},
	} {
		if got := shareBase(c.sheets, c.name); got != c.want {
			t.Errorf("%s of %d objects begins at %d, want %d", c.name, len(c.sheets), got, c.want)
		}
		if got, want := placeLost(c.sheets, c.name), len(c.sheets) > 1 && c.name != g; got != want {
			t.Errorf("%s of %d objects: lost %v", c.name, len(c.sheets), got)
		}
	}
}

// The records of a place are in the section of its name and form.
func TestRecordsName(t *testing.T) {
	for place, want := range map[string][2]string{
		".text.f": {".rel.text.f", ".rela.text.f"}, ".nv.merc.debug_x": {".nv.merc.rel.debug_x", ".nv.merc.rela.debug_x"}, ".nv.capmerc.text.f": {".nv.merc.rel.text.f", ".nv.merc.rela.text.f"},
	} {
		if got := [2]string{recordsName(place, REL), recordsName(place, RELA)}; got != want {
			t.Errorf("%s: %v, want %v", place, got, want)
		}
		if got := mercuryPlace(place); got != (place != ".text.f") {
			t.Errorf("%s: Mercury %v", place, got)
		}
	}
}

// What is written reads as it was, with bytes that fit in their place and others after the old end.
func TestReadWrite(t *testing.T) {
	b := make([]byte, headerSize, 1000)
	copy(b, "\x7fELF")
	strings := "\x00.names\x00.data\x00"
	b = append(b, strings...)
	b = append(b, 1, 2, 3, 4)
	at := uint64(len(b))
	header := func(name, kind uint32, from, size, align uint64) {
		b = le.AppendUint32(le.AppendUint32(b, name), kind)
		for _, w := range []uint64{0x11, 0x22, from, size, 0x44<<32 | 0x33, align, 0x55} {
			b = le.AppendUint64(b, w)
		}
	}
	header(0, 0, 1<<40, 1<<40, 0)
	header(1, uint32(cuda.SHTStrtab), headerSize, uint64(len(strings)), 1)
	header(8, 1, at-4, 4, 16)
	header(8, uint32(cuda.SHTCudaShared), 1<<40, 1<<40, 16)
	le.PutUint64(b[40:], at)
	b[60], b[62] = 4, 1
	f, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	p, n := f.find(".data")
	if want := (part{name: 8, kind: 1, flags: 0x11, addr: 0x22, offset: at - 4, size: 4, link: 0x33, info: 0x44, align: 16, entry: 0x55, data: []byte{1, 2, 3, 4}}); n != 2 || !same(p, &want) {
		t.Errorf("%d: %+v", n, p)
	}
	if p, _ := f.find(".other"); p != nil {
		t.Errorf("found %+v", p)
	}
	for _, data := range [][]byte{{9, 8, 7}, {1, 2, 3, 4, 5}, {6}} { // fits, grows, and stays where it was moved to
		f.put(p, data)
		out := f.write()
		if again, err := read(out); err != nil || len(again.parts) != 4 || !same(again.parts[2], p) || p.offset < uint64(len(b)) != (len(data) == 3) || p.offset%16 != 0 && len(data) != 3 || le.Uint64(out[40:])%8 != 0 {
			t.Errorf("%v: %v, %+v", data, err, p)
		}
	}
	for _, wrong := range []func(b []byte){
		func(b []byte) { b[0] = 0 }, func(b []byte) { le.PutUint64(b[40:], at+1) }, func(b []byte) { le.PutUint64(b[40:], 1<<63) }, func(b []byte) { b[60] = 5 },
		func(b []byte) { b[62] = 4 }, func(b []byte) { le.PutUint64(b[at+128+24:], uint64(len(b))+1) }, func(b []byte) { le.PutUint64(b[at+128+32:], uint64(len(b))-at+5) },
	} {
		bad := slices.Clone(b)
		wrong(bad)
		if _, err := read(bad); err == nil {
			t.Errorf("accepted %x", bad)
		}
	}
	if _, err := read(b[:headerSize-1]); err == nil {
		t.Error("accepted half a header")
	}
}

func same(a, b *part) bool {
	x, y := *a, *b
	x.data, y.data, x.moved, y.moved = nil, nil, false, false
	return slices.Equal(a.data, b.data) && x.name == y.name && x.kind == y.kind && x.flags == y.flags && x.addr == y.addr && x.offset == y.offset &&
		x.size == y.size && x.link == y.link && x.info == y.info && x.align == y.align && x.entry == y.entry
}

// Records that stay are those at other offsets; half a record is none.
func TestOthers(t *testing.T) {
	v := &Vector{Records: []Record{{Offset: 16}}}
	var data []byte
	for _, at := range []uint64{0, 16, 32} {
		data = le.AppendUint64(le.AppendUint64(data, at), at+1)
	}
	want := slices.Concat(data[:16], data[32:])
	if got := v.others(&part{entry: 16, data: append(slices.Clone(data), 1, 2)}); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if got := v.others(&part{entry: 15, data: data}); got != nil {
		t.Errorf("records of 15 bytes: %x", got)
	}
}

// An edit changes one number, of a symbol in both tables.
func TestEdits(t *testing.T) {
	fresh := func() *cubinEditor {
		names := []byte("\x00a\x00b\x00")
		f := sheet().named(".strtab", part{kind: uint32(cuda.SHTStrtab), data: names})
		for _, kind := range []cuda.SectionType{cuda.SHTSymtab, cuda.SHTMercSymtab, 1} {
			data := make([]byte, 3*symbolSize)
			data[symbolSize], data[2*symbolSize] = 1, 3
			f.named(".table", part{kind: uint32(kind), link: 2, data: data})
		}
		return f
	}
	for set, at := range map[string]int{"info": 4, "other": 5, "section": 6, "value": 8, "size": 16} {
		f := fresh()
		if err := f.edit(Edit{Symbol: "b", Set: set, To: 0x7f}); err != nil {
			t.Fatal(err)
		}
		for i, changed := range map[int]bool{3: true, 4: true, 5: false} {
			want := fresh().parts[i].data
			if changed {
				want[2*symbolSize+at] = 0x7f
			}
			if !slices.Equal(f.parts[i].data, want) {
				t.Errorf("%s: table %d is %x, want %x", set, i, f.parts[i].data, want)
			}
		}
	}
	f := fresh()
	for _, e := range []Edit{{Symbol: "c", Set: "info"}, {Symbol: "b", Set: "what"}, {Symbol: "#3", Set: "info"}, {Section: ".none", Set: "type"}, {Section: ".strtab", Set: "what"}} {
		if f.edit(e) == nil {
			t.Errorf("%+v is taken", e)
		}
	}
	for _, e := range []Edit{{Symbol: "#2", Set: "info"}, {Section: ".strtab", Set: "type", To: 9}, {Section: ".strtab", Set: "flags", To: 10}, {Section: ".strtab", Set: "align", To: 11}, {Section: ".strtab", Set: "info", To: 12}} {
		if err := f.edit(e); err != nil {
			t.Error(err)
		}
	}
	if p := f.parts[2]; p.kind != 9 || p.flags != 10 || p.align != 11 || p.info != 12 {
		t.Errorf("%+v", p)
	}
	if err := f.edit(Edit{Section: ".strtab", Set: "bank", To: 5}); err != nil || f.parts[2].kind != uint32(cuda.SHTCudaConstant0)+5 || f.nameOf(f.parts[2]) != ".nv.constant5" {
		t.Errorf("%v, %+v", err, f.parts[2])
	}
}

// A number has one way to be written, and no other is read.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "1023": 1023, `"0x400"`: 1024, `"0xffffffffffffffff"`: 1<<64 - 1} {
		var n Number
		if err := json.Unmarshal([]byte(text), &n); err != nil || uint64(n) != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
		if b, _ := json.Marshal(Number(want)); string(b) != text {
			t.Errorf("%d becomes %s", want, b)
		}
	}
	for text, want := range map[string]int64{"-1": -1, "-1023": -1023, `"-0x400"`: -1024, "1023": 1023, `"0x400"`: 1024, `"-0x8000000000000000"`: -1 << 63} {
		var n Signed
		if err := json.Unmarshal([]byte(text), &n); err != nil || int64(n) != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
		if b, _ := json.Marshal(Signed(want)); string(b) != text {
			t.Errorf("%d becomes %s", want, b)
		}
	}
	for _, text := range []string{"1024", `"0x3ff"`, `"1"`, `"0X400"`, `"0x0400"`, `"`, `""`, "-1024", `"-0x3ff"`, "1.5", `"x"`} {
		var n Number
		var s Signed
		if n.UnmarshalJSON([]byte(text)) == nil || s.UnmarshalJSON([]byte(text)) == nil {
			t.Errorf("%s is read", text)
		}
	}
	if _, err := new(cubinEditor).symbol(0, strings.Repeat("x", 3)); err == nil {
		t.Error("a symbol of no table")
	}
}
