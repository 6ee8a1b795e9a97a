package oracle

import (
	"strings"
	"testing"
)

func TestEveryRecipePrintsAsItWasWritten(t *testing.T) {
	for _, line := range strings.Split(recipeText, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := readRow(line)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.SplitN(line, " ", 4)[3]; r.String() != want {
			t.Errorf("%s prints %q, the table has %q", r.Name, r.String(), want)
		}
	}
}

func TestRecipesRefused(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{"", "no ="},
		{"bits[0..7]", "no ="},
		{"0..7 = ADDR", "no bits[...]"},
		{"bits[0..7 = ADDR", "no bits[...]"},
		{"bits[8..7] = ADDR", "bits 8 to 7"},
		{"bits[120..128] = ADDR", "bits 120 to 128"},
		{"bits[-1..7] = ADDR", "first bit"},
		{"bits[0..999999] = ADDR", "last bit"},
		{"bits[0..7] =", `"" is not a quantity`},
		{"bits[0..7] = addr", `"a" is not a quantity`},
		{"bits[0..7] = ADDR ADDR", `"ADDR" left over`},
		{"bits[0..7] = ADDR +", `"" is not a quantity`},
		{"bits[0..7] = (ADDR", "no )"},
		{"bits[0..7] = LO ADDR", "no ( after LO"},
		{"bits[0..7] = ADDR >> 64", "shift"},
		{"bits[0..7] = ADDR >> A", "shift"},
		{"bits[0..7] = " + strings.Repeat("(", 500) + "A" + strings.Repeat(")", 500), "too deep"},
		{"bits[0..7] = " + strings.Repeat("(A + ", 7) + "A" + strings.Repeat(")", 7) + " - (A + (A + (A + (A + (A + (A + (A + A)))))))", "too deep"},
		{strings.Repeat("bits[0] = A; ", 4) + "bits[0] = A", "recipe of 5 steps"},
		{strings.Repeat(" ", 2000), "recipe of 2000 bytes"},
	} {
		if _, err := parseRecipe(c.text); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.reason)
		}
	}
}

func TestTablesRefused(t *testing.T) {
	row := "1 R_CUDA_32 seen bits[0..31] = ADDR + OLD\n"
	for _, c := range []struct{ text, reason string }{
		{"", "0 rows"},
		{row, "1 rows"},
		{row + row, "number 0x1 again"},
		{"1 R_CUDA_64 seen nothing", "0x1 is \"R_CUDA_32\""},
		{"200 R_CUDA_32 seen nothing", "0xc8 is \"\""},
		{"x R_CUDA_32 seen nothing", "number"},
		{"1 R_CUDA_32 heard nothing", "evidence"},
		{"1 R_CUDA_32 seen", "3 columns"},
	} {
		if _, err := readTable(c.text); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.reason)
		}
	}
}

// Precedence is that of Go: >> before + and -, and those from the left.
func TestFormulaPrecedence(t *testing.T) {
	for text, want := range map[string]string{
		"ADDR >> 2 + OLD":      "(ADDR >> 2) + OLD",
		"ADDR - OLD - P":       "(ADDR - OLD) - P",
		"ADDR - (OLD + P)":     "ADDR - (OLD + P)",
		"(ADDR - OLD) + P":     "(ADDR - OLD) + P",
		"SLOT + A + OLD":       "SLOT + A + OLD",
		"HI(ADDR+OLD)":         "HI(ADDR + OLD)",
		"S32((ADDR)) >> 1 - P": "(S32(ADDR) >> 1) - P",
	} {
		steps, err := parseRecipe("bits[0] = " + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := steps[0].Expr.String(); got != want {
			t.Errorf("%s reads as %s, want %s", text, got, want)
		}
	}
}
