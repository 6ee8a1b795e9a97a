package inputs

import (
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
	const warning = "nvlink warning : 'FILE' is left out, as nvlink does: its path contains 'cudadevrt', and nothing calls the device runtime; --keep-system-libraries links it"
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
