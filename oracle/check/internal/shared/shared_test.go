package shared

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// linkOf is a link of the kernels k and l, the functions f and g, and d, which is called as one of the driver's; calls are "k>f l>g". Of each variable
// "a@16:8k,f" says where it lies, its length, and what names it; one of no length begins an array of unknown length.
func linkOf(t *testing.T, calls, variables string, sizes map[string]uint64) *check {
	t.Helper()
	c := &check{Applied: apply.New(link.New(1<<16, verdict.Options{}))}
	c.Out = &link.Output{Image: &image.Image{}}
	ids := map[string]*link.Identity{}
	for _, name := range strings.Fields("k l f g d") {
		id := &link.Identity{Name: strings.Replace(name, "d", "malloc", 1), Order: len(c.IDs), Info: byte(cuda.STTFunc), Def: &image.Symbol{}}
		id.Code = &link.Body{Names: []*link.Identity{id}, Owner: id, Section: &image.Section{Name: ".text." + name}, Mod: &link.Module{Image: &image.Image{Name: name + ".cubin"}}}
		if name == "k" || name == "l" {
			id.Other = cuda.STOEntry
		}
		ids[name] = id
		c.IDs = append(c.IDs, id)
	}
	for call := range strings.FieldsSeq(calls) {
		ids[call[:1]].Calls.Add(ids[call[2:]])
	}
	if err := c.Alive(); err != nil {
		t.Fatal(err)
	}
	c.Observed, c.Aligned, c.Uses = map[link.ObservedKey]uint64{}, map[link.ObservedKey]uint64{}, map[*link.Identity]*place.Use{}
	for v := range strings.FieldsSeq(variables) {
		var at, size uint64
		name, rest, _ := strings.Cut(v, "@")
		var users string
		if _, err := fmt.Sscanf(rest, "%d:%d%s", &at, &size, &users); err != nil {
			t.Fatal(v, err)
		}
		id := &link.Identity{Name: name, Order: len(c.IDs), Info: byte(cuda.STTCudaObject), Other: cuda.STOShared, Size: size, Align: 8, Def: &image.Symbol{}}
		u := &place.Use{}
		for user := range strings.SplitSeq(users, ",") {
			u.Functions = append(u.Functions, ids[user].Code)
			if size == 0 {
				c.Observed[link.ObservedKey{ID: id, Code: ids[user].Code}] = at
			}
		}
		if c.Uses[id] = u; size > 0 {
			c.Observed[link.ObservedKey{ID: id}] = at
			c.Shared = append(c.Shared, id)
		}
		c.IDs = append(c.IDs, id)
	}
	for name, size := range sizes {
		c.ByKey[link.AreaKey{Base: ".nv.shared.", Owner: ids[name].Code}] = &link.Area{Out: &image.Section{Size: size}}
	}
	return c
}

// TestShared puts variables where kernels may and may not have them.
func TestShared(t *testing.T) {
	both := map[string]uint64{"k": 32, "l": 32}
	for _, x := range []struct {
		calls, variables string
		sizes            map[string]uint64
		want             string
	}{
		{"", "a@0:16k b@16:16k", both, ""},
		{"", "a@0:16k b@8:16k", both, "shared.overlap b"},
		{"", "a@8:16k b@0:16k", both, "shared.overlap a"},
		{"", "a@0:32k b@8:8k c@24:8k", both, "shared.overlap b; shared.overlap c"},
		{"", "a@0:16k b@8:16l", both, ""},
		{"k>f", "a@0:16k b@8:16f", both, "shared.overlap b"},
		{"k>f f>g", "a@0:16k b@8:16g", both, "shared.overlap b"},
		{"k>f k>g", "a@0:16f b@8:16g", both, "shared.overlap b"},
		{"k>f l>g", "a@0:16f b@8:16g", both, ""},
		{"k>f k>g l>f l>g", "a@0:16f b@8:16g", both, "shared.overlap b"}, // told once
		{"k>f f>g g>f", "a@0:16f b@8:16g", both, "shared.overlap b"},
		{"k>f f>g g>f", "a@0:16f,g b@16:16g", both, ""},
		{"f>g", "a@0:16f b@8:16g", both, ""}, // no kernel calls them

		// Room.
		{"", "a@0:32k", both, ""},
		{"", "a@0:40k", both, "shared.size a"},
		{"", "a@0:40k b@40:8k", both, "shared.size a; shared.size b"},
		{"", "a@0:8k b@32:8k", both, "shared.size b"},
		{"", "a@0:8k", nil, "shared.size a"},
		{"", "a@0:8l", map[string]uint64{"k": 32}, "shared.size a"},
		{"k>f l>f", "a@0:16f", map[string]uint64{"k": 32, "l": 8}, "shared.size a"},
		{"k>f l>f", "a@0:16f", map[string]uint64{"k": 8, "l": 8}, "shared.size a; shared.size a"},

		// Alignment, and places that were never told.
		{"", "a@4:8k", both, "symbol.alignment a"},
		{"", "a@65535:8k", both, "shared.place a"},
		{"", "a@16777215:8k", both, "shared.place a"},
		{"", "a@4294967295:8k", both, "shared.place a"},
		{"", "a@65535:0k", both, "shared.place a"},

		// Arrays of unknown length follow everything else, and no further than the end.
		{"", "a@0:16k x@16:0k", both, ""},
		{"", "a@0:16k x@32:0k", both, ""},
		{"", "a@0:16k x@48:0k", both, "shared.size x"},
		{"", "a@0:24k x@16:0k", both, "shared.overlap x"},
		{"", "a@0:24k x@16:0l", both, ""},
		{"k>f", "a@0:24k x@16:0f", both, "shared.overlap x"},
		{"k>f f>g", "a@0:24k x@16:0g", both, "shared.overlap x"},
		{"k>f k>g", "a@0:24k x@16:0f y@32:0g", both, "shared.overlap x"},
		{"k>f k>g", "a@0:24k x@32:0f y@16:0g", both, "shared.overlap y"},
		{"k>f k>g", "x@16:0f y@48:0g", both, "shared.size y"},
		{"k>f l>f", "x@16:0f", map[string]uint64{"k": 32, "l": 0}, "shared.size x"},
		{"", "x@0:0k", map[string]uint64{}, ""},
		{"", "x@8:0k", both, "symbol.alignment x"},
		{"f>g", "x@8:0g", both, ""},

		// A function that is called as one of the driver's may have a section, for what it calls.
		{"d>f", "a@0:16f", map[string]uint64{}, ""},
		{"d>f", "a@0:16f", map[string]uint64{"d": 16}, ""},
		{"d>f", "a@0:16f", map[string]uint64{"d": 8}, "shared.size a"},
		{"d>g d>f f>g", "a@0:8f b@16:8g", map[string]uint64{"d": 16}, "shared.size b"},
		{"d>f f>g", "a@0:16g", map[string]uint64{"d": 0}, "shared.size a"},
		{"d>f", "a@0:16d b@0:8f", map[string]uint64{"d": 8}, ""}, // what it uses alone isn't in it
		{"d>d", "a@0:16d", map[string]uint64{"d": 8}, "shared.size a"},
		{"d>f f>d", "a@0:16d", map[string]uint64{"d": 8}, "shared.size a"},
		{"f>g", "a@0:16g", map[string]uint64{"f": 8}, ""},
	} {
		c := linkOf(t, x.calls, x.variables, x.sizes)
		if err := c.compareShared(); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range c.Verdict.Findings {
			list = append(list, f.Kind.String()+" "+f.Symbol)
		}
		slices.Sort(list)
		if got := strings.Join(list, "; "); got != x.want {
			t.Errorf("%s: %s: %q, want %q", x.calls, x.variables, got, x.want)
		}
	}
}

// TestNullPointer: with --reserve-null-pointer no variable of a kernel is at 0.
func TestNullPointer(t *testing.T) {
	for variables, want := range map[string]int{"a@0:8k": 1, "a@8:8k": 0, "a@0:8g": 0, "a@0:8k,g": 1} {
		for _, asked := range []bool{true, false} {
			c := linkOf(t, "", variables, map[string]uint64{"k": 32})
			c.Options.ReserveNull = asked
			if err := c.compareShared(); err != nil {
				t.Fatal(err)
			}
			if got := c.Verdict.Total; asked && got != want || !asked && got != 0 {
				t.Errorf("%s, asked %v: %s", variables, asked, c.Verdict)
			}
		}
	}
}

// TestReserved: the section of a kernel counts what the system keeps, and places don't.
func TestReserved(t *testing.T) {
	for size, want := range map[uint64]int{0x420: 0, 0x410: 1, 0x3ff: 1, 0x400: 1} {
		c := linkOf(t, "", "a@0:32k", map[string]uint64{"k": size})
		c.Reserved = 0x400
		if err := c.compareShared(); err != nil || c.Verdict.Total != want {
			t.Errorf("%#x: %s", size, c.Verdict)
		}
	}
}

// TestAlignedAsAsked: an array of unknown length begins where the code's own module wants it to.
func TestAlignedAsAsked(t *testing.T) {
	for asked, want := range map[uint64]string{0: "", 16: "", 32: "the kernel k uses x at 0x10, which is not a multiple of its alignment of 32 bytes"} {
		c := linkOf(t, "", "x@16:0k", map[string]uint64{"k": 32})
		for key := range c.Observed {
			c.Aligned[key] = asked
		}
		if err := c.compareShared(); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range c.Verdict.Findings {
			got += f.Detail
		}
		if got != want {
			t.Errorf("%d: %q, want %q", asked, got, want)
		}
	}
	c := linkOf(t, "k>f", "x@8:0f", map[string]uint64{"k": 32})
	if err := c.compareShared(); err != nil || !strings.Contains(c.Verdict.String(), "the function f, which the kernel k reaches, uses x at 0x8") {
		t.Errorf("%s", c.Verdict)
	}
}
