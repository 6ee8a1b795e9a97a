package main

import (
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/learn"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

func TestMain(m *testing.M) { replay.Main(m) }

// oneIn is the share of the table's forms that the short tests ask about.
const oneIn = 24

// nvlink 13.5 gives what the committed table says: each form on each SM, or of one
// form in so many on one.
func TestTable(t *testing.T) {
	tools := nvidiatest.Need(t, nvlinkRelease, nvidia.Nvlink, nvidia.Ptxas)
	text, err := os.ReadFile("../table.tsv")
	if err != nil {
		t.Fatal(err)
	}
	src, err := read("..")
	if err != nil {
		t.Fatal(err)
	}
	samples := map[uint32][]learn.Sample{}
	for _, r := range src.records {
		samples[tagOf(r)] = append(samples[tagOf(r)], learn.Sample{Record: r})
	}
	oracles := map[int]*probe.Oracle{}
	asked, n := 0, 0
	for _, b := range blocksOf(string(text)) {
		if samples[b.tag] == nil || b.release != nvlinkRelease {
			continue
		}
		sms := b.sms
		if n++; testing.Short() {
			if n%oneIn != 0 {
				continue
			}
			sms = sms[n/oneIn%len(sms):][:1]
		}
		one, err := mercury.Parse(strings.Join(b.lines, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, sm := range sms {
			if oracles[sm] == nil {
				if oracles[sm], err = newOracle(t.Context(), tools, sm); err != nil {
					t.Fatal(err)
				}
			}
			own := b
			own.sms = []int{sm}
			r, err := ask(t.Context(), oracles[sm], one, &own, samples[b.tag])
			if err != nil {
				t.Fatal(err)
			}
			if r.other != nil {
				t.Errorf("%08x on sm_%d: nvlink has other words of %x", b.tag, sm, r.other)
			}
			if r.answered > 0 {
				asked++
			}
		}
	}
	if asked < 4 {
		t.Errorf("%d forms asked", asked)
	}
}
