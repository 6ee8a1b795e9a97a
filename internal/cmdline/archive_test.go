package cmdline

import (
	"strings"
	"testing"
)

// TestArchiveTarget: with --report-arch nvlink 12.4.131 and 13.0.88 name the target in all that they say of an archive
// that isn't one, but for what 12.4.131 says of memory.
func TestArchiveTarget(t *testing.T) {
	voice := MessageFormat{Target: "sm_80"}
	for release, want := range map[Release]bool{R124: false, R130: true} {
		for i, d := range BadArchive(release, "x.a").Messages {
			if got := strings.HasSuffix(voice.Line(&d), " (target: sm_80)"); got != (want || i > 0) {
				t.Errorf("%s: %s", release, voice.Line(&d))
			}
		}
	}
}
