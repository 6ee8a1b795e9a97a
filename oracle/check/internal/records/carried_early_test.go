package records

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// After a link in two steps nothing is written down for call frames, as -r carried that out; where
// something is, what is missing is missing.
func TestCarriedOutEarly(t *testing.T) {
	frames, code := []link.Kept{{Offset: 4}}, []link.Kept{{Offset: 16}}
	second := &link.Module{}
	both := append(frames[:1:1], link.Kept{Offset: 44, Mod: second})
	for _, x := range []struct {
		name      string
		want, got map[string][]link.Kept
		early     bool
	}{
		{"two steps", map[string][]link.Kept{".debug_frame": frames, ".text.k": code}, map[string][]link.Kept{".text.k": code}, true},
		{"one step", map[string][]link.Kept{".debug_frame": frames}, map[string][]link.Kept{".debug_frame": frames}, false},
		{"frames alone are missing", map[string][]link.Kept{".debug_frame": frames, ".debug_info": frames}, map[string][]link.Kept{".debug_info": frames}, true},
		{"nothing at all", map[string][]link.Kept{".debug_frame": frames, ".text.k": code}, nil, false},
		{"frames are there", map[string][]link.Kept{".debug_frame": frames, ".debug_info": frames}, map[string][]link.Kept{".debug_frame": frames}, false},
		{"no debug information", map[string][]link.Kept{".text.k": code}, nil, false},
	} {
		if got := carriedOutEarly(x.want, x.got)[nil]; got != x.early {
			t.Errorf("%s: %v", x.name, got)
		}
	}
	// Of two objects one went through -r, and the last link got the other itself.
	want, got := map[string][]link.Kept{".debug_frame": both}, map[string][]link.Kept{".debug_frame": {{Offset: 44}}}
	if early := carriedOutEarly(want, got); !early[nil] || early[second] {
		t.Errorf("one object of two: %v", early)
	}
}
