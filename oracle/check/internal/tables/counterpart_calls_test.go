package tables

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// side is a side of a file with a call graph and prototypes: "k>f" a call, "-" a heading of calls; "none" is no table.
func side(release oracle.Release, of image.Side, calls, prototypes string) *link.Link {
	f := &image.Image{Side: of, Symtab: 1, Symbols: []image.Symbol{{}, {Name: "k"}, {Name: "f"}, {Name: "g"}}, Sections: []image.Section{{}, {Index: 1, Kind: cuda.SHTSymtab, Link: 2}, {Index: 2, Body: []byte("\x00#v\x00#i\x00")}}}
	number := map[string]uint32{"": 0, "k": 1, "f": 2, "g": 3, "#v": 1, "#i": 4}
	kinds := [2]cuda.SectionType{cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype}
	flags := cuda.SectionFlags(0)
	if of == image.MercurySide {
		kinds, flags = [2]cuda.SectionType{cuda.SHTMercCallgraph, cuda.SHTMercPrototype}, cuda.SHFMercury
	}
	for i, text := range []string{calls, prototypes} {
		if text == "none" {
			continue
		}
		s := image.Section{Index: len(f.Sections), Name: []string{".nv.callgraph", ".nv.prototype"}[i], Kind: kinds[i], Flags: flags, Link: 1, Align: 4, Entry: 8}
		for word := range strings.FieldsSeq(text) {
			x, y := uint32(0), uint32(cuda.CallgraphCalls)
			if word != "-" {
				from, to, _ := strings.Cut(word, ">")
				x, y = number[from], number[to]
			}
			s.Body = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(s.Body, x), y)
		}
		s.Size = uint64(len(s.Body))
		f.Sections = append(f.Sections, s)
	}
	f.All = f.Sections
	return &link.Link{Release: release, Side: of, Budget: image.NewBudget(1 << 20), Out: &link.Output{Image: f}}
}

// TestCounterpartCalls holds the Mercury side's calls and prototypes against the other's.
func TestCounterpartCalls(t *testing.T) {
	none := func(*image.Section) {}
	call := fmt.Sprintf("%x", uint32(cuda.CallgraphCalls))
	for i, x := range []struct {
		release                         oracle.Release
		calls, prototypes, merc, protos string
		change                          func(s *image.Section) // the Mercury side's call graph
		want                            string
	}{
		{135, "- k>f k>g", "k>#v", "- k>f k>g", "k>#v", none, ""},
		{135, "- k>f k>g", "k>#v", "- k>g k>f", "k>#v", none, ""},
		{135, "- k>f k>g", "k>#v", "- k>f", "k>#v", none, "call.missing .nv.callgraph the SASS side has this pair " + call + ": k -> g/"},
		{135, "- k>f", "k>#v", "- k>f k>g", "k>#v", none, "call.stray .nv.callgraph the SASS side has no such pair /" + call + ": k -> g"},
		{135, "- k>f k>f", "", "- k>f", "", none, "call.missing .nv.callgraph the SASS side has this pair " + call + ": k -> f/"},
		{135, "- k>f", "", "- k>f k>f", "", none, "call.stray .nv.callgraph the SASS side has no such pair /" + call + ": k -> f"},
		{135, "- k>f", "", "- - k>f", "", none, "call.stray .nv.callgraph the SASS side has no such pair /heading " + call},
		{135, "- k>f", "k>#v", "- k>f", "k>#i", none, "call.missing .nv.prototype the SASS side has this pair 0: k -> #v/; call.stray .nv.prototype the SASS side has no such pair /0: k -> #i"},
		{135, "- k>f", "k>#v", "none", "none", none, "section.missing .nv.callgraph  /; section.missing .nv.prototype  /"},
		{136, "- k>f", "k>#v", "none", "k>#v", none, "section.missing .nv.callgraph  /"},
		{134, "- k>f", "k>#v", "none", "none", none, ""},
		{135, "", "", "none", "none", none, ""},
		{135, "none", "none", "- k>f", "k>#v", none, ""}, // told on the other side
		{135, "- k>f", "", "- k>f", "", func(s *image.Section) { s.Flags = 0 }, "section.header .nv.callgraph flags 0x10000000/0x0"},
		{135, "- k>f", "", "- k>f", "", func(s *image.Section) { s.Link = 2 }, "section.header .nv.callgraph link 0x1/0x2"},
		{135, "- k>f", "", "- k>f", "", func(s *image.Section) { s.Align = 2 }, "section.header .nv.callgraph alignment 0x4/0x2"},
		{135, "- k>f", "", "- k>f", "", func(s *image.Section) { s.Align = 8 }, "section.header .nv.callgraph alignment, larger than needed 0x4/0x8"},
		{135, "- k>f", "", "- k>f", "", func(s *image.Section) { s.Entry = 4 }, "section.header .nv.callgraph entry size 0x8/0x4"},
		{135, "- k>f", "", "- k>f", "", func(s *image.Section) { s.Size-- }, "output.unreadable .nv.callgraph bad records /"},
	} {
		l := side(x.release, image.MercurySide, x.merc, x.protos)
		l.Sass = side(x.release, image.SassSide, x.calls, x.prototypes)
		l.Verdict.Strict = true
		c := &check{apply.New(l)}
		if s := c.Out.TableOf(cuda.SHTMercCallgraph); s != nil {
			x.change(s)
		}
		if err := c.compareCounterpartCalls(); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range c.Verdict.Findings {
			list = append(list, fmt.Sprintf("%s %s %s %s/%s", f.Kind, f.Section, f.Detail, f.Want, f.Got))
		}
		if got := strings.Join(list, "; "); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
	l := side(135, image.SassSide, "- k>f", "")
	c := &check{apply.New(l)}
	for _, other := range []*link.Link{nil, {}} {
		c.Sass = other
		if err := c.compareCounterpartCalls(); err != nil || c.Verdict.Total > 0 {
			t.Error("a file with one side", err)
		}
	}
	l = side(135, image.MercurySide, "- k>f", "")
	l.Sass = side(135, image.SassSide, "- k>f", "")
	l.Sass.Out.All[3].Size--
	c = &check{apply.New(l)}
	if err := c.compareCounterpartCalls(); err != nil || c.Verdict.Total != 1 {
		t.Error("a table of the other side that doesn't read", err)
	}
}
