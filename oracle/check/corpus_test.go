package check

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// optionsOf are the options that a recorded run of nvlink was given.
func optionsOf(c corpus.Case) Options {
	o := Options{Arch: c.Arch}
	for _, a := range c.Args {
		kernels, filtered := strings.CutPrefix(a, "-kernels-used=")
		switch {
		case a == "-r":
			o.Relocatable = true
		case a == "-g":
			o.Debug = true
		case a == "-suppress-debug-info":
			o.SuppressDebug = true
		case a == "--preserve-relocs":
			o.PreserveRelocs = true
		case a == "--force-rela":
			o.ForceRela = true
		case a == "--disable-smem-reservation=true":
			o.NoReservation = true
		case a == "--reserve-null-pointer":
			o.ReserveNull = true
		case filtered:
			o.FilterKernels, o.KernelsUsed = true, strings.Split(kernels, ",")
		case strings.HasPrefix(a, "-variables-used="):
			o.FilterKernels = true
		}
	}
	return o
}

func inputsOf(c corpus.Case) []Input {
	var list []Input
	for _, in := range c.Inputs {
		list = append(list, Input{in.Name, in.Data})
	}
	return list
}

// linkedCases are the corpus's links whose inputs and output are all in it.
func linkedCases(t testing.TB) []corpus.Case {
	t.Helper()
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	var list []corpus.Case
	for _, c := range all {
		if c.Linked() && c.Output != nil && c.Complete() {
			list = append(list, c)
		}
	}
	if len(list) < 300 {
		t.Fatalf("only %d links in the corpus", len(list))
	}
	return list
}

// Every output in the corpus is nvlink's (11.8.89, 12.4.131 or 13.0.88).
func TestAcceptsNvlink(t *testing.T) {
	releases := map[string]int{}
	for _, c := range linkedCases(t) {
		v := Check(inputsOf(c), c.Output, optionsOf(c))
		if !v.Agrees() {
			t.Errorf("%s:\n%s", c.ID(), v)
		}
		releases[c.Release]++
	}
	t.Logf("accepted: %v", releases)
}

// The options that an output shows for itself need not be told: all but how
// shared memory is laid out, and before 13.0 the kernels asked for and -g.
func TestAcceptsWithoutOptions(t *testing.T) {
	for _, c := range linkedCases(t) {
		o := optionsOf(c)
		if c.Release == "13.0" {
			if v := Check(inputsOf(c), c.Output, Options{NoReservation: o.NoReservation, ReserveNull: o.ReserveNull}); !v.Agrees() {
				t.Errorf("%s:\n%s", c.ID(), v)
			}
			continue
		}
		o = Options{Debug: o.Debug, FilterKernels: o.FilterKernels, KernelsUsed: o.KernelsUsed, PreserveRelocs: o.PreserveRelocs, ForceRela: o.ForceRela}
		if v := Check(inputsOf(c), c.Output, o); !v.Agrees() {
			t.Errorf("%s:\n%s", c.ID(), v)
		}
	}
}

// A verdict is a function of its arguments.
func TestDeterministic(t *testing.T) {
	for i, c := range linkedCases(t) {
		if i%20 != 0 {
			continue
		}
		output := append([]byte(nil), c.Output...)
		for at := 900; at < len(output); at += 1021 {
			output[at] ^= 0x55
		}
		first := Check(inputsOf(c), output, optionsOf(c)).String()
		for range 3 {
			if again := Check(inputsOf(c), output, optionsOf(c)).String(); again != first {
				t.Fatalf("%s:\n%s\nthen\n%s", c.ID(), first, again)
			}
		}
	}
}
