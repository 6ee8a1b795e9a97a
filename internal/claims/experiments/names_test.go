package experiments

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

const call = `.extern .func (.param .u32 r) f(.param .u32 a);
.visible .entry k(.param .u64 p){ .reg .b64 %d<3>; .reg .b32 %x;
 ld.param.u64 %d1,[p]; ld.global.u32 %x,[%d1];
 {.param .u32 a; .param .u32 r; st.param.u32 [a],%x; call (r),f,(a); ld.param.u32 %x,[r];}
 st.global.u32 [%d1],%x; ret; }
`

// printedNames has cuobjdump print records with all the numbers wanted and returns number → name.
func printedNames(t *testing.T, numbers []uint32) map[uint32]string {
	object := assemble(t, "13.0", "sm_90", call)
	draft := open(t, object).Editor()
	at := draft.Lookup(".rela.text.k")
	list, err := draft.Relocs(at)
	if err != nil || len(list) == 0 {
		t.Fatal("no record to begin with", err)
	}
	var records []cubin.Reloc
	for i, n := range numbers {
		records = append(records, cubin.Reloc{Off: uint64(i), Type: n, Symbol: list[0].Symbol})
	}
	if err := draft.SetRelocs(at, records); err != nil {
		t.Fatal(err)
	}
	if err := draft.Layout(); err != nil {
		t.Fatal(err)
	}
	data, err := draft.Encode()
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint32]string{}
	_, text, _ := strings.Cut(dump(t, "13.0", "cuobjdump", []string{"-elf"}, data), ".section .rela.text.k\t")
	text, _, _ = strings.Cut(text, ".section ")
	line := regexp.MustCompile(`(?m)^(\d+|0x[0-9a-f]+) .* (R_CUDA_\w+|UNKNOWN REL TYPE) `)
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		off, err := strconv.ParseUint(m[1], 0, 64)
		if err != nil || off >= uint64(len(numbers)) {
			t.Fatalf("cuobjdump printed %q", m[0])
		}
		names[numbers[off]] = m[2]
	}
	return names
}

// TestNames has cuobjdump name every number, and holds what the documents say of numbers and names against that.
func TestNames(t *testing.T) {
	var numbers []uint32
	for n := range uint32(130) {
		numbers = append(numbers, n)
	}
	names := printedNames(t, numbers)
	for n, name := range names {
		if name == "UNKNOWN REL TYPE" {
			delete(names, n)
		}
	}
	if len(names) != 115 || names[1] == "" || names[115] == "" {
		t.Errorf("cuobjdump has names for %d numbers, wanted 1 to 115", len(names))
	}
	number := map[string]uint32{}
	for n, name := range names {
		number[name] = n
	}

	// The package that all of the project counts on says the same.
	for n, r := range cuda.Relocs {
		if name := names[uint32(n)]; name != r.Name && n != 0 && n != 116 { // it names neither end
			t.Errorf("package cuda calls %d %s, cuobjdump %q", n, r.Name, name)
		}
	}

	// Counts. RC-001 "119 types", RC-006 "117, 0 to 116": 115 names, and the two ends.
	for ids, ok := range map[string]bool{
		"RC-001 RC-006 RC-174 RC-176": len(number) == 115 && names[115] != "",
		"RC-158":                      number["R_CUDA_6_31"] == 27 && number["R_CUDA_2_47"] == 28 && number["R_CUDA_ABS32_20"] == 42,
		"RA-085":                      number["R_CUDA_64"] == 2,
		"CM-110":                      names[103] == "R_CUDA_UNIFIED_32" && names[1] == "R_CUDA_32",
		"CM-111":                      names[102] == "R_CUDA_UNIFIED" && names[112] == "R_CUDA_UNIFIED32_LO_32",
		"CM-120":                      names[68] == "R_CUDA_YIELD_OPCODE9_0" && names[69] == "R_CUDA_YIELD_CLEAR_PRED4_87",
		"AG-053 AG-054":               names[6] == "R_CUDA_TEX_HEADER_INDEX" && names[8] == "R_CUDA_SURF_HW_DESC" && names[9] == "R_CUDA_SURF_HW_SW_DESC",
		"AG-061":                      names[31] == "R_CUDA_FUNC_DESC32_23" && names[34] == "R_CUDA_FUNC_DESC_32",
		"AG-063":                      names[53] == "R_CUDA_INSTRUCTION64" && names[67] == "R_CUDA_INSTRUCTION128",
		"AG-088":                      names[3] == "R_CUDA_G32" && names[6] == "R_CUDA_TEX_HEADER_INDEX",
	} {
		if !ok {
			t.Error(ids)
		}
	}
	if _, ok := number["R_CUDA_ABS64_0"]; ok { // RA-085
		t.Error("RA-085: there is an R_CUDA_ABS64_0")
	}

	// Numbers: what the catalogue's tables give from a first number on, and whether that is so.
	for _, c := range []struct {
		id    string
		first uint32
		names string
		right bool
	}{
		{"RC-082", 5, "ABS32_26", true},
		{"RC-095", 1, "32 32_HI 32_LO 64", false},
		{"RC-099", 5, "8_0 8_8 8_16 8_24 8_32 8_40 8_48 8_56", false},
		{"RC-101", 13, "G32 G64 G8_0 G8_8 G8_16 G8_24 G8_32 G8_40 G8_48 G8_56", false},
		{"RC-104", 23, "ABS16_20 ABS16_23 ABS16_26 ABS16_32", false},
		{"RC-106", 27, "ABS20_44 ABS24_20 ABS24_23 ABS24_26 ABS24_32 ABS24_40", false},
		{"RC-108", 33, "ABS32_20 ABS32_23 ABS32_26 ABS32_32", false},
		{"RC-110", 37, "ABS32_HI_20 ABS32_HI_23 ABS32_HI_26 ABS32_HI_32 ABS32_LO_20 ABS32_LO_23 ABS32_LO_26 ABS32_LO_32", false},
		{"RC-113", 45, "ABS47_34 ABS55_16_34 ABS56_16_34", false},
		{"RC-117", 48, "PCREL_IMM24_23 PCREL_IMM24_26", false},
		{"RC-121", 50, "FUNC_DESC_32 FUNC_DESC_64 FUNC_DESC_8_0 FUNC_DESC_8_8 FUNC_DESC_8_16 FUNC_DESC_8_24 FUNC_DESC_8_32 FUNC_DESC_8_40 FUNC_DESC_8_48 FUNC_DESC_8_56", false},
		{"RC-122", 60, "FUNC_DESC32_20 FUNC_DESC32_23 FUNC_DESC32_32 FUNC_DESC32_HI_20 FUNC_DESC32_HI_23 FUNC_DESC32_HI_32 FUNC_DESC32_LO_20 FUNC_DESC32_LO_23 FUNC_DESC32_LO_32", false},
		{"RC-126", 69, "TEX_HEADER_INDEX TEX_SLOT SAMP_HEADER_INDEX SAMP_SLOT SAMP_HEADER_INDEX_0 SURF_HEADER_INDEX SURF_SLOT SURF_HW_DESC SURF_HW_SW_DESC", false},
		{"RC-129", 78, "CONST_FIELD19_20 CONST_FIELD19_23 CONST_FIELD19_26 CONST_FIELD19_28 CONST_FIELD19_40 CONST_FIELD21_20 CONST_FIELD21_23 CONST_FIELD21_26 CONST_FIELD21_38 CONST_FIELD22_37", false},
		{"RC-136", 88, "TEX_BINDLESSOFF13_32 TEX_BINDLESSOFF13_41 TEX_BINDLESSOFF13_45 TEX_BINDLESSOFF13_47 TEX_SLOT9_49 BINDLESSOFF13_36 BINDLESSOFF14_40", false},
		{"RC-139", 95, "UNIFIED UNIFIED_32 UNIFIED32_HI_32 UNIFIED32_LO_32 UNIFIED_8_0 UNIFIED_8_8 UNIFIED_8_16 UNIFIED_8_24 UNIFIED_8_32 UNIFIED_8_40 UNIFIED_8_48 UNIFIED_8_56", false},
		{"RC-145", 107, "INSTRUCTION64 INSTRUCTION128", false},
		{"RC-148", 109, "YIELD_OPCODE9_0 YIELD_CLEAR_PRED4_87", false},
		{"RC-152", 111, "UNUSED_CLEAR32 UNUSED_CLEAR64", false},
		{"RC-155", 113, "QUERY_DESC21_37 6_31 2_47", false},
	} {
		right := true
		for i, name := range strings.Fields(c.names) {
			n, ok := number["R_CUDA_"+name]
			if !ok {
				t.Errorf("%s: no type %s", c.id, name)
			}
			right = right && n == c.first+uint32(i)
		}
		if right != c.right {
			t.Errorf("%s: the table's numbers are right: %v", c.id, right)
		}
	}
}
