package verdict

import "testing"

func TestToolkitNames(t *testing.T) {
	for name, want := range map[string]uint32{"": 0, "11.8": 118, "13.0": 130} {
		if r, ok := ReleaseOf(name); !ok || uint32(r) != want {
			t.Errorf("releaseOf(%q) is %d, %v; want %d", name, r, ok, want)
		}
	}
}
