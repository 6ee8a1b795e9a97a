package nvidia

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
)

// Version is a tool's version as --version prints it: 12.4.131.
// The first two numbers are the toolkit release.
type Version struct {
	Major, Minor, Patch int
}

// Release returns the toolkit release, "12.4".
func (v Version) Release() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// String returns all three numbers, "12.4.131".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Compare returns -1, 0 or +1 as v is older than w, the same, or newer.
func (v Version) Compare(w Version) int {
	for _, d := range [3]int{v.Major - w.Major, v.Minor - w.Minor, v.Patch - w.Patch} {
		switch {
		case d < 0:
			return -1
		case d > 0:
			return +1
		}
	}
	return 0
}

// is reports whether release, "12.4" or "12.4.131", names this version.
func (v Version) is(release string) bool {
	return release == v.Release() || release == v.String()
}

// versionLine is the line every tool prints, whatever its release:
//
//	Cuda compilation tools, release 12.4, V12.4.131
var versionLine = lazily(`(?m)^Cuda compilation tools, release \d+\.\d+, V(\d{1,4})\.(\d{1,4})\.(\d{1,6})\s*$`)

// parseVersion reads the text that a tool prints for --version.
// ok is false where the line is missing.
func parseVersion(text []byte) (v Version, ok bool) {
	m := versionLine().FindSubmatch(text)
	if m == nil {
		return Version{}, false
	}
	for i, p := range []*int{&v.Major, &v.Minor, &v.Patch} {
		*p, _ = strconv.Atoi(string(m[i+1])) // at most six digits: can't fail
	}
	return v, true
}

// compareReleases orders "9.2" before "11.8".
func compareReleases(a, b string) int {
	return parseRelease(a).Compare(parseRelease(b))
}

// parseRelease reads "12.4" or "12.4.131". Anything else gives the zero Version,
// which is older than any tool.
func parseRelease(r string) Version {
	m := releaseText().FindStringSubmatch(r)
	if m == nil {
		return Version{}
	}
	var v Version
	for i, p := range []*int{&v.Major, &v.Minor, &v.Patch} {
		*p, _ = strconv.Atoi(m[i+1]) // "" gives 0
	}
	return v
}

var (
	releaseText = lazily(`^(\d{1,4})\.(\d{1,4})(?:\.(\d{1,6}))?$`)
	// folderName matches the name of a release's folder: "12.4".
	folderName = lazily(`^\d{1,4}\.\d{1,4}$`)
)

// lazily is a pattern that is compiled when it is first asked for, and not when the
// program starts.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
