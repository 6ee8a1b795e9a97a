package mercury

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

func nameOf(typ uint32) string {
	info, _ := cuda.LookupReloc(typ)
	return info.Name
}

// The types of data on the SASS side go by their names, but for halves of addresses and what only the finalizer knows;
// a final link makes plain types of unified ones, and resolves those of a whole field of 8, 16 or 32 bits.
func TestTypesByName(t *testing.T) {
	other := map[string]string{
		"R_MERCURY_ABS64": "R_CUDA_64", "R_MERCURY_ABS32": "R_CUDA_32", "R_MERCURY_ABS_PROG_REL32": "R_CUDA_32", "R_MERCURY_ABS_PROG_REL64": "R_CUDA_64",
		"R_MERCURY_SAMP_HEADER_INDEX": "R_CUDA_SAMP_HEADER_INDEX_0", "R_MERCURY_UNIFIED32_LO": "R_CUDA_UNIFIED32_LO_32", "R_MERCURY_UNIFIED32_HI": "R_CUDA_UNIFIED32_HI_32",
	}
	for _, name := range []string{"ABS16", "ABS32_LO", "ABS32_HI", "ABS_PROG_REL32_LO", "ABS_PROG_REL32_HI"} {
		other["R_MERCURY_"+name] = "R_MERCURY_" + name
	}
	for n := range uint32(cuda.MercuryRelocCount) {
		typ := cuda.MercuryBase + n
		name := nameOf(typ)
		want, listed := other[name]
		if !listed {
			want = strings.Replace(name, "R_MERCURY_", "R_CUDA_", 1)
		}
		none := name == "R_MERCURY_NONE" || strings.HasPrefix(name, "R_MERCURY_PROG_REL")
		if got, ok := sassDataType(typ); ok == none || ok && nameOf(got) != want {
			t.Errorf("%s is %s on the SASS side (%v), want %s", name, nameOf(got), ok, want)
		}
		plain, unified := mercPlain(typ)
		if unified != strings.Contains(name, "_UNIFIED") {
			t.Errorf("%s is unified: %v", name, unified)
		}
		if unified {
			want := strings.Replace(name, "UNIFIED_8", "8", 1)
			want = strings.NewReplacer("UNIFIED_32", "ABS32", "UNIFIED32", "ABS32").Replace(want)
			if want == "R_MERCURY_UNIFIED" {
				want = "R_MERCURY_ABS64"
			}
			if nameOf(plain) != want {
				t.Errorf("%s becomes %s, want %s", name, nameOf(plain), want)
			}
		}
		rest := strings.TrimPrefix(name, "R_MERCURY_")
		applied := rest == "ABS32" || rest == "ABS16" || rest == "UNIFIED_32" || strings.HasPrefix(rest, "8_") || strings.HasPrefix(rest, "UNIFIED_8_")
		if got := mercApplied(typ); got != applied {
			t.Errorf("%s is resolved: %v", name, got)
		}
		written := rest == "PROG_REL64" || strings.HasPrefix(rest, "PROG_REL8_")
		if got := isWritten(typ); got != written {
			t.Errorf("%s is written: %v", name, got)
		}
		if got, want := isCodeAddress(typ), strings.HasPrefix(rest, "PROG_REL32"); got != want {
			t.Errorf("%s is the place of an instruction: %v", name, got)
		}
	}
	for _, typ := range []uint32{0, 1, cuda.MercuryBase - 1, cuda.MercuryBase + cuda.MercuryRelocCount} {
		if plain, ok := mercPlain(typ); ok || plain != 0 {
			t.Errorf("%#x is unified", typ)
		}
	}
}

// In code a type is the input's where that has one that says more, and else goes by the operand and the symbol: 621 links
// of one record by nvlink 13.0.88.
func TestCodeTypes(t *testing.T) {
	for _, c := range []struct {
		typ, sass uint32
		form      operand
		entry     bool
		want      uint32
	}{
		{cuda.R_MERCURY_ABS64, 0, noOperand, false, cuda.R_CUDA_ABS55_16_34},
		{cuda.R_MERCURY_ABS64, cuda.R_CUDA_64, noOperand, true, cuda.R_CUDA_64},
		{cuda.R_MERCURY_ABS32, 0, immediate, false, cuda.R_CUDA_ABS32_32},
		{cuda.R_MERCURY_ABS32, 0, immediate, true, cuda.R_CUDA_FUNC_DESC32_32},
		{cuda.R_MERCURY_ABS32, cuda.R_CUDA_ABS32_LO_32, immediate, false, cuda.R_CUDA_ABS32_32},
		{cuda.R_MERCURY_ABS32, cuda.R_CUDA_ABS32_HI_32, immediate, true, cuda.R_CUDA_FUNC_DESC32_32},
		{cuda.R_MERCURY_ABS32, cuda.R_CUDA_ABS24_32, immediate, true, cuda.R_CUDA_ABS24_32},
		{cuda.R_MERCURY_ABS16, 0, inBank, false, cuda.R_CUDA_CONST_FIELD21_38},
		{cuda.R_MERCURY_ABS16, 0, immediate, false, cuda.R_CUDA_ABS16_32},
		{cuda.R_MERCURY_ABS16, cuda.R_CUDA_ABS16_26, inBank, false, cuda.R_CUDA_ABS16_26},
		{cuda.R_MERCURY_ABS32_LO, 0, immediate, true, cuda.R_CUDA_FUNC_DESC32_LO_32},
		{cuda.R_MERCURY_UNIFIED32_LO, 0, immediate, true, cuda.R_CUDA_FUNC_DESC32_LO_32},
		{cuda.R_MERCURY_ABS32_HI, 0, immediate, true, cuda.R_CUDA_FUNC_DESC32_HI_32},
		{cuda.R_MERCURY_UNIFIED32_HI, 0, immediate, true, cuda.R_CUDA_FUNC_DESC32_HI_32},
		{cuda.R_MERCURY_ABS_PROG_REL32_LO, 0, immediate, true, cuda.R_CUDA_ABS32_LO_32},
		{cuda.R_MERCURY_ABS_PROG_REL32_HI, 0, immediate, true, cuda.R_CUDA_ABS32_HI_32},
		{cuda.R_MERCURY_8_16, 0, immediate, false, cuda.R_CUDA_8_16},
	} {
		if got, ok := sassCodeType(&model.Reloc{NewType: c.typ}, c.sass, c.form, c.entry); !ok || got != c.want {
			t.Errorf("%s of %s, operand %d, kernel %v: %s, want %s", nameOf(c.typ), nameOf(c.sass), c.form, c.entry, nameOf(got), nameOf(c.want))
		}
	}
}

// Which instructions sm_103 runs differently, by opcode and form.
func TestRestricted(t *testing.T) {
	ops := restrictedOps()
	for op := range uint16(opcodes) {
		low := op & 0xff
		if want := low >= 0x28 && low <= 0x2b || op == 0x237 || op == 0x23f || op == 0x80b; ops[op] != want {
			t.Errorf("%#x: %v", op, ops[op])
		}
	}
	// Bits 84 to 86 are the second predicate that is written, 87 to 90 the one that is combined.
	word := func(op uint16, second, combined uint64) []byte {
		b := binary.LittleEndian.AppendUint64(nil, uint64(op))
		return binary.LittleEndian.AppendUint64(b, second<<20|combined<<23)
	}
	for _, c := range []struct {
		op               uint16
		second, combined uint64
		want             bool
	}{
		{0x80b, 7, 7, true}, {0x80b, 1, 7, true}, {0x80b, 7, 6, false}, {0x80b, 7, 15, false}, {0x80b, 7, 8, false},
		{0x42a, 7, 7, false}, {0x42a, 1, 7, true}, {0x42a, 7, 1, true}, {0x42a, 7, 15, true},
		{0x22a, 7, 7, true}, {0x229, 0, 0, true},
	} {
		w := word(c.op, c.second, c.combined)
		if got := isSlowForm(w); got != c.want {
			t.Errorf("%#x with %d and %d: %v", c.op, c.second, c.combined, got)
		}
		fn := &code{sass: slices.Concat(make([]byte, 16), w, make([]byte, 8))}
		if got := fn.isRestricted(ops); got != c.want {
			t.Errorf("code with %#x: %v", c.op, got)
		}
		if fn.bent = []uint64{16}; fn.isRestricted(ops) {
			t.Errorf("%#x isn't what it was, and counts", c.op)
		}
	}
	if (&code{sass: word(0x229, 7, 7)[:15]}).isRestricted(ops) {
		t.Error("half an instruction counts")
	}
	list := []cubin.InfoRecord{{Attr: 1, Value: 1}, {Attr: 2, Value: 2}, {Attr: 2, Value: 3}}
	if !replaceRecord(list, cubin.InfoRecord{Attr: 2, Value: 9}) || replaceRecord(list, cubin.InfoRecord{Attr: 3}) || list[1].Value != 9 || list[0].Value != 1 || list[2].Value != 3 {
		t.Errorf("%+v", list)
	}
}

// Tables of registers: {name, count, rows}, a row a flag, the name of a virtual register, the register, where its range
// begins and ends. Tables of types have a byte for each.
func TestRegisterTables(t *testing.T) {
	le := binary.LittleEndian
	row := func(name string, register, from, to uint32) []byte {
		b := append([]byte{9, 0, 0, 0}, name+"\x00"...)
		return le.AppendUint32(le.AppendUint32(le.AppendUint32(b, register), from), to)
	}
	head := func(name string, n uint32) []byte { return le.AppendUint32([]byte(name+"\x00"), n) }
	a, b := row("%r1", 7, 0x10, 0x40), row("%rd12", 4, 0x20, 0x30)
	whole := slices.Concat(head("k", 2), a, b, head("f", 0))
	tables, end := cutRegisters(whole)
	if end != len(whole) || len(tables) != 2 || tables[0].name != "k" || tables[1].name != "f" || tables[0].count != 2 || len(tables[1].rows) != 0 || string(tables[0].rows[1]) != string(b) {
		t.Fatalf("%+v up to %d", tables, end)
	}
	if registerOf(a) != 7 || registerOf(b) != 4 {
		t.Errorf("registers %d and %d", registerOf(a), registerOf(b))
	}
	sorted := tables[0].asIn(&tables[0])
	if sorted.name != "k" || sorted.count != 2 || string(sorted.rows[0]) != string(b) || string(sorted.rows[1]) != string(a) {
		t.Errorf("%+v", sorted)
	}
	types := registerTable{name: "k", count: 2, rows: [][]byte{{5, 6}}}
	if got := types.asIn(&tables[0]); fmt.Sprint(got.rows) != "[[6 5]]" {
		t.Errorf("%v", got.rows)
	}
	for what, cut := range map[string]int{"a name without an end": len(whole) - 5, "a count cut short": len(whole) - 1, "a row cut short": len(whole) - 7} {
		tables, end := cutRegisters(whole[:cut])
		want := 0
		if cut >= len(whole)-6 {
			want = len(whole) - 6
		}
		if end != want || len(tables) != min(want, 1) {
			t.Errorf("%s: %d tables up to %d, want %d", what, len(tables), end, want)
		}
	}
	kinds := slices.Concat(head("k", 2), []byte{1, 2}, head("f", 0), head("g", 1), []byte{3})
	list, end := cutTypes(kinds)
	if end != len(kinds) || len(list) != 3 || fmt.Sprint(list[0].rows, list[2].rows) != "[[1 2]] [[3]]" {
		t.Errorf("%+v up to %d", list, end)
	}
	if list, end := cutTypes(kinds[:len(kinds)-1]); len(list) != 2 || end != len(kinds)-7 {
		t.Errorf("%+v up to %d", list, end)
	}
	place := slices.Clone(a[len(a)-8:])
	if moveRange(place, false, func(at uint32) uint32 { return at * 2 }); le.Uint32(place) != 0x20 || le.Uint32(place[4:]) != 0x80 {
		t.Errorf("% x", place)
	}
}

// Entries of .debug_frame: a CIE is identified by its number, and one too short for what it has to have is none.
func TestSplitFrames(t *testing.T) {
	le := binary.LittleEndian
	entry := func(size int, cie uint64) []byte {
		b := le.AppendUint64(le.AppendUint32(nil, 0xffffffff), uint64(size-12))
		return append(le.AppendUint64(b, cie), make([]byte, size-20)...)
	}
	good := slices.Concat(entry(23, ^uint64(0)), entry(36, 0), entry(40, 0))
	list, ok := splitFrames(good)
	if want := []frame{{0, 23, true}, {23, 36, false}, {59, 40, false}}; !ok || !slices.Equal(list, want) {
		t.Errorf("%v, %v, want %v", list, ok, want)
	}
	if list, ok := splitFrames(nil); !ok || list != nil {
		t.Errorf("%v, %v", list, ok)
	}
	for what, b := range map[string][]byte{
		"a short CIE": entry(22, ^uint64(0)), "a short FDE": entry(35, 0), "cut short": good[:len(good)-1], "a few bytes behind": append(slices.Clone(good), 1, 2),
		"of 32 bits": append([]byte{0xfe, 0xff, 0xff, 0xff}, good[4:]...), "a length past all numbers": append(append([]byte{0xff, 0xff, 0xff, 0xff}, slices.Repeat([]byte{0xff}, 8)...), good[12:]...),
	} {
		if list, ok := splitFrames(b); ok {
			t.Errorf("%s: %v", what, list)
		}
	}
	records := frameRecords{{off: 4, place: 1}, {off: 8, place: 2}, {off: 20, place: 3}}
	for off, want := range map[uint64]uint64{4: 1, 8: 2, 20: 3, 0: 0, 5: 0, 21: 0} {
		if got := records.find(off); got.place != want || (want == 0) != (got.sym == model.Absent) {
			t.Errorf("record at %d: %+v", off, *got)
		}
	}
}
