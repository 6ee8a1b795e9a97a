//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/twinlink/twinlink/corpus/biglink"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// rounds is how often each program runs; the fastest counts.
const rounds = 5

// measured is the fastest of some runs, and the most memory that one held.
type measured struct {
	wall time.Duration
	kb   int64
}

func (m *measured) run(b *testing.B, dir, program string, args ...string) {
	b.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		b.Fatalf("%s: %v\n%s", program, err, out)
	}
	if m.wall == 0 || took < m.wall {
		m.wall = took
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.kb = max(m.kb, u.Maxrss) // kilobytes on Linux
	}
}

// BenchmarkAgainstNvlink links 256 modules of 16,384 functions, 25 MB, as people
// would, file to file, with twinlink and with nvlink of each release, one after
// the other in the same round, and lets cat copy the same files. It reports
// milliseconds, mebibytes, and how many times twinlink's time each takes.
func BenchmarkAgainstNvlink(b *testing.B) {
	modules, err := biglink.Modules(256)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	var inputs []string
	for i, data := range modules {
		name := fmt.Sprintf("m%04d.cubin", i)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			b.Fatal(err)
		}
		inputs = append(inputs, name)
	}
	twinlink := filepath.Join(dir, "twinlink")
	if out, err := exec.Command("go", "build", "-o", twinlink, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	set, err := nvidia.Find(b.Context(), nvidia.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, release := range nvidia.Standard {
		b.Run(release, func(b *testing.B) {
			tool, err := set.Tool(release, nvidia.Nvlink)
			if err != nil {
				b.Skip(err)
			}
			var ours, theirs, copied measured
			for b.Loop() {
				for range rounds {
					ours.run(b, dir, twinlink, append([]string{"link", "-arch=sm_80", "-toolkit=" + release, "-o", "ours.cubin"}, inputs...)...)
					theirs.run(b, dir, tool.Path, append([]string{"-arch=sm_80", "-o", "theirs.cubin"}, inputs...)...)
					copied.run(b, dir, "sh", append([]string{"-c", `cat "$@" > copy`, "cat"}, inputs...)...)
				}
			}
			same(b, filepath.Join(dir, "ours.cubin"), filepath.Join(dir, "theirs.cubin"))
			b.ReportMetric(0, "ns/op")
			for name, m := range map[string]measured{"twinlink": ours, "nvlink": theirs, "copy": copied} {
				b.ReportMetric(float64(m.wall.Microseconds())/1000, "ms/"+name)
				if name != "copy" {
					b.ReportMetric(float64(m.kb)/1024, "MiB/"+name)
				}
			}
			b.ReportMetric(float64(theirs.wall)/float64(ours.wall), "times-faster")
			b.ReportMetric(float64(ours.wall)/float64(copied.wall), "times-copy")
		})
	}
}

func same(b *testing.B, x, y string) {
	b.Helper()
	first, err := os.ReadFile(x)
	if err != nil {
		b.Fatal(err)
	}
	second, err := os.ReadFile(y)
	if err != nil {
		b.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		b.Error("the two images differ")
	}
}
