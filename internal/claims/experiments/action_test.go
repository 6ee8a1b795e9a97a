package experiments

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

const small = `.const .u32 c = 7;
.visible .entry k(.param .u64 p){ .reg .b64 %d; .reg .b32 %x; ld.param.u64 %d,[p]; ld.const.u32 %x,[c]; st.global.u32 [%d],%x; ret; }
`

// TestRelAction reads .nv.rel.action of final links. A record is
//
//	kind, flag, source bit of piece 0, width, start, source bit of piece 1, width, start
//
// which the two-piece type ABS55_16_34 (75), the first that 11.8 describes, shows: 8 bits at 16 from bit 2 of the value on,
// 47 bits at 34 from bit 10 on.
func TestRelAction(t *testing.T) {
	action := func(release, arch string) named {
		f := mustLink(t, release, arch, nil, assemble(t, release, arch, small))
		return section(t, f, ".nv.rel.action")
	}
	newest := "7300000000000000" + "0000001125000536"
	for _, c := range []struct{ release, arch string }{{"12.4", "sm_52"}, {"12.4", "sm_90"}, {"13.0", "sm_75"}, {"13.0", "sm_80"}, {"13.0", "sm_90"}} {
		s := action(c.release, c.arch)
		// RC-033, RC-034, RA-104, RA-105, RA-106: begins at 115, whatever the architecture, with 116-115 records after.
		if got := hex.EncodeToString(s.data); got != newest {
			t.Errorf("RC-034 RA-104 RA-105 RA-106 RA-115: %s %s: %s", c.release, c.arch, got)
		}
		if s.Type != 0x7000000b || s.Flags != 0 || s.EntSize != 8 || s.Align != 8 {
			t.Errorf("RA-107: %s: %+v", c.release, s.Section)
		}
	}
	// CONST_FIELD22_37: 17 bits at 37, 5 bits at 54. RA-111, RA-112 (the document: "byte 6 is the operation"), RA-113.
	record, _ := hex.DecodeString(newest[16:])
	if fields, _, _ := recipe(t, "R_CUDA_CONST_FIELD22_37"); fields != "37:17 54:5" || record[3] != 17 || record[4] != 37 || record[6] != 5 || record[7] != 54 {
		t.Errorf("RA-111 RA-112 RA-113: % x and %s", record, fields)
	}

	old := action("11.8", "sm_75").data
	if len(old) != 8+27*8 || old[0] != 75 {
		t.Fatalf("RC-033 RA-105 RA-115: %d bytes from type %d", len(old), old[0])
	}
	of := func(number int) []byte { return old[8+8*(number-75):][:8] }
	// RC-038, RC-114, RA-108, RA-111 to RA-114, AG-028, AG-058, AG-069.
	if got := of(cuda.R_CUDA_ABS55_16_34); !bytes.Equal(got, []byte{0, 2, 2, 8, 16, 10, 47, 34}) {
		t.Errorf("RC-038 RC-114 RA-108 RA-111 RA-112 RA-113 RA-114 AG-028 AG-058 AG-069: ABS55_16_34 % x", got)
	}
	for _, c := range []struct {
		first uint32
		kind  func(k byte) byte // of lane k
	}{ // RA-109, RA-110: the document gives lanes 0 to 7 the kinds 0 to 7
		{cuda.R_CUDA_8_0, func(byte) byte { return 0 }},
		{cuda.R_CUDA_G8_0, func(byte) byte { return 1 }},
		{cuda.R_CUDA_FUNC_DESC_8_0, func(byte) byte { return 2 }},
	} {
		for k := range byte(8) {
			if got := of(int(c.first) + int(k)); got[0] != c.kind(k) || got[2] != 8*k || got[3] != 8 || got[4] != 0 {
				t.Errorf("RA-109 RA-110: type %d: % x", int(c.first)+int(k), got)
			}
		}
	}

	// RA-102 "for relocatable links", RA-103 "not for Mercury outputs".
	part := mustLink(t, "13.0", "sm_75", []string{"-r"}, assemble(t, "13.0", "sm_75", small))
	if has(part, ".nv.rel.action") {
		t.Error("RA-102: -r writes .nv.rel.action")
	}
	if has(mustLink(t, "13.0", "sm_100", nil, assemble(t, "13.0", "sm_100", small)), ".nv.rel.action") {
		t.Error("RA-103: a link for sm_100 writes .nv.rel.action")
	}
}

// TestPlaces moves the record of an initialiser about, in a link of two objects whose constants are put together.
func TestPlaces(t *testing.T) {
	const one = `.const .align 4 .u32 c = 7;
.const .align 8 .u64 pc = c;
.const .align 8 .b8 tail[16];
.visible .entry k(.param .u64 p){ .reg .b64 %d<3>; ld.param.u64 %d1,[p]; ld.const.u64 %d2,[pc]; st.global.u64 [%d1],%d2; ret; }
`
	const two = `.const .align 8 .b8 other[32] = {1,2,3,4,5,6,7,8,9,10};
.visible .entry k2(.param .u64 p){ .reg .b64 %d<3>; ld.param.u64 %d1,[p]; ld.const.u64 %d2,[other]; st.global.u64 [%d1],%d2; ret; }
`
	a, b := assemble(t, "13.0", "sm_75", one), assemble(t, "13.0", "sm_75", two)
	records := section(t, open(t, a), ".rel.nv.constant3")
	try := func(offset, number byte) (int, string, []byte) {
		m := patched(a, records.Off, offset)
		m = patched(m, records.Off+8, number)
		res := link(t, "13.0", "sm_75", nil, m, b)
		if res.Output == nil {
			return res.ExitCode, res.Message(), nil
		}
		return res.ExitCode, res.Message(), section(t, open(t, res.Output), ".nv.constant3").data
	}
	// RA-021: the first object's constants take 28 bytes, the second's begin at 32. An offset of 32 is outside the
	// section of the record, and yet the other object's bytes are found and patched.
	_, _, plain := try(0, 2)
	_, _, moved := try(32, 2)
	if len(plain) != 64 || len(moved) != 64 || plain[32] != 1 || moved[32] != 1+24 {
		t.Errorf("RA-021: % x, % x", plain, moved)
	}
	for _, c := range []struct {
		ids            string
		offset, number byte
		text           string
	}{
		{"RA-023 RA-132", 64, 2, "reloc address not found"},
		{"RA-123", 100, 3, "relocation is past end of offset"}, // G32: kept
		{"AG-030", 8, 40, "PC relative branch address should be in the same section"},
		// RA-007: the bytes are looked for before the dispatcher (200: unknown) and before the same-section test (40).
		{"RA-007", 100, 40, "reloc address not found"},
		{"RA-007", 100, 200, "reloc address not found"},
		{"RA-007", 8, 200, "unexpected NVRS"},
	} {
		exit, message, output := try(c.offset, c.number)
		if exit != 1 || output != nil || !strings.Contains(message, c.text) { // RA-136
			t.Errorf("%s RA-136: offset %d type %d: exit %d, %s", c.ids, c.offset, c.number, exit, message)
		}
	}
}

// TestYield links YIELD records, whose 9 bits at 0 and 4 bits at 87 are patched before sm_70 and left alone from there on:
// CM-122, RC-061, RC-149, RA-066, AG-039, AG-065, AG-066, AG-067. Bit 87 is bit 23 of the second word: RC-073, RA-087.
func TestYield(t *testing.T) {
	for _, c := range []struct {
		arch    string
		patches bool
	}{{"sm_61", true}, {"sm_75", false}, {"sm_90", false}} {
		object := assemble(t, "12.4", c.arch, small)
		f := open(t, object)
		text := section(t, f, ".text.k")
		symbol := uint32(0)
		var at uint64
		for _, s := range sections(f) {
			if (s.Type == cuda.SHTRel || s.Type == cuda.SHTRela) && s.Info == uint32(text.index) {
				for i, r := range recordsOf(t, f, &s.Section) {
					if symbolName(f, r.Symbol) == "c" {
						symbol, at = r.Symbol, s.Off+uint64(i)*s.EntSize
					}
				}
			}
		}
		if symbol == 0 {
			t.Fatalf("%s: no record against c", c.arch)
		}
		place := make([]byte, 16)
		for i := range place {
			place[i] = 0xff
		}
		run := func(number byte) []byte {
			m := patched(patched(object, text.Off, place...), at, 0, 0, 0, 0, 0, 0, 0, 0, number)
			return section(t, mustLink(t, "12.4", c.arch, nil, m), ".text.k").data[:16]
		}
		opcode, clear := run(cuda.R_CUDA_YIELD_OPCODE9_0), run(cuda.R_CUDA_YIELD_CLEAR_PRED4_87)
		wantOpcode, wantClear := bytes.Clone(place), bytes.Clone(place)
		if c.patches {
			// A REL record adds what the field held: 0x1ff; c is at 0. A RELA one writes 0.
			wantClear[10], wantClear[11] = 0x7f, 0xf8
			if bytes.Equal(opcode, place) {
				wantOpcode = opcode // the sum of 0x1ff and 0: the field as it was
			}
		}
		if !bytes.Equal(opcode, wantOpcode) || !bytes.Equal(clear, wantClear) {
			t.Errorf("CM-122 RC-061 RC-149 RA-066 AG-039 AG-065 AG-066 AG-067: %s: % x, % x", c.arch, opcode, clear)
		}
	}
}
