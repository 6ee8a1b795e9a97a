package fuzz

import (
	"context"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/fuzz/storm"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// tell fails a target with a divergence, and saves it.
func tell(t *testing.T, target string, input []byte, d *Divergence) {
	t.Helper()
	if d == nil {
		return
	}
	file, err := d.Save("testdata", target, input)
	if err != nil {
		t.Error(err)
	}
	t.Fatalf("%s\nsaved as %s", d.Error(), file)
}

func verdictOf(linked bool) string {
	if linked {
		return "agree"
	}
	return "refused"
}

// The verdicts of each target, see Counter.
var (
	relocations  = Counter{Target: "FuzzRelocation"}
	descriptors  = Counter{Target: "FuzzDescriptor"}
	containers   = Counter{Target: "FuzzContainer"}
	links        = Counter{Target: "FuzzLink"}
	commandLines = Counter{Target: "FuzzCommandLine"}
	mixes        = Counter{Target: "FuzzMix"}
)

func FuzzRelocation(f *testing.F) {
	for _, seed := range RelocationSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadRelocation(NewReader(input))
		var tally storm.Tally
		tell(t, "FuzzRelocation", input, c.JudgeSpread(&tally))
		relocations.Add("agree", tally.Compared)
		relocations.Add("both-refuse", tally.BothRefuse)
		relocations.Add("inexpressible", tally.Inexpressed)
		if crc32.ChecksumIEEE(input)%16 == 0 { // by the documents as well, which is slow
			_, d := c.Judge()
			tell(t, "FuzzRelocation", input, d)
		}
	})
}

func FuzzDescriptor(f *testing.F) {
	for _, seed := range DescriptorSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadProgram(NewReader(input))
		tell(t, "FuzzDescriptor", input, c.Judge())
		descriptors.Add("agree", 1)
	})
}

func FuzzContainer(f *testing.F) {
	seeds, err := ContainerSeeds()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		tell(t, "FuzzContainer", input, JudgeContainer(input))
		tell(t, "FuzzContainer", input, JudgeDump(input))
		containers.Add("agree", 1)
	})
}

func FuzzLink(f *testing.F) {
	seeds, err := LinkSeeds()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		l, err := ReadLink(NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		tell(t, "FuzzLink", input, l.Judge())
		links.Add(verdictOf(l.Linked), 1)
	})
}

func FuzzCommandLine(f *testing.F) {
	for _, seed := range CommandLineSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadCommandLine(NewReader(input))
		tell(t, "FuzzCommandLine", input, c.Judge())
		commandLines.Add("agree", 1)
	})
}

func FuzzMix(f *testing.F) {
	for _, seed := range MixSeeds() {
		f.Add(seed)
	}
	set, err := nvidia.Find(context.Background(), nvidia.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		m, err := ReadMix(NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		tell(t, "FuzzMix", input, m.Judge())
		verdict := verdictOf(m.Linked)
		if m.Parts {
			verdict = "diverge-known"
		}
		mixes.Add(verdict, 1)
		mixes.Add("arch-"+m.Arch, 1)
		// One in 64 is put to nvlink as well, if it is there.
		if sum := crc32.ChecksumIEEE(input); sum%64 == 0 && slices.Contains(set.Releases(), m.Release) {
			tell(t, "FuzzMix", input, m.JudgeWitness(t.Context(), set))
		}
	})
}

// Every target has seeds, and judges them without a divergence: so does libFuzzer,
// which is given the same list.
func TestTargets(t *testing.T) {
	for _, target := range Targets {
		list, err := target.Seeds()
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d seeds, %v", target.Name, len(list), err)
		}
		for i, seed := range list[:min(len(list), 8)] {
			if d, err := target.Judge(seed); d != nil || err != nil {
				t.Errorf("%s, seed %d: %v, %v", target.Name, i, d, err)
			}
		}
	}
}
