package check

import "testing"

// Of several findings about a section or a symbol the first is kept, on either side, and none about what has no name.
func TestFirstFindingIsKept(t *testing.T) {
	var v, other Verdict
	v.add(Finding{Kind: SectionHeader, Section: ".text.k", Detail: "first"})
	v.add(Finding{Kind: SectionBytes, Section: ".text.k", Symbol: "k", Detail: "second"})
	v.add(Finding{Kind: SectionBytes, Detail: "of nothing"})
	other.add(Finding{Kind: SectionBytes, Symbol: "k", Detail: "third"})
	other.add(Finding{Kind: SectionBytes, Symbol: "f", Detail: "fourth"})
	v.join(other)
	want := map[string]string{".text.k": "first", "k": "second", "f": "fourth"}
	for name, detail := range want {
		if v.about[name].Detail != detail {
			t.Errorf("%s: %q, want %q", name, v.about[name].Detail, detail)
		}
	}
	if len(v.about) != len(want) || v.Total != 5 {
		t.Errorf("%d names, want %d; %d findings", len(v.about), len(want), v.Total)
	}
}
