package documents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func word(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func one(offset, width, action uint32) Descriptor {
	return Descriptor{Slots: [slotCount]Slot{{BitOffset: offset, BitWidth: width, Action: action}}}
}

func TestDescriptorBytes(t *testing.T) {
	b := make([]byte, Size)
	for i := range b {
		b[i] = byte(i)
	}
	d, err := ParseDescriptor(b)
	if err != nil || !bytes.Equal(d.Bytes(), b) {
		t.Fatalf("%x, %v", d.Bytes(), err)
	}
	if d.Slots[0].BitOffset != 0x0f0e0d0c || d.Slots[2].Reserved != 0x3b3a3938 || d.Sentinel != 0x3f3e3d3c {
		t.Errorf("%+v", d)
	}
	for _, n := range []int{0, 1, 63, 65} {
		var e *Error
		if _, err := ParseDescriptor(make([]byte, n)); !errors.As(err, &e) || e.Kind != DescriptorSize || e.Value != uint64(n) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// The worked example of the catalog document, byte for byte: type 5 at bit 26,
// 0xDEADBEEF over an empty word.
func TestWorkedExample(t *testing.T) {
	b := make([]byte, Size)
	copy(b[12:], []byte{0x1a, 0, 0, 0, 0x20, 0, 0, 0, 1, 0, 0, 0})
	d, err := ParseDescriptor(b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(d, make([]byte, 8), Inputs{SymbolValue: 0xdeadbeef})
	if err != nil || r.Return != 1 || !bytes.Equal(r.Bytes, word(0x037ab6fbbc000000)) || r.Output != 0 {
		t.Errorf("%v, %v", r, err)
	}
	want := "slot 0 +12: action 0x01 ABS_FULL bit 26 width 32: running 0xdeadbeef, old 0x0, write 0xdeadbeef, running after 0xdeadbeef\n" +
		"slot 1 +28: action 0x00 END\nslot 2 +44: action 0x00 END\nreturn 1, output 0x0, place 000000bcfbb67a03\n"
	if r.String() != want {
		t.Errorf("got\n%swant\n%s", r, want)
	}
}

// Every action code of a byte, and some wider ones, has a defined outcome.
func TestEveryActionCode(t *testing.T) {
	known := "00 01 06 07 08 09 0a 0b 10 12 13 14 16 17 18 19 1a 1b 1c 1d 2e 2f 30 31 32 33 34 35 36 37 38"
	isKnown := map[uint32]bool{}
	for _, w := range strings.Fields(known) {
		b := []byte(w)
		digit := func(c byte) uint32 { return uint32(strings.IndexByte("0123456789abcdef", c)) }
		isKnown[digit(b[0])*16+digit(b[1])] = true
	}
	if len(isKnown) != 31 {
		t.Fatalf("%d codes", len(isKnown))
	}
	codes := []uint32{0x100, 0x101, 0x10001, 1 << 31, 1<<32 - 1}
	for c := uint32(0); c < 256; c++ {
		codes = append(codes, c)
	}
	for _, rela := range []bool{false, true} {
		for _, code := range codes {
			r, err := Run(one(4, 8, code), word(0x123456789abcdef0, 5), Inputs{IsAbsolute: rela, SymbolValue: 0x0807060504030201})
			if err != nil {
				t.Fatalf("%#x: %v", code, err)
			}
			if (r.Return == 1) != isKnown[code] {
				t.Errorf("%#x: return %d", code, r.Return)
			}
			if r.Return == 0 && !bytes.Equal(r.Bytes, word(0x123456789abcdef0, 5)) {
				t.Errorf("%#x: refused and wrote", code)
			}
		}
	}
}

// The running value is one variable for three slots.
func TestRunningValue(t *testing.T) {
	slots := func(actions ...uint32) Descriptor {
		var d Descriptor
		for i, a := range actions {
			d.Slots[i] = Slot{BitOffset: uint32(16 * i), BitWidth: 16, Action: a}
		}
		return d
	}
	in := Inputs{IsAbsolute: true, SymbolValue: 0x0000000200001234, SectionTypeDelta: 3, SectionOffset: 4, SymbolSize: 7, ExtraOffset: 0}
	for _, c := range []struct {
		name    string
		actions []uint32
		rela    bool
		before  uint64
		want    uint64
	}{
		{"SHIFTED_2 leaves the shifted value", []uint32{9, 1, 9}, true, 0, 0x0123_048d_048d},
		{"LO and HI leave it alone", []uint32{6, 7, 1}, true, 0, 0x1234_0002_1234},
		{"PC_REL leaves it alone", []uint32{0x10, 1, 0}, true, 0, 0x1234_1230},
		{"CLEAR leaves it alone", []uint32{0x13, 1, 0x14}, true, 0xffff_ffff_ffff, 0x0000_1234_0000},
		{"SIZE replaces it", []uint32{8, 1, 0}, true, 0, 0x0007_0007},
		{"a lane leaves the byte", []uint32{0x17, 1, 0x16}, true, 0, 0x0012_0012_0012},
		{"END in the middle does not end", []uint32{0, 1, 0}, true, 0, 0x1234_0000},
		{"REL adds each field's old content on the way", []uint32{1, 1, 1}, false, 0x0100_0010_0001, 0x1345_1245_1235},
	} {
		in.IsAbsolute = c.rela
		r, err := Run(slots(c.actions...), word(c.before), in)
		if err != nil || r.Return != 1 || !bytes.Equal(r.Bytes, word(c.want)) {
			t.Errorf("%s: %v, want %x, %v", c.name, r, word(c.want), err)
		}
	}
	r, _ := Run(slots(1, 21, 1), word(0), in)
	if r.Return != 0 || !bytes.Equal(r.Bytes, word(0x1234)) || len(r.Steps) != 2 {
		t.Errorf("a code without an arm in slot 1: %v", r)
	}
}

// SEC_TYPE adds the old bits and does not report them.
func TestOutputValue(t *testing.T) {
	d := Descriptor{Slots: [slotCount]Slot{{28, 14, 9, 0}, {42, 4, 10, 0}, {26, 1, 11, 0}}}
	r, err := Run(d, bytes.Repeat([]byte{0x11}, 8), Inputs{SymbolValue: 0x38, SectionTypeDelta: 3})
	if err != nil || r.Output != 0x1111 || !bytes.Equal(r.Bytes, []byte{0x11, 0x11, 0x11, 0xf1, 0x11, 0x1d, 0x11, 0x11}) {
		t.Errorf("%v, %v", r, err)
	}
}

func TestMaskedLanes(t *testing.T) {
	for lane := uint32(0); lane < 8; lane++ {
		for _, code := range []uint32{0x16 + lane, 0x2f + lane} {
			r, err := Run(one(0, 8, code), []byte{0xff}, Inputs{IsAbsolute: true, SymbolValue: 0x0807060504030201})
			if err != nil || r.Bytes[0] != byte(lane+1) {
				t.Errorf("%#x: %v, %v", code, r, err)
			}
		}
	}
	r, _ := Run(one(0, 8, 0x17), []byte{0xff}, Inputs{SymbolValue: 1})
	if r.Bytes[0] != 1 || r.Output != 0xff {
		t.Errorf("lane 1 of 1 + 0xff: %v", r)
	}
}

// Shifts that C leaves open are what x86-64 makes of them, and are reported.
func TestOpenShifts(t *testing.T) {
	in := Inputs{IsAbsolute: true, SymbolValue: 0x1122334455667788, SectionTypeDelta: 0xfff}
	r, _ := Run(one(0, 128, 1), make([]byte, 16), in)
	if !r.Open || !bytes.Equal(r.Bytes, word(in.SymbolValue, in.SymbolValue)) {
		t.Errorf("128 bits at bit 0: %v", r)
	}
	r, _ = Run(one(0, 9, 10), make([]byte, 8), in)
	if !r.Open || !bytes.Equal(r.Bytes, word(0)) {
		t.Errorf("9 bits of section type: %v", r)
	}
	r, _ = Run(one(8, 0, 0x13), word(^uint64(0)), in)
	if !r.Open || !bytes.Equal(r.Bytes, word(^uint64(0xff))) {
		t.Errorf("an empty field: %v", r)
	}
	r, _ = Run(one(34, 47, 1), make([]byte, 16), in)
	if r.Open || !bytes.Equal(r.Bytes, word(in.SymbolValue<<34, in.SymbolValue>>30&0x1ffff)) {
		t.Errorf("47 bits at bit 34: %v", r)
	}
}

// Hostile descriptors: never a panic, and a refusal is of the one kind.
func TestHostileDescriptors(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	edge := []uint32{0, 1, 7, 8, 31, 32, 63, 64, 65, 127, 128, 129, 191, 192, 1 << 31, 1<<32 - 64, 1<<32 - 1}
	number := func() uint32 {
		switch r.IntN(4) {
		case 0:
			return edge[r.IntN(len(edge))]
		case 1:
			return r.Uint32()
		}
		return uint32(r.IntN(200))
	}
	ran, refused := 0, 0
	for range 300000 {
		var d Descriptor
		for i := range d.Slots {
			d.Slots[i] = Slot{number(), number(), uint32(r.IntN(64)), number()}
		}
		place := make([]byte, r.IntN(40))
		for i := range place {
			place[i] = byte(r.Uint32())
		}
		in := Inputs{r.IntN(2) == 0, int64(r.Uint64()), int32(r.Uint32()), r.Uint64(), number(), number()}
		result, err := Run(d, place, in)
		var e *Error
		switch {
		case err == nil && len(result.Bytes) == len(place) && result.Return >= 0:
			ran++
		case errors.As(err, &e) && e.Kind == FieldOutside:
			refused++
		default:
			t.Fatalf("%+v: %v, %v", d, result, err)
		}
	}
	if ran < 1000 || refused < 1000 {
		t.Errorf("%d ran, %d refused", ran, refused)
	}
}

func TestFieldOutside(t *testing.T) {
	_, err := Run(Descriptor{Slots: [slotCount]Slot{{}, {60, 8, 1, 0}}}, make([]byte, 8), Inputs{})
	var e *Error
	if !errors.As(err, &e) || e.Slot != 1 || e.Start != 60 || e.Width != 8 || e.Value != 64 {
		t.Fatal(err)
	}
	if e.Error() != "seed: slot 1 at +28: 8 bits at bit 60 of a place of 64 bits" {
		t.Error(e)
	}
}

func BenchmarkRun(b *testing.B) {
	d := one(32, 32, 1)
	place := make([]byte, 16)
	for b.Loop() {
		if _, err := Run(d, place, Inputs{SymbolValue: 0x12345678}); err != nil {
			b.Fatal(err)
		}
	}
}
