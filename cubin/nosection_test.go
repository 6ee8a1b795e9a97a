package cubin_test

import (
	"errors"
	"math"
	"testing"

	"github.com/twinlink/twinlink/cubin"
)

// Whatever an editor is asked of a section that isn't there, it says so, or has nothing.
func TestNoSection(t *testing.T) {
	name, data := shortest(t, "13.5-sm_110-linked")
	d := decode(t, name, data)
	for _, i := range []int{-1, d.NumSections(), d.NumSections() + 1, math.MaxInt, math.MinInt} {
		_, relocs := d.Relocs(i)
		_, info := d.Info(i)
		_, notes := d.Notes(i)
		_, pairs := d.Pairs(i)
		_, groups := d.Callgraph(i)
		_, symbols := d.Symbols(i)
		_, intern := d.Intern(i, "name")
		_, dropped := d.Drop([]int{i}, nil)
		_, droppedOf := d.Drop(nil, map[int][]int{i: {1}})
		for what, err := range map[string]error{"records": relocs, "facts": info, "notes": notes, "pairs": pairs, "groups": groups, "symbols": symbols, "a name": intern,
			"dropping it": dropped, "dropping a symbol of it": droppedOf, "putting records": d.SetRelocs(i, nil), "putting facts": d.SetInfo(i, nil), "putting notes": d.SetNotes(i, nil),
			"putting pairs": d.SetPairs(i, nil), "putting groups": d.SetCallgraph(i, nil), "putting symbols": d.SetSymbols(i, nil), "putting bytes": d.SetData(i, nil),
			"changing bytes": d.Patch(i, 0, []byte{1}), "putting a tail": d.SetTail(i, nil), "renaming": d.Rename(i, "name"), "a symbol more": d.InsertSymbol(i, 1, cubin.Sym{})} {
			if !errors.Is(err, &cubin.Error{Kind: cubin.BadIndex}) {
				t.Errorf("section %d, %s: %v", i, what, err)
			}
		}
		if d.Part(i) != nil || d.SectionName(i) != "" || d.Data(i) != nil || d.Tail(i) != nil {
			t.Errorf("section %d has something", i)
		}
		if s, ok := d.String(i, 0); ok {
			t.Errorf("section %d has the name %q", i, s)
		}
	}
	same(t, name, encode(t, d), data)
}
