package diff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
)

// The cubins of package dump: objects and linked images of three releases.
const testdata = "../dump/testdata/"

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(testdata + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func compare(t testing.TB, a, b []byte) []Difference {
	t.Helper()
	list, err := Compare(Input{"a", a}, Input{"b", b})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func keys(list []Difference) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.Key
	}
	return out
}

// section returns the header and the place of the content of a section.
func section(t testing.TB, data []byte, name string) (s cubin.Section, content []byte) {
	t.Helper()
	f, err := cubin.Open("x", data)
	if err != nil {
		t.Fatal(err)
	}
	i := f.Lookup(name)
	if i == 0 {
		t.Fatalf("no section %s", name)
	}
	s = f.Section(i)
	return s, f.Content(&s)
}

// symbol returns the bytes of a symbol table entry.
func symbol(t testing.TB, data []byte, name string) []byte {
	t.Helper()
	f, err := cubin.Open("x", data)
	if err != nil {
		t.Fatal(err)
	}
	_, table := section(t, data, ".symtab")
	for i := range f.Symtab().Len() {
		if s, _ := f.Symtab().At(i); f.Symtab().Name(&s) == name {
			return table[24*i : 24*i+24]
		}
	}
	t.Fatalf("no symbol %s", name)
	return nil
}

// TestKeys changes one thing of an image and wants one key.
func TestKeys(t *testing.T) {
	const image = "13.0-sm_90-linked.cubin"
	le := binary.LittleEndian
	for _, c := range []struct {
		what   string
		change func(b []byte)
		want   []string
	}{
		{"nothing", func([]byte) {}, nil},
		{"flags", func(b []byte) { b[48] ^= 8 }, []string{"header.sm", "header.flags"}},
		{"value of a symbol", func(b []byte) { symbol(t, b, "k")[8] = 4 }, []string{"symbol.k.value"}},
		{"binding of a symbol", func(b []byte) { symbol(t, b, "k")[4] = 0x22 }, []string{"symbol.k.binding"}},
		{"an instruction", func(b []byte) {
			_, text := section(t, b, ".text.k")
			text[0x33] ^= 1
		}, []string{"text.k.0x30"}},
		{"a field that is relocated", func(b []byte) {
			_, text := section(t, b, ".text.k")
			text[0x140+5] ^= 0xff // bits 32..63 of an ABS32_LO_32 of a RELA section
		}, []string{"reloc.text.k.0x140.R_CUDA_ABS32_LO_32.field"}},
		{"a relocation's addend", func(b []byte) {
			_, rela := section(t, b, ".rela.text.k")
			rela[16]++
		}, []string{"reloc.text.k.0x140.R_CUDA_ABS32_LO_32.addend"}},
		{"a relocation's type", func(b []byte) {
			_, rela := section(t, b, ".rela.text.k")
			le.PutUint32(rela[8:], 1)
		}, []string{"reloc.text.k.0x140.R_CUDA_ABS32_LO_32", "reloc.text.k.0x140.R_CUDA_32"}},
		{"constants", func(b []byte) {
			_, bank := section(t, b, ".nv.constant3")
			bank[0] = 1
		}, []string{"data.nv.constant3.0x0"}},
		{"registers", func(b []byte) {
			_, info := section(t, b, ".nv.info")
			at := bytes.Index(info, []byte{4, 47, 8, 0})
			info[at+8]++
		}, []string{"info.negate.REGCOUNT"}},
		{"a parameter", func(b []byte) {
			_, info := section(t, b, ".nv.info.k")
			at := bytes.Index(info, []byte{4, 23, 12, 0})
			info[at+10]++
		}, []string{"info.k.KPARAM_INFO.0"}},
		{"a callee", func(b []byte) {
			_, graph := section(t, b, ".nv.callgraph")
			graph[12]++
		}, []string{"callgraph.call.k->twice", "callgraph.call.k->.nv.reservedSmem.offset0"}},
		{"the note", func(b []byte) {
			_, note := section(t, b, ".note.nv.tkinfo")
			note[bytes.Index(note, []byte("sm_90"))] = 'S'
		}, []string{"note.tkinfo.0.options"}},
		{"a name", func(b []byte) {
			_, str := section(t, b, ".strtab")
			str[bytes.Index(str, []byte("negate"))] = 'N'
		}, []string{"symbol..text.negate", "symbol..text.Negate", "strtab"}},
		{"padding", func(b []byte) {
			s, _ := section(t, b, ".text.k") // code begins at a multiple of 128
			b[s.Off-1] ^= 1
		}, []string{"file.bytes"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			a := read(t, image)
			b := bytes.Clone(a)
			c.change(b)
			got := keys(compare(t, a, b))
			for _, key := range c.want {
				if !slices.Contains(got, key) {
					t.Errorf("no %s among %v", key, got)
				}
			}
			if len(got) > len(c.want)+4 || len(c.want) == 1 && len(got) != 1 {
				t.Errorf("keys %v, want %v", got, c.want)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	a := read(t, "13.0-sm_90-linked.cubin")
	b := bytes.Clone(a)
	_, rela := section(t, b, ".rela.text.k")
	for i := range 24 { // exchange the first two records
		rela[i], rela[24+i] = rela[24+i], rela[i]
	}
	if got := keys(compare(t, a, b)); !slices.Equal(got, []string{"reloc.text.k.RELA.order"}) {
		t.Errorf("keys %v", got)
	}
}

func TestObjectAgainstImage(t *testing.T) {
	list := compare(t, read(t, "13.0-sm_90-a.cubin"), read(t, "13.0-sm_90-linked.cubin"))
	got := keys(list)
	for _, key := range []string{"header.type", "symbol.negate", "section.text.twice", "section.nv.info.k.offset", "program.0", "strtab"} {
		if !slices.Contains(got, key) {
			t.Errorf("no %s among the differences", key)
		}
	}
	for _, d := range list {
		if d.Key == "symbol.negate" && (d.A != nil || d.B == nil) {
			t.Errorf("symbol.negate is only in the image: %v %v", d.A, d.B)
		}
	}
}

// TestMutants wants at least one difference of files that differ, and no panic.
func TestMutants(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"11.8-sm_52-linked.cubin", "12.4-sm_80-a.cubin", "13.0-sm_90-linked.cubin"} {
		a := read(t, name)
		for range 300 {
			b := bytes.Clone(a)
			for range 1 + random.IntN(4) {
				b[random.IntN(len(b))] = byte(random.Uint32())
			}
			list, err := Compare(Input{"a", a}, Input{"b", b})
			var fault *cubin.Error
			if err != nil && !errors.As(err, &fault) {
				t.Fatalf("untyped error %v", err)
			}
			if err == nil && len(list) == 0 && !bytes.Equal(a, b) {
				t.Fatalf("%s: a different file without a difference", name)
			}
		}
	}
}

func TestFilter(t *testing.T) {
	all := []Difference{{Key: "header.flags"}, {Key: "section.text.k.offset"}, {Key: "section.text.k.size"}, {Key: "strtab"}}
	for _, c := range []struct {
		f       Filter
		kept    string
		useless string
	}{
		{Filter{}, "header.flags section.text.k.offset section.text.k.size strtab", ""},
		{Filter{Ignore: []string{"section.*.offset", "strtab"}}, "header.flags section.text.k.size", ""},
		{Filter{Only: []string{"section.*"}}, "section.text.k.offset section.text.k.size", ""},
		{Filter{Only: []string{"section.*"}, Ignore: []string{"*.size", "header.*"}}, "section.text.k.offset", "header.*"},
		{Filter{Ignore: []string{"*", "nothing"}}, "", "nothing"},
	} {
		kept, useless := c.f.Apply(all)
		if got := strings.Join(keys(kept), " "); got != c.kept {
			t.Errorf("%+v keeps %q, want %q", c.f, got, c.kept)
		}
		if got := strings.Join(useless, " "); got != c.useless {
			t.Errorf("%+v useless %q, want %q", c.f, got, c.useless)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, key string
		want         bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"*", "a.b", true}, {"a*b", "a.x.b", true},
		{"a*b", "a.x.c", false}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"*.offset", "section.x.offset", true},
		{"*a*b*", "xxaxxbxx", true}, {"*a*b*", "xxbxxaxx", false}, {"", "", true}, {"", "a", false}, {"**a", "a", true},
	} {
		if got := Match(c.pattern, c.key); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.key, got)
		}
	}
}

func TestPrint(t *testing.T) {
	a, empty := "1", ""
	list := []Difference{{"x.y", &a, nil}, {"z", &empty, &a}}
	var text bytes.Buffer
	if err := Text(&text, list); err != nil {
		t.Fatal(err)
	}
	if want := "x.y: 1 -> (none)\nz: \"\" -> 1\n"; text.String() != want {
		t.Errorf("text %q", text.String())
	}
}
