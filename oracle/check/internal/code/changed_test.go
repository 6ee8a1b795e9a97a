package code

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// TestWordFields changes a word of code that has fields, or bytes that may be anything.
func TestWordFields(t *testing.T) {
	const field = "relocation.field in: .text.f+0x10 symbol v relocation R_CUDA_32 want 0278040000000000000f000000000000 got 0278040001000000000f000000000000"
	const other = "+0x10 want 0278040000000000000f000000000000 got 0278040001000000000f000000000000 another"
	for i, x := range []struct {
		offset, size, from, to uint64
		want                   string
	}{
		{0x14, 4, 0, 0, field},
		{0x12, 3, 0, 0, field},
		{0x12, 2, 0, 0, other},
		{0x15, 4, 0, 0, other},
		{0x14, 4, 0x14, 0x15, ""},
		{0x14, 4, 0x15, 0x20, field},
		{0x14, 4, 0x10, 0x14, field},
		{0, 0, 0, 0x14, other},
	} {
		c, a := coded(t, "m m e", "m/9 M e", nil)
		a.Fields = []link.Field{{Offset: x.offset, Size: x.size, Rec: image.Record{Kind: uint32(cuda.R_CUDA_32), Symbol: 5}, Mod: a.Owner.Mod,
			As: uint32(cuda.R_CUDA_32), Before: make([]byte, 4), In: oracle.Inputs{Rela: true, S: 7}}}
		a.Free = []link.Span{{From: x.from, To: x.to}}
		want := x.want
		if want == "" {
			want = "! +0x0 (1 instructions rescheduled, soundly)" // which is judged where no word is wrong
		}
		if err := c.compareCode(a); err != nil || told(c) != want {
			t.Errorf("%d: %v %s, want %s", i, err, told(c), want)
		}
		if (c.Verdict.Trace != nil) != (x.want == field) {
			t.Errorf("%d: the account of the field is there: %v", i, c.Verdict.Trace != nil)
		}
	}
}

// TestReleases: 12.8 and 12.9 leave code as it came, and releases after 13.0 make some of theirs again.
func TestReleases(t *testing.T) {
	const anew = "! code.schedule in: .text.f+0x0 (rescheduled, but 12.8 and 12.9 don't change code)"
	const sound = "! +0x0 (1 instructions rescheduled, soundly)"
	const other = "+0x0 want 0278040000000000000f000000000000 got 0278040001000000000f000000000000 (an instruction that is not the input's, in code of 12.8 or 12.9, for which later releases use other instructions)"
	for i, x := range []struct {
		release oracle.Release
		out     string
		want    string
	}{
		{127, "m/9 e", sound},
		{128, "m/9 e", anew + "\n" + sound},
		{129, "m/9 e", anew + "\n" + sound},
		{130, "m/9 e", sound},
		{129, "m e", ""},
		{129, "n m e", "sound"},
		{129, "n m/9 e", sound},
		{130, "M e", "+0x0 want 0278040000000000000f000000000000 got 0278040001000000000f000000000000 another"},
		{131, "M e", "? " + other},
		{131, "m/9 e", sound},
	} {
		c, a := coded(t, "m e", x.out, nil)
		c.Release = x.release
		if err := c.compareCode(a); err != nil || told(c) != x.want {
			t.Errorf("%d: %v %s, want %s", i, err, told(c), x.want)
		}
		if a.Words.Strange != (x.release > 130 && x.out[0] == 'M') {
			t.Errorf("%d: strange: %v", i, a.Words.Strange)
		}
	}
}

// block is what is said of one function's registers: "kind name machine from to" each.
func block(name string, entries ...registerEntry) []byte {
	four := func(n uint64) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)} }
	b := append([]byte(name), 0)
	b = append(b, four(uint64(len(entries)))...)
	for _, e := range entries {
		b = append(append(append(b, four(e.kind)...), e.name...), 0)
		b = append(append(append(b, four(e.machine)...), four(e.from)...), four(e.to)...)
	}
	return b
}

// TestRegisters holds the registers of functions against the inputs'.
func TestRegisters(t *testing.T) {
	one, two := registerEntry{1, 4, "%r1", 16, 64}, registerEntry{1, 5, "%r2", 32, 48}
	with := func(e registerEntry, change func(e *registerEntry)) registerEntry { change(&e); return e }
	whole := block("f", one, two)
	const wrong = "section.bytes .nv_debug_info_reg_sass+0x0 (registers that are not the input's)"
	moves := func(c *check, _ *link.Area) { c.IDs[0].Code.Area.Words = mapOf(5, 0, 2, 3, 4) }
	for i, x := range []struct {
		in, out []byte
		change  func(c *check, a *link.Area)
		want    string
	}{
		{whole, whole, nil, ""},
		{whole, block("f", two, one), nil, ""},
		{whole, block("f", one, two, with(one, func(e *registerEntry) { e.machine, e.from, e.to = 9, 0, 8 })), nil, ""}, // of more words
		{whole, block("f", one), nil, wrong},
		{whole, block("f", one, two, with(one, func(e *registerEntry) { e.name = "%r3" })), nil, wrong},
		{whole, block("f", one, two, with(one, func(e *registerEntry) { e.kind = 2 })), nil, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.kind = 2 }), two), nil, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.name = "%r2" }), two), nil, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.machine = 5 }), two), nil, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.from = 32 }), two), nil, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.to = 48 }), two), nil, ""},
		{whole, block("f", with(one, func(e *registerEntry) { e.to = 65 }), two), nil, wrong},
		// A range that begins earlier, before fences and before other words.
		{whole, block("f", with(one, func(e *registerEntry) { e.from = 0 }), two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("m r e") }, ""},
		{whole, block("f", with(one, func(e *registerEntry) { e.from = 0 }), two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("r m r e") }, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.from = 0 }), two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("m") }, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.from, e.to = 0, 16 }), two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("m r e") }, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.from, e.to = 0, 65 }), two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("m r e") }, wrong},
		{block("f", with(one, func(e *registerEntry) { e.from = 48 }), two), block("f", one, two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("m m f r e") }, ""},
		{block("f", with(one, func(e *registerEntry) { e.from = 48 }), two), block("f", one, two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("m m f m e") }, wrong},
		{block("f", with(one, func(e *registerEntry) { e.from = 48 }), two), block("f", one, two), func(c *check, _ *link.Area) { c.IDs[0].Code.Section.Body = sassOf("m m m r e") }, wrong},
		{block("f", with(one, func(e *registerEntry) { e.to = 8 })), block("f", with(one, func(e *registerEntry) { e.from, e.to = 0, 8 })), nil, ""},
		{block("f", with(one, func(e *registerEntry) { e.to = 8 })), block("f", with(one, func(e *registerEntry) { e.from, e.to = 0, 9 })), nil, wrong},
		{block("f", with(one, func(e *registerEntry) { e.to = 16 })), block("f", with(one, func(e *registerEntry) { e.from, e.to = 0, 16 })), nil, wrong},

		{whole, block("g", one, two), nil, "section.bytes .nv_debug_info_reg_sass+0x0 symbol g (registers that are not the input's)"},
		{whole, append(whole, whole...), nil, "section.bytes .nv_debug_info_reg_sass+0x0 (registers of 2 functions, the inputs have 1)"},
		{whole, whole[:len(whole)-1], nil, "section.bytes .nv_debug_info_reg_sass+0x0 (registers of 1 functions, the inputs have 1)"},
		{whole, nil, nil, "section.bytes .nv_debug_info_reg_sass+0x0 (registers of 0 functions, the inputs have 1)"},
		{whole[:len(whole)-1], block("f", one), nil, ""},
		{append(block("g"), whole...), append(block("g"), block("f", one)...), nil, "section.bytes .nv_debug_info_reg_sass+0x6 (registers that are not the input's)"},

		// Functions of which nothing is known.
		{whole, block("f", one), func(c *check, a *link.Area) { c.Out.Side = image.Whole }, ""},
		{whole, block("f", one), func(c *check, a *link.Area) { a.Out = nil }, ""},
		{whole, block("f", one), func(c *check, a *link.Area) { a.Name = ""; delete(c.ByKey, link.AreaKey{Base: registersSASS}) }, ""},
		{whole, block("f", one), func(c *check, a *link.Area) { c.IDs[0].Several = true }, ""},
		{whole, block("f", one), func(c *check, a *link.Area) { c.IDs = append(c.IDs, c.IDs[0]) }, ""},
		{whole, block("f", one), func(c *check, a *link.Area) { c.IDs = append(c.IDs, &link.Identity{Name: "f"}) }, wrong},

		// Words that moved: the second of five is inserted.
		{whole, whole, moves, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.from = 32 }), with(two, func(e *registerEntry) { e.from, e.to = 48, 64 })), moves, ""},
		{whole, block("f", one, with(two, func(e *registerEntry) { e.from, e.to = 48, 64 })), moves, ""}, // before what was put in
		{whole, block("f", with(one, func(e *registerEntry) { e.from = 48 }), with(two, func(e *registerEntry) { e.from, e.to = 48, 64 })), moves, wrong},
		{whole, block("f", with(one, func(e *registerEntry) { e.from = 0 }), with(two, func(e *registerEntry) { e.from, e.to = 48, 64 })), moves, wrong},
		{whole, block("f", one, two), moves, wrong},
		{whole, block("f", one), moves, wrong},
		{whole, block("f", one, with(two, func(e *registerEntry) { e.from, e.to, e.machine = 48, 64, 6 })), moves, wrong},
		{whole, block("f", one, with(two, func(e *registerEntry) { e.from, e.to = 48, 64 }), registerEntry{1, 9, "%r9", 16, 32}), moves, wrong},
		{block("f", with(one, func(e *registerEntry) { e.from, e.to = 64, 32 })), block("f", with(one, func(e *registerEntry) { e.from, e.to = 0, 48 })), moves, ""},
		{block("f", with(one, func(e *registerEntry) { e.from, e.to = 64, 32 })), block("f", with(one, func(e *registerEntry) { e.from, e.to = 48, 32 })), moves, wrong},
		{block("f", with(two, func(e *registerEntry) { e.to = 1000 })), block("f", with(two, func(e *registerEntry) { e.from, e.to = 48, 2000 })), moves, ""}, // after the end
		{block("f", two), block("f", with(two, func(e *registerEntry) { e.from, e.to = 32, 64 })), func(c *check, a *link.Area) { moves(c, a); c.IDs[0].Code.Area.Out.Body = sassOf("m n m r e") }, ""},
		{block("f", two), block("f", with(two, func(e *registerEntry) { e.from, e.to = 16, 64 })), func(c *check, a *link.Area) { moves(c, a); c.IDs[0].Code.Area.Out.Body = sassOf("m n m r e") }, wrong},
		{whole, block("f", one), func(c *check, a *link.Area) { c.IDsByName = nil }, ""},
	} {
		c, f := coded(t, "m e", "m e", nil)
		p := &link.Part{Mod: f.Owner.Mod, Section: &image.Section{Body: x.in}}
		a := &link.Area{Name: registersSASS, Parts: []*link.Part{p}, Out: &image.Section{Body: x.out, Size: uint64(len(x.out))}}
		c.ByKey[link.AreaKey{Base: registersSASS}] = a
		c.IDsByName = image.NewGroups[string, *link.Identity](1, 0)
		c.IDsByName.Add("f", c.IDs[0])
		c.IDsByName.Done()
		if x.change != nil {
			x.change(c, a)
		}
		if err := Registers(c.Applied); err != nil || told(c) != x.want {
			t.Errorf("%d: %v %s, want %s", i, err, told(c), x.want)
		}
	}
}

// TestRegisterBlocks wants a table that ends early not to be read.
func TestRegisterBlocks(t *testing.T) {
	whole := block("f", registerEntry{1, 4, "%r1", 16, 64})
	if list, ok := registerBlocks(whole); !ok || len(list) != 1 || list[0].name != "f" || len(list[0].entries) != 1 || list[0].entries[0] != (registerEntry{1, 4, "%r1", 16, 64}) {
		t.Errorf("%+v, %v", list, ok)
	}
	for n := 1; n < len(whole); n++ {
		if _, ok := registerBlocks(whole[:n]); ok {
			t.Errorf("%d bytes are read", n)
		}
	}
}

// TestSameRegisters: a table of what registers hold may be regenerated, about the same functions.
func TestSameRegisters(t *testing.T) {
	const was, is = "k\x00\x02\x00\x00\x00abf\x00\x01\x00\x00\x00c", "f\x00\x02\x00\x00\x00ddk\x00\x00\x00\x00\x00"
	for i, x := range []struct {
		release   oracle.Release
		side      image.Side
		name, out string
		placed    bool
		want      string
	}{
		{132, image.SassSide, ".nv_debug_info_reg_type", is, true, ""},
		{133, image.SassSide, ".nv_debug_info_reg_type", is, false, ""},
		{131, image.SassSide, ".nv_debug_info_reg_type", is, true, "section.bytes in: .nv_debug_info_reg_type+0x0 want 6b00020000006162 got 6600020000006464"},
		{132, image.SassSide, ".nv_debug_info_reg", is, true, "section.bytes in: .nv_debug_info_reg+0x0 want 6b00020000006162 got 6600020000006464"},
		{132, image.Whole, ".nv_debug_info_reg_type", is, true, "section.bytes in: .nv_debug_info_reg_type+0x0 want 6b00020000006162 got 6600020000006464"},
		{132, image.SassSide, ".nv_debug_info_reg_type", is[:8], true, "section.bytes in: .nv_debug_info_reg_type+0x0 want 6b00020000006162 got 6600020000006464"},
		{132, image.SassSide, ".nv_debug_info_reg_type", is[:9], true, "section.bytes in: .nv_debug_info_reg_type+0x0 want 6b00020000006162 got 6600020000006464"},
	} {
		c, f := coded(t, "m e", "m e", nil)
		d := data(c, f)
		c.Release, c.Out.Side, d.Name, d.Size = x.release, x.side, x.name, uint64(len(x.out))
		d.Want, d.Out.Body, d.Out.Size = []byte(was), []byte(x.out), uint64(len(x.out))
		d.Parts[0].Section.Body, d.Parts[0].Section.Size, d.Parts[0].Placed = []byte(was), uint64(len(x.out)), x.placed
		d.Covered, c.IDs = []link.Span{{From: 0, To: 99}}, nil
		if err := Bytes(c.Applied); err != nil || told(c) != x.want {
			t.Errorf("%d: %v %s, want %s", i, err, told(c), x.want)
		}
	}
}

var _ verdict.Finding
