package check

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/oracletest"
)

// optionsOf are the options that a recorded run of nvlink was given.
func optionsOf(c corpus.Case) Options { return oracletest.Options(&c) }

func inputsOf(c corpus.Case) []Input {
	var list []Input
	for _, in := range c.Inputs {
		list = append(list, Input{Name: in.Name, Data: in.Data})
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

// Every output in the corpus is nvlink's (11.8.89, 12.4.131 or 13.0.88). nvlink
// 13.0's -r gives static shared variables a place before the final link, and what
// it makes of that in a second step is wrong; such links are identified by name.
func TestAcceptsNvlink(t *testing.T) {
	releases, wrong := map[string]int{}, 0
	for _, c := range linkedCases(t) {
		if strings.HasSuffix(c.Name, "-final") {
			continue // judged by its own input as any other, see TestTwoSteps
		}
		v := Check(inputsOf(c), c.Output, optionsOf(c))
		early := c.Release == "13.0" && optionsOf(c).Relocatable && v.Total > 0
		for _, f := range v.Findings {
			early = early && f.Kind == SharedPlace
		}
		if early {
			wrong++
		} else if !v.Agrees() {
			t.Errorf("%s %v:\n%s", c.ID(), c.Args, v)
		}
		releases[c.Release]++
	}
	t.Logf("accepted: %v, but for %d with -r whose shared variables have a place", releases, wrong)
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
