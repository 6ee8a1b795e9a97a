package nvidia_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

var releases = []string{"11.8", "12.4", "13.0", "13.5"}

const kernel = `.version 7.8
.target sm_90
.address_size 64
.extern .func f(.param .u32 x);
.global .u32 g;
.visible .entry k() {
	.reg .u32 r;
	.param .u32 p;
	ld.global.u32 r, [g];
	st.param.u32 [p], r;
	call.uni f, (p);
	ret;
}
`

const callee = `.version 7.8
.target sm_90
.address_size 64
.global .u32 h[4];
.visible .func f(.param .u32 x) {
	.reg .u32 r;
	ld.param.u32 r, [x];
	st.global.u32 [h+8], r;
	ret;
}
`

var sm90 = []string{"-arch=sm_90"}

// objects assembles the two modules above with a release's own ptxas.
func objects(t testing.TB, set *nvidia.Toolset, release string) []nvidia.File {
	t.Helper()
	var files []nvidia.File
	for _, m := range []struct{ name, text string }{{"k", kernel}, {"f", callee}} {
		res, err := set.Assemble(t.Context(), release, sm90, nvidia.File{Name: m.name + ".ptx", Data: []byte(m.text)})
		if err != nil {
			t.Fatal(err)
		}
		if res.Outcome != nvidia.Success {
			t.Fatalf("%v: %s", res, res.Message())
		}
		files = append(files, nvidia.File{Name: m.name + ".cubin", Data: res.Output})
	}
	return files
}

func eachRelease(t *testing.T, names []string, f func(*testing.T, *nvidia.Toolset, string)) {
	for _, r := range releases {
		t.Run(r, func(t *testing.T) { f(t, nvidiatest.Need(t, r, names...), r) })
	}
}

func TestRealLink(t *testing.T) {
	eachRelease(t, []string{"nvlink", "ptxas", "cuobjdump", "nvdisasm"}, func(t *testing.T, set *nvidia.Toolset, release string) {
		inputs := objects(t, set, release)
		link := func(inputs []nvidia.File) *nvidia.Result {
			res, err := set.Link(t.Context(), release, sm90, inputs)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		first := link(inputs)
		if !first.Linked() {
			t.Fatalf("%v, unreliable %q, hollow %v: %s", first, first.Unreliable, first.Hollow, first.Message())
		}
		if second := link(inputs); !bytes.Equal(first.Output, second.Output) {
			t.Error("two runs, two outputs")
		}
		res := link(inputs[:1])
		if res.Outcome != nvidia.Refused || res.ExitCode != 255 || !strings.Contains(res.Message(), "Undefined reference to 'f'") {
			t.Errorf("undefined: %v: %s", res, res.Message())
		}
		for name, args := range map[string][]string{"cuobjdump": {"-elf"}, "nvdisasm": {"-c"}} {
			res, err := set.Dump(t.Context(), release, name, args, nvidia.File{Name: "o.cubin", Data: first.Output})
			if err != nil {
				t.Fatal(err)
			}
			if res.Outcome != nvidia.Success || !bytes.Contains(res.Stdout, []byte(".text.k")) {
				t.Errorf("%v: %s", res, res.Message())
			}
		}
	})
}

// What nvlink passes over must not read as a link.
func TestRealPassedOver(t *testing.T) {
	eachRelease(t, []string{"nvlink", "ptxas"}, func(t *testing.T, set *nvidia.Toolset, release string) {
		callee := objects(t, set, release)[1]
		for _, f := range []nvidia.File{
			{Name: "f.CUBIN", Data: callee.Data},
			{Name: "f.elf", Data: callee.Data},
			{Name: "f", Data: callee.Data},
			{Name: "f.a", Data: callee.Data},
			{Name: "f.cubin", Data: callee.Data[:700]},
			{Name: "f.cubin"},
		} {
			res, err := set.Link(t.Context(), release, sm90, []nvidia.File{f})
			if err != nil {
				t.Fatal(err)
			}
			if res.Linked() || len(res.Unreliable) != 1 {
				t.Errorf("%s, %d bytes: %v, unreliable %q, hollow %v", f.Name, len(f.Data), res, res.Unreliable, res.Hollow)
			}
			// 11.8 may link whatever memory holds beyond a truncated file.
			if release != "11.8" && res.Outcome == nvidia.Success && !res.Hollow {
				t.Errorf("%s, %d bytes: an output that holds something", f.Name, len(f.Data))
			}
		}
	})
}

// Mutants make nvlink crash, hang and write without end. Each must come back as
// a result, and nothing may stay behind.
func TestRealMutants(t *testing.T) {
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	eachRelease(t, []string{"nvlink", "ptxas"}, func(t *testing.T, set *nvidia.Toolset, release string) {
		inputs := objects(t, set, release)
		tool, err := set.Tool(release, nvidia.Nvlink)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		counts := map[nvidia.Outcome]int{}
		for i := range 100 {
			mutant := bytes.Clone(inputs[1].Data)
			for range 1 + random.IntN(4) {
				mutant[64+random.IntN(len(mutant)-64)] = byte(random.Uint32())
			}
			res, err := tool.Run(t.Context(), nvidia.Job{
				Args:    []string{"-arch=sm_90", "-o", "o.cubin", "k.cubin", "f.cubin"},
				Inputs:  []nvidia.File{inputs[0], {Name: "f.cubin", Data: mutant}},
				Outputs: []string{"o.cubin"},
				Limits:  nvidia.Limits{Time: time.Second, File: 16 << 20, Memory: 1 << 30},
			})
			if err != nil {
				t.Fatalf("mutant %d: %v", i, err)
			}
			if (res.Outcome == nvidia.Crashed) != (res.Signal != 0 && res.ExitCode == -1) && res.Outcome != nvidia.Hung {
				t.Errorf("mutant %d: %v, exit %d, signal %v", i, res, res.ExitCode, res.Signal)
			}
			counts[res.Outcome]++
		}
		t.Logf("nvlink %v: %v", tool.Version, counts)
	})
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRealExtract(t *testing.T) {
	set := nvidiatest.Need(t, "13.0", "cuobjdump", "libcudadevrt.a")
	path, err := set.File("13.0", "libcudadevrt.a")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	res, err := set.Extract(t.Context(), "13.0", nvidia.File{Name: "libcudadevrt.a", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if res.Outcome != nvidia.Success || len(res.Files) < 10 {
		t.Errorf("%v, %d files: %s", res, len(res.Files), res.Message())
	}
	for name, cubin := range res.Files {
		if !bytes.HasPrefix(cubin, []byte("\x7fELF")) {
			t.Errorf("%s is no ELF file", name)
		}
	}
}

// BenchmarkLink times one small link through the package, scratch folder and
// all: what each case of a differential run costs.
func BenchmarkLink(b *testing.B) {
	for _, r := range releases {
		b.Run(fmt.Sprintf("release=%s", r), func(b *testing.B) {
			set := nvidiatest.Need(b, r, "nvlink", "ptxas")
			inputs := objects(b, set, r)
			for b.Loop() {
				if res, err := set.Link(b.Context(), r, sm90, inputs); err != nil || !res.Linked() {
					b.Fatal(res, err)
				}
			}
		})
	}
}
