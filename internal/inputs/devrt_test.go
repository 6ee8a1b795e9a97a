package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/corpus/definitions"
)

// Which inputs nvlink 12.4.131 and 13.0.88 link where a path contains
// "cudadevrt": want.cubin calls a function, def.cubin defines it, k.cubin is a
// kernel of that name, which the messages of a link of both show to be there.
func TestNamedDeviceRuntime(t *testing.T) {
	objects, err := definitions.Objects()
	if err != nil {
		t.Fatal(err)
	}
	const late = "nvlink fatal   : unexpected object after cudadevrt"
	const warning = "nvlink warning : 'FILE' is omitted, as with nvlink: its path contains 'cudadevrt', and nothing calls the device runtime; --keep-system-libraries links it"
	for _, c := range []struct {
		args, linked string
		warned       string // the file that the warning names
		fatal        bool
	}{
		{"cudadevrt/k.cubin", "", "cudadevrt/k.cubin", false},
		{"libcudadevrt_1.cubin", "", "", false},
		{"k.cubin mycudadevrt2.cubin", "k.cubin", "mycudadevrt2.cubin", false},
		{"cudadevrt/k.cubin want.cubin", "", "cudadevrt/k.cubin", true},
		{"want.cubin cudadevrt/def.cubin", "want.cubin cudadevrt/def.cubin", "", false},
		{"want.cubin cudadevrt/def.cubin k.cubin", "want.cubin cudadevrt/def.cubin k.cubin", "", false},
		{"want.cubin cudadevrt/k.cubin def.cubin", "want.cubin cudadevrt/k.cubin def.cubin", "", false},
		{"want.cubin def.cubin cudadevrt/k.cubin", "want.cubin def.cubin", "cudadevrt/k.cubin", false},
		{"want.cubin def.cubin cudadevrt/k.cubin k.cubin", "want.cubin def.cubin", "cudadevrt/k.cubin", true},
		{"-keep-system-libraries cudadevrt/k.cubin", "cudadevrt/k.cubin", "", false},
	} {
		for _, release := range []string{"12.4", "13.0"} {
			want, def, k := objects[release+"/sm_75/func_extern.a"], objects[release+"/sm_75/func.b"], objects[release+"/sm_75/entry.b"]
			g := given{
				"want.cubin": want, "def.cubin": def, "k.cubin": k, "cudadevrt/def.cubin": def, "cudadevrt/k.cubin": k,
				"mycudadevrt2.cubin": k, "libcudadevrt_1.cubin": k,
			}
			s, said := g.add(t, release, "-arch=sm_75 "+c.args)
			if got := strings.Join(s.names(), " "); got != c.linked {
				t.Errorf("%s, %s: linked %q, nvlink %q", release, c.args, got, c.linked)
			}
			var expected []string
			if c.fatal {
				expected = append(expected, late)
			}
			if c.warned != "" {
				expected = append(expected, strings.Replace(warning, "FILE", c.warned, 1))
			}
			if diff := cmp.Diff(expected, said); diff != "" {
				t.Errorf("%s, %s: %s", release, c.args, diff)
			}
		}
	}
}

// What nvlink 11.8.89, 12.4.131 and 13.0.88 say of a piece that is packed by zstd, which came with 12.8:
// nvlink unpacks also what it omits since nothing calls the device runtime.
func TestPackedByZstd(t *testing.T) {
	g := given{"p.fatbin": fatbinFile(t, "13.0-zstd.fatbin"), "k.cubin": partObject(t)}
	g["cudadevrt/p.fatbin"] = g["p.fatbin"]
	for release, want := range map[string]string{
		"11.8": "nvlink fatal   : Input file 'FILE' size does not match target '-m64'",
		"12.4": "nvlink error   : Uncompress failed\nnvlink fatal   : elfLink fatbinary error",
		"13.0": "",
	} {
		for _, name := range []string{"p.fatbin", "cudadevrt/p.fatbin"} {
			s, said := g.add(t, release, "-arch=sm_80 "+name)
			said = slices.DeleteFunc(said, func(line string) bool { return strings.Contains(line, "is omitted, as with nvlink") })
			if got := strings.Join(said, "\n"); got != strings.Replace(want, "FILE", name, 1) {
				t.Errorf("%s, %s: said %q", release, name, got)
			}
			if linked := len(s.Objects) > 0; linked != (release == "13.0" && name == "p.fatbin") {
				t.Errorf("%s, %s: linked %v", release, name, s.names())
			}
		}
	}
}

// A part of the device runtime of a newer toolkit is refused also where nothing calls for it (13.0.88, of 13.5).
func TestNewerRuntime(t *testing.T) {
	g := given{"cudadevrt/p.fatbin": fatbinFile(t, "13.0-zstd.fatbin")}
	for release, want := range map[string]int{"12.9": 1, "13.0": 0} {
		if s, _ := g.add(t, release, "-arch=sm_80 cudadevrt/p.fatbin"); len(s.Unlinked) != want {
			t.Errorf("%s: %d to be checked", release, len(s.Unlinked))
		}
	}
}

// The driver's functions for graphs don't call for the device runtime (nvlink 13.0.88 to 13.5.37).
func TestGraphsNeedNoRuntime(t *testing.T) {
	graphs, err := os.ReadFile(filepath.Join("..", "..", "corpus", "testdata", "cases", "graph_calls", "13.0-sm_89", "a.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	g := given{"graphs.cubin": graphs, "cudadevrt/p.fatbin": fatbinFile(t, "13.0-zstd.fatbin")}
	if s, _ := g.add(t, "13.0", "-arch=sm_89 graphs.cubin cudadevrt/p.fatbin"); len(s.Objects) != 1 {
		t.Errorf("linked %v", s.names())
	}
}
