package hostelf_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/internal/hostelf"
)

// debug/elf reads back what was asked for.
func TestEncode(t *testing.T) {
	want := []hostelf.Section{{Name: "__nv_module_id", Data: []byte("a\x00")}, {Name: ".empty", Data: []byte{}}, {Name: ".nv_fatbin", Data: bytes.Repeat([]byte{7}, 33)}}
	f, err := elf.NewFile(bytes.NewReader(hostelf.Encode(hostelf.Shared, want...)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Type != elf.ET_DYN || f.Machine != elf.EM_X86_64 {
		t.Errorf("type %v, machine %v", f.Type, f.Machine)
	}
	var got []hostelf.Section
	for _, s := range f.Sections[1 : len(f.Sections)-1] {
		data, err := s.Data()
		if err != nil || s.Offset%16 != 0 {
			t.Errorf("%s at %#x: %v", s.Name, s.Offset, err)
		}
		got = append(got, hostelf.Section{Name: s.Name, Data: data})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The header is that of an x86-64 file with a table of sections and nothing else; sections are allocated and aligned.
func TestHeader(t *testing.T) {
	for _, typ := range []uint16{hostelf.Object, hostelf.Program, hostelf.Shared} {
		for size := range 20 {
			b := hostelf.Encode(typ, hostelf.Section{Name: ".x", Data: make([]byte, size)})
			f, err := elf.NewFile(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			le := binary.LittleEndian
			at := le.Uint64(b[40:])
			if uint16(f.Type) != typ || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB || f.Version != elf.EV_CURRENT || len(f.Progs) > 0 || f.Entry != 0 ||
				at%8 != 0 || at+64*3 != uint64(len(b)) || le.Uint16(b[52:]) != 64 || le.Uint16(b[58:]) != 64 || le.Uint16(b[60:]) != 3 || le.Uint16(b[62:]) != 2 {
				t.Errorf("type %d, %d bytes: %+v, table at %d of %d", typ, size, f.FileHeader, at, len(b))
			}
			x, names := f.Sections[1], f.Sections[2]
			if x.Type != elf.SHT_PROGBITS || x.Flags != elf.SHF_ALLOC || x.Addralign != 16 || x.Offset != 64 || x.Size != uint64(size) || names.Type != elf.SHT_STRTAB || names.Flags != 0 || names.Offset%16 != 0 || names.Offset >= x.Offset+x.Size+16 || at >= names.Offset+names.Size+8 {
				t.Errorf("type %d, %d bytes: %+v, %+v", typ, size, x.SectionHeader, names.SectionHeader)
			}
		}
	}
}
