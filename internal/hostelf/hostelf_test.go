package hostelf_test

import (
	"bytes"
	"debug/elf"
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
