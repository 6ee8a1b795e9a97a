package fuzz

import (
	"context"
	"hash/crc32"
	"slices"
	"testing"

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

func FuzzRelocation(f *testing.F) {
	for _, seed := range RelocationSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadRelocation(NewReader(input))
		_, d := c.Judge()
		tell(t, "FuzzRelocation", input, d)
	})
}

func FuzzDescriptor(f *testing.F) {
	for _, seed := range DescriptorSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadProgram(NewReader(input))
		tell(t, "FuzzDescriptor", input, c.Judge())
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
	})
}

func FuzzCommandLine(f *testing.F) {
	for _, seed := range CommandLineSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadCommandLine(NewReader(input))
		tell(t, "FuzzCommandLine", input, c.Judge())
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
		// One in 64 is put to nvlink as well, if it is there.
		if sum := crc32.ChecksumIEEE(input); sum%64 == 0 && slices.Contains(set.Releases(), m.Release) {
			tell(t, "FuzzMix", input, m.JudgeWitness(t.Context(), set))
		}
	})
}
