//go:build linux && (amd64 || arm64)

package nvidia_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// The kernel's limits are set a moment after the start: the scripts wait for it.
const untilLimited = `until [ "$(ulimit -c)" = 0 ] && [ "$(ulimit -v)" != unlimited ]; do :; done; `

func TestKernelLimits(t *testing.T) {
	set, scratch := fakeNvlink(t, untilLimited+"ulimit -c; ulimit -t; ulimit -v; exit 1",
		nvidia.Limits{Time: 10 * time.Second, Memory: 1 << 30})
	res, err := set.Link(t.Context(), "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(res.Stdout); got != "0\n42\n1048576\n" {
		t.Errorf("core, seconds, KiB of memory: %q", got)
	}
	wantEmpty(t, scratch)
}

func TestFileLimit(t *testing.T) {
	set, scratch := fakeNvlink(t, untilLimited+"exec head -c 100000 /dev/zero >out.cubin", nvidia.Limits{File: 50000})
	res, err := set.Link(t.Context(), "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != nvidia.Crashed || res.Signal != syscall.SIGXFSZ || len(res.Output) != 50000 {
		t.Errorf("%v, %d bytes", res, len(res.Output))
	}
	wantEmpty(t, scratch)
}
