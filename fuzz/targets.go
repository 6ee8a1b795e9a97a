package fuzz

import "github.com/twinlink/twinlink/fuzz/storm"

// Target is a generator and a judge in one function of bytes, with its seeds: what
// "go test -fuzz" and libFuzzer both run.
type Target struct {
	Name  string
	Seeds func() ([][]byte, error)
	Judge func(input []byte) (*Divergence, error)
}

func seeds(f func() [][]byte) func() ([][]byte, error) {
	return func() ([][]byte, error) { return f(), nil }
}

// Targets are those that need none of NVIDIA's tools.
var Targets = []Target{
	{"FuzzRelocation", seeds(RelocationSeeds), func(input []byte) (*Divergence, error) {
		c := ReadRelocation(NewReader(input))
		return c.JudgeSpread(new(storm.Tally)), nil
	}},
	{"FuzzDescriptor", seeds(DescriptorSeeds), func(input []byte) (*Divergence, error) {
		c := ReadProgram(NewReader(input))
		return c.Judge(), nil
	}},
	{"FuzzContainer", ContainerSeeds, func(input []byte) (*Divergence, error) {
		if d := JudgeContainer(input); d != nil {
			return d, nil
		}
		return JudgeDump(input), nil
	}},
	{"FuzzLink", LinkSeeds, func(input []byte) (*Divergence, error) {
		l, err := ReadLink(NewReader(input))
		if err != nil {
			return nil, err
		}
		return l.Judge(), nil
	}},
	{"FuzzCommandLine", seeds(CommandLineSeeds), func(input []byte) (*Divergence, error) {
		c := ReadCommandLine(NewReader(input))
		return c.Judge(), nil
	}},
	{"FuzzMix", seeds(MixSeeds), func(input []byte) (*Divergence, error) {
		m, err := ReadMix(NewReader(input))
		if err != nil {
			return nil, err
		}
		return m.Judge(), nil
	}},
}
