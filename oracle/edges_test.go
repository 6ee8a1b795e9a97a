package oracle

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// What has no name is a question mark, the first number after the last too.
func TestNameless(t *testing.T) {
	for i, got := range []string{Action(len(actionNames)).String(), Action(200).String(), Quantity(len(quantityText)).String(), Quantity(200).String(),
		Reason(len(reasonText)).String(), Reason(200).String(), Evidence(0).String(), Evidence(200).String()} {
		if got != "?" {
			t.Errorf("%d: %q", i, got)
		}
	}
	for i, x := range []struct{ got, want string }{
		{Patches.String(), "patches"}, {Finalizes.String(), "finalizes"}, {Paper.String(), "paper"}, {Renamed.String(), "renamed"}, {Addr.String(), "ADDR"},
		{UnexpectedType.String(), reasonText[UnexpectedType]},
	} {
		if x.got != x.want || x.got == "" {
			t.Errorf("%d: %q, want %q", i, x.got, x.want)
		}
	}
}

// A recipe may be as long, have as many steps and be as deep as the limits say, and no more.
func TestRecipeLimits(t *testing.T) {
	const step = "bits[0..7] = ADDR"
	nested := func(n int) string {
		return "bits[0..7] = " + strings.Repeat("(", n) + "ADDR" + strings.Repeat(")", n)
	}
	steps := func(n int) string { return strings.TrimSuffix(strings.Repeat(step+"; ", n), "; ") }
	for i, x := range []struct {
		text string
		ok   bool
	}{
		{step, true},
		{step + strings.Repeat(" ", maxRecipeText-len(step)), true},
		{step + strings.Repeat(" ", maxRecipeText-len(step)+1), false},
		{steps(maxRecipeSteps), true},
		{steps(maxRecipeSteps + 1), false},
		{nested(maxNesting - 1), true},
		{nested(maxNesting), false},
		{"bits[0..7] = ADDR +", false},
		{"bits[0..7] = + ADDR", false},
		{"bits[0..7] = (ADDR", false},
		{"bits[7..0] = ADDR", false},
		{"nothing", true},
		{" nothing ", true},
		{"", false},
	} {
		if _, err := parseRecipe(x.text); (err == nil) != x.ok {
			t.Errorf("%d: %.40q: %v", i, x.text, err)
		}
	}
}

// A trace without a recipe is printed all the same, and says what form a record had.
func TestTraceForms(t *testing.T) {
	if got := (Traced{}).String(); !strings.HasPrefix(got, "REL ") {
		t.Errorf("%q", got)
	}
	for _, rela := range []bool{false, true} {
		x, err := Trace(cuda.R_CUDA_ABS32_LO_32, make([]byte, 16), Inputs{Rela: rela, S: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := x.String(); strings.HasPrefix(got, "RELA R_CUDA_ABS32_LO_32") != rela {
			t.Errorf("%v: %q", rela, got)
		}
	}
}
