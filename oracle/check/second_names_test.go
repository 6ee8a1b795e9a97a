package check

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// nvlink calls code by the second name that an earlier file knows where a link with -r
// lists it first: that is right, and what is wrong in such a link is found all the same.
func TestSecondNames(t *testing.T) {
	symbolAt := func(e *editor, name string) int {
		return e.symbol(func(id *link.Identity, _ *image.Symbol) bool { return id.Name == name })
	}
	for _, c := range []string{"second_names/13.0-sm_80-r-before", "second_names/13.5-sm_80-r-before"} {
		k := behaviourOf(t, c)
		if v := Check(inputsOf(k), k.Output, optionsOf(k)); v.Total > 0 || len(v.Unjudged) > 0 {
			t.Fatalf("%s: %s", c, v)
		}
		for what, d := range map[string]struct {
			kind  Kind
			plant func(e *editor)
		}{
			"the second name stands for other code": {SymbolSection, func(e *editor) {
				e.put(e.entry(symbolAt(e, "al"), stShndx), 2, uint64(e.named(".text.g")))
			}},
			"the first name stands for another place": {SymbolValue, func(e *editor) { e.put(e.entry(symbolAt(e, "f"), stValue), 8, 0x10) }},
			"a call goes to another function": {RelocationSymbol, func(e *editor) {
				_, at, _ := e.record(func(l link.Relocs) bool { return l.Section.Name == ".rel.text.k2" })
				e.put(at+12, 4, uint64(symbolAt(e, "h")))
			}},
			"an instruction is another": {CodeBytes, func(e *editor) { e.flip(e.out.Sections[e.named(".text.al")].Offset+0x21, 1) }},
			"a relocation section is misnamed": {SectionHeader, func(e *editor) {
				e.put(e.header(e.named(".rel.text.f"), shName), 4, e.get(e.header(e.named(".rel.text.g"), shName), 4))
			}},
			"the stack of a kernel is told wrong": {FactValue, func(e *editor) {
				_, at := e.attribute(cuda.AttrMinStackSize)
				e.put(at+4, 4, 0x40)
			}},
			"a frame is told for another name": {FactMissing, func(e *editor) {
				_, at := e.attribute(cuda.AttrFrameSize)
				e.put(at, 4, uint64(symbolAt(e, "al")))
			}},
		} {
			e := editorOf(t, k)
			d.plant(e)
			if v := Check(inputsOf(k), e.bytes, optionsOf(k)); !names(v, []Kind{d.kind}) {
				t.Errorf("%s: %s: no %s among\n%s", c, what, d.kind, v)
			}
		}
	}
}

// Where no earlier file names the second name, code keeps its first.
func TestFirstNames(t *testing.T) {
	k := behaviourOf(t, "second_names/13.0-sm_80-r-behind")
	e := editorOf(t, k)
	strings := int(e.get(62, 2))
	body := slices.Clone(e.out.Sections[strings].Body)
	e.put(e.header(e.named(".text.f"), shName), 4, uint64(len(body)))
	e.move(strings, append(body, ".text.al\x00"...))
	if v := Check(inputsOf(k), e.bytes, optionsOf(k)); !names(v, []Kind{FunctionMissing}) {
		t.Errorf("no %s among\n%s", FunctionMissing, v)
	}
}
