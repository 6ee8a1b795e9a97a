package check

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// constantLinks are the links of each folder of testdata/constant_size: compiled from the
// PTX there by ptxas of the folder's release and linked by nvlink of that release.
var constantLinks = []struct {
	name, inputs string
	relocatable  bool
	size         uint64
	wrong        []uint64
}{
	{"none", "bare", false, 1<<64 - 1, []uint64{0, 1, 0x7fffffff}},
	{"some", "idle reads bare", false, 64 + 20, []uint64{1<<64 - 1, 0, 3, 20, 23, 64, 83, 85}},
	{"part", "reads bare idle", true, 20 + 3, []uint64{1<<64 - 1, 0, 3, 20, 22, 24}},
}

// What code reads as the size of the constants is that of the output's bank, also where the
// code's own file has no constants or nothing reads them.
func TestConstantSize(t *testing.T) {
	for _, made := range []string{"11.8-sm_75", "13.0-sm_100", "13.5-sm_90", "13.5-sm_120"} {
		for _, l := range constantLinks {
			read := func(name string) []byte {
				data, err := os.ReadFile("testdata/constant_size/" + made + "/" + name + ".cubin")
				if err != nil {
					t.Fatal(err)
				}
				return data
			}
			var in []Input
			for _, name := range strings.Fields(l.inputs) {
				in = append(in, Input{Name: name + ".cubin", Data: read(name)})
			}
			release, arch, _ := strings.Cut(made, "-")
			out, options := read(l.name+".linked"), Options{Arch: arch, Toolkit: release, Relocatable: l.relocatable}
			if v := Check(in, out, options); !v.Agrees() {
				t.Errorf("%s %s: %s", made, l.name, v)
			}
			places := 0
			for _, c := range sidesOf(t, in, out, options) {
				if c.ConstantBytes != l.size {
					t.Errorf("%s %s: %d bytes of constants, not %d", made, l.name, c.ConstantBytes, l.size)
				}
				places += rejectsSizes(t, made+" "+l.name, c, in, out, options, l.wrong)
			}
			if places != len(in) {
				t.Errorf("%s %s: %d places have the size", made, l.name, places)
			}
		}
	}
}

// sidesOf runs a check and, for an output of two sides, that of the other.
func sidesOf(t *testing.T, in []Input, out []byte, o Options) []*check {
	t.Helper()
	c := newCheck(in, out, o)
	if err := c.run(in, out); err != nil {
		t.Fatal(err)
	}
	if c.Out.Side != image.SassSide {
		return []*check{c}
	}
	m := newCheck(in, out, o)
	m.Side, m.Sass = image.MercurySide, c.Link
	if err := m.run(in, out); err != nil {
		t.Fatal(err)
	}
	return []*check{c, m}
}

// rejectsSizes gives wrong sizes to every place and to the symbol, where there is one, and
// counts the places.
func rejectsSizes(t *testing.T, what string, c *check, in []Input, out []byte, o Options, sizes []uint64) (places int) {
	t.Helper()
	reject := func(kind Kind, size uint64, plant func(wrong []byte)) {
		wrong := slices.Clone(out)
		plant(wrong)
		if v := Check(in, wrong, o); !names(v, []Kind{kind}) {
			t.Errorf("%s, side %v: %#x: no %s among\n%s", what, c.Side, size, kind, v)
		}
	}
	for _, a := range c.Areas {
		for _, f := range a.Fields {
			if f.Target == nil || !f.Target.ConstantSize() {
				continue
			}
			places++
			for _, size := range sizes {
				f.In.S = size
				place, err := oracle.Apply(f.As, f.Before, f.In)
				if err != nil {
					t.Fatal(err)
				}
				reject(RelocationField, size, func(wrong []byte) { copy(wrong[a.Out.Offset+f.Offset:], place.Bytes[:f.Size]) })
			}
		}
	}
	e := &editor{check: c, out: c.Out}
	if i := e.symbol(func(id *link.Identity, _ *image.Symbol) bool { return id.ConstantSize() }); i > 0 {
		for _, size := range sizes {
			reject(SymbolValue, size, func(wrong []byte) { (&editor{bytes: wrong}).put(e.entry(i, stValue), 8, size) })
		}
	} else if c.Relocatable && c.Release >= 130 {
		t.Errorf("%s, side %v: no symbol", what, c.Side)
	}
	return places
}

// Under every option the size is that of the bank; --preserve-relocs has no symbol to name for
// it and writes nothing down.
func TestConstantSizeOfReleases(t *testing.T) {
	var texts []string
	for _, name := range []string{"bare", "idle", "reads"} {
		text, err := os.ReadFile("testdata/constant_size/" + name + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Replace(string(text), ".version 7.0\n.target sm_75", ".version 7.8\n.target sm_90", 1))
	}
	for _, release := range []string{"13.0", "13.5"} {
		for _, arch := range []string{"sm_90", "sm_110"} {
			for _, option := range []string{"", "-r", "-g", "--preserve-relocs", "-kernels-used=bare"} {
				args, o := []string{"-arch=" + arch}, Options{Arch: arch, Relocatable: option == "-r", Debug: option == "-g", PreserveRelocs: option == "--preserve-relocs"}
				if option != "" {
					args = append(args, option)
				}
				if _, kernel, filtered := strings.Cut(option, "-kernels-used="); filtered {
					o.KernelsUsed = []string{kernel}
				}
				for n := 1; n <= len(texts); n++ {
					inputs, output := linkedText(t, release, args, texts[:n]...)
					if v := Check(inputs, output, o); !v.Agrees() {
						t.Errorf("%d files, %s by %s %s:\n%s", n, arch, release, option, v)
					}
				}
			}
		}
	}
}
