package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// driverEditor reads a link of functions that are called as the driver's, see testdata/drawn/driver_names.ptx.
func driverEditor(t *testing.T, name string) (*editor, []Input) {
	t.Helper()
	in, out := drawnLink(t, name, name)
	k := newCheck(in, out, Options{})
	if err := k.run(in, out); err != nil || k.Out == nil {
		t.Fatal(err)
	}
	return &editor{check: k, out: k.Out, bytes: slices.Clone(out)}, in
}

// told finds where an attribute of a function has its number: in .nv.info, or that of the function.
func (e *editor) told(attr cuda.InfoAttr, function string) (at, width uint64) {
	for i, list := range e.out.Infos {
		from := e.out.Sections[i].Offset
		for _, a := range list {
			start, size := from, uint64(4)
			if a.Format == cuda.FormatSized {
				size += uint64(len(a.Value))
			}
			from += size
			switch {
			case a.Attr != attr:
			case image.NamesSymbol(attr) && e.OutRef(image.Word(a.Value, 0)).String() == function:
				return start + 8, 4
			case strings.HasSuffix(e.out.Sections[i].Name, ".nv.info."+function):
				return start + size - uint64(len(a.Value)), uint64(len(a.Value))
			}
		}
	}
	return 0, 0
}

// TestDriverNames: nvlink takes a function under a name of the driver's for a kernel. The file may have a kernel's numbers
// of it or its own, and no other.
func TestDriverNames(t *testing.T) {
	attribute := func(attr cuda.InfoAttr, function string, values ...uint64) func(*editor) (uint64, uint64, []uint64) {
		return func(e *editor) (uint64, uint64, []uint64) {
			at, width := e.told(attr, function)
			return at, width, values
		}
	}
	header := func(section string, field, width uint64, values ...uint64) func(*editor) (uint64, uint64, []uint64) {
		return func(e *editor) (uint64, uint64, []uint64) {
			return e.header(e.named(section), field), width, values
		}
	}
	for _, x := range []struct {
		link  string
		place func(*editor) (at, width uint64, values []uint64)
		want  string // by value
	}{
		{"driver_names", attribute(cuda.AttrMinStackSize, "free", 8, 0, 7, 16), " fact.value fact.value fact.value"},
		{"driver_names", attribute(cuda.AttrMinStackSize, "vprintf", 1<<32-1, 8), " fact.value"},
		{"driver_names", attribute(cuda.AttrRegcount, "free", 0x5e, 0x18, 0x5d, 0x17, 0x60), "  fact.value fact.value fact.value"},
		{"driver_names", attribute(cuda.AttrRegcount, "malloc", 0x18, 0x5e), " fact.value"}, // it doesn't call deep
		{"driver_names", attribute(cuda.AttrCrsStackSize, "vprintf", 1<<32-1, 8), " fact.value"},
		{"driver_names", header(".text.free", shFlags+2, 1, 0x70, 0x20, 0x10, 0x60, 0x80), "  section.header section.header section.header"},
		{"driver_names", header(".text.free", shInfo+3, 1, 0x5e, 0x18, 0x17, 0x5d), "  section.header section.header"},
		{"driver_names", header(".nv.shared.free", shSize, 8, 192, 188, 0), " shared.size shared.size"},
		{"driver_names", header(".nv.info.free", shSize, 8, 0), "fact.missing"},
		{"driver_names_mercury", attribute(cuda.AttrNumBarriers, "free", 7, 2, 1, 6, 8), " fact.value fact.value fact.value fact.value"}, // the Mercury side says 7
		{"driver_names_mercury", attribute(cuda.AttrMinStackSize, "free", 8, 0), " fact.value"},
		{"driver_names_mercury", attribute(cuda.AttrRegcount, "free", 0xac, 0x18, 0x5e), "  fact.value"},
	} {
		e, in := driverEditor(t, x.link)
		at, width, values := x.place(e)
		if at == 0 || len(values) > 1 && e.get(at, width) != values[0] {
			t.Errorf("%s: at 0x%x is 0x%x, not what nvlink wrote", x.link, at, e.get(at, width))
			continue
		}
		for i, kind := range strings.Split(x.want, " ") {
			e.put(at, width, values[i])
			v := Check(in, e.bytes, Options{})
			got := ""
			for _, f := range v.Findings {
				if kind == "" || got == "" || f.Kind.String() == kind {
					got = f.Kind.String()
				}
			}
			if got != kind {
				t.Errorf("%s: 0x%x at 0x%x: %q, want %q\n%s", x.link, values[i], at, got, kind, v)
			}
		}
	}
}
