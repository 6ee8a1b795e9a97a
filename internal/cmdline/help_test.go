package cmdline

import (
	"strings"
	"testing"
)

// TestHelpOfStackProtector reads what --help says of an option that came with
// 13.0 and that only link-time optimization heeds.
func TestHelpOfStackProtector(t *testing.T) {
	const want = "-device-stack-protector bool\n        Stack protectors (link-time optimization).\n"
	for _, r := range Releases {
		got := Usage(r, "nvlink")
		if has := strings.Contains(got, want); has != (since130&r != 0) {
			t.Errorf("%s: --help says %q: %v", r, want, has)
		}
	}
}
