package capsules

import (
	"bytes"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/said"
)

// TestCapsules wants what is no capsule, or of another section, found.
func TestCapsules(t *testing.T) {
	const first = "code.bytes .nv.capmerc.text.f+0x0 symbol f want section of .text.f got "
	for i, x := range []struct {
		in     string
		change func(c *check, a *link.Area)
		want   string
	}{
		{"p 41", func(*check, *link.Area) {}, ""},

		// What isn't looked at.
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body[0] = 0; a.Owner.Live = false }, ""},
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body[0] = 0; a.Owner.Area = nil }, ""},
		{"p 41", func(_ *check, a *link.Area) { a.Out = nil }, ""},
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body[0], a.Want = 0, a.Want[:3] }, ""},
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body[0], a.Want = 0, a.Want[:4] }, first + "0x0 (first word)"},

		// Capsules that don't read.
		{"p 47000000", func(*check, *link.Area) {}, "? code.bytes in: .text.f+0x0 symbol f (a capsule of the input with a record of unknown kind)"},
		{"p 41", func(_ *check, a *link.Area) { a.Owner.Section.Body = a.Owner.Section.Body[:17] }, "inputs.conflict in: .nv.capmerc.text.f+0x0 (a malformed capsule)"},

		// Other sections.
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body[0] = 0 }, first + "0x0 (first word)"},
		{"p 41", func(c *check, a *link.Area) { c.Out.All[0] = c.Out.All[1]; a.Out.Body[0] = 0 }, ""},
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body[0] = 3 }, first + "0x3 (first word)"},
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body[3] = 1 }, first + "0x1000001 (first word)"},
		{"p 41", func(_ *check, a *link.Area) { a.Out.Body = a.Out.Body[:3] }, first + "0x0 (first word)"},
		{"p 41", func(c *check, a *link.Area) { c.Out.All[1].Name = ".text.g" }, first + "0x1 (first word)"},
		{"p 41", func(c *check, a *link.Area) { c.Out.All[1].Flags = cuda.SHFAlloc }, first + "0x1 (first word)"},
		{"p 41", func(c *check, a *link.Area) { c.Areas = append(c.Areas, a) }, first + "0x1 (first word)"},
	} {
		c, a := capsuled(t, x.in, "p 41", "mm", "mm", false, nil)
		for k := range a.Want {
			a.Want[k] ^= 0x80 // an object may number sections otherwise
		}
		x.change(c, a)
		was := bytes.Clone(a.Want)
		if err := Capsules(c.Applied); err != nil || said.Lines(&c.Verdict) != x.want {
			t.Errorf("%d: %v %s\nwant %s", i, err, said.Lines(&c.Verdict), x.want)
		}
		if a.Out == nil || !a.Owner.Live || !a.Code() || len(a.Want) < 4 {
			continue
		}
		copy(was, a.Out.Body[:min(4, len(a.Out.Body))]) // whatever it is, it is reported once
		if !bytes.Equal(a.Want, was) {
			t.Errorf("%d: %x is compared, want %x", i, a.Want, was)
		}
	}
}
