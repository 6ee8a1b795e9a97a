package capsules

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestFields changes bytes of a record of 16 bytes at 0x10 that has fields, or places that may be anything.
func TestFields(t *testing.T) {
	const other = "+0x10 want 01000000000000000000000000000000 got "
	const is = " record"
	const field = "relocation.field in: .text.f+0x10 symbol v relocation R_CUDA_32 want 01000000000000000000000000000000 got "
	of := func(offset, size uint64) func(c *check, a *link.Area) {
		return func(_ *check, a *link.Area) {
			a.Fields = append(a.Fields, link.Field{Offset: offset, Size: size, Rec: image.Record{Kind: uint32(cuda.R_CUDA_32), Symbol: 5}, Mod: a.Owner.Mod,
				As: uint32(cuda.R_CUDA_32), Before: make([]byte, 4), In: oracle.Inputs{Rela: true, S: 7}})
		}
	}
	free := func(from, to uint64) func(c *check, a *link.Area) {
		return func(_ *check, a *link.Area) { a.Free = append(a.Free, link.Span{From: from, To: to}) }
	}
	for i, x := range []struct {
		out    string
		change func(c *check, a *link.Area)
		want   string
	}{
		{"0000000001", of(0x14, 4), field + "01000000010000000000000000000000"},
		{"0000000000000001", of(0x14, 4), field + "01000000000000010000000000000000"},
		{"00000001", of(0x14, 4), other + "01000001000000000000000000000000" + is},
		{"000000000000000001", of(0x14, 4), other + "01000000000000000100000000000000" + is},
		{"0001000001", of(0x14, 4), other + "01010000010000000000000000000000" + is}, // the first counts
		{"0000000001", func(c *check, a *link.Area) { of(0x10, 2)(c, a); of(0x14, 4)(c, a) }, field + "01000000010000000000000000000000"},
		{"0000000001", free(0x14, 0x15), ""},
		{"0000000001", free(0x13, 0x14), other + "01000000010000000000000000000000" + is},
		{"0000000001", free(0x15, 0x16), other + "01000000010000000000000000000000" + is},
		{"000000000101", free(0x14, 0x15), "+0x10 want 01000000010000000000000000000000 got 01000000010100000000000000000000" + is},
		{"00000000000000000000000000000001", free(0x1f, 0x20), ""},
		{"00000000000000000000000000000001", of(0x1f, 1), field + "01000000000000000000000000000001"},

		{"", free(0x12, 0x20), ""},

		// Another map of the nodes.
		{"", func(c *check, a *link.Area) { a.Nodes = c.mapNodes(a); a.Want[0] = 9 }, ""},
		{"", func(c *check, a *link.Area) { a.Nodes = c.mapNodes(a); a.Nodes.To[2] = -1; a.Want[0] = 9 }, "+0x0 span"},
	} {
		c, a := capsuled(t, "p 01 p", "p 01"+x.out[min(2, len(x.out)):]+" p", "mmm", "mmm", false, nil)
		x.change(c, a)
		Compare(c.Applied, a)
		if got := about(c); got != x.want {
			t.Errorf("%d: %s:\n%s\nwant\n%s", i, x.out, got, x.want)
		}
		if traced := len(x.want) > 10 && x.want[:10] == field[:10]; traced != (c.Verdict.Trace != nil) {
			t.Errorf("%d: the account of the field is there: %v", i, !traced)
		}
	}
}

// TestFreeLengths: bytes that may be anything don't make a record of another length right.
func TestFreeLengths(t *testing.T) {
	for _, x := range []struct {
		in, out  string
		from, to uint64
		want     string
	}{
		{"p 41 p", "p 01 p", 0x10, 0x11, "+0x10 want 01000000 got 01000000000000000000000000000000 record"},
		{"p 01 p", "p 41 p", 0x10, 0x11, "+0x10 want 41000000000000000000000000000000 got 41000000 record"},
		{"p 41 p", "p 01 p", 0x14, 0x20, "+0x10 want 41000000 got 01000000000000000000000000000000 record"},
		{"p 01 p", "p 41 p", 0x14, 0x20, "+0x10 want 01000000000000000000000000000000 got 41000000 record"},
	} {
		c, a := capsuled(t, x.in, x.out, "mmm", "mmm", false, nil)
		a.Free = []link.Span{{From: x.from, To: x.to}}
		Compare(c.Applied, a)
		if got := about(c); got != x.want {
			t.Errorf("%s: %s, want %s", x.in, got, x.want)
		}
	}
}

// TestUnreadable wants the bytes of a capsule to be the nodes' alone.
func TestUnreadable(t *testing.T) {
	c, a := capsuled(t, "p 41", "p 41", "mm", "mm", false, nil)
	a.Out.Body = append(a.Out.Body, 0)
	Compare(c.Applied, a)
	if got, want := about(c), "+0x0 (a malformed capsule)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c, a = capsuled(t, "p 41", "p 42", "mm", "mm", false, nil)
	a.Owner.Section.Body = a.Owner.Section.Body[:18]
	Compare(c.Applied, a)
	if got, want := about(c), "+0x0 (a malformed capsule)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestKeepsFirst: what 12.8 itself links keeps the first form.
func TestKeepsFirst(t *testing.T) {
	for _, x := range []struct {
		release oracle.Release
		want    string
	}{{127, ""}, {128, "+0x10 span"}, {129, ""}, {130, ""}} {
		c, a := capsuled(t, "p p", "420a020e p", "cm", "cm", true, nil)
		c.Release = x.release
		Compare(c.Applied, a)
		if got := about(c); got != x.want {
			t.Errorf("%d: %s, want %s", x.release, got, x.want)
		}
	}
}

// TestWordsOf takes the words of the function that a capsule is of.
func TestWordsOf(t *testing.T) {
	c, a := capsuled(t, "p 41", "p 41", "mm", "mm", false, moved(2, 0, 1))
	body := c.Sass.Modules[0].Bodies[1]
	if c.wordsOf(a) != body.Area.Words {
		t.Error("no words")
	}
	body.Section.Info++
	if c.wordsOf(a) != nil {
		t.Error("words of another function")
	}
	body.Section.Info--
	if body.Area = nil; c.wordsOf(a) != nil {
		t.Error("words of no area")
	}
	if c.Sass = nil; c.wordsOf(a) != nil {
		t.Error("words of no side")
	}
}
