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
		for _, data := range [][]byte{input, Repair(input)} {
			if d := JudgeContainer(data); d != nil {
				return d, nil
			}
			if d := JudgeDump(data); d != nil {
				return d, nil
			}
		}
		return nil, nil
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
	questionTarget("FuzzObjects", 0),
	questionTarget("FuzzPrograms", 1),
	questionTarget("FuzzEdits", 2),
	{"FuzzMetamorphic", seededInputs("metamorphic", 400), func(input []byte) (*Divergence, error) {
		r := NewReader(input)
		_, d := JudgeMetamorphic(r, ReadMetamorphic(r), Engine)
		return unknown(d), nil
	}},
	{"FuzzInfo", InfoSeeds, func(input []byte) (*Divergence, error) {
		_, d := JudgeInfo(input)
		return d, nil
	}},
	{"FuzzCapsule", seededInputs("capsule", 64), func(input []byte) (*Divergence, error) {
		c, err := ReadCapsule(NewReader(input))
		if err != nil {
			return nil, err
		}
		_, d := c.Judge()
		return d, nil
	}},
	{"FuzzSelfcheck", seededInputs("selfcheck", 128), func(input []byte) (*Divergence, error) {
		data, edited, err := ReadSelfcheck(NewReader(input))
		if err != nil {
			return nil, err
		}
		_, d := JudgeSelfcheck(data, edited)
		return d, nil
	}},
}

// questionTarget is the target of a kind of questions, with what is known omitted.
func questionTarget(name string, kind int) Target {
	k := &Kinds[kind]
	seeds := seededInputs(k.Name, k.Size)
	if kind == 0 {
		seeds = ObjectsSeeds
	}
	return Target{name, seeds, func(input []byte) (*Divergence, error) {
		q, err := k.Read(NewReader(input))
		if err != nil {
			return nil, err
		}
		_, d := q.Judge(k.Name)
		return k.unknown(d), nil
	}}
}

// seededInputs are the first inputs of a list that is the same everywhere.
func seededInputs(name string, size int) func() ([][]byte, error) {
	return func() ([][]byte, error) {
		var list [][]byte
		for n := range uint64(32) {
			list = append(list, SeededInput(name, n, size))
		}
		return list, nil
	}
}
