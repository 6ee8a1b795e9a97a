package experiments

import (
	"encoding/binary"
	"iter"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

var le = binary.LittleEndian

// assemble makes an object of PTX without its first three lines, which state version, target and address size.
func assemble(t testing.TB, release, arch, ptx string, flags ...string) []byte {
	t.Helper()
	return assembleText(t, release, arch, header(release, arch)+ptx, flags...)
}

func header(release, arch string) string {
	version := map[string]string{"11.8": "7.8", "12.4": "8.4", "13.0": "9.0"}[release]
	return ".version " + version + "\n.target " + arch + "\n.address_size 64\n"
}

func assembleText(t testing.TB, release, arch, text string, flags ...string) []byte {
	t.Helper()
	tools := nvidiatest.Need(t, release, nvidia.Ptxas)
	res, err := tools.Assemble(t.Context(), release, append([]string{"-arch=" + arch}, flags...), nvidia.File{Name: "m.ptx", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != nvidia.Success {
		t.Fatalf("ptxas %s %s: %s", release, arch, res.Message())
	}
	return res.Output
}

// link links objects, which are called a.cubin, b.cubin and so on.
func link(t testing.TB, release, arch string, args []string, objects ...[]byte) *nvidia.Result {
	t.Helper()
	tools := nvidiatest.Need(t, release, nvidia.Nvlink)
	var files []nvidia.File
	for i, data := range objects {
		files = append(files, nvidia.File{Name: string(rune('a'+i)) + ".cubin", Data: data})
	}
	res, err := tools.Link(t.Context(), release, append([]string{"-arch=" + arch}, args...), files)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// mustLink is link for inputs that have to link.
func mustLink(t testing.TB, release, arch string, args []string, objects ...[]byte) *cubin.File {
	t.Helper()
	res := link(t, release, arch, args, objects...)
	if res.Outcome != nvidia.Success {
		t.Fatalf("%s: %s", res, res.Message())
	}
	return open(t, res.Output)
}

// dump prints a file with cuobjdump or nvdisasm.
func dump(t testing.TB, release, tool string, args []string, data []byte) string {
	t.Helper()
	tools := nvidiatest.Need(t, release, tool)
	res, err := tools.Dump(t.Context(), release, tool, args, nvidia.File{Name: "m.cubin", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != nvidia.Success {
		t.Fatalf("%s: %s", res, res.Message())
	}
	return string(res.Stdout)
}

func open(t testing.TB, data []byte) *cubin.File {
	t.Helper()
	f, err := cubin.Open("m.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// named is a section with its name.
type named struct {
	cubin.Section
	index int
	name  string
	data  []byte
}

func sections(f *cubin.File) []named {
	var list []named
	for i := range f.NumSections() {
		s := f.Section(i)
		n := named{Section: s, index: i, name: f.SectionName(&s)}
		if !s.NoBits() && s.Type != cuda.SHTNull {
			n.data = f.Content(&s)
		}
		list = append(list, n)
	}
	return list
}

func section(t testing.TB, f *cubin.File, name string) named {
	t.Helper()
	list := sections(f)
	i := slices.IndexFunc(list, func(n named) bool { return n.name == name })
	if i < 0 {
		t.Fatalf("no section %s", name)
	}
	return list[i]
}

func has(f *cubin.File, name string) bool {
	return slices.ContainsFunc(sections(f), func(s named) bool { return s.name == name })
}

// recordsOf lists the records of a section of records.
func recordsOf(t testing.TB, f *cubin.File, s *cubin.Section) []cubin.Reloc {
	t.Helper()
	table, err := f.Relocs(s)
	if err != nil {
		t.Fatal(err)
	}
	var list []cubin.Reloc
	for i := range table.Len() {
		list = append(list, table.At(i))
	}
	return list
}

func info(t testing.TB, f *cubin.File, s *cubin.Section) []cubin.InfoRecord {
	t.Helper()
	var list []cubin.InfoRecord
	r := f.Info(s)
	for {
		rec, ok := r.Next()
		if !ok {
			break
		}
		list = append(list, rec)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// symbolName returns the name of symbol i of .symtab.
func symbolName(f *cubin.File, i uint32) string {
	s, ok := f.Symtab().At(int(i))
	if !ok {
		return "?"
	}
	return f.Symtab().Name(&s)
}

// patched returns a copy of data with bytes written at an offset.
func patched(data []byte, at uint64, b ...byte) []byte {
	out := slices.Clone(data)
	copy(out[at:], b)
	return out
}

// objects yields the corpus's objects: what ptxas made, each once.
func objects(t testing.TB) iter.Seq[corpus.Input] {
	t.Helper()
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(corpus.Input) bool) {
		seen := map[*byte]bool{}
		for _, c := range cases {
			for _, in := range c.Inputs {
				if len(in.Data) == 0 || seen[&in.Data[0]] || in.Name == "part.cubin" {
					continue
				}
				seen[&in.Data[0]] = true
				if !yield(in) {
					return
				}
			}
		}
	}
}

// smOf returns the number of an architecture such as sm_90a.
func smOf(arch string) int {
	n := 0
	for _, c := range arch[len("sm_"):] {
		if c >= '0' && c <= '9' {
			n = 10*n + int(c-'0')
		}
	}
	return n
}
