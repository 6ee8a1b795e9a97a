package oracle

import "testing"

// TestUndecided wants every recipe from paper to say what would decide it, and
// no other.
func TestUndecided(t *testing.T) {
	ways := map[string]int{}
	for _, r := range Recipes() {
		if text := r.Undecided(); (text != "") != (r.Evidence == Paper) {
			t.Errorf("%s, %s: %q", r.Name, r.Evidence, text)
		} else if text != "" {
			ways[text]++
		}
	}
	if len(ways) != 4 {
		t.Errorf("%d ways: %v", len(ways), ways)
	}
}
