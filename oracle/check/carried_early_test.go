package check

import "testing"

// Behind a link in two steps nothing is written down for call frames, as -r carried that out; where
// something is, what is missing is missing.
func TestCarriedOutEarly(t *testing.T) {
	frames, code := []kept{{offset: 4}}, []kept{{offset: 16}}
	for _, x := range []struct {
		name      string
		want, got map[string][]kept
		early     bool
	}{
		{"two steps", map[string][]kept{".debug_frame": frames, ".text.k": code}, map[string][]kept{".text.k": code}, true},
		{"one step", map[string][]kept{".debug_frame": frames}, map[string][]kept{".debug_frame": frames}, false},
		{"frames alone are missing", map[string][]kept{".debug_frame": frames, ".debug_info": frames}, map[string][]kept{".debug_info": frames}, true},
		{"nothing at all", map[string][]kept{".debug_frame": frames, ".text.k": code}, nil, false},
		{"frames are there", map[string][]kept{".debug_frame": frames, ".debug_info": frames}, map[string][]kept{".debug_frame": frames}, false},
		{"no debug information", map[string][]kept{".text.k": code}, nil, false},
	} {
		if got := carriedOutEarly(x.want, x.got); got != x.early {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}
