package nvidiatest

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
)

var find = sync.OnceValues(func() (*nvidia.Toolset, error) {
	return nvidia.Find(context.Background(), nvidia.Options{})
})

// Need returns the tools found, among them one of each name for that release:
// nvlink where no names are given. A name may also be that of another file of
// the release's folder, libcudadevrt.a. Where one is missing Need skips the test
// and counts it, or fails it where TWINLINK_REQUIRE_WITNESS asks for that
// release.
func Need(t testing.TB, release string, names ...string) *nvidia.Toolset {
	t.Helper()
	if !active {
		t.Fatal("witness: this package's tests need func TestMain(m *testing.M) { nvidiatest.Main(m) }")
	}
	set, err := find()
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		names = []string{nvidia.Nvlink}
	}
	for _, name := range names {
		if err := missing(set, release, name); err != nil {
			if required(os.Getenv("TWINLINK_REQUIRE_WITNESS"), release) {
				t.Fatal(err)
			}
			count(t.Name(), err.Short())
			t.Skipf("witness: %v", err)
		}
	}
	return set
}

// Skip skips a test for a lack that Need doesn't know of, and counts it.
func Skip(t testing.TB, lack string) {
	t.Helper()
	if !active {
		t.Fatal("witness: this package's tests need func TestMain(m *testing.M) { nvidiatest.Main(m) }")
	}
	count(t.Name(), lack)
	t.Skip("witness: " + lack)
}

// missing returns what a Toolset says of a tool or a file that it lacks, nil
// where it has it.
func missing(set *nvidia.Toolset, release, name string) (lacks *nvidia.NotFoundError) {
	var err error
	if slices.Contains(nvidia.Names[:], name) {
		_, err = set.Tool(release, name)
	} else {
		_, err = set.File(release, name)
	}
	errors.As(err, &lacks)
	return lacks
}

// required reports whether the variable's value asks for a release.
func required(value, release string) bool {
	switch value {
	case "", "0":
		return false
	case "1":
		return slices.Contains(nvidia.Standard[:], release)
	case "all":
		return true
	}
	return slices.Contains(strings.Split(value, ","), release)
}
