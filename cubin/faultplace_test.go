package cubin_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// damage is a field with another value, and the fault that Open has to tell, at the place of the field by the ELF
// specification; a kind of 0 wants none.
type damage struct {
	name      string
	at, width uint64
	value     uint64
	kind      cubin.Kind
	section   string
	offset    uint64
}

// place is a section header of a file.
type place struct {
	at uint64 // of the header
	cubin.Section
}

func headers(f *cubin.File) []place {
	var list []place
	for i := range f.NumSections() {
		list = append(list, place{f.Header.ShOff + uint64(i)*cubin.SectionSize, f.Section(i)})
	}
	return list
}

// damages are the fields of a file's frame at the first value that is wrong and at the last that is right.
func damages(f *cubin.File) []damage {
	size := uint64(len(f.Data))
	h, list := &f.Header, headers(f)
	n := uint64(len(list))
	last := list[n-1]
	all := []damage{
		{"magic 0", 0, 1, 0x7e, cubin.NotELF, "", 0},
		{"magic 1", 1, 1, 'e', cubin.NotELF, "", 0},
		{"magic 2", 2, 1, 'l', cubin.NotELF, "", 0},
		{"magic 3", 3, 1, 'f', cubin.NotELF, "", 0},
		{"class", 4, 1, 1, cubin.BadHeader, "", 4},
		{"class", 4, 1, 3, cubin.BadHeader, "", 4},
		{"byte order", 5, 1, 2, cubin.BadHeader, "", 5},
		{"byte order", 5, 1, 0, cubin.BadHeader, "", 5},
		{"osabi", 7, 1, 0x34, cubin.BadHeader, "", 7},
		{"osabi", 7, 1, 0x40, cubin.BadHeader, "", 7},
		{"machine", 18, 2, 189, cubin.NotDevice, "", 18},
		{"machine", 18, 2, 190 | 1<<8, cubin.NotDevice, "", 18},
		{"e_shoff", 40, 8, 0, cubin.BadTable, "", 40},
		{"e_shoff", 40, 8, size - n*cubin.SectionSize + 1, cubin.BadTable, "", 40},
		{"e_shoff", 40, 8, size - cubin.SectionSize + 1, cubin.BadTable, "", 40},
		{"e_shoff", 40, 8, size, cubin.BadTable, "", 40},
		{"e_shoff", 40, 8, math.MaxUint64, cubin.BadTable, "", 40},
		{"e_shentsize", 58, 2, 63, cubin.BadTable, "", 58},
		{"e_shentsize", 58, 2, 65, cubin.BadTable, "", 58},
		{"e_shnum", 60, 2, size/cubin.SectionSize + 1, cubin.BadTable, "", 60},
		{"e_shnum, none in the first header either", 60, 2, 0, cubin.BadTable, "", 60},
		{"e_shstrndx", 62, 2, 0, cubin.BadIndex, "", 62},
		{"e_shstrndx", 62, 2, n, cubin.BadIndex, "", 62},
	}
	if h.PhNum > 0 {
		room := uint64(h.PhNum) * cubin.ProgSize
		all = append(all,
			damage{"e_phentsize", 54, 2, 55, cubin.BadTable, "", 54},
			damage{"e_phentsize", 54, 2, 57, cubin.BadTable, "", 54},
			damage{"e_phoff", 32, 8, size - room + 1, cubin.BadTable, "", 32},
			damage{"e_phoff", 32, 8, size - room, 0, "", 0},
			damage{"e_phoff", 32, 8, math.MaxUint64, cubin.BadTable, "", 32})
	}
	names := list[h.ShStrNdx]
	all = append(all, damage{"type of the names", names.at + 4, 4, 1, cubin.BadTable, "", names.Off},
		damage{"extent of the names", names.at + 32, 8, size - names.Off + 1, cubin.BadTable, "", names.Off},
		damage{"last name's end", names.Off + names.Size - 1, 1, 'x', cubin.BadName, "", names.Off},
		damage{"size of the names", names.at + 32, 8, 0, cubin.BadName, "", names.Off})
	for i, s := range list {
		if i == 0 || i == int(h.ShStrNdx) {
			continue
		}
		all = append(all, damage{"sh_name", s.at, 4, names.Size, cubin.BadName, "", s.at},
			damage{"sh_name", s.at, 4, names.Size - 1, 0, "", 0})
		if !s.NoBits() && s.Type != cuda.SHTSymtab && s.Type != cuda.SHTStrtab && s.Type != cuda.SHTSymtabShndx {
			name := f.SectionName(&s.Section)
			all = append(all, damage{"sh_size", s.at + 32, 8, size - s.Off + 1, cubin.BadExtent, name, s.Off},
				damage{"sh_size", s.at + 32, 8, size - s.Off, 0, "", 0},
				damage{"sh_offset", s.at + 24, 8, size - s.Size + 1, cubin.BadExtent, name, size - s.Size + 1},
				damage{"sh_offset", s.at + 24, 8, size - s.Size, 0, "", 0})
		}
	}
	for i, s := range list {
		if i > 0 && s.Type == cuda.SHTSymtab {
			all = append(all, symbolDamages(f, s, list[s.Link], last, n)...)
			break
		}
	}
	return all
}

func symbolDamages(f *cubin.File, s, names, last place, n uint64) []damage {
	name := f.SectionName(&s.Section)
	all := []damage{
		{"sh_entsize", s.at + 56, 8, 23, cubin.BadTable, name, s.Off},
		{"sh_entsize", s.at + 56, 8, 0, cubin.BadTable, name, s.Off},
		{"sh_size of the symbols", s.at + 32, 8, s.Size - 1, cubin.BadTable, name, s.Off},
		{"sh_link", s.at + 40, 4, 0, cubin.BadIndex, name, 0},
		{"sh_link", s.at + 40, 4, n, cubin.BadIndex, name, 0},
		{"type of the symbols' names", names.at + 4, 4, 1, cubin.BadName, name, names.Off},
		{"end of the symbols' names", names.Off + names.Size - 1, 1, 'x', cubin.BadName, name, names.Off},
	}
	if last.Type != cuda.SHTStrtab {
		all = append(all, damage{"sh_link", s.at + 40, 4, n - 1, cubin.BadName, name, last.Off})
	}
	for k := range s.Size / cubin.SymbolSize {
		at := s.Off + k*cubin.SymbolSize
		all = append(all,
			damage{"st_name", at, 4, names.Size, cubin.BadName, name, k * cubin.SymbolSize},
			damage{"st_name", at, 4, names.Size - 1, 0, "", 0},
			damage{"st_shndx", at + 6, 2, n, cubin.BadIndex, name, k * cubin.SymbolSize},
			damage{"st_shndx", at + 6, 2, n - 1, 0, "", 0},
			damage{"st_shndx", at + 6, 2, uint64(cuda.SHNLoReserve) - 1, cubin.BadIndex, name, k * cubin.SymbolSize},
			damage{"st_shndx", at + 6, 2, uint64(cuda.SHNLoReserve), 0, "", 0},
			damage{"st_shndx", at + 6, 2, 0xfff2, 0, "", 0})
	}
	return all
}

// Each fault of a file's frame is reported as what it is, at its place, with the value that is there.
func TestFaultPlaces(t *testing.T) {
	for _, prefix := range []string{"empty/11.8", "constants/12.4-sm_86", "calls/13.0", "13.0-sm_100-mercury", "13.5-sm_110-linked"} {
		name, data := shortest(t, prefix)
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range damages(f) {
			bad := bytes.Clone(data)
			var v [8]byte
			binary.LittleEndian.PutUint64(v[:], d.value)
			copy(bad[d.at:d.at+d.width], v[:])
			_, err := cubin.Open(name, bad)
			var fault *cubin.Error
			switch errors.As(err, &fault); {
			case d.kind == 0 && err != nil:
				t.Errorf("%s: %s of %#x: %v, want no fault", name, d.name, d.value, err)
			case d.kind == 0:
			case fault == nil || fault.Kind != d.kind || fault.Section != d.section || fault.Offset != d.offset || fault.File != name || fault.Detail == "":
				t.Errorf("%s: %s of %#x: %v, want %s in %q at %#x", name, d.name, d.value, err, d.kind, d.section, d.offset)
			case d.kind == cubin.NotELF && fault.Value != uint64(len(data)) || d.kind != cubin.NotELF && d.width < 8 && fault.Value != d.value && fault.Offset == d.at:
				t.Errorf("%s: %s: value %#x, want %#x", name, d.name, fault.Value, d.value)
			}
		}
		for _, n := range []int{0, 3, 4, 63} {
			_, err := cubin.Open(name, data[:n])
			kind := cubin.BadHeader
			if n < 4 {
				kind = cubin.NotELF
			}
			if want(t, err, kind); !bytes.Contains([]byte(err.Error()), []byte("at offset 0x0: value")) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}
