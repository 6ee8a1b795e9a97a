package experiments

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// claimOf is a statement of a document that its own words, or arithmetic, decide. Said is quoted.
type claimOf struct {
	id    string
	said  string
	holds bool // what is true of the claim
	check func() bool
}

func decide(t *testing.T, list []claimOf) {
	t.Helper()
	for _, c := range list {
		if c.check() != c.holds {
			t.Errorf("%s: %q: wanted %v", c.id, c.said, c.holds)
		}
	}
}

// TestDocumentArithmetic computes what can be computed. For a claim that is refuted, the check states what the document
// says and comes out false.
func TestDocumentArithmetic(t *testing.T) {
	routed := func(code int) bool { // the engine document's list of codes
		return code <= 1 || code >= 6 && code <= 11 || code == 16 || code >= 18 && code <= 20 || code >= 22 && code <= 29 || code >= 46 && code <= 56
	}
	class := func(sm int) int { // catalogue, reloc_arch_class
		switch {
		case sm == 0:
			return 0
		case sm <= 70:
			return 1
		case sm <= 72:
			return 2
		case sm >= 76:
			return 5
		}
		return 3
	}
	bits := func(mask uint64) (list []int) {
		for k := range 64 {
			if mask>>k&1 != 0 {
				list = append(list, k)
			}
		}
		return list
	}
	decide(t, []claimOf{
		{"RC-032", "The five class names are stored in a string pointer array (indexed 0--4)", false, func() bool { return class(80) <= 4 }},
		{"RC-033", "scans backward from index 115 ... returning the first index whose class is not 5", false, func() bool {
			return slices.Contains([]int{115, 114, 113}, 116) // "if (max_type != 116)"
		}},
		{"RC-064", "MASKED_SHIFT 8-11 ... 12-15", false, func() bool { return 0x2f-22 == 8 && 0x36-22 == 15 }},
		{"RC-070", "abs_lo (S + A) & mask", false, func() bool {
			return strings.Contains("bitfield_write(patch_ptr, (uint64_t)value, bit_off, bit_wid);", "&")
		}},
		{"RC-071", "six constant vectors enable 16 different extract-and-place patterns", false, func() bool { return 4*16/8 == 16 && 2*16/4 == 16 }},
		{"RC-119", "The 24-bit width limits the branch offset to +/- 8M instructions", false, func() bool {
			const bytesOfInstruction = 8 // "(S + A) - PC", not divided; the shortest instruction
			return (1<<23)/bytesOfInstruction == 8<<20
		}},
		{"RC-133", "up to 512 KB of constant memory (19 bits * 4-byte aligned = 2 MB byte addressable, or 512 K dwords)", false, func() bool {
			fields, _, _ := recipe(t, "R_CUDA_CONST_FIELD19_20")
			return fields == "20:19"
		}},
		{"RC-160", "79 function pointer slots ... the first 78 slots are populated", false, func() bool { return 632/8 == 78 }},
		{"RC-161", "the relocation engine skips NULL handlers ... a NULL vtable entry for a required type triggers an error", false, func() bool {
			skips, fails := true, true
			return skips != fails
		}},
		{"RC-170", "limit 0x41 = 65 ... Attribute type index > 96", false, func() bool { return 0x41 == 96 }},
		{"RC-172", "unexpected reloc: Mercury type found without Mercury context", false, func() bool {
			mercuryContext, number := true, 5 // if (elf_class == 'A') { if (reloc_type <= 0x10000) fatal("unexpected reloc") }
			raised := mercuryContext && number <= 0x10000
			return raised && !mercuryContext
		}},
		{"RC-178", "2*(a1>=76)+3", true, func() bool {
			return class(80) == 2*1+3 && class(75) == 2*0+3
		}},
		{"RA-010", "rec->addend: +0", false, func() bool {
			return !strings.Contains("uint64_t target_offset = rec->addend;", "offset")
		}},
		{"RA-029", "UFT/UDT magic section 0x6FFFFF0E", false, func() bool { return 0x6FFFFF0E == 0x7000000E }}, // capsule document: 0x7000000E
		{"RA-036", "rec->addend += *(int64_t*)(sym + 8) implements the S + A pattern", false, func() bool {
			return strings.Contains("value = symbol_value + extra_offset", "rec->addend")
		}},
		{"RA-053", "mask table [0:1], [2:3], [4:5], [6:7]: 64 bytes", true, func() bool { return 8*8 == 64 && 4*16 == 64 }},
		{"RA-082", "0x16..0x1D are 0..7, 0x2F..0x36 are 25..32", true, func() bool {
			return 0x16-22 == 0 && 0x1D-22 == 7 && 0x2F-22 == 25 && 0x36-22 == 32
		}},
		{"RA-083", "The gap between indices 8 and 24 corresponds to the action codes 0x1E through 0x2E", true, func() bool { return 8+22 == 0x1E && 24+22 == 0x2E }},
		{"RA-116", "max_type * 64 + 30661612", true, func() bool { return 30661612 == 0x1D3DBE0+12 }},
		{"RA-117", "skipped++; out += 8; ... 8 * (count - skipped)", true, func() bool {
			out, tail := make([]byte, 0, 24), 0
			for _, operation := range []byte{1, 0, 9} { // a type without operation in the middle
				if operation == 0 {
					tail++
				}
				out = append(out, bytes.Repeat([]byte{operation}, 8)...)
			}
			out = out[:8*(3-tail)]
			return out[8] == 0 && !bytes.Contains(out, []byte{9})
		}},
		{"AG-001", "The same byte serves all three readers", false, func() bool {
			// "the descriptor action byte stored at offset 20", "the operation code ... also stored at offset 20"
			offset := map[string]int{"action": 20, "code": 20}
			return offset["action"] != offset["code"]
		}},
		{"AG-032", "0x70000064 (= 1879048292 decimal)", true, func() bool { return 0x70000064 == 1879048292 }},
		{"AG-038", "the high nibble at zero for bank ids 0..15", true, func() bool { return 15>>4 == 0 && 16>>4 == 1 }},
		{"AG-047", "the gap is exactly 18 codes", true, func() bool { return 47-29 == 18 && 25-7 == 18 }},
		{"AG-083", "18 0x12, 19 0x13, 20 0x14, 46 0x2E, 47..54 0x2F..0x36, 55 0x37, 56 0x38", true, func() bool {
			return 18 == 0x12 && 19 == 0x13 && 20 == 0x14 && 46 == 0x2E && 47 == 0x2F && 54 == 0x36 && 55 == 0x37 && 56 == 0x38
		}},
		{"AG-084", "22..29 0x16..0x1D", true, func() bool { return 22 == 0x16 && 29 == 0x1D }},
		{"AG-086", "Five gaps appear in the dispatcher's switch space", false, func() bool {
			gaps, inside := 0, false
			for code := range 256 {
				if !routed(code) && !inside {
					gaps++
				}
				inside = !routed(code)
			}
			return gaps == 5
		}},
		{"AG-090", "the bounds check rejects a1 >= 0x75 (117) first", false, func() bool { return 116 >= 0x75 }},
		{"AG-093", "the SSE-loaded local array is 64 bytes wide ... extends to 33 entries", false, func() bool { return 64/8 == 33 }},
		{"AG-102", "7 (catalog 3, 4, 5, 10, 11, 12..15, 21, 38..45) never reach the dispatcher", false, func() bool { return 3+2+4+1+8 == 7 }},
		{"AG-103", "21 lives in the gap between the two masked-shift ranges", false, func() bool { return 21 > 0x1D && 21 < 0x2F }},
		{"CM-036", "0x70000006 + 14, 0x70000064 + 26", true, func() bool { return 0x70000006+14 == 0x70000014 && 0x70000064+26 == 0x7000007E }},
		{"CM-128", "0x70000006..0x70000014, 0x70000064..0x7000007E", true, func() bool { return 0x70000014-0x70000006 == 14 && 0x7000007E-0x70000064 == 26 }},
		{"CM-037", "(0x5D05 >> (section_type - 6)) & 1", false, func() bool { return 0x70000006-6 < 64 }},
		{"CM-129", "0x5D05 selects seven types: bits 0, 2, 8, 10, 11, 12, 14", true, func() bool { return slices.Equal(bits(0x5D05), []int{0, 2, 8, 10, 11, 12, 14}) }},
		{"CM-072", "name_off = *(WORD*)(rec-4); offset += name_off + 4 + val_off", false, func() bool {
			first := 0
			return first-4 >= 0
		}},
		{"CM-080", "328 bytes = 0x148", true, func() bool { return 328 == 0x148 }},
		{"CM-082", "fields of the layout that the construction algorithm assigns", false, func() bool {
			const algorithm = "sampling_mode section_index rela_list_a rela_list_b reloc_symbol_list reloc_index_set per_reloc_data reloc_payload_map kv_pair_list knobs_pair_list min_sm_version const_bank_section_index text_section_offset text_rela_section_index"
			for _, field := range []string{"aux_rela_list", "debug_rela_list", "text_section_index", "extra_section_index"} {
				if !slices.Contains(strings.Fields(algorithm), field) {
					return false
				}
			}
			return true
		}},
		{"CM-084", "populated by 10, 23, 25, 28, ...; in the algorithm 10: desc.has_global_refs = 1", false, func() bool {
			return strings.Contains("10: desc.has_global_refs = 1 / 25: desc.has_shared_refs = 1 / 23,69: max_reg", "insert")
		}},
		{"CM-121", "desc.patch_mode in {2, 3} and r_type in {68, 69}; glossary: 18 YIELD opcode, 19 YIELD-clear-predicate", false, func() bool {
			return slices.Contains([]int{2, 3}, 18)
		}},
		{"CM-192", "104 -> 120 ('x'), 130 -> 107 ('k'), 101 -> 110 ('n'), 100 ('d'), 103 ('g'), 121 ('y')", true, func() bool {
			return 'x' == 120 && 'k' == 107 && 'n' == 110 && 'd' == 100 && 'g' == 103 && 'y' == 121
		}},
		{"CM-194", "result = cross_family_ok AND (ctx.cap_word_present != 0); if !result: return false", true, func() bool {
			reached := func(word bool) bool { return true && word }
			return reached(true) && !reached(false)
		}},
		{"CM-210", "phases 117--122 ... the Mercury encoder pipeline (phases 113--122)", false, func() bool { return 117 == 113 }},
	})
}

// TestDescriptorLayout lays the capsule descriptor's seven groups end to end (CM-081).
func TestDescriptorLayout(t *testing.T) {
	groups := [][2]int{{0x000, 0x010}, {0x010, 0x030}, {0x030, 0x080}, {0x0A0, 0x0D0}, {0x0D0, 0x100}, {0x100, 0x130}, {0x130, 0x148}}
	gaps := 0
	for i := 1; i < len(groups); i++ {
		if groups[i][0] < groups[i-1][1] {
			t.Errorf("CM-081: group %d overlaps", i+1)
		}
		gaps += groups[i][0] - groups[i-1][1]
	}
	if gaps != 0x20 || groups[6][1] != 0x148 {
		t.Errorf("CM-081: %#x bytes in no group", gaps)
	}
}

// TestDocumentCounts counts what a document counts.
func TestDocumentCounts(t *testing.T) {
	categories := strings.Split("No-op and Sentinel|Full-Width Data|Byte-Level|Global Address|Absolute Instruction|PC-Relative|Function Descriptor|"+
		"Texture, Sampler, and Surface|Constant Bank|Bindless Texture|Unified Table|Instruction-Level|Yield|Unused-Clear|Miscellaneous", "|")
	tables := []int{2, 4, 8, 10, 25, 2, 19, 9, 10, 7, 12, 2, 2, 2, 3} // rows of each
	rows := 0
	for _, n := range tables {
		rows += n
	}
	if len(categories) != 15 || len(tables) != 15 {
		t.Errorf("RC-091: %d categories", len(categories))
	}
	if rows != 117 { // "The 119 types fall into 15 semantic categories"
		t.Errorf("RC-092: %d rows", rows)
	}
	tree := strings.Fields(`debug_abbrev debug_aranges debug_frame debug_info debug_line debug_loc debug_macinfo debug_pubnames debug_pubtypes debug_ranges debug_str
		nv_debug_ptx_txt nv_debug_line_sass nv_debug_info_reg_sass nv_debug_info_reg_type symtab_shndx nv.shared.reserved rela rela<secname> <memory-space>`)
	if len(tree) != 20 { // "Mercury auxiliary sections (21 types)"
		t.Errorf("CM-031: %d lines", len(tree))
	}
	debug := slices.DeleteFunc(slices.Clone(tree), func(s string) bool { return !strings.Contains(s, "debug_") })
	if len(debug) != 15 { // CM-092, and CM-137 compares in their order
		t.Errorf("CM-092 CM-137: %d names", len(debug))
	}
}

// TestDocumentNames reads the catalogue's names.
func TestDocumentNames(t *testing.T) {
	widths := map[int]bool{}
	first := regexp.MustCompile(`\d+`)
	for _, r := range cuda.Relocs {
		if m := first.FindString(strings.TrimPrefix(r.Name, "R_CUDA_")); m != "" {
			n, err := strconv.Atoi(m)
			if err != nil {
				t.Fatal(err)
			}
			if n > 0 { // SAMP_HEADER_INDEX_0
				widths[n] = true
			}
		}
	}
	listed := []int{8, 16, 19, 20, 21, 22, 24, 32, 47, 55, 56, 64, 128}
	var missing []int
	for w := range widths {
		if !slices.Contains(listed, w) {
			missing = append(missing, w)
		}
	}
	slices.Sort(missing)
	if !slices.Equal(missing, []int{2, 4, 6, 9, 13, 14}) {
		t.Errorf("RC-015: not in the list: %v", missing)
	}
	tail := []string{"R_CUDA_YIELD_CLEAR_PRED4_87", "R_CUDA_YIELD_OPCODE9_0", "R_CUDA_INSTRUCTION64", "R_CUDA_INSTRUCTION128"} // entries 116 to 119, "sorted by name"
	if slices.IsSorted(tail) {
		t.Error("RC-175: sorted")
	}
	if cuda.R_CUDA_UNIFIED == 95 || cuda.R_CUDA_UNIFIED != 102 { // the document's table has 95..106, its remap 102..113
		t.Error("RC-143")
	}
}
