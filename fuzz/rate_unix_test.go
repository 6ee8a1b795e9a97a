//go:build unix

package fuzz

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// BenchmarkLive says how many questions a second of a processor answers, nvlink's part counted: fresh ones of each kind
// that FuzzLive asks, by release.
func BenchmarkLive(b *testing.B) {
	used := func(who int) time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for _, release := range []string{"11.8", "12.4", "13.0", "13.5"} {
		b.Run("release="+release, func(b *testing.B) {
			set := nvidiatest.Need(b, release, nvidia.Nvlink)
			var list []Question
			for n := uint64(700_000); len(list) < 60; n++ {
				k := &Kinds[[...]int{0, 1, 3}[n%3]]
				q, err := k.Question(n)
				if err != nil {
					b.Fatal(err)
				}
				if q.Release == release && !slices.Contains(q.Args, "-r") {
					list = append(list, q)
				}
			}
			n, counts := 0, map[Ruling]int{}
			own, theirs := used(syscall.RUSAGE_SELF), used(syscall.RUSAGE_CHILDREN)
			for b.Loop() {
				r, _ := list[n%len(list)].JudgeLive(b.Context(), set, "rate")
				counts[r]++
				n++
			}
			own, theirs = used(syscall.RUSAGE_SELF)-own, used(syscall.RUSAGE_CHILDREN)-theirs
			b.ReportMetric(float64(n)/(own+theirs).Seconds(), "cases/cpu-s")
			b.ReportMetric(theirs.Seconds()/(own+theirs).Seconds(), "nvlink's-share")
			b.ReportMetric(float64(counts[Agree])/float64(n), "agree")
		})
	}
}
