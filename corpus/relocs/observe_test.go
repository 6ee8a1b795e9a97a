package relocs

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// entry is a symbol of a table by hand.
type entry struct {
	name               uint32
	info, other, shndx byte
	value, size        uint64
}

// program is a file with the sections .names, .strtab, .symtab, a function's text and a variable's, and one of records.
func program(text, data []byte, records []Record, entries ...entry) *cubinEditor {
	f := sheet()
	f.bytes = append([]byte("\x7fELF"), make([]byte, headerSize-4)...)
	f.bytes[62] = 1
	var table []byte
	for _, e := range append([]entry{{}}, entries...) {
		table = append(le.AppendUint32(table, e.name), e.info, e.other, e.shndx, 0)
		table = le.AppendUint64(le.AppendUint64(table, e.value), e.size)
	}
	var list []byte
	for _, r := range records {
		list = le.AppendUint64(le.AppendUint32(le.AppendUint32(le.AppendUint64(list, r.Offset), r.Type), 1), uint64(r.Addend))
	}
	f.named(".strtab", part{kind: uint32(cuda.SHTStrtab), data: []byte("\x00f\x00v\x00w\x00t\x00")})
	f.named(".symtab", part{kind: uint32(cuda.SHTSymtab), link: 2, data: table})
	f.named(".text.f", part{kind: 1, align: 16, data: text})
	f.named(".nv.global.init", part{kind: uint32(cuda.SHTCudaGlobalInit), align: 8, data: data})
	f.named(".rela.text.f", part{kind: uint32(cuda.SHTRela), link: 3, info: 4, data: list})
	for _, p := range f.parts[1:] {
		p.size, p.moved = uint64(len(p.data)), true
	}
	return f
}

const (
	weak   = byte(cuda.STBWeak) << 4
	global = byte(cuda.STBGlobal) << 4
)

// What is seen of an image is the runs of bytes that changed, those at the records apart, and the records that are left.
func TestObserve(t *testing.T) {
	function := entry{1, global | byte(cuda.STTFunc), 0, 4, 0, 128}
	text := make([]byte, 128)
	object := program(text, nil, []Record{{Offset: 16}}, function)
	v := &Vector{Place: ".text.f", Form: RELA, Records: []Record{{Offset: 16}}}
	see := func(changed map[int]byte, records ...Record) Result {
		t.Helper()
		after := bytes.Clone(text)
		for at, b := range changed {
			after[at] = b
		}
		r, err := v.Observe([]Input{{"m.cubin", object.write()}}, program(after, nil, records, function).write())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := see(nil); r.Did != Linked || r.Gone || r.After != nil || r.Changed != nil || r.Kept != nil {
		t.Errorf("nothing changed: %+v", r)
	}
	r := see(map[int]byte{18: 1, 26: 2, 64: 3, 73: 4, 90: 5}, Record{Offset: 32, Type: 7, Addend: -2})
	if !bytes.Equal(r.After, []byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2}) {
		t.Errorf("at the records: %x", r.After)
	}
	if want := []Run{{"", 64, []byte{3}}, {"", 73, []byte{4}}, {"", 90, []byte{5}}}; !slices.EqualFunc(r.Changed, want, equalRun) {
		t.Errorf("elsewhere: %v, want %v", r.Changed, want)
	}
	if want := []Record{{Offset: 32, Type: 7, Addend: -2, Symbol: "f"}}; !slices.Equal(r.Kept, want) {
		t.Errorf("records: %+v, want %+v", r.Kept, want)
	}
	for at, after := range map[int]bool{15: false, 16: true, 47: true, 48: false} {
		if r := see(map[int]byte{at: 1}); (r.After != nil) != after || (r.Changed == nil) != after {
			t.Errorf("a change at %d: %+v", at, r)
		}
	}
	v.Place = ".text.g"
	if r := see(nil); !r.Gone {
		t.Errorf("no such place: %+v", r)
	}
	// Ninety-six bytes of changes may be told.
	v.Place = ".text.f"
	for n, fails := range map[int]bool{96: false, 97: true} {
		was := make([]byte, 128)
		is := append(bytes.Repeat([]byte{1}, n), make([]byte, 128-n)...)
		far := &Vector{Place: ".text.f", Records: []Record{{Offset: 120}}}
		if err := far.changes(&Result{}, was, is); (err != nil) != fails {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// Of a form of records the addend is in the bytes; who is after the table is named by number.
func TestRecordsIn(t *testing.T) {
	f := program(nil, nil, nil, entry{1, global, 0, 4, 0, 0})
	record := func(symbol uint32, addend bool) []byte {
		b := le.AppendUint32(le.AppendUint32(le.AppendUint64(nil, 8), 9), symbol)
		if addend {
			b = le.AppendUint64(b, 5)
		}
		return b
	}
	for _, c := range []struct {
		kind cuda.SectionType
		data []byte
		want []Record
	}{
		{cuda.SHTRela, slices.Concat(record(1, true), record(2, true), []byte{1}), []Record{{Offset: 8, Type: 9, Form: RELA, Symbol: "f", Addend: 5}, {Offset: 8, Type: 9, Form: RELA, Symbol: "#2", Addend: 5}}},
		{cuda.SHTRel, slices.Concat(record(0, false), record(1, false)), []Record{{Offset: 8, Type: 9, Form: REL, Symbol: "#0"}, {Offset: 8, Type: 9, Form: REL, Symbol: "f"}}},
	} {
		if got := f.recordsIn(&part{kind: uint32(c.kind), link: 3, data: c.data}); !slices.Equal(got, c.want) {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// The facts of a vector are those of the definition that counts: of weak ones the first.
func TestFacts(t *testing.T) {
	const object = byte(cuda.STTCudaObject)
	texture := entry{7, global | byte(cuda.STTCudaTexture), 0, 0, 0, 0}
	before := program(make([]byte, 64), make([]byte, 12), nil, entry{3, weak | object, 1, 5, 4, 8}, entry{5, object, 2, 5, 0, 4})
	last := program(make([]byte, 64), make([]byte, 24), []Record{{}}, entry{3, weak | object, 3, 5, 16, 8}, entry{5, global | object, 4, 0, 0, 4}, texture, entry{1, global | byte(cuda.STTFunc), 0, 4, 0, 64})
	sheets := []*cubinEditor{before, last}
	for name, want := range map[string]Symbol{
		"v":  {Name: "v", Index: 1, Exists: true, Defined: true, Type: cuda.STTCudaObject, Binding: cuda.STBWeak, Other: 1, Value: 4, Size: 8, Section: ".nv.global.init", SectionType: cuda.SHTCudaGlobalInit, Align: 8, Lost: true},
		"w":  {Name: "w", Index: 2, Exists: true, Type: cuda.STTCudaObject, Binding: cuda.STBGlobal, Other: 4, Size: 4},
		"#4": {Name: "f", Index: 4, Exists: true, Defined: true, Type: cuda.STTFunc, Binding: cuda.STBGlobal, Size: 64, Section: ".text.f", SectionType: 1, Align: 16},
		"#5": {Index: 5},
	} {
		if got, err := symbolFacts(sheets, 3, name); err != nil || got != want {
			t.Errorf("%s: %+v, want %+v, %v", name, got, want, err)
		}
	}
	if _, err := symbolFacts(sheets, 3, "x"); err == nil {
		t.Error("a symbol that isn't there")
	}
	var facts Facts
	facts.survey(sheets, 3, ".nv.global.init")
	want := Facts{Functions: 1, Textures: []string{"t"}, Lost: []Range{{16, 8}}, Undefined: []string{"w"}}
	if !reflect.DeepEqual(facts, want) {
		t.Errorf("%+v, want %+v", facts, want)
	}
	other := Facts{}
	if other.survey(sheets, 3, ".text.f"); other.Lost != nil {
		t.Errorf("lost of another place: %v", other.Lost)
	}
}

// Old content of a repeated text is that text, of other lengths it stands whole.
func TestOldContent(t *testing.T) {
	for text, want := range map[string]string{strings.Repeat("a", 16): "a", strings.Repeat("ab", 8): "ab", strings.Repeat("abca", 4): "abca", "0123456701234567": "01234567", "0123456789abcdef": "0123456789abcdef", "aaaa": "aaaa", strings.Repeat("a", 32): strings.Repeat("a", 32)} {
		if got := packOld([]byte(text)); string(got) != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for packed, want := range map[string]string{"": "", "a": strings.Repeat("a", 16), "abc": "abc", "0123456789abcdef": "0123456789abcdef", strings.Repeat("ab", 16): strings.Repeat("ab", 16)} {
		if got := unpackOld(Hex(packed)); string(got) != want {
			t.Errorf("%s: %s, want %s", packed, got, want)
		}
	}
}
