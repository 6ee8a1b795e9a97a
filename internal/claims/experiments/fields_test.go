package experiments

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/oracle"
)

// recipe returns the fields of a type as text, "28:14 42:4 26:1", and the formulas after them.
func recipe(t *testing.T, name string) (fields string, formulas []string, r *oracle.Recipe) {
	t.Helper()
	for _, r := range oracle.Recipes() {
		if r.Name != name {
			continue
		}
		var list []string
		for _, s := range r.Steps() {
			list = append(list, fmt.Sprintf("%d:%d", s.Field.Start, s.Field.Width))
			formulas = append(formulas, strings.TrimSuffix(s.Expr.String(), " + OLD"))
		}
		return strings.Join(list, " "), formulas, r
	}
	t.Fatalf("no type %s", name)
	return "", nil, nil
}

// TestFields holds what the documents say of fields against the recipes. Every recipe used here was compared with bytes
// that nvlink wrote (its evidence is "seen" or "renamed"): TestVectors of corpus/internal/expect repeats that.
func TestFields(t *testing.T) {
	each := func(names string) []string { return strings.Fields(names) }
	for _, c := range []struct {
		ids    string
		names  []string
		said   []string // one for all, or one for each
		right  bool
		really []string // where it isn't
	}{
		{"RC-012 RC-016 RC-109", each("ABS32_20 ABS32_23 ABS32_26 ABS32_32"), each("20:32 23:32 26:32 32:32"), true, nil},
		{"RC-105", each("ABS16_20 ABS16_23 ABS16_26 ABS16_32"), each("20:16 23:16 26:16 32:16"), true, nil},
		{"RC-107", each("ABS20_44 ABS24_20 ABS24_23 ABS24_26 ABS24_32 ABS24_40"), each("44:20 20:24 23:24 26:24 32:24 40:24"), true, nil},
		{"RC-096", each("32 64"), each("0:32 0:64"), true, nil},
		{"RC-097 RC-018", each("32_LO 32_HI"), each("0:16"), false, each("0:32")},
		{"RC-111 RC-018 AG-055", each("ABS32_LO_20 ABS32_HI_20 ABS32_LO_32 ABS32_HI_32"), each("20:16 20:16 32:16 32:16"), false, each("20:32 20:32 32:32 32:32")},
		{"RC-049", each("ABS32_LO_20 ABS32_LO_23 ABS32_LO_26 ABS32_LO_32 32_LO"), each("20:64"), false, each("20:32 23:32 26:32 32:32 0:32")},
		{"RC-140 AG-075", each("UNIFIED32_LO_32 UNIFIED32_HI_32"), each("32:16"), false, each("32:32")},
		{"RC-141", each("UNIFIED_32"), each("0:32"), true, nil},
		{"RC-137", each("TEX_BINDLESSOFF13_32 TEX_BINDLESSOFF13_41 TEX_BINDLESSOFF13_45 TEX_BINDLESSOFF13_47 BINDLESSOFF13_36 BINDLESSOFF14_40 TEX_SLOT9_49"),
			each("32:13 41:13 45:13 47:13 36:13 40:14 49:9"), true, nil},
		{"RC-157", each("6_31 2_47"), each("31:6 47:2"), true, nil},
		{"RC-149", each("YIELD_OPCODE9_0 YIELD_CLEAR_PRED4_87"), each("0:9 87:4"), true, nil},
		{"RC-100 RC-014", each("8_8 8_16 8_56"), each("8:8 16:8 56:8"), false, each("0:8")},
		{"AG-097", each("CONST_FIELD19_28"), []string{"28:14 42:4 26:1"}, true, nil},
		{"RC-130 RC-013", each("CONST_FIELD19_20 CONST_FIELD19_23 CONST_FIELD19_26 CONST_FIELD19_40"), each("20:19 23:19 26:19 40:19"), false,
			[]string{"20:14 34:5", "23:14 37:5", "26:14 40:5", "40:14 54:5"}},
		{"RC-131", each("CONST_FIELD21_20 CONST_FIELD21_23 CONST_FIELD21_26 CONST_FIELD21_38"), each("20:21 23:21 26:21 38:21"), false,
			[]string{"20:16 36:5", "23:16 39:5", "26:16 42:5", "38:16 54:5"}},
		{"RC-132", each("CONST_FIELD22_37"), each("37:22"), false, []string{"37:17 54:5"}},
		{"RC-156", each("QUERY_DESC21_37"), each("37:21"), false, []string{"37:16 53:5"}},
	} {
		for i, name := range c.names {
			got, _, r := recipe(t, "R_CUDA_"+name)
			if r.Evidence == oracle.Paper {
				t.Errorf("%s: nvlink was not seen to patch by %s", c.ids, name)
			}
			said := pickOne(c.said, i)
			want := said
			if !c.right {
				if want = pickOne(c.really, i); got == said {
					t.Errorf("%s: %s has the field that the document gives", c.ids, name)
				}
			}
			if got != want {
				t.Errorf("%s: %s writes %s, wanted %s", c.ids, name, got, want)
			}
		}
	}

	// What is written there.
	for _, c := range []struct{ ids, name, formulas string }{
		{"RC-112 RC-050", "ABS32_HI_20", "HI(ADDR)"},
		{"RC-138 AG-027", "TEX_BINDLESSOFF13_32", "(ADDR >> 2)"},
		{"RC-053 RC-133", "CONST_FIELD19_20", "(ADDR >> 2); BANK"},
		{"AG-036 AG-097 RA-077", "CONST_FIELD19_28", "(ADDR >> 2); BANK; (BANK >> 4)"},
		{"RA-060 AG-021", "TEX_SLOT", "SLOT + A"},
		{"AG-060", "QUERY_DESC21_37", "ADDR; BANK"},
	} {
		_, formulas, _ := recipe(t, "R_CUDA_"+c.name)
		if got := strings.ReplaceAll(strings.Join(formulas, "; "), "(SLOT + A)", "SLOT + A"); got != c.formulas {
			t.Errorf("%s: %s writes %s, wanted %s", c.ids, c.name, got, c.formulas)
		}
	}

	// What all recipes have in common, or only some.
	pieces, widest, both := map[int]int{}, uint(0), []string{}
	for _, r := range oracle.Recipes() {
		steps := r.Steps()
		if r.Number < 0x10000 {
			pieces[len(steps)]++
		}
		low, high, clear, value := false, false, false, false
		for _, s := range steps {
			widest = max(widest, s.Field.Width)
			e := s.Expr.String()
			low, high = low || strings.Contains(e, "LO("), high || strings.Contains(e, "HI(")
			clear, value = clear || e == "0", value || e != "0"
			if strings.Contains(e, "BANK >> 4") {
				both = append(both, r.Name)
			}
			// RA-061: of a value shifted right by 2, no field of a type that was seen shows bit 61 or above.
			if r.Evidence == oracle.Seen && strings.Contains(e, ">> 2") && s.Field.Width > 61 {
				t.Errorf("RA-061: %s would show the highest bits", r.Name)
			}
		}
		if low && high || clear && value {
			t.Errorf("RA-076 RA-078: %s", r)
		}
	}
	switch {
	case pieces[0]+pieces[1]+pieces[2]+pieces[3] != 117:
		t.Error("RC-004 RC-005: more than three pieces", pieces)
	case widest != 128:
		t.Error("RA-004:", widest)
	case !slices.Equal(both, []string{"R_CUDA_CONST_FIELD19_28"}):
		t.Error("AG-037 AG-096: bank operations are paired in", both)
	}
	if f, _, _ := recipe(t, "R_CUDA_INSTRUCTION128"); f != "0:128" { // RA-080
		t.Error("RA-080:", f)
	}

	// Mercury.
	for _, c := range []struct{ ids, name, field, formula string }{
		{"CM-093", "ABS64", "0:64", "ADDR"}, {"CM-093", "ABS32", "0:32", "ADDR"}, {"CM-093", "ABS16", "0:16", "ADDR"},
		{"CM-096 CM-102 CM-125 CM-126", "8_0", "0:8", "ADDR"}, {"CM-096 CM-126", "8_8", "0:8", "(ADDR + OLD) >> 8"}, {"CM-096 CM-126", "8_56", "0:8", "(ADDR + OLD) >> 56"},
	} {
		field, formulas, r := recipe(t, "R_MERCURY_"+c.name)
		if field != c.field || formulas[0] != c.formula || r.Evidence == oracle.Paper {
			t.Errorf("%s: %s", c.ids, r)
		}
	}
}

func pickOne(list []string, i int) string {
	if len(list) == 1 {
		return list[0]
	}
	return list[i]
}

// TestNoClassMessages looks through all vectors, from sm_52 to sm_120, for a type that is treated by its class.
// RC-021 has a warning for that, RC-028 to RC-031 give the classes, RC-162 speaks of patching that differs.
func TestNoClassMessages(t *testing.T) {
	archs := map[string]bool{}
	for v := range relocs.Vectors() {
		archs[v.Template.Arch] = true
		for _, r := range v.Results {
			if strings.Contains(r.Message, "not supported on") || strings.Contains(r.Message, "unknown attribute") {
				t.Errorf("RC-021: %s: %s", v.ID, r.Message)
			}
		}
	}
	for _, arch := range []string{"sm_52", "sm_70", "sm_75", "sm_86", "sm_90", "sm_100", "sm_120"} {
		if !archs[arch] {
			t.Errorf("RC-028 RC-029 RC-030 RC-031 RC-162: no vector for %s", arch)
		}
	}
}

// TestMercuryNumbers looks at what nvlink 13.0 did with 0x10040 and 0x10041, the indexes 64 and 65 of the second table,
// against every kind of symbol. RC-024 says that an index of 65 or more is an error.
func TestMercuryNumbers(t *testing.T) {
	tested := map[uint32]int{}
	for v := range relocs.Vectors() {
		if len(v.Records) != 1 || !strings.HasPrefix(v.Template.Arch, "sm_1") || v.Records[0].Type != 0x10040 && v.Records[0].Type != 0x10041 {
			continue
		}
		for _, r := range v.Results {
			tested[v.Records[0].Type]++
			if r.Did == relocs.Refused {
				t.Errorf("RC-024: %s: type %#x is %s: %s", v.ID, v.Records[0].Type, r.Did, r.Message)
			}
		}
	}
	if tested[0x10040] < 20 || tested[0x10041] < 20 {
		t.Errorf("RC-024: %v vectors", tested)
	}
}
