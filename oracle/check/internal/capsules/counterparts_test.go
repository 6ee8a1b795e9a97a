package capsules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/said"
)

// recorded gives a section of an output records at "place:symbol".
func recorded(o *link.Output, s *image.Section, kind cuda.SectionType, list string) {
	var records []image.Record
	for r := range strings.FieldsSeq(list) {
		var x image.Record
		if _, err := fmt.Sscanf(r, "%d:%d", &x.Offset, &x.Symbol); err != nil {
			panic(err)
		}
		records = append(records, x)
	}
	if o.ListsOf == nil {
		o.ListsOf = map[int][]int{}
	}
	o.ListsOf[s.Index] = append(o.ListsOf[s.Index], len(o.Lists))
	o.Lists = append(o.Lists, link.Relocs{Section: &image.Section{Kind: kind}, Target: s.Index, List: records})
}

// paired is a check of two sides which have these sections with records.
func paired(t *testing.T, nameSass, recordsSass, nameMerc, recordsMerc string) *check {
	t.Helper()
	c, _ := capsuled(t, "p 41", "p 41", "mm", "mm", false, moved(2, 0, 1))
	side := func(at int, name, records string) *link.Output {
		list := []image.Section{{}, {Index: 1}, {Index: 2}, {Index: 3}}
		list[at].Name = name
		o := &link.Output{Image: &image.Image{Sections: list, All: list, Side: image.MercurySide, Symbols: []image.Symbol{{}, {Name: "a"}, {Name: "b"}}}}
		recorded(o, &list[at], cuda.SHTRela, records)
		return o
	}
	c.Sass.Out, c.Out = side(2, nameSass, recordsSass), side(1, nameMerc, recordsMerc)
	return c
}

// inside is a function that begins at a place of its code.
func inside(at uint64) *link.Identity {
	return &link.Identity{Info: byte(cuda.STTFunc), Def: &image.Symbol{Value: at}}
}

// TestCounterparts wants the records of both sides alike.
func TestCounterparts(t *testing.T) {
	const sass, merc = link.UserBank, link.UserBankMerc
	of := func(section string, at int, symbol string) string {
		if symbol != "" {
			symbol = " symbol " + symbol
		}
		return fmt.Sprintf(" %s+0x%x%s", section, at, symbol)
	}
	missing := func(section string, at int, symbol string) string {
		return "relocation.missing" + of(section, at, symbol) + " (the SASS side has this record)"
	}
	stray := func(section string, at int, symbol string) string {
		return "relocation.stray" + of(section, at, symbol) + " (the SASS side has no such record)"
	}
	for i, x := range []struct {
		sass, in, merc, is string
		change             func(c *check)
		want               string
	}{
		{sass, "0:1 8:2", merc, "0:1 8:2", nil, ""},
		{sass, "8:2 0:1", merc, "0:1 8:2", nil, ""},
		{sass, "0:1 8:2", merc, "0:1", nil, missing(merc, 8, "b")},
		{sass, "0:1", merc, "0:1 8:2", nil, stray(merc, 8, "b")},
		{sass, "0:1", merc, "0:2", nil, missing(merc, 0, "a") + "\n" + stray(merc, 0, "b")},
		{sass, "0:1", merc, "8:1", nil, missing(merc, 0, "a") + "\n" + stray(merc, 8, "a")},
		{sass, "0:1 4:1 4:2 8:1", merc, "", nil, missing(merc, 0, "a") + "\n" + missing(merc, 4, "a") + "\n" + missing(merc, 4, "b") + "\n" + missing(merc, 8, "a")},
		{sass, "0:2", merc, "0:3", nil, missing(merc, 0, "b") + "\n" + stray(merc, 0, "")},
		{sass, "0:1", merc, "8:1", func(c *check) { c.Relocatable = true }, ""},
		{sass, "0:1", merc, "8:1", func(c *check) { c.Sass = nil }, ""},
		{sass, "0:1", merc, "8:1", func(c *check) { c.Sass.Out = nil }, ""},
		{sass, "0:1", ".nv.other", "8:1", nil, ""},
		{".nv.other", "0:1", merc, "8:1", nil, ""},
		{sass, "0:1", merc, "0:1", func(c *check) { recorded(c.Out, &c.Out.Sections[1], cuda.SHTCudaResolvedRela, "8:1") }, ""},
		{sass, "0:1", merc, "0:1", func(c *check) { recorded(c.Out, &c.Out.Sections[1], cuda.SHTRel, "8:1") }, stray(merc, 8, "a")},

		// What names a function inside a kernel is on the Mercury side alone.
		{sass, "0:1", merc, "0:1 8:2", func(c *check) { c.Out.Refs = []link.Ref{{}, {}, {ID: inside(64)}} }, ""},
		{sass, "0:1", merc, "0:1 8:2", func(c *check) { c.Out.Refs = []link.Ref{{}, {}, {ID: inside(0)}} }, stray(merc, 8, "b")},
		{sass, "0:1", merc, "0:1 8:2", func(c *check) { c.Out.Refs = []link.Ref{{}, {ID: inside(64)}} }, missing(merc, 0, "a") + "\n" + stray(merc, 8, "b")},

		// What variables hold: places alone.
		{initialized, "0:1 8:2", initialized, "0:2 8:1", nil, ""},
		{initialized, "0:1 8:2", initialized, "0:2", nil, missing(initialized, 8, "")},
		{initialized, "0:1", initialized, "4:1", nil, missing(initialized, 0, "") + "\n" + stray(initialized, 4, "")},
	} {
		c := paired(t, x.sass, x.in, x.merc, x.is)
		if x.change != nil {
			x.change(c)
		}
		if err := Counterparts(c.Applied); err != nil || said.Lines(&c.Verdict) != x.want {
			t.Errorf("%d: %v %s\nwant %s", i, err, said.Lines(&c.Verdict), x.want)
		}
	}
}

// TestCounterpartSlots wants the slots for images alike, from the first of a kernel's on.
func TestCounterpartSlots(t *testing.T) {
	const bank = link.ImageBank + "k"
	for i, x := range []struct {
		in, is string
		change func(c *check, k *link.Identity)
		want   string
	}{
		{"352:1 360:2", "0:1 8:2", nil, ""},
		{"360:2 352:1", "8:1 16:2", nil, ""},
		{"352:1 360:2", "0:2 8:1", nil, "relocation.missing B+0x0 symbol a (S)\nrelocation.missing B+0x8 symbol b (S)\nrelocation.stray B+0x0 symbol b (M)\nrelocation.stray B+0x8 symbol a (M)"},
		{"352:1", "16:1 24:2", nil, "relocation.stray B+0x18 symbol b (M)"},
		{"352:1 368:2", "0:1 8:2", nil, "relocation.missing B+0x10 symbol b (S)\nrelocation.stray B+0x8 symbol b (M)"},
		{"", "16:1", nil, "relocation.stray B+0x10 symbol a (M)"},
		{"352:1", "0:2", func(_ *check, k *link.Identity) { k.Local = true }, ""},
		{"352:1", "0:2", func(c *check, k *link.Identity) { c.Sass.Names["k"] = nil }, ""},
		{"352:1", "0:2", func(c *check, k *link.Identity) { c.Sass.Names["k"].Code = nil }, ""},
		{"352:1", "0:2", func(c *check, k *link.Identity) { c.ByKey = nil }, ""},
		{"352:1", "0:2", func(c *check, k *link.Identity) { c.SlotBank(k).Out = nil }, ""},
		{"352:1", "0:2", func(c *check, k *link.Identity) { c.Sass.ByKey = nil }, ""},
	} {
		c := paired(t, ".nv.constant0.k", x.in, bank, x.is)
		k, other := &link.Identity{Name: "k", Code: &link.Body{}}, &link.Identity{Name: "k", Code: &link.Body{}}
		c.Kernels = []*link.Identity{k}
		c.Sass.Names = map[string]*link.Identity{"k": other}
		c.ByKey[link.AreaKey{Base: link.ImageBank, Owner: k.Code}] = &link.Area{Out: &c.Out.Sections[1]}
		c.Sass.ByKey = map[link.AreaKey]*link.Area{{Base: ".nv.constant0.", Owner: other.Code}: {Out: &c.Sass.Out.Sections[2]}}
		if x.change != nil {
			x.change(c, k)
		}
		want := strings.NewReplacer("B+", bank+"+", "(S)", "(the SASS side has this record)", "(M)", "(the SASS side has no such record)").Replace(x.want)
		if err := Counterparts(c.Applied); err != nil || said.Lines(&c.Verdict) != want {
			t.Errorf("%d: %v %s\nwant %s", i, err, said.Lines(&c.Verdict), want)
		}
	}
}

// TestCounterpartsBudget ends where there is too much.
func TestCounterpartsBudget(t *testing.T) {
	for left, want := range []bool{true, true, true, false} {
		c := paired(t, link.UserBank, "0:1 8:2", link.UserBankMerc, "0:1")
		c.Budget = image.NewBudget(0)
		if err := c.Budget.Spend("", 1<<22-uint64(left)); err != nil {
			t.Fatal(err)
		}
		if err := Counterparts(c.Applied); (err != nil) != want {
			t.Errorf("%d steps are left: %v", left, err)
		}
	}
}
