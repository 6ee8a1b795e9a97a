package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/cmdline"
)

// The releases are in one line with commas, or with --all in a line each.
func TestVersion(t *testing.T) {
	lines := func(args ...string) []string {
		r := runAs("twinlink", append([]string{"version"}, args...)...)
		if r.exit != 0 || r.stderr != "" {
			t.Errorf("%v: exit %d, %q", args, r.exit, r.stderr)
		}
		return strings.Split(r.out, "\n")
	}
	var names []string
	for _, r := range cmdline.Releases {
		names = append(names, r.String())
	}
	short := lines()
	if len(short) != 3 || !strings.HasPrefix(short[0], "twinlink ") || short[1] != "behaves as nvlink "+strings.Join(names, ", ") || short[2] != "" {
		t.Errorf("%q", short)
	}
	long := lines("--all")
	known := regexp.MustCompile(`^[0-9.]+ +Cuda compilation tools, release \S.* +(complete|compared with nvJitLink)`)
	for i, name := range names {
		if line := long[1+i]; !strings.HasPrefix(line, name+"  ") || !known.MatchString(line) {
			t.Errorf("%s: %q", name, line)
		}
	}
	for i, build := range cmdline.EarlierBuilds {
		if line := long[1+len(names)+i]; !strings.HasPrefix(line, build.String()+" ") || !strings.Contains(line, ", V"+build.String()+" ") {
			t.Errorf("%s: %q", build, line)
		}
	}
	if rest := long[1+len(names)+len(cmdline.EarlierBuilds):]; len(rest) < 3 || rest[0] != "" || rest[1] != "NVIDIA's tools found:" {
		t.Errorf("after the releases: %q", rest)
	}
}
