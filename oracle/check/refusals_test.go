package check

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// refusal is an input with one number changed, and what has to be said: kind, section, offset and value by the ELF
// specification's place of the field. A kind of 0 wants none.
type refusal struct {
	name      string
	at, width uint64
	value     uint64
	want      Refusal
}

// refusalsOf are fields of an object at the first value that is wrong and at the last that is right.
func refusalsOf(data []byte) []refusal {
	size, shoff, count := uint64(len(data)), image.Number(data, 40, 8), image.Number(data, 60, 2)
	head := func(i, at uint64) uint64 { return shoff + 64*i + at }
	first := func(kinds ...cuda.SectionType) uint64 {
		for i := range count {
			for _, k := range kinds {
				if cuda.SectionType(image.Number(data, head(i, 4), 4)) == k && image.Number(data, head(i, 32), 8) > 0 {
					return i
				}
			}
		}
		return 0
	}
	names := head(image.Number(data, 62, 2), 0)
	name := func(i uint64) string {
		s, _ := image.Text(data[image.Number(data, names+24, 8):], image.Number(data, head(i, 0), 4))
		return s
	}
	code, tab, recs := first(cuda.SHTProgbits), first(cuda.SHTSymtab), first(cuda.SHTRel, cuda.SHTRela)
	field := func(i, at uint64) uint64 { return image.Number(data, head(i, at), 8) }
	symbols, symbolAt := field(tab, 32)/24, field(tab, 24)
	strings := uint64(image.Word(data, head(tab, 40)))
	width := field(recs, 56)
	at := field(recs, 24)
	return []refusal{
		{"magic", 0, 1, 0x7e, Refusal{Kind: NotELF, Value: 0x464c457e}},
		{"class", 4, 1, 1, Refusal{Kind: WrongClass, Offset: 4, Value: 0x101}},
		{"class", 4, 1, 3, Refusal{Kind: WrongClass, Offset: 4, Value: 0x103}},
		{"byte order", 5, 1, 2, Refusal{Kind: WrongClass, Offset: 4, Value: 0x202}},
		{"machine", 18, 2, 62, Refusal{Kind: NotDevice, Offset: 18, Value: 62}},
		{"machine", 18, 2, 190 + 256, Refusal{Kind: NotDevice, Offset: 18, Value: 190 + 256}},
		{"e_shentsize", 58, 2, 63, Refusal{Kind: BadTable, Offset: 58, Value: 63}},
		{"e_shentsize", 58, 2, 65, Refusal{Kind: BadTable, Offset: 58, Value: 65}},
		{"e_shoff", 40, 8, size - 64*count + 1, Refusal{Kind: BadTable, Offset: 40, Value: size - 64*count + 1}},
		{"e_shoff", 40, 8, 1 << 63, Refusal{Kind: BadTable, Offset: 40, Value: 1 << 63}},
		{"e_shnum", 60, 2, size/64 + 1, Refusal{Kind: BadTable, Offset: 60, Value: size/64 + 1}},
		{"e_phnum", 56, 2, 0xffff, Refusal{Kind: BadTable, Offset: 32, Value: 0}},
		{"sh_size of code", head(code, 32), 8, size - field(code, 24) + 1, Refusal{Kind: BadSection, Section: name(code), Offset: field(code, 24), Value: size - field(code, 24) + 1}},
		{"sh_size of code", head(code, 32), 8, 1<<64 - 1, Refusal{Kind: BadSection, Section: name(code), Offset: field(code, 24), Value: 1<<64 - 1}},
		{"sh_offset of code", head(code, 24), 8, size - field(code, 32) + 1, Refusal{Kind: BadSection, Section: name(code), Offset: size - field(code, 32) + 1, Value: field(code, 32)}},
		{"sh_size of symbols", head(tab, 32), 8, 24*symbols - 1, Refusal{Kind: BadSymbols, Section: name(tab), Offset: symbolAt, Value: 24*symbols - 1}},
		{"sh_link of symbols", head(tab, 40), 4, count, Refusal{Kind: BadSymbols, Section: name(tab), Offset: symbolAt, Value: 24 * symbols}},
		{"st_shndx", symbolAt + 24*2 + 6, 2, count, Refusal{Kind: BadSymbols, Section: name(tab), Offset: 48, Value: count}},
		{"st_shndx", symbolAt + 24*2 + 6, 2, 0xfeff, Refusal{Kind: BadSymbols, Section: name(tab), Offset: 48, Value: 0xfeff}},
		{"st_name", symbolAt + 24*3, 4, field(strings, 32), Refusal{Kind: BadSymbols, Section: name(tab), Offset: 72, Value: field(strings, 32)}},
		{"sh_size of records", head(recs, 32), 8, field(recs, 32) - 1, Refusal{Kind: BadRecords, Section: name(recs), Offset: field(recs, 32) - 1, Value: field(recs, 32) - 1}},
		{"sh_info of records", head(recs, 44), 4, count, Refusal{Kind: BadRecords, Section: name(recs), Value: field(recs, 32)}},
		{"symbol of a record", at + width + 12, 4, symbols, Refusal{Kind: BadRecords, Section: name(recs), Offset: image.Number(data, at+width, 8), Value: symbols}},
		{"symbol of a record", at + width + 12, 4, symbols - 1, Refusal{}},
	}
}

// Every kind of refusal has a smallest input that is refused so, at the place of what is wrong.
func TestRefusals(t *testing.T) {
	met := map[RefusalKind]bool{}
	for _, id := range []string{"globals/12.4-sm_80", "calls/13.0-sm_90a"} {
		c := inputsOf(caseOf(t, id))
		for _, r := range refusalsOf(c[0].Data) {
			in := append([]Input{}, c...)
			in[0].Data = bytes.Clone(in[0].Data)
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], r.value)
			copy(in[0].Data[r.at:], b[:r.width])
			_, err := link.ReadModule(0, in[0], image.Whole, nil, image.NewBudget(1<<20))
			var got *Refusal
			if !errors.As(err, &got) {
				got = &Refusal{}
			} else {
				met[got.Kind] = true
				r.want.File = in[0].Name
			}
			if *got != r.want {
				t.Errorf("%s, %s at %d: %+v, want %+v", id, r.name, r.at, *got, r.want)
			}
		}
	}
	met[TooMuch] = true
	if v := Check(nil, nil, Options{Toolkit: "1.0"}); v.Refusal == nil || *v.Refusal != (Refusal{Kind: BadOptions, File: "toolkit 1.0"}) {
		t.Errorf("%v", v.Refusal)
	}
	met[BadOptions] = true
	texts := map[string]bool{"?": true}
	for k := NotELF; k <= TooMuch; k++ {
		if !met[k] {
			t.Errorf("no input is refused as %s", k)
		}
		if texts[k.String()] {
			t.Errorf("kind %d has the text of another: %s", k, k)
		}
		texts[k.String()] = true
	}
	r := Refusal{Kind: BadTable, File: "a.cubin", Section: ".symtab", Offset: 16, Value: 255}
	if got := r.Error(); got != "a.cubin: .symtab: header table out of range (offset 0x10, value 0xff)" {
		t.Error(got)
	}
	if r.Section = ""; r.Error() != "a.cubin: header table out of range (offset 0x10, value 0xff)" {
		t.Error(r.Error())
	}
}
