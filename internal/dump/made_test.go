package dump

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// part is a section of a file made here. Numbers are those of the ELF specification and of NVIDIA's headers, written as
// numbers, so that a wrong constant is seen.
type part struct {
	name            string
	kind            uint32
	flags           uint64
	link, info      uint32
	data            []byte
	addr, alignment uint64
	entry           uint64
}

// made is a cubin of the old layout (its ABI 7) with flags and sections: 1 .strtab, 2 .symtab of four symbols, then the
// others, .shstrtab after them.
func made(flags uint32, parts ...part) []byte {
	le := binary.LittleEndian
	strtab := []byte("\x00kernel\x00twice\x00_Z1f\x00")
	symbol := func(name uint32, info, other byte, shndx uint16, value, size uint64) []byte {
		b := le.AppendUint32(nil, name)
		b = append(b, info, other, byte(shndx), byte(shndx>>8))
		return le.AppendUint64(le.AppendUint64(b, value), size)
	}
	symbols := slices.Concat(make([]byte, 24), symbol(0, 0x03, 0, 3, 0, 0), symbol(1, 0x12, 0x10, 3, 0x20, 48), symbol(8, 0x22, 0, 0, 0, 0))
	parts = append([]part{{name: ".strtab", kind: 3, data: strtab}, {name: ".symtab", kind: 2, link: 1, info: 2, data: symbols, entry: 24}}, parts...)
	names := []byte{0}
	for i := range parts {
		names = append(names, parts[i].name+"\x00"...)
	}
	names = append(names, ".shstrtab\x00"...)
	parts = append(parts, part{name: ".shstrtab", kind: 3, data: names})
	file := make([]byte, 64)
	copy(file, "\x7fELF\x02\x01\x01\x33\x07")
	le.PutUint16(file[16:], 1)
	le.PutUint16(file[18:], 190)
	le.PutUint32(file[20:], 124)
	le.PutUint32(file[48:], flags)
	le.PutUint16(file[52:], 64)
	le.PutUint16(file[54:], 56)
	le.PutUint16(file[58:], 64)
	le.PutUint16(file[60:], uint16(len(parts)+1))
	le.PutUint16(file[62:], uint16(len(parts)))
	table, at := make([]byte, 64), uint32(1)
	for _, p := range parts {
		row := le.AppendUint32(le.AppendUint32(nil, at), p.kind)
		row = le.AppendUint64(le.AppendUint64(row, p.flags), p.addr)
		row = le.AppendUint64(le.AppendUint64(row, uint64(len(file))), uint64(len(p.data)))
		row = le.AppendUint32(le.AppendUint32(row, p.link), p.info)
		table = append(table, le.AppendUint64(le.AppendUint64(row, p.alignment), p.entry)...)
		file = append(file, p.data...)
		at += uint32(len(p.name)) + 1
	}
	for len(file)%8 != 0 {
		file = append(file, 0)
	}
	le.PutUint64(file[40:], uint64(len(file)))
	return append(file, table...)
}

func words32(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func mustRead(t *testing.T, data []byte, parts Part) *File {
	t.Helper()
	f, err := Read("made", data, parts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// after returns what Text prints after a heading, to the next empty line.
func behind(t *testing.T, f *File, heading string) string {
	t.Helper()
	var b strings.Builder
	if err := Text(&b, f); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(b.String(), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("no %q in\n%s", heading, b.String())
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return strings.TrimSuffix(rest, "\n")
}

var text64 = part{name: ".text.kernel", kind: 1, flags: 0x7300006, link: 2, info: 0x2a000002, data: make([]byte, 64), alignment: 128}

func TestSectionRows(t *testing.T) {
	f := mustRead(t, made(0x500550,
		text64,
		part{name: ".nv.constant0.kernel", kind: 1, flags: 0x42, info: 3, data: make([]byte, 4), alignment: 4, addr: 0x30},
		part{name: ".nv.shared.kernel", kind: 8, flags: 3, info: 3, alignment: 16},
		part{name: ".nv.global", kind: 8, flags: 0x10000003, info: 9},
		part{name: ".note.nv.tkinfo", kind: 7, flags: 0x3000000},
		part{name: ".nv.info", kind: 0x70000000, flags: 0x2000000, link: 2},
		part{name: ".rela.text.kernel", kind: 4, info: 3, link: 2, entry: 24},
		part{name: ".rel.text.kernel", kind: 9, info: 99, link: 2, entry: 16},
	), PartSections)
	var got []string
	for _, s := range f.Sections {
		got = append(got, strings.Join([]string{s.Name, s.Type, s.Link, s.Info, s.Flags}, "|"))
	}
	want := []string{
		".strtab|STRTAB|||",
		".symtab|SYMTAB|.strtab|locals=2|",
		".text.kernel|PROGBITS|.symtab|kernel registers=42|ALLOC EXEC BARRIERS=115",
		".nv.constant0.kernel|PROGBITS||.text.kernel|ALLOC INFO_LINK",
		".nv.shared.kernel|NOBITS||.text.kernel|WRITE ALLOC",
		".nv.global|NOBITS||0x9|WRITE ALLOC MERCURY",
		".note.nv.tkinfo|NOTE|||CUINFO TKINFO",
		".nv.info|CUDA_INFO|.symtab||0x2000000",
		".rela.text.kernel|RELA|.symtab|.text.kernel|",
		".rel.text.kernel|REL|.symtab|#99|",
		".shstrtab|STRTAB|||",
	}
	if !slices.Equal(got, want) {
		t.Errorf("sections\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rows := strings.Split(behind(t, f, "sections"), "\n")
	if want := "# name type offset size align entsize link info flags"; strings.Join(strings.Fields(rows[0]), " ") != want {
		t.Errorf("columns %q", rows[0])
	}
	if want := []string{"2", ".symtab", "SYMTAB", "0x53", "0x60", "0", "24", ".strtab", "locals=2", "-"}; !slices.Equal(strings.Fields(rows[2]), want) {
		t.Errorf("row %q, want %q", rows[2], want)
	}
	if s := f.Sections[3]; s.Addr != 0x30 || s.Align != 4 || s.Size != 4 || s.Index != 4 || s.Offset != 64+19+96+64 {
		t.Errorf("%+v", s)
	}
}

func TestSymbolRows(t *testing.T) {
	f := mustRead(t, made(0x500550, text64), PartSymbols)
	if got, want := behind(t, f, "symbols"), `
  #  value  size  type     binding  section       other  name
  1  0x0    0     SECTION  LOCAL    .text.kernel  -      .text.kernel
  2  0x20   48    FUNC     GLOBAL   .text.kernel  ENTRY  kernel
  3  0x0    0     FUNC     WEAK     UND           -      twice`; "\n"+got != want {
		t.Errorf("symbols\n%s\nwant%s", got, want)
	}
	for other, want := range map[uint8]string{
		0: "", 1: "INTERNAL", 2: "HIDDEN", 3: "PROTECTED", 4: "MANAGED", 8: "OBSCURE", 0x10: "ENTRY", 0x12: "ENTRY HIDDEN",
		0x1f: "ENTRY OBSCURE MANAGED PROTECTED", 0xe0: "0xe0", 0xc0: "0xc0", 0xe2: "0xe0 HIDDEN",
		0x20: cuda.SpaceName(0x20), 0x44: cuda.SpaceName(0x40) + " MANAGED",
	} {
		if got := symbolOther(other); got != want {
			t.Errorf("other %#x: %q, want %q", other, got, want)
		}
	}
	file := made(0x500550, text64)
	table := 64 + 19
	for shndx, want := range map[uint16]string{0: "UND", 0xfff1: "ABS", 0xfff2: "COMMON", 1: ".strtab"} {
		binary.LittleEndian.PutUint16(file[table+2*24+6:], shndx)
		file[table+2*24+4] = 0x7e
		f := mustRead(t, file, PartSymbols)
		if s := f.Symbols[1]; s.Section != want || s.Type != "0xe" || s.Binding != "0x7" {
			t.Errorf("section %d: %+v, want %s", shndx, s, want)
		}
	}
}

func TestHeaderFlags(t *testing.T) {
	for flags, want := range map[uint32]string{
		0x500550: "sm_80|12.4|sm=80 virtual=80 texmode_unified 64bit",
		0x5a0e5a: "sm_90a|12.4|sm=90 virtual=90 texmode_independent 64bit accelerator",
		0x00f05a: "sm_90|12.4|sm=90 virtual=0 0xf000",
	} {
		h := mustRead(t, made(flags), PartHeader).Header
		if got := h.SM + "|" + h.Toolkit + "|" + strings.Join(h.FlagNames, " "); got != want {
			t.Errorf("flags %#x: %s, want %s", flags, got, want)
		}
	}
	note := func(api, sm uint16) []byte {
		b := words32(12, 8, 1000)
		b = append(b, "NVIDIA Corp\x00"...)
		return append(b, 2, 0, byte(sm), 0, byte(api), byte(api>>8), 0, 0)
	}
	file := made(0x03005a0e, part{name: ".note.nv.cuinfo", kind: 7, flags: 0x1000000, data: note(130, 90)}, part{name: ".nv.global", kind: 8})
	file[7], file[8] = 65, 8
	for flags, want := range map[uint32]string{
		0x03005a02: "sm_90|13.0|sm=90 capmerc cuinfo=.note.nv.cuinfo",
		0x03005a04: "sm_90|13.0|sm=90 sass cuinfo=.note.nv.cuinfo",
		0x03005a0c: "sm_90a|13.0|sm=90 sass accelerator cuinfo=.note.nv.cuinfo",
		0x04006491: "sm_100||sm=100 0x91 cuinfo=.nv.global",
		0x06006402: "sm_100||sm=100 capmerc cuinfo=#6",
		0x00006402: "sm_100||sm=100 capmerc cuinfo=#0",
	} {
		binary.LittleEndian.PutUint32(file[48:], flags)
		h := mustRead(t, file, PartHeader).Header
		if got := h.SM + "|" + h.Toolkit + "|" + strings.Join(h.FlagNames, " "); got != want {
			t.Errorf("flags %#x: %s, want %s", flags, got, want)
		}
	}
	binary.LittleEndian.PutUint32(file[48:], 0x03005a02)
	at := strings.Index(string(file), "NVIDIA Corp") - 4
	binary.LittleEndian.PutUint32(file[at:], 2000) // another note
	if h := mustRead(t, file, PartHeader).Header; h.Toolkit != "" {
		t.Errorf("a note of another type tells toolkit %s", h.Toolkit)
	}
	for kind, want := range map[uint16]string{1: "REL", 2: "EXEC", 3: "DYN", 0xff00: "EWP", 4: "0x4"} {
		if got := fileType(kind); got != want {
			t.Errorf("type %d: %s", kind, got)
		}
	}
	for kind, want := range map[uint32]string{1: "LOAD", 6: "PHDR", 2: "0x2"} {
		if got := programType(kind); got != want {
			t.Errorf("program %d: %s", kind, got)
		}
	}
	for flags, want := range map[uint32]string{0: "", 4: "R", 2: "W", 1: "E", 5: "RE", 7: "RWE", 0xe: "RW+0x8"} {
		if got := programFlags(flags); got != want {
			t.Errorf("program's flags %d: %s, want %s", flags, got, want)
		}
	}
}

// Records as NVIDIA's headers number them: format, attribute, two bytes, payload.
func TestInfoRows(t *testing.T) {
	record := func(format, attr byte, value uint16, payload ...uint32) []byte {
		if format == 4 {
			value = uint16(4 * len(payload))
		}
		return append([]byte{format, attr, byte(value), byte(value >> 8)}, words32(payload...)...)
	}
	for _, c := range []struct {
		record []byte
		want   string
	}{
		{record(4, 0x2f, 0, 2, 0x28), "REGCOUNT(kernel) 40"},
		{record(4, 0x11, 0, 3, 0xfffffff0), "FRAME_SIZE(twice) -16"},
		{record(4, 0x12, 0, 2, 8), "MIN_STACK_SIZE(kernel) 8"},
		{record(4, 0x23, 0, 2, 8), "MAX_STACK_SIZE(kernel) 8"},
		{record(4, 0x2f, 0, 2, 0x28, 1), "REGCOUNT 0x2 0x28 0x1"},
		{record(4, 0x0f, 0, 2, 3), "EXTERNS kernel twice"},
		{record(4, 0x0a, 0, 2, 0x00080160), "PARAM_CBANK bank=kernel offset=0x160 size=0x8"},
		{record(4, 0x0a, 0, 2), "PARAM_CBANK 0x2"},
		{record(4, 0x17, 0, 0, 0x00100001, 0x0021f104), "KPARAM_INFO index=0 ordinal=1 offset=0x10 size=0x8 align=4 space=1 cbank=0x1f shared=0"},
		{record(4, 0x17, 0, 5, 0, 0x00020000), "KPARAM_INFO index=5 ordinal=0 offset=0x0 size=0x0 align=0 space=0 cbank=0x0 shared=1"},
		{record(4, 0x17, 0, 5, 0), "KPARAM_INFO 0x5 0x0"},
		{record(4, 0x05, 0, 256, 1, 2), "MAX_THREADS x=256 y=1 z=2"},
		{record(4, 0x10, 0, 32, 4, 2), "REQNTID x=32 y=4 z=2"},
		{record(4, 0x3d, 0, 2, 1, 1), "CTA_PER_CLUSTER x=2 y=1 z=1"},
		{record(4, 0x10, 0, 32), "REQNTID 0x20"},
		{record(4, 0x37, 0, 131), "CUDA_API_VERSION 13.1"},
		{record(4, 0x37, 0, 131, 0), "CUDA_API_VERSION 0x83 0x0"},
		{record(4, 0x1e, 0, 24), "CRS_STACK_SIZE 24"},
		{record(4, 0x1e, 0), "CRS_STACK_SIZE "},
		{record(4, 0x3f, 0, 16), "MAX_CLUSTER_RANK 16"},
		{record(4, 0x3f, 0, 16, 1), "MAX_CLUSTER_RANK 0x10 0x1"},
		{record(2, 0x4a, 0x1205), "VRC_CTA_INIT_COUNT 0x5"},
		{record(3, 0x19, 0x18), "CBANK_PARAM_SIZE 0x18"},
		{record(3, 0x5f, 0x0102), "MERCURY_ISA_VERSION 1.2"},
		{record(1, 0x04, 0), "CTAIDZ_USED "},
		{record(1, 0xf3, 0), "0xf3 "},
	} {
		f := mustRead(t, made(0x500550, text64, part{name: ".nv.info.kernel", kind: 0x70000000, link: 2, info: 3, data: c.record}), PartInfo)
		fields := strings.Fields(behind(t, f, ".nv.info.kernel"))
		if got := strings.Join(fields, " "); got != strings.TrimSpace(c.want) {
			t.Errorf("% x: %q, want %q", c.record, got, c.want)
		}
		if f.Info[0].Owner != "kernel" || f.Info[0].Records[0].Number != c.record[1] {
			t.Errorf("%+v", f.Info[0])
		}
	}
	owned := mustRead(t, made(0x500550, part{name: ".nv.merc.nv.info.f", kind: 0x70000083, data: record(1, 4, 0)}, part{name: ".other", kind: 0x70000000, data: record(1, 4, 0)}), PartInfo)
	if len(owned.Info) != 2 || owned.Info[0].Owner != "f" || owned.Info[1].Owner != "" {
		t.Errorf("%+v", owned.Info)
	}
	odd := part{name: ".nv.info", kind: 0x70000000, data: []byte{4, 0x28, 6, 0, 1, 0, 0, 0, 0xab, 0xcd, 0, 0, 9, 1, 0, 0}}
	f := mustRead(t, made(0x500550, odd), PartInfo)
	table := f.Info[0]
	if len(table.Records) != 1 || table.Fault == "" || table.Owner != "" {
		t.Fatalf("%+v", table)
	}
	if got := valueText(table.Records[0].Values); got != "0x1 bytes=abcd" {
		t.Errorf("payload of six bytes: %q", got)
	}
	if got := behind(t, f, ".nv.info"); !strings.HasSuffix(got, "\n  malformed: "+table.Fault) {
		t.Errorf("%q", got)
	}
}

func TestGraphRows(t *testing.T) {
	graph := part{name: ".nv.callgraph", kind: 0x70000001, link: 2, entry: 8, data: words32(
		0, 0xffffffff, 2, 3, 0, 0xfffffffe, 2, 14, 0, 0xfffffffd, 3, 14, 3, 400, 0, 0xfffffffc, 3, 2, 0, 7, 2, 3)}
	types := part{name: ".nv.prototype", kind: 0x70000002, link: 2, entry: 8, data: words32(2, 14)}
	f := mustRead(t, made(0x500550, text64, graph, types, part{name: ".nv.callgraph", kind: 0x70000001, data: make([]byte, 7)}), PartCallgraph)
	want := []Edge{{"call", "kernel", "twice"}, {"prototype", "kernel", "_Z1f"}, {"indirect", "twice", "_Z1f"}, {"indirect", "twice", "0x190"},
		{"address", "twice", "kernel"}, {"0x7", "0x2", "0x3"}}
	if !slices.Equal(f.Callgraph.Edges, want) || f.Callgraph.Fault != "" || f.Callgraph.Section != ".nv.callgraph" {
		t.Errorf("%+v", f.Callgraph)
	}
	if got := behind(t, f, ".nv.callgraph"); !strings.HasPrefix(got, "  call       kernel  -> twice\n") {
		t.Errorf("%q", got)
	}
	if p := f.Prototypes; p == nil || !slices.Equal(p.Edges, []Edge{{"prototype", "kernel", "_Z1f"}}) {
		t.Errorf("%+v", p)
	}
	f = mustRead(t, made(0x500550, part{name: ".nv.callgraph", kind: 0x70000001, data: make([]byte, 7)}), PartCallgraph)
	if f.Callgraph.Fault == "" || !strings.Contains(behind(t, f, ".nv.callgraph"), "malformed: ") {
		t.Errorf("%+v", f.Callgraph)
	}
}

func TestActionRows(t *testing.T) {
	rules := part{name: ".nv.rel.action", kind: 0x7000000b, data: []byte{
		2, 0, 0, 0, 0, 0, 0, 0,
		0, 8, 0, 64, 0, 0, 0, 0,
		1, 0, 0, 8, 56, 8, 40, 16,
		2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}}
	f := mustRead(t, made(0x500550, rules), PartRelAction)
	a := f.RelAction
	if a == nil || a.First != "R_CUDA_64" || len(a.Actions) != 6 || a.Fault != "" {
		t.Fatalf("%+v", a)
	}
	rows := strings.Split(behind(t, f, ".nv.rel.action"), "\n")
	for i, want := range []string{
		"R_CUDA_64 address flags=8 value bits 0..63 to 0..63",
		"R_CUDA_G32 generic flags=0 value bits 0..7 to 56..63, value bits 8..47 to 16..55",
		"R_CUDA_G64 descriptor flags=0", "R_CUDA_ABS32_26 header flags=0", "R_CUDA_TEX_HEADER_INDEX unified flags=0", "R_CUDA_SAMP_HEADER_INDEX 0x4 flags=0",
	} {
		if got := strings.Join(strings.Fields(rows[i]), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, n := range []int{0, 7, 12} {
		f = mustRead(t, made(0x500550, part{name: ".nv.rel.action", kind: 0x7000000b, data: make([]byte, n)}), PartRelAction)
		if f.RelAction.Fault == "" || f.RelAction.Actions != nil || behind(t, f, ".nv.rel.action") != "  malformed: "+f.RelAction.Fault {
			t.Errorf("%d bytes: %+v", n, f.RelAction)
		}
	}
	f = mustRead(t, made(0x500550, part{name: ".nv.rel.action", kind: 0x7000000b, data: make([]byte, 8)}), PartRelAction)
	if f.RelAction.Fault != "" {
		t.Errorf("a header alone: %+v", f.RelAction)
	}
}

func TestRelocationRows(t *testing.T) {
	rela := func(kind uint32, info uint32, data []byte) part {
		return part{name: ".rela.text.kernel", kind: kind, link: 2, info: info, entry: 24, data: data}
	}
	code := text64
	code.data = []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}
	record := func(off uint64, typ, symbol uint32, addend uint64) []byte {
		b := binary.LittleEndian.AppendUint64(nil, off)
		return binary.LittleEndian.AppendUint64(append(b, words32(typ, symbol)...), addend)
	}
	f := mustRead(t, made(0x500550, code, rela(4, 3, slices.Concat(record(0, 1, 2, 0), record(8, 2, 1, 16), record(16, 999, 3, 1<<64-3), record(24, 1, 77, 0)))), PartRelocations)
	rows := strings.Split(behind(t, f, "relocations .rela.text.kernel for .text.kernel"), "\n")
	for i, want := range []string{
		"0x0000 R_CUDA_32 kernel value 0..31=0x4030201 (value)",
		"0x0008 R_CUDA_64 .text.kernel+0x10 value 0..63=0x100f0e0d0c0b0a09 (value)",
		"0x0010 R_999 twice-0x3",
		"0x0018 R_CUDA_32 #77 value",
	} {
		got := strings.Join(strings.Fields(rows[i]), " ")
		if want = strings.ReplaceAll(want, " value", ""); strings.ReplaceAll(strings.ReplaceAll(got, " value", ""), " "+f.Relocations[0].Records[i].Resolver, "") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	bad := mustRead(t, made(0x500550, code, rela(4, 3, make([]byte, 23))), PartRelocations)
	if len(bad.Relocations) != 1 || bad.Relocations[0].Fault == "" || bad.Relocations[0].Form != "RELA" || bad.Relocations[0].Target != ".text.kernel" {
		t.Errorf("%+v", bad.Relocations)
	}
}

func TestNoteRows(t *testing.T) {
	note := part{name: ".note.x", kind: 7, data: slices.Concat(words32(4, 6, 0x77), []byte("abc\x00"), words32(5), []byte{0xab, 0xcd, 0, 0})}
	f := mustRead(t, made(0x500550, note), PartNotes)
	if got, want := behind(t, f, ".note.x"), "  note 0  0x77   abc\n          bytes  abcd"; !strings.HasPrefix(got, "  note 0") || !strings.HasSuffix(got, "bytes   abcd") && !strings.HasSuffix(got, "bytes  abcd") {
		t.Errorf("%q, want %q", got, want)
	}
	if n := f.Notes[0].Notes[0]; n.Kind != "0x77" || n.Owner != "abc" || !slices.Equal(n.Values, []Value{{"", "0x5"}, {"bytes", "abcd"}}) {
		t.Errorf("%+v", n)
	}
	f = mustRead(t, made(0x500550, part{name: ".note.x", kind: 7, data: words32(400, 6, 1)}), PartNotes)
	if f.Notes[0].Fault == "" || !strings.HasSuffix(behind(t, f, ".note.x"), "  malformed: "+f.Notes[0].Fault) {
		t.Errorf("%+v", f.Notes)
	}
	f = mustRead(t, made(0x500550, part{name: ".note.x", kind: 7, data: slices.Concat(words32(1, 0, 9), []byte("o\x00\x00\x00"), words32(0, 0, 9))}), PartNotes)
	if n := f.Notes[0].Notes; len(n) != 2 || n[0].Owner != "o" || n[1].Owner != "" {
		t.Errorf("%+v", f.Notes)
	}
}

func TestCompatRows(t *testing.T) {
	f := mustRead(t, made(0x500550, part{name: ".nv.compat", kind: 0x70000086, data: []byte{2, 3, 7, 0, 2, 0xf0, 1, 0}}), PartCompat)
	if f.Compat == nil || len(f.Compat.Records) != 2 || f.Compat.Records[0].Attribute != cuda.CompatAttr(3).String() || f.Compat.Records[1].Attribute != "0xf0" {
		t.Fatalf("%+v", f.Compat)
	}
	if v := f.Compat.Records[0].Values; len(v) != 1 || v[0].Text != "0x7" {
		t.Errorf("%+v", v)
	}
}

// A part that isn't asked for is not there, and one that is asked for alone is.
func TestEachPart(t *testing.T) {
	data := cubins(t)["13.0-sm_90-linked.cubin"]
	for _, name := range PartNames() {
		parts, err := ParseParts(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(mustRead(t, data, parts))
		if err != nil {
			t.Fatal(err)
		}
		var has map[string]any
		if err := json.Unmarshal(text, &has); err != nil {
			t.Fatal(err)
		}
		delete(has, "file")
		delete(has, "size")
		delete(has, "prototypes")
		if _, ok := has[name]; len(has) > 1 || !ok && name != "relaction" && name != "compat" {
			t.Errorf("%s: %d parts, its own %v", name, len(has), ok)
		}
	}
	_, err := ParseParts("")
	if want := `no part is named ""; there are header, programs, sections, symbols, relocations, info, callgraph, relaction, notes, compat`; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// What a file describes is paid for out of 64 MB and sixteen times its size.
func TestSpend(t *testing.T) {
	data := made(0x500550)
	f, err := cubin.Open("x", data)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{f: f, out: &File{}, budget: 100}
	if !r.spend(60) || !r.spend(40) || r.fault != nil || r.budget != 0 {
		t.Errorf("100 bytes of 100: %v, %d left", r.fault, r.budget)
	}
	var fault *cubin.Error
	if r.spend(1) || !errors.As(r.fault, &fault) || fault.Kind != cubin.OverBudget || fault.File != "x" || fault.Value != uint64(len(data)) {
		t.Errorf("%v", r.fault)
	}
	if r.spend(0) {
		t.Error("something is left of what is spent")
	}
	r = &reader{f: f, budget: 19}
	if r.name("abc") != "abc" || r.budget != 0 {
		t.Errorf("a name of three bytes leaves %d of 19", r.budget)
	}
	if r.name("abc") != "" || r.fault == nil {
		t.Error("a name that nothing is left for")
	}
	r = &reader{f: f, budget: 1000}
	for name, want := range map[string]string{"a~ b": "a~ b", "a\x7f": `"a\u007f"`, "a\x1f": `"a\x1f"`, "\u00e4": `"ä"`} {
		if got := r.name(name); got != want && !strings.HasPrefix(got, `"a\x7f`) {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}
