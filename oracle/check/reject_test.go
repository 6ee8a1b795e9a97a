package check

import (
	"bytes"
	"slices"
	"testing"
)

// Each defect is planted into every seventh output (all with -v, and all of --preserve-relocs) of the corpus that has a
// place for it, and must be found for what it is.
func TestRejectsDefects(t *testing.T) {
	planted := map[string]int{}
	for i, c := range linkedCases(t) {
		inputs, options := inputsOf(c), optionsOf(c)
		if i%7 != 0 && !options.PreserveRelocs && !testing.Verbose() {
			continue
		}
		for _, d := range defects {
			e := editorOf(t, c)
			if !d.plant(e) || bytes.Equal(e.bytes, c.Output) {
				continue
			}
			planted[d.name]++
			v := Check(inputs, e.bytes, options)
			if v.Agrees() {
				t.Errorf("%s: %s: accepted", c.ID(), d.name)
			} else if !slices.ContainsFunc(v.Findings, func(f Finding) bool { return slices.Contains(d.want, f.Kind) }) {
				t.Errorf("%s: %s: want one of %v, got\n%s", c.ID(), d.name, d.want, v)
			}
		}
	}
	total := 0
	for _, d := range defects {
		if planted[d.name] == 0 {
			t.Errorf("%s: no output has a place for it", d.name)
		}
		total += planted[d.name]
	}
	t.Logf("%d kinds of defect, planted %d times", len(defects), total)
}
