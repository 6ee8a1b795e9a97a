package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/internal/symbols"
)

// tensorLink is a link of a program in internal/linkcommand/testdata/functions by nvlink.
func tensorLink(t *testing.T, folder, objects string, options Options) ([]Input, []byte, Options) {
	t.Helper()
	dir := filepath.Join("..", "..", "internal", "linkcommand", "testdata", "functions")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var inputs []Input
	for _, o := range strings.Fields(objects) {
		name := filepath.Join(filepath.Dir(folder), o+".cubin")
		inputs = append(inputs, Input{Name: name, Data: read(name)})
	}
	options.Arch = "sm_100a"
	options.Toolkit, _, _ = strings.Cut(filepath.Base(folder), "-")
	return inputs, read(filepath.Join(folder, "out.cubin")), options
}

// What nvlink says of kernels that reach functions with tensor memory is right, and each other value is wrong, on either
// side: an attribute that is missing, that no function says, or that says something else.
func TestTensorFacts(t *testing.T) {
	const calls, columns, both = "tcgen05_calls/", "tensor_columns/", "13.5-sm_100a/b 13.5-sm_100a/a"
	changed := func(of string, attr cuda.InfoAttr, to byte) func([]byte, *link.Output) bool {
		return func(data []byte, f *link.Output) bool { return changeAttribute(data, f, of, attr, 0, to) }
	}
	renamed := func(of string, attr, as cuda.InfoAttr) func([]byte, *link.Output) bool {
		return func(data []byte, f *link.Output) bool { return changeAttribute(data, f, of, attr, as, 0) }
	}
	plain := Options{}
	for _, x := range []struct {
		folder, objects string
		options         Options
		wrong           map[string]func([]byte, *link.Output) bool
	}{
		{calls + "13.0-sm_100a", "13.0-sm_100a/a 13.0-sm_100a/b", plain, map[string]func([]byte, *link.Output) bool{
			"another fragment":           changed("calls", cuda.AttrAtEntryFragements, 7),
			"no fragments":               renamed("calls", cuda.AttrAtEntryFragements, cuda.AttrExterns),
			"CTAs of one, not of a pair": renamed("paired", cuda.AttrTcgen052ctaUsed, cuda.AttrTcgen051ctaUsed),
			"CTAs of a pair, not of one": renamed("own", cuda.AttrTcgen051ctaUsed, cuda.AttrTcgen052ctaUsed),
			"no CTAs of one":             renamed("calls", cuda.AttrTcgen051ctaUsed, cuda.AttrCtaidzUsed),
			"another count":              changed("calls", cuda.AttrVrcCtaInitCount, 0),
			"a count too large":          changed("own", cuda.AttrVrcCtaInitCount, 0xff),
			"no transaction barriers":    renamed("paired", cuda.AttrNumMbarriers, cuda.AttrSparseMmaMask),
			"a function's own fragments": renamed("single", cuda.AttrVrcCtaInitCount, cuda.AttrAtEntryFragements),
		}},
		{calls + "13.0-sm_100a-only", "13.0-sm_100a/a 13.0-sm_100a/b", Options{KernelsUsed: []string{"paired"}}, map[string]func([]byte, *link.Output) bool{
			"another count": changed("paired", cuda.AttrVrcCtaInitCount, 0x40),
			"no fragments":  renamed("paired", cuda.AttrAtEntryFragements, cuda.AttrExterns),
		}},
		{calls + "13.5-sm_100a", both, plain, map[string]func([]byte, *link.Output) bool{
			"another fragment": changed("own", cuda.AttrAtEntryFragements, 5),
		}},
		{columns + "13.5-sm_100a", "13.5-sm_100a-g/a", plain, map[string]func([]byte, *link.Output) bool{
			"clusters are not canceled":   renamed("calls", sass.AttrCancelsClusters, cuda.AttrCtaidzUsed),
			"of a kernel that calls none": renamed("loads", cuda.AttrVrcCtaInitCount, sass.AttrCancelsClusters),
			"other columns":               func(data []byte, f *link.Output) bool { return changeColumns(data, f, 0x100) },
		}},
		{columns + "13.5-sm_100a-r", "13.5-sm_100a-g/a", Options{Relocatable: true}, map[string]func([]byte, *link.Output) bool{
			"other columns": func(data []byte, f *link.Output) bool { return changeColumns(data, f, 0x80) },
		}},
		{columns + "13.5-sm_100a-only", "13.5-sm_100a-g/a", Options{KernelsUsed: []string{"calls"}}, nil},
	} {
		inputs, out, options := tensorLink(t, x.folder, x.objects, x.options)
		if v := Check(inputs, out, options); v.Total > 0 || len(v.Unjudged) > 0 {
			t.Errorf("%s: %s", x.folder, v)
		}
		for what, plant := range x.wrong {
			for _, side := range []image.Side{image.SassSide, image.MercurySide} {
				data := bytes.Clone(out)
				k := newCheck(inputs, out, options)
				if err := k.run(inputs, out); err != nil {
					t.Fatal(err)
				}
				f := k.Out
				if side == image.MercurySide {
					m := newCheck(inputs, out, options)
					m.Side, m.Sass = image.MercurySide, k.Link
					if err := m.run(inputs, out); err != nil {
						t.Fatal(err)
					}
					f = m.Out
				}
				if !plant(data, f) {
					t.Fatalf("%s: %s: nothing to change", x.folder, what)
				}
				if v := Check(inputs, data, options); v.Total == 0 {
					t.Errorf("%s: %s, side %v: accepted", x.folder, what, side)
				}
			}
		}
	}
}

// changeAttribute gives a function's attribute another number, or its value another first byte.
func changeAttribute(data []byte, f *link.Output, function string, attr, as cuda.InfoAttr, to byte) bool {
	for i := range f.Sections {
		if f.Sections[i].Name != ".nv.info."+function {
			continue
		}
		at := f.Sections[i].Offset
		for _, a := range f.Infos[i] {
			value, size := at+2, uint64(4)
			if a.Format == cuda.FormatSized {
				value, size = at+4, 4+uint64(len(a.Value))
			}
			if a.Attr == attr && as != 0 {
				data[at+1] = byte(as)
				return true
			}
			if a.Attr == attr {
				data[value] = to
				return true
			}
			at += size
		}
	}
	return false
}

// changeColumns gives the symbol of the number of columns another value.
func changeColumns(data []byte, f *link.Output, to uint64) bool {
	for i := range f.Symbols {
		if f.Symbols[i].Name == symbols.TensorColumns {
			copy(data[f.Sections[f.Symtab].Offset+24*uint64(i)+stValue:], sass.BytesOf(uint32(to)))
			return true
		}
	}
	return false
}
