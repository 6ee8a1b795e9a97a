// Package nvjitlinktest lets tests ask nvJitLink, and keeps a test that did
// without it from looking like one that passed.
//
// A package whose tests call [Need] has
//
//	func TestMain(m *testing.M) { nvjitlinktest.Main(m) }
//
// Its test program is then the worker too. Skips are reported and required as
// nvidiatest does it; TWINLINK_REQUIRE_WITNESS has
// "nvjitlink-13.0" for a library, and "all" means these too.
package nvjitlinktest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/worker"
)

// Main is the worker where it was started as one, and else runs the tests.
func Main(m *testing.M) {
	worker.Main()
	nvidiatest.Main(m)
}

// Need returns a Linker for a release, closed when the test ends. Where there is
// no library the test is skipped and the skip counted, or it fails where the
// library is required.
func Need(t testing.TB, release string) *nvjitlink.Linker {
	t.Helper()
	o := nvjitlink.Options{Self: true}
	lib, err := nvjitlink.Release(o, release)
	if err != nil {
		if r := os.Getenv("TWINLINK_REQUIRE_WITNESS"); r == "all" || slices.Contains(strings.Split(r, ","), "nvjitlink-"+release) {
			t.Fatal(err)
		}
		nvidiatest.Skip(t, err.Error())
	}
	l := nvjitlink.New(lib, o)
	t.Cleanup(l.Close)
	return l
}
