package check

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/internal/relayout"
)

// TestAcceptsLayouts writes nvlink's links in other layouts, each in one way and all in all ways at once: another linker
// that is right numbers sections and symbols, orders tables and lays out files and memory as it likes.
func TestAcceptsLayouts(t *testing.T) {
	n := 0
	for name, c := range checkable(t) {
		inputs, options := inputsOf(c), optionsOf(c)
		if !Check(inputs, c.Output, options).Agrees() {
			continue
		}
		n++
		for _, way := range []relayout.Way{relayout.Ways[n%len(relayout.Ways)], relayout.All} {
			seed := uint64(len(name)) + uint64(len(c.Output))
			other, err := relayout.File(c.Output, way, seed)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if v := Check(inputs, other, options); !v.Agrees() {
				t.Errorf("%s in another layout (%s, seed %d):\n%s", name, way, seed, v)
			}
		}
	}
	if n < 650 {
		t.Errorf("%d links", n)
	}
}

// TestRejectsInLayouts plants defects into links and writes those in other layouts: what is wrong stays so.
func TestRejectsInLayouts(t *testing.T) {
	planted := map[string]bool{}
	for i, c := range linkedCases(t) {
		if i%11 != 0 {
			continue
		}
		inputs, options, of := inputsOf(c), optionsOf(c), editorOf(t, c)
		for _, d := range defects {
			if !slices.ContainsFunc(d.want, func(k Kind) bool { return k != SegmentCover && k != SymbolOrder && k != Unreadable }) {
				continue // program headers and the number of local symbols are rewritten
			}
			e := &editor{check: of.check, out: of.out, bytes: slices.Clone(c.Output)}
			if planted[d.name] || !d.plant(e) || Check(inputs, e.bytes, options).Agrees() {
				continue
			}
			other, err := relayout.File(e.bytes, relayout.Symbols|relayout.Names|relayout.Places|relayout.Tables|relayout.Sections, uint64(len(d.name)))
			if err != nil {
				continue // it can't be read
			}
			planted[d.name] = true
			if v := Check(inputs, other, options); v.Agrees() {
				t.Errorf("%s: %s: accepted in another layout", c.ID(), d.name)
			}
		}
	}
	if len(planted) < 80 {
		t.Errorf("%d kinds of defects", len(planted))
	}
}
