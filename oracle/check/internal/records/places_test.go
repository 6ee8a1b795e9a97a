package records

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// linkOf is a link that has nothing but its SASS side.
func linkOf() *check {
	c := &check{apply.New(link.New(1<<10, verdict.Options{}))}
	c.Out = &link.Output{Image: &image.Image{Side: image.SassSide}}
	return c
}

func function(name string) *link.Identity {
	return &link.Identity{Name: name, Info: byte(cuda.STTFunc)}
}

// coded is a static function with code.
func coded(name, code string) *link.Identity {
	f := function(name)
	f.Local, f.Code = true, &link.Body{Mod: &link.Module{Image: &image.Image{}}, Section: &image.Section{Body: []byte(code)}}
	return f
}

// instance stands for arrays of unknown length.
func instance() *link.Identity {
	return &link.Identity{Name: link.ExternInstance, Info: byte(cuda.STTCudaObject), Other: cuda.STOShared}
}

// told lists what a check found, by kind, place, and what was wanted and found.
func told(c *check) []string {
	var list []string
	for _, f := range c.Verdict.Findings {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d %s/%s", f.Kind, f.Offset, f.Want, f.Got)))
	}
	return list
}

// moved is a function of three words of which the output has another before the second; the third is gone.
func moved(name string) *link.Identity {
	f := function(name)
	f.Code = &link.Body{Area: &link.Area{Words: &sass.WordMap{To: []int32{0, 2, -1, 3}, From: []int32{0, -1, 1, 3}}}}
	return f
}

// TestPlaces holds records that have to stay against those of an output.
func TestPlaces(t *testing.T) {
	x, y := &link.Identity{Name: "x"}, &link.Identity{Name: "y"}
	k := func(offset uint64, id *link.Identity, addend int64) link.Kept {
		return link.Kept{Offset: offset, Kind: cuda.R_CUDA_64, Rela: true, Ref: link.Ref{ID: id}, Addend: addend}
	}
	of := func(k link.Kept, change func(k *link.Kept)) link.Kept {
		change(&k)
		return k
	}
	optional := func(k *link.Kept) { k.Optional = true }
	rel := func(k *link.Kept) { k.Rela = false }
	another := func(k *link.Kept) { k.Kind = cuda.R_CUDA_32 }
	fn, odd := function("f"), moved("m")
	data := &link.Area{Name: ".nv.global.init", Kind: cuda.SHTProgbits, Out: &image.Section{}, Covered: []link.Span{{From: 0, To: 64}}}
	debug := &link.Area{Name: ".debug_info", Kind: cuda.SHTProgbits, Out: &image.Section{}, Covered: data.Covered}
	memory := &link.Area{Name: ".nv.global", Kind: cuda.SHTNobits, Out: &image.Section{}}
	absent := &link.Area{Name: ".nv.constant3"}
	code := &link.Area{Name: ".text.f", Out: &image.Section{}}
	code.Owner = &link.Body{Area: code}
	for i, r := range []struct {
		area      *link.Area
		want, got []link.Kept
		says      string
	}{
		{data, []link.Kept{k(0, x, 0), k(8, y, 4)}, []link.Kept{k(8, y, 4), k(0, x, 0)}, ""},
		{data, []link.Kept{k(0, x, 0), k(8, y, 0)}, []link.Kept{k(0, x, 0)}, "relocation.missing 8 /"},
		{data, []link.Kept{k(0, x, 0), k(8, y, 0)}, []link.Kept{k(8, y, 0)}, "relocation.missing 0 /"},
		{data, []link.Kept{of(k(0, x, 0), optional)}, nil, ""},
		{data, []link.Kept{of(k(0, x, 0), func(k *link.Kept) { k.Dead = true })}, nil, ""},
		{data, []link.Kept{of(k(0, x, 0), func(k *link.Kept) { k.Lost = true })}, nil, "pointer.missing 0 /"},
		{code, []link.Kept{of(k(0, x, 0), func(k *link.Kept) { k.Lost = true })}, nil, "relocation.missing 0 /"},
		{data, []link.Kept{of(k(0, x, 0), func(k *link.Kept) { k.Lost = true })}, []link.Kept{k(0, y, 0)}, "relocation.symbol 0 x/y"},

		// One too many: in bytes that some input has, in code and memory, but not after all that.
		{data, nil, []link.Kept{k(0, x, 0)}, "relocation.stray 0 /"},
		{data, []link.Kept{k(8, x, 0)}, []link.Kept{k(8, x, 0), k(16, x, 0)}, "relocation.stray 16 /"},
		{data, nil, []link.Kept{k(64, x, 0)}, ""},
		{memory, nil, []link.Kept{k(64, x, 0)}, "relocation.stray 64 /"},
		{absent, nil, []link.Kept{k(64, x, 0)}, "relocation.stray 64 /"},
		{code, nil, []link.Kept{k(64, x, 0)}, "relocation.stray 64 /"},

		// Two at one place are distinguished by type.
		{data, []link.Kept{k(0, x, 0), of(k(0, y, 0), another)}, []link.Kept{of(k(0, y, 0), another), k(0, x, 0)}, ""},
		{data, []link.Kept{k(0, x, 0)}, []link.Kept{of(k(0, x, 0), another)}, "relocation.type 0 R_CUDA_64/R_CUDA_32"},
		{data, []link.Kept{of(k(0, x, 0), optional)}, []link.Kept{of(k(0, x, 0), another)}, "relocation.type 0 R_CUDA_64/R_CUDA_32"},

		// Symbols.
		{data, []link.Kept{k(0, x, 0)}, []link.Kept{k(0, y, 0)}, "relocation.symbol 0 x/y"},
		{data, []link.Kept{of(k(0, x, 0), optional)}, []link.Kept{k(0, y, 4)}, ""},
		{data, []link.Kept{k(0, x, 0)}, []link.Kept{k(0, nil, 0)}, "relocation.symbol 0 x/no symbol"},
		{data, []link.Kept{k(0, instance(), 8)}, []link.Kept{k(0, instance(), 8)}, ""},
		{data, []link.Kept{k(0, instance(), 8)}, []link.Kept{k(0, instance(), 16)}, "relocation.symbol 0 externsharedinstance/externsharedinstance"},
		{data, []link.Kept{k(0, instance(), 8)}, []link.Kept{k(0, x, 8)}, "relocation.symbol 0 externsharedinstance/x"},
		{data, []link.Kept{k(0, x, 8)}, []link.Kept{k(0, instance(), 8)}, "relocation.symbol 0 x/externsharedinstance"},
		{debug, []link.Kept{k(0, coded("s", "same"), 0)}, []link.Kept{k(0, coded("s", "same"), 0)}, ""},
		{data, []link.Kept{k(0, coded("s", "same"), 0)}, []link.Kept{k(0, coded("s", "same"), 0)}, "relocation.symbol 0 s/s"},
		{debug, []link.Kept{k(0, coded("s", "same"), 0)}, []link.Kept{k(0, coded("s", "else"), 0)}, "relocation.symbol 0 s/s"},
		{debug, []link.Kept{k(0, coded("s", "same"), 0)}, []link.Kept{k(0, coded("r", "same"), 0)}, "relocation.symbol 0 s/r"},
		{debug, []link.Kept{k(0, coded("s", "same"), 0)}, []link.Kept{k(0, nil, 0)}, "relocation.symbol 0 s/no symbol"},
		{debug, []link.Kept{k(0, nil, 0)}, []link.Kept{k(0, coded("s", "same"), 0)}, "relocation.symbol 0 no symbol/s"},
		{debug, []link.Kept{k(0, fn, 0)}, []link.Kept{k(0, coded("f", "same"), 0)}, "relocation.symbol 0 f/f"},
		{debug, []link.Kept{k(0, coded("f", "same"), 0)}, []link.Kept{k(0, fn, 0)}, "relocation.symbol 0 f/f"},
		{debug, []link.Kept{k(0, &link.Identity{Name: "l", Local: true}, 0)}, []link.Kept{k(0, coded("l", ""), 0)}, "relocation.symbol 0 l/l"},
		{debug, []link.Kept{k(0, coded("l", ""), 0)}, []link.Kept{k(0, &link.Identity{Name: "l", Local: true}, 0)}, "relocation.symbol 0 l/l"},

		// Addends, which a REL record has in its place.
		{data, []link.Kept{k(0, x, 4)}, []link.Kept{k(0, x, 8)}, "relocation.addend 0 4/8"},
		{data, []link.Kept{k(0, x, 4)}, []link.Kept{of(k(0, x, 4), rel)}, "relocation.addend 0 4/4"},
		{data, []link.Kept{of(k(0, x, 0), func(k *link.Kept) { k.Rela, k.Implicit = false, 12 })}, []link.Kept{k(0, x, 12)}, ""},
		{data, []link.Kept{of(k(0, x, 0), func(k *link.Kept) { k.Rela, k.Implicit = false, 12 })}, []link.Kept{k(0, x, 0)}, "relocation.addend 0 0/0"},
		{data, []link.Kept{of(k(0, x, 0), rel)}, []link.Kept{of(k(0, x, 0), rel)}, ""},
		{debug, []link.Kept{of(k(0, fn, 4), optional)}, []link.Kept{k(0, fn, 8)}, ""},
		{debug, []link.Kept{of(k(0, fn, 4), optional)}, []link.Kept{k(0, fn, 0)}, ""},
		{debug, []link.Kept{of(k(0, fn, 4), optional)}, []link.Kept{k(0, fn, -1)}, "relocation.addend 0 4/-1"},
		{debug, []link.Kept{k(0, fn, 4)}, []link.Kept{k(0, fn, 8)}, "relocation.addend 0 4/8"},
		{data, []link.Kept{of(k(0, fn, 4), optional)}, []link.Kept{k(0, fn, 8)}, "relocation.addend 0 4/8"},
		{debug, []link.Kept{of(k(0, x, 4), optional)}, []link.Kept{k(0, x, 8)}, "relocation.addend 0 4/8"},
		{debug, []link.Kept{of(k(0, nil, 4), optional)}, []link.Kept{k(0, nil, 8)}, "relocation.addend 0 4/8"},

		// Places in code whose words moved: a word may be what was inserted before it, and one that went the next.
		{data, []link.Kept{k(0, odd, 0)}, []link.Kept{k(0, odd, 16)}, "relocation.addend 0 0/16"},
		{data, []link.Kept{k(0, odd, 16)}, []link.Kept{k(0, odd, 32)}, ""},
		{data, []link.Kept{k(0, odd, 16)}, []link.Kept{k(0, odd, 0)}, "relocation.addend 0 16/0"},
		{data, []link.Kept{k(0, odd, 16)}, []link.Kept{k(0, odd, 48)}, "relocation.addend 0 16/48"},
		{data, []link.Kept{k(0, odd, 16)}, []link.Kept{k(0, odd, 20)}, "relocation.addend 0 16/20"},
		{data, []link.Kept{k(0, odd, 20)}, []link.Kept{k(0, odd, 32)}, "relocation.addend 0 20/32"},
		{data, []link.Kept{k(0, odd, 32)}, []link.Kept{k(0, odd, 48)}, ""},
		{data, []link.Kept{k(0, odd, -16)}, []link.Kept{k(0, odd, 0)}, "relocation.addend 0 -16/0"},
		{data, []link.Kept{k(0, odd, 128)}, []link.Kept{k(0, odd, 0)}, "relocation.addend 0 128/0"},
	} {
		c := linkOf()
		c.comparePlaces(r.area, slices.Clone(r.want), slices.Clone(r.got))
		if got := strings.Join(told(c), "; "); got != r.says {
			t.Errorf("%d: %q, want %q", i, got, r.says)
		}
	}
	c := linkOf()
	c.Out.Side = image.Whole
	c.comparePlaces(debug, []link.Kept{of(k(0, fn, 4), optional)}, []link.Kept{k(0, fn, 8)})
	if len(told(c)) != 1 {
		t.Errorf("a file with one side has no code of another finalizer: %s", told(c))
	}
}

// TestEnd wants an addend at the end of code to be at the end of the output's.
func TestEnd(t *testing.T) {
	f := moved("f")
	f.Code.Area.Words.From = append(f.Code.Area.Words.From, -1)
	for at, want := range map[int64]bool{80: true, 64: false, 96: false} {
		if got := linkOf().leadsInto(f, 64, at); got != want {
			t.Errorf("%d: %v", at, got)
		}
	}
	f.Code.Area.Words.To[3] = -1
	if linkOf().leadsInto(f, 48, 64) {
		t.Error("no word is left behind the place")
	}
	for _, none := range []*link.Identity{nil, {}, {Code: &link.Body{}}, {Code: &link.Body{Area: &link.Area{}}}} {
		if linkOf().leadsInto(none, 0, 0) {
			t.Errorf("%+v", none)
		}
	}
}

// TestSameTable takes the start of a part of a line table for that of another with the same bytes.
func TestSameTable(t *testing.T) {
	m, other := &link.Module{Image: &image.Image{}}, &link.Module{Image: &image.Image{}}
	table := func(m *link.Module, base uint64, placed bool) *link.Part {
		return &link.Part{Mod: m, Section: &image.Section{Body: []byte("none"), Size: 4}, Base: base, Placed: placed}
	}
	for i, x := range []struct {
		parts     []*link.Part
		want, got int64
		mod       *link.Module
		same      bool
	}{
		{[]*link.Part{table(m, 4, true)}, 4, 8, m, true},
		{[]*link.Part{table(m, 4, true)}, 4, 0, m, false},
		{[]*link.Part{table(m, 4, true)}, 4, -1, m, false},
		{[]*link.Part{table(m, 4, true)}, -4, 8, m, false},
		{[]*link.Part{table(m, 4, true)}, 4, 8, nil, false},
		{[]*link.Part{table(m, 0, true)}, 4, 8, m, false},
		{[]*link.Part{table(m, 4, false)}, 4, 8, m, false},
		{[]*link.Part{table(other, 4, true)}, 4, 8, m, false},
		{[]*link.Part{table(m, 0, true)}, 0, 8, m, true},
		{[]*link.Part{table(m, 8, true)}, 8, 4, m, true},
	} {
		a := &link.Area{Name: ".debug_line", Parts: x.parts, Out: &image.Section{Body: []byte("elsenonenone"), Size: 12}}
		w := link.Kept{Ref: link.Ref{Area: a}, Mod: x.mod, Addend: x.want}
		if got := linkOf().namesSameInDebug(w, link.Kept{Addend: x.got}); got != x.same {
			t.Errorf("%d: %v", i, got)
		}
	}
	if linkOf().namesSameInDebug(link.Kept{Mod: m}, link.Kept{}) {
		t.Error("no section")
	}
}
