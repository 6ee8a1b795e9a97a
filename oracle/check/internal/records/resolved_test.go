package records

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// TestResolved holds what --preserve-relocs wrote down against what was applied.
func TestResolved(t *testing.T) {
	x, y := &link.Identity{Name: "x"}, &link.Identity{Name: "y"}
	constant := &link.Identity{Name: "c", At: &link.Area{Name: ".nv.constant3"}}
	variable := &link.Identity{Name: "v", At: &link.Area{Name: ".nv.global"}}
	array := &link.Identity{Name: "s", Info: byte(cuda.STTCudaObject), Other: cuda.STOShared}
	ids := []*link.Identity{nil, x, y, constant, variable, array}
	k := func(offset uint64, id *link.Identity, addend int64) link.Kept {
		return link.Kept{Offset: offset, Kind: cuda.R_CUDA_64, Rela: true, Ref: link.Ref{ID: id}, Addend: addend}
	}
	optional := func(k link.Kept) link.Kept { k.Optional = true; return k }
	area := func(name string, list ...link.Kept) *link.Area {
		return &link.Area{Name: name, Size: 64, Out: &image.Section{}, Resolved: list}
	}
	changed := func(a *link.Area, change func(a *link.Area)) *link.Area { change(a); return a }
	frame, code := area(".debug_frame", k(0, x, 0)), area(".text.j", k(0, y, 0))
	left := map[string][]link.Kept{".text.j": {k(0, y, 0)}} // what stands after -r that applied what frames ask for
	for i, r := range []struct {
		areas []*link.Area
		got   map[string][]link.Kept // by section
		says  string
	}{
		{[]*link.Area{area(".text.k", k(0, x, 0), k(8, y, 4))}, map[string][]link.Kept{".text.k": {k(8, y, 4), k(0, x, 0)}}, ""},
		{[]*link.Area{area(".text.k", k(0, x, 0), k(8, y, 4))}, map[string][]link.Kept{".text.k": {k(0, x, 0)}}, "resolved.missing .nv.resolvedrela.text.k 8 y+4"},
		{[]*link.Area{area(".text.k", k(0, x, 0))}, nil, "resolved.missing .nv.resolvedrela.text.k 0 x+0"},
		{[]*link.Area{area(".text.k", optional(k(0, x, 0)))}, nil, ""},
		{[]*link.Area{area(".text.k", k(0, x, 0), k(0, x, 0))}, map[string][]link.Kept{".text.k": {k(0, x, 0)}}, "resolved.missing .nv.resolvedrela.text.k 0 x+0"},
		{[]*link.Area{area(".text.k", k(0, x, 0))}, map[string][]link.Kept{".text.k": {k(0, x, 0), k(0, x, 0)}}, "resolved.stray .nv.resolvedrela.text.k 0 x+0"},
		{[]*link.Area{area(".text.k", k(0, x, 0))}, map[string][]link.Kept{".text.k": {k(0, x, -4)}}, "resolved.stray .nv.resolvedrela.text.k 0 x-4; resolved.missing .nv.resolvedrela.text.k 0 x+0"},
		{[]*link.Area{area(".text.k", k(0, x, 0))}, map[string][]link.Kept{".text.k": {k(0, y, 0)}}, "resolved.stray .nv.resolvedrela.text.k 0 y+0; resolved.missing .nv.resolvedrela.text.k 0 x+0"},
		{[]*link.Area{area(".text.k", k(0, x, 0))}, map[string][]link.Kept{".text.k": {k(0, x, 0), k(8, array, 0)}}, ""},
		{[]*link.Area{area(".text.k", k(0, x, 0))}, map[string][]link.Kept{".text.k": {k(0, x, 0), k(8, nil, 0)}}, "resolved.stray .nv.resolvedrela.text.k 8 no symbol+0"},
		{nil, map[string][]link.Kept{".text.j": {k(0, x, 0)}}, "resolved.stray .nv.resolvedrela.text.j 0 x+0"},
		{[]*link.Area{frame, code}, nil, "resolved.missing .nv.resolvedrela.debug_frame 0 x+0; resolved.missing .nv.resolvedrela.text.j 0 y+0"},

		// Static functions of one name share a section.
		{[]*link.Area{area(".text.k", k(0, x, 0)), area(".text.k", k(8, y, 0))}, map[string][]link.Kept{".text.k": {k(8, y, 0), k(0, x, 0)}}, ""},

		// Nothing is written down of what is not there, or of debug information that was stripped.
		{[]*link.Area{changed(area(".text.k", k(0, x, 0)), func(a *link.Area) { a.Moved = true })}, nil, ""},
		{[]*link.Area{changed(area(".debug_info", k(0, x, 0)), func(a *link.Area) { a.Out = nil })}, nil, ""},
		{[]*link.Area{changed(area(".text.k", k(0, x, 0)), func(a *link.Area) { a.Out = nil })}, nil, "resolved.missing .nv.resolvedrela.text.k 0 x+0"},
		{[]*link.Area{area(".debug_info", k(0, x, 0))}, nil, "resolved.missing .nv.resolvedrela.debug_info 0 x+0"},

		// Places in code are those of the output's words.
		{[]*link.Area{changed(area(".text.k", k(16, x, 0)), func(a *link.Area) { a.Words = &sass.WordMap{To: []int32{0, 2}, From: []int32{0, -1, 1}} })},
			map[string][]link.Kept{".text.k": {k(32, x, 0)}}, ""},

		// After -r that applied what call frames and constants ask for.
		{[]*link.Area{frame, code, area(".text.k", k(0, constant, 0))}, left, ""},
		{[]*link.Area{frame, code, area(".text.k", k(0, variable, 0))}, left, "resolved.missing .nv.resolvedrela.text.k 0 v+0"},
		{[]*link.Area{frame, code, area(".text.k", k(0, x, 0))}, left, "resolved.missing .nv.resolvedrela.text.k 0 x+0"},
		{[]*link.Area{frame, code, area(".text.k", k(0, nil, 0))}, left, "resolved.missing .nv.resolvedrela.text.k 0 no symbol+0"},
		{[]*link.Area{frame, code, area(".debug_info", k(0, y, 0))}, left, ""},
	} {
		for _, asked := range []bool{true, false} {
			c := linkOf()
			c.Options.PreserveRelocs, c.Areas, c.Release = asked, r.areas, twoSteps
			c.Out.Refs = make([]link.Ref, len(ids))
			for n, id := range ids {
				c.Out.Refs[n].ID = id
			}
			for _, name := range slices.Sorted(keys(r.got)) {
				l := link.Relocs{Section: &image.Section{Name: resolvedPrefix + name}}
				for _, g := range r.got[name] {
					l.List = append(l.List, image.Record{Offset: g.Offset, Kind: g.Kind, Symbol: uint32(slices.Index(ids, g.Ref.ID)), Addend: g.Addend, Rela: true})
				}
				c.Out.Lists = append(c.Out.Lists, l, link.Relocs{Section: &image.Section{Name: ".rela.text.j"}, List: l.List})
			}
			if err := c.compareResolved(); err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, f := range c.Verdict.Findings {
				list = append(list, fmt.Sprintf("%s %s %d %s", f.Kind, f.Section, f.Offset, f.Want))
			}
			want := r.says
			if !asked {
				want = ""
			}
			if got := strings.Join(list, "; "); got != want {
				t.Errorf("%d: %q, want %q", i, got, want)
			}
		}
	}
}

func keys(lists map[string][]link.Kept) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range lists {
			if !yield(k) {
				return
			}
		}
	}
}

// TestLists finds the records of each section, and those of none.
func TestLists(t *testing.T) {
	x := &link.Identity{Name: "x"}
	data := &link.Area{Name: ".nv.global.init", Kind: cuda.SHTProgbits, Covered: []link.Span{{From: 0, To: 64}},
		Kept: []link.Kept{{Offset: 8, Kind: cuda.R_CUDA_64, Rela: true, Ref: link.Ref{ID: x}, Addend: 4}}}
	dead := &link.Body{}
	for i, r := range []struct {
		edit func(c *check)
		says string
	}{
		{func(*check) {}, ""},
		{func(c *check) { c.Out.Lists[0].List = nil }, "relocation.missing 8 /"},
		{func(c *check) { c.Out.Lists[0].List[0].Offset = 64 }, "relocation.stray 64 /; relocation.missing 8 /"},
		{func(c *check) { c.Out.Lists[0].List[0].Offset = 63 }, "relocation.missing 8 /; relocation.stray 63 /"},
		{func(c *check) { c.Out.Lists[0].List[0].Rela = false }, "relocation.addend 8 4/4"},
		{func(c *check) { c.Out.Lists[0].List[0].Symbol = 0 }, "relocation.symbol 8 x/no symbol"},
		{func(c *check) { c.Out.Lists[0].Section.Kind = cuda.SHTCudaResolvedRela }, "relocation.missing 8 /"},
		{func(c *check) { c.Out.Areas[1] = nil }, "section.stray 0 /; relocation.missing 8 /"},
		{func(c *check) { c.Out.Areas[1], c.Out.Sections[1].Flags = nil, 0 }, "relocation.missing 8 /"},
		{func(c *check) { c.Areas[0].Moved, c.Out.Lists = true, nil }, ""},
		{func(c *check) { c.Areas[0].Out, c.Out.Lists = nil, nil }, ""},
		{func(c *check) { c.Areas[0].Owner, c.Out.Lists = dead, nil }, ""},
		{func(c *check) { c.Areas[0].Owner, c.Out.Lists = &link.Body{Live: true}, nil }, "relocation.missing 8 /"},
		{func(c *check) { c.Areas[0].Name, c.Out.Lists = ".debug_line", nil }, ""}, // rewritten
	} {
		c := linkOf()
		a := *data
		a.Out = &image.Section{Index: 1, Name: ".nv.global.init", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc, Size: 64}
		c.Areas = []*link.Area{&a}
		c.Out.Sections, c.Out.Areas, c.Out.Bodies = []image.Section{{}, *a.Out}, []*link.Area{nil, &a}, make([]*link.Body, 2)
		c.Out.Refs = []link.Ref{{}, {ID: x}}
		c.Out.Lists = []link.Relocs{{Section: &image.Section{Kind: cuda.SHTRela, Name: ".rela.nv.global.init"}, Target: 1,
			List: []image.Record{{Offset: 8, Kind: cuda.R_CUDA_64, Symbol: 1, Addend: 4, Rela: true}}}}
		r.edit(c)
		if err := c.compareRecords(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(told(c), "; "); got != r.says {
			t.Errorf("%d: %q, want %q", i, got, r.says)
		}
		if i == 0 && c.Verdict.Kept != 1 {
			t.Errorf("%d records were held against the inputs", c.Verdict.Kept)
		}
	}
}
