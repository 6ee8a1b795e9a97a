package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// insideOf is a link by nvlink of kernels that have functions inside, as ptxas -ewp of the same release compiles
// testdata/inside/inside.ptx for sm_100.
func insideOf(t *testing.T, release, output string) ([]Input, *editor, Options) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", "inside", release, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	inputs, options := []Input{{Name: "in.cubin", Data: read("in.cubin")}}, Options{Arch: "sm_100", Toolkit: release, Debug: strings.HasSuffix(output, "-g.cubin")}
	out := read(output)
	k := newCheck(inputs, out, options)
	if err := k.run(inputs, out); err != nil {
		t.Fatal(err)
	}
	return inputs, &editor{check: k, out: k.Out, bytes: slices.Clone(out)}, options
}

// TestInside: what nvlink makes of kernels with functions inside is right.
func TestInside(t *testing.T) {
	for _, x := range []struct{ release, output string }{{"13.0", "out.cubin"}, {"13.5", "out.cubin"}, {"13.5", "out-g.cubin"}} {
		inputs, e, options := insideOf(t, x.release, x.output)
		if v := Check(inputs, e.bytes, options); !v.Agrees() {
			t.Errorf("%s: %s", x, v)
		}
	}
}

// TestInsideMovedRecords: with -g and with -r nvlink 13.0 has the records of the addresses in CIEs at 0, where a CIE's length is.
func TestInsideMovedRecords(t *testing.T) {
	inputs, e, options := insideOf(t, "13.0", "out-g.cubin")
	v := Check(inputs, e.bytes, options)
	if !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == RelocationStray && f.Section == ".debug_frame" }) {
		t.Errorf("no stray record among\n%s", v)
	}
}

// TestInsideWrong: what goes along with words that moved, and what both sides tell of such kernels.
func TestInsideWrong(t *testing.T) {
	const output = "out-g.cubin"
	word := func(e *editor, name string, at uint64) uint64 {
		return e.out.Sections[e.named(".text."+name)].Offset + at
	}
	inner := func(id *link.Identity, _ *image.Symbol) bool { return id.Name == "$recursive$inner" }
	for what, d := range map[string]struct {
		kind  Kind
		plant func(e *editor)
	}{
		"a function inside comes back to where it came before": {CodeBytes, func(e *editor) { e.put(word(e, "recursive", 0x194), 4, 0x180) }},
		"and to another word":                {CodeBytes, func(e *editor) { e.put(word(e, "straight", 0x44), 4, 0x70) }},
		"and to the middle of one":           {CodeBytes, func(e *editor) { e.put(word(e, "straight", 0x44), 4, 0x68) }},
		"the distance of its return":         {CodeBytes, func(e *editor) { e.flip(word(e, "straight", 0x132), 4) }},
		"the distance of its call":           {CodeBytes, func(e *editor) { e.flip(word(e, "straight", 0x52), 4) }},
		"its symbol stays":                   {SymbolValue, func(e *editor) { e.put(e.entry(e.symbol(inner), stValue), 8, 0xa0) }},
		"its symbol is as long as before":    {SymbolSize, func(e *editor) { e.put(e.entry(e.symbol(inner), stSize), 8, 0x260) }},
		"the record of its frame stays":      {SectionBytes, func(e *editor) { frameRecord(e, 208, 160) }},
		"its frame names the kernel's start": {SectionBytes, func(e *editor) { frameRecord(e, 272, 0) }},
		"its frame is as long as before":     {SectionBytes, func(e *editor) { e.put(e.out.Sections[e.named(".debug_frame")].Offset+0xb0+28, 8, 0x120) }},
		"the SASS side's stack is known":     {FactValue, func(e *editor) { stackOf(e, "recursive", 16) }},
		"the SASS side's stack is another":   {FactValue, func(e *editor) { stackOf(e, "straight", 16) }},
	} {
		inputs, e, options := insideOf(t, "13.5", output)
		d.plant(e)
		if v := Check(inputs, e.bytes, options); !names(v, []Kind{d.kind}) {
			t.Errorf("%s: no %s among\n%s", what, d.kind, v)
		}
	}
}

// frameRecord changes the addend of a record of .debug_frame.
func frameRecord(e *editor, from, to uint64) {
	l, at, width := e.record(func(l link.Relocs) bool { return l.Section.Name == ".rela.debug_frame" })
	for i, r := range l.List {
		if uint64(r.Addend) == from {
			e.put(at+width*uint64(i)+16, 8, to)
		}
	}
}

// stackOf changes how much stack the SASS side tells of a kernel.
func stackOf(e *editor, kernel string, to uint64) {
	s := &e.out.Sections[e.named(".nv.info")]
	for at := s.Offset; at < s.Offset+s.Size; at += 12 {
		if cuda.InfoAttr(e.get(at+1, 1)) == cuda.AttrMinStackSize && e.out.Symbols[e.get(at+4, 4)].Name == kernel {
			e.put(at+8, 4, to)
		}
	}
}
