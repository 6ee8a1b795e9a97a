package check

import "testing"

func TestUnknownToolkits(t *testing.T) {
	for _, name := range []string{"13", "130", "13.x", "13.05", " 13.0", "a.b"} {
		v := Check(nil, nil, Options{Toolkit: name})
		if v.Refusal == nil || v.Refusal.Kind != BadOptions {
			t.Errorf("toolkit %q: %v; want the refusal %v", name, v.Refusal, BadOptions)
		}
	}
}
