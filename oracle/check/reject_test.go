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
		options.Strict = true
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
			} else if !names(v, d.want) {
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

// related are the findings that name the same defect where a place was read from
// what is wrong: the disagreement shows on the other side.
var related = map[Kind][]Kind{
	RelocationField:   {SectionBytes, CodeBytes, SharedOverlap, SharedSize, SymbolAlignment, SymbolValue, SectionSize},
	RelocationType:    {RelocationMissing, RelocationStray},
	RelocationSymbol:  {RelocationMissing, RelocationStray, RelocationType},
	RelocationMissing: {RelocationField, RelocationType, SectionMissing, SectionBytes},
	RelocationStray:   {RelocationType},
	FunctionMissing:   {SymbolSection, SymbolMissing, CallMissing, SectionMissing, SectionStray, CallStray, FactStray},
	SectionSize:       {SectionHeader, SymbolOutside, SharedPlace},
	SymbolType:        {SymbolOther, SymbolSection, SymbolStray},
	SymbolMissing:     {SectionBytes, SymbolType},
}

// names reports whether a verdict has a finding that names one of the kinds.
func names(v Verdict, want []Kind) bool {
	return slices.ContainsFunc(v.Findings, func(f Finding) bool {
		return slices.ContainsFunc(want, func(k Kind) bool { return f.Kind == k || slices.Contains(related[k], f.Kind) })
	})
}
