package fuzz

import "testing"

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
