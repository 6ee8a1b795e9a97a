//go:build unix

package fuzz

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// BenchmarkLive says how many questions a second of a processor answers, the tools' part counted: fresh ones of each kind
// that FuzzLive asks, by release; those with a Mercury side apart.
func BenchmarkLive(b *testing.B) {
	used := func(who int) time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for _, name := range []string{"11.8", "12.4", "13.0", "13.5", "13.0/two-sided", "13.5/two-sided"} {
		b.Run("release="+name, func(b *testing.B) {
			release, two, _ := strings.Cut(name, "/")
			nvidiatest.Need(b, release, nvidia.Nvlink)
			live, err := FindLive(b.Context(), nvjitlink.Options{Self: true})
			if err != nil {
				b.Fatal(err)
			}
			var list []Question
			var kinds []string
			for n := uint64(700_000); len(list) < 60; n++ {
				k := &Kinds[[...]int{0, 1, 3}[n%3]]
				q, err := k.Question(n)
				if err != nil {
					b.Fatal(err)
				}
				live.Lighten(&q)
				if q.Release == release && !slices.Contains(q.Args, "-r") && strings.HasPrefix(q.Args[0], "-arch=sm_1") == (two != "") {
					list, kinds = append(list, q), append(kinds, k.Name)
				}
			}
			n, counts := 0, map[Ruling]int{}
			own, theirs := used(syscall.RUSAGE_SELF), used(syscall.RUSAGE_CHILDREN)
			for b.Loop() {
				r, _ := live.Judge(b.Context(), &list[n%len(list)], kinds[n%len(list)])
				counts[r]++
				n++
			}
			live.Close() // its processes count once they have ended
			own, theirs = used(syscall.RUSAGE_SELF)-own, used(syscall.RUSAGE_CHILDREN)-theirs
			b.ReportMetric(float64(n)/(own+theirs).Seconds(), "cases/cpu-s")
			b.ReportMetric(theirs.Seconds()/(own+theirs).Seconds(), "tools'-share")
			b.ReportMetric(float64(counts[Agree])/float64(n), "agree")
		})
	}
}
