package check

import "testing"

func TestToolkitNames(t *testing.T) {
	for name, want := range map[string]uint32{"": 0, "11.8": 118, "13.0": 130} {
		if r, ok := releaseOf(name); !ok || uint32(r) != want {
			t.Errorf("releaseOf(%q) is %d, %v; want %d", name, r, ok, want)
		}
	}
	for _, name := range []string{"13", "130", "13.x", "13.05", " 13.0", "a.b"} {
		v := Check(nil, nil, Options{Toolkit: name})
		if v.Refusal == nil || v.Refusal.Kind != BadOptions {
			t.Errorf("toolkit %q: %v; want the refusal %v", name, v.Refusal, BadOptions)
		}
	}
}
