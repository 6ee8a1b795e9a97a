package verdict

import (
	"strings"
	"testing"
)

// Of several findings about a section or a symbol the first is kept, on either side, and none about what has no name.
func TestFirstFindingIsKept(t *testing.T) {
	var v, other Book
	v.Add(Finding{Kind: SectionHeader, Section: ".text.k", Detail: "first"})
	v.Add(Finding{Kind: SectionBytes, Section: ".text.k", Symbol: "k", Detail: "second"})
	v.Add(Finding{Kind: SectionBytes, Detail: "of nothing"})
	other.Add(Finding{Kind: SectionBytes, Symbol: "k", Detail: "third"})
	other.Add(Finding{Kind: SectionBytes, Symbol: "f", Detail: "fourth"})
	v.Join(&other, strings.ToLower)
	want := map[string]string{".text.k": "first", "k": "second", "f": "fourth"}
	for name, detail := range want {
		if v.About[name].Detail != detail {
			t.Errorf("%s: %q, want %q", name, v.About[name].Detail, detail)
		}
	}
	if len(v.About) != len(want) || v.Total != 5 {
		t.Errorf("%d names, want %d; %d findings", len(v.About), len(want), v.Total)
	}
}
