package finalizer

import (
	"encoding/binary"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// record is one of .nv.compat: format, number, value.
func record(format, attr byte, value uint16) []byte {
	return []byte{format, attr, byte(value), byte(value >> 8)}
}

// words is one of .nv.compat with a payload.
func words(attr cuda.CompatAttr, list ...uint32) []byte {
	b := record(byte(cuda.FormatSized), byte(attr), uint16(4*len(list)))
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// object is a file with .nv.compat alone.
func object(abi byte, flags uint32, compat []byte) []byte {
	const names = "\x00.shstrtab\x00.nv.compat\x00"
	h := cubin.Header{Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, abi, 8}, Type: 1, Machine: 190, Version: 1, Flags: flags,
		EhSize: 64, PhEntSize: 56, ShEntSize: 64, ShNum: 3, ShStrNdx: 1}
	body := append([]byte(names), make([]byte, -len(names)&7)...)
	at := cubin.HeaderSize + len(body)
	body = append(body, compat...)
	body = append(body, make([]byte, -len(compat)&7)...)
	h.ShOff = cubin.HeaderSize + uint64(len(body))
	var head [cubin.HeaderSize]byte
	h.Put(&head)
	data := append(head[:], body...)
	data = append(data, make([]byte, 64)...)
	for _, s := range []struct {
		name, kind uint32
		off, size  int
	}{{1, 3, cubin.HeaderSize, len(names)}, {11, uint32(cuda.SHTCudaCompat), at, len(compat)}} {
		b := binary.LittleEndian.AppendUint32(nil, s.name)
		b = binary.LittleEndian.AppendUint32(b, s.kind)
		b = append(b, make([]byte, 16)...)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.off))
		b = binary.LittleEndian.AppendUint64(b, uint64(s.size))
		b = append(b, make([]byte, 8)...)
		b = binary.LittleEndian.AppendUint64(b, 4)
		data = append(append(data, b...), make([]byte, 8)...)
	}
	return data
}

// What a header and each attribute say, by the document's numbers: the header's kind, SM and accelerated flag in both
// generations, and of an attribute the byte after its number, but for the ISA (two) and attribute 11 (eight).
func TestFactsOf(t *testing.T) {
	bare := Facts{SM: 100, Level: 1, ISA: 0x100, Type: 1, ABI: 8}
	with := func(change func(*Facts)) Facts {
		x := bare
		change(&x)
		return x
	}
	compat := func(change func(*Facts)) Facts {
		return with(func(x *Facts) { x.Compat = true; change(x) })
	}
	const old = 0x33
	for _, c := range []struct {
		name   string
		abi    byte
		flags  uint32
		compat []byte
		want   Facts
	}{
		{"SASS", cuda.OSABICuda13, 0x6404, nil, compat(func(*Facts) {})},
		{"no kind", cuda.OSABICuda13, 0x6400, nil, compat(func(*Facts) {})},
		{"Mercury", cuda.OSABICuda13, 0x6401, nil, compat(func(x *Facts) { x.Kind = Mercury })},
		{"capsule", cuda.OSABICuda13, 0x6402, nil, compat(func(x *Facts) { x.Kind = Capmerc })},
		{"both bits", cuda.OSABICuda13, 0x6403, nil, compat(func(x *Facts) { x.Kind = Capmerc })},
		{"accelerated", cuda.OSABICuda13, 0x640a, nil, compat(func(x *Facts) { x.Kind, x.Accelerator = Capmerc, 1 })},
		{"older header", old, 0x64, nil, compat(func(*Facts) {})},
		{"older header with bits of a kind", old, 0x66, nil, compat(func(x *Facts) { x.SM = 102 })},
		{"older header, accelerated", old, 0x864, nil, compat(func(x *Facts) { x.Accelerator = 1 })},
		{"class", cuda.OSABICuda13, 0x6404, record(2, 2, 0x0103), compat(func(x *Facts) { x.Class = 3 })},
		{"MMA", cuda.OSABICuda13, 0x6404, record(2, 5, 0x0205), compat(func(x *Facts) { x.MMA = 5 })},
		{"level", cuda.OSABICuda13, 0x6404, record(2, 6, 0x0304), compat(func(x *Facts) { x.Level = 4 })},
		{"ISA", cuda.OSABICuda13, 0x6404, record(3, 7, 0x0102), compat(func(x *Facts) { x.ISA = 0x102 })},
		{"accelerator instead of the header's", cuda.OSABICuda13, 0x640c, record(2, 9, 0x0100), compat(func(x *Facts) { x.Accelerator = 0 })},
		{"accelerator", cuda.OSABICuda13, 0x6404, record(2, 9, 0x0002), compat(func(x *Facts) { x.Accelerator = 2 })},
		{"what decides nothing", cuda.OSABICuda13, 0x6404, append(append(record(2, 3, 1), record(2, 4, 1)...), record(3, 8, 1)...), compat(func(*Facts) {})},
		{"attribute 11", cuda.OSABICuda13, 0x6404, words(11, 0x89abcdef, 0x01234567), compat(func(x *Facts) { x.Fastpath = 0x0123456789abcdef })},
		{"half of attribute 11", cuda.OSABICuda13, 0x6404, words(11, 0x89abcdef), compat(func(x *Facts) { x.Fastpath = 0x89abcdef })},
		{"none of attribute 11", cuda.OSABICuda13, 0x6404, words(11), compat(func(*Facts) {})},
		{"attribute 11 twice", cuda.OSABICuda13, 0x6404, append(words(11, 1, 2), words(11)...), compat(func(x *Facts) { x.Fastpath = 0x200000001 })},
		{"the last one of two", cuda.OSABICuda13, 0x6404, append(record(2, 2, 1), record(2, 2, 4)...), compat(func(x *Facts) { x.Class = 4 })},
	} {
		f, err := cubin.Open("a.cubin", object(c.abi, c.flags, c.compat))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := FactsOf(f); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
	f, err := cubin.Open("a.cubin", object(cuda.OSABICuda13, 0x6404, append(record(2, 2, 3), 9, 9, 9, 9)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FactsOf(f); err == nil || got.Class != 3 {
		t.Errorf("a record of no format: %+v, %v", got, err)
	}
}

func TestParseRules(t *testing.T) {
	for name, want := range map[string]Rules{"observed": Observed, "document": Document} {
		if got, ok := ParseRules(name); !ok || got != want {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
	}
	if got, ok := ParseRules("none"); ok || got != Observed {
		t.Errorf("no such name: %v, %v", got, ok)
	}
}
