package nvidia

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// tables makes an ELF64 file with a header, machine EM_CUDA, and section
// headers of the given types; with extended, their number is in section 0.
func tables(extended bool, types ...cuda.SectionType) []byte {
	b := make([]byte, 64+64*len(types))
	copy(b, "\x7fELF")
	binary.LittleEndian.PutUint16(b[18:], cuda.EMCuda)
	binary.LittleEndian.PutUint64(b[40:], 64)
	if extended {
		binary.LittleEndian.PutUint64(b[64+32:], uint64(len(types)))
	} else {
		binary.LittleEndian.PutUint16(b[60:], uint16(len(types)))
	}
	for i, t := range types {
		binary.LittleEndian.PutUint32(b[64+64*i+4:], uint32(t))
	}
	return b
}

func TestHollow(t *testing.T) {
	empty := []cuda.SectionType{cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTCudaCallgraph, cuda.SHTCudaRelocInfo}
	code := append(empty[:4:4], cuda.SHTProgbits)
	for _, c := range []struct {
		name string
		elf  []byte
		want bool
	}{
		{"tables", tables(false, empty...), true},
		{"tables, extended count", tables(true, empty...), true},
		{"code", tables(false, code...), false},
		{"code, extended count", tables(true, code...), false},
		{"no sections", []byte("\x7fELF" + strings.Repeat("\x00", 60)), true},
		{"no ELF", []byte("hello"), false},
		{"nothing", nil, false},
		{"cut", tables(false, empty...)[:200], false},
	} {
		if got := hollow(c.elf); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestDoubts(t *testing.T) {
	whole := tables(false, cuda.SHTNull, cuda.SHTProgbits)
	for _, c := range []struct {
		name string
		data []byte
		v    Version
		want string // part of the reason; "" for none
	}{
		{"a.cubin", whole, Version{11, 8, 89}, ""},
		{"a.CUBIN", whole, Version{13, 0, 88}, `extension ".CUBIN"`},
		{"a", whole, Version{13, 0, 88}, `extension ""`},
		{"a.o", whole, Version{11, 8, 89}, "before 12"},
		{"a.o", whole, Version{12, 4, 131}, ""},
		{"a.cubin", whole[:150], Version{12, 4, 131}, "truncated"},
		{"a.cubin", whole[:63], Version{12, 4, 131}, "truncated"},
		{"a.cubin", nil, Version{12, 4, 131}, "empty"},
		{"a.cubin", []byte("no ELF is refused"), Version{12, 4, 131}, ""},
		{"a.a", whole, Version{12, 4, 131}, "not an archive"},
		{"a.a", []byte("!<arch>\n"), Version{12, 4, 131}, ""},
		{"a.ptx", nil, Version{12, 4, 131}, ""},
	} {
		got := strings.Join(unreliableInputs(c.v, []File{{Name: c.name, Data: c.data}, {Name: "x", Aside: true}}), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s, %d bytes, %v: %q, want %q", c.name, len(c.data), c.v, got, c.want)
		}
	}
}

// A count or an offset that the file can't hold must cost nothing.
func TestSectionTypesHostile(t *testing.T) {
	for _, off := range []uint64{1, 63, 64, 1 << 20, 1 << 63, ^uint64(0), ^uint64(0) - 63} {
		for _, count := range []uint64{0, 1, 2, 0xffff} {
			b := tables(true, 0, 0)
			binary.LittleEndian.PutUint64(b[40:], off)
			binary.LittleEndian.PutUint16(b[60:], uint16(count))
			binary.LittleEndian.PutUint64(b[64+32:], 1<<60)
			if types, ok := sectionTypes(b); ok && len(types) > 2 {
				t.Errorf("offset %#x, count %d: %d sections of 2", off, count, len(types))
			}
		}
	}
}
