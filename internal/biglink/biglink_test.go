package biglink_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/biglink"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
)

func TestMain(m *testing.M) { replay.Main(m) }

// The template is what ptxas 11.8 makes of Source.
func TestTemplate(t *testing.T) { replay.Both(t, "testdata/template.gz", []string{"11.8"}, template) }

func template(t *testing.T) {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := set.Assemble(t.Context(), "11.8", []string{"-arch=sm_80"}, nvidia.File{Name: "a.ptx", Data: []byte(biglink.Source())})
	if err != nil || res.Outcome != nvidia.Success {
		t.Fatalf("%v, %v", res, err)
	}
	made, err := biglink.Template()
	if err != nil || !bytes.Equal(made, res.Output) {
		t.Errorf("the template is another file: %v", err)
	}
}

// The modules call each other in a ring, and nothing else: linked they have all functions, each once, and the first half
// of a module's calls the second of the next. Copies takes any other ring.
func TestRing(t *testing.T) {
	for n, modules := range map[int]func(n int) ([][]byte, error){
		2: biglink.Modules, 3: biglink.Modules,
		5: func(n int) ([][]byte, error) {
			template, err := biglink.Template()
			if err != nil {
				return nil, err
			}
			return biglink.Copies(template, n, func(i int) int { return (i + 3) % n })
		},
	} {
		list, err := modules(n)
		if err != nil || len(list) != n {
			t.Fatalf("%d modules, %v", len(list), err)
		}
		var inputs []engine.Input
		for i, data := range list {
			inputs = append(inputs, engine.Input{Name: fmt.Sprintf("m%d.cubin", i), Data: data})
		}
		out, err := engine.Link(inputs, engine.Options{Arch: "sm_80", Toolkit: "11.8", Record: engine.CommandLine{Text: "-arch sm_80 "}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open("out", out.Image)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for k := range biglink.Functions {
				name := fmt.Sprintf(".text.f_m%04x_%02d", i, k)
				if k == 0 {
					name = fmt.Sprintf(".text.k_m%04x", i)
				}
				if f.Lookup(name) == 0 {
					t.Errorf("of %d modules: no %s", n, name)
				}
			}
		}
		// Of the modules without one nothing links: the ring is closed over all of them.
		if _, err := engine.Link(inputs[1:], engine.Options{Arch: "sm_80", Toolkit: "11.8", Record: engine.CommandLine{Text: "-arch sm_80 "}}); err == nil {
			t.Errorf("%d modules need only %d", n, n-1)
		}
	}
	if _, err := biglink.Copies([]byte("no cubin"), 2, func(i int) int { return i }); err == nil {
		t.Error("copies of no cubin")
	}
}

// The source for another target differs in the head alone.
func TestSourceFor(t *testing.T) {
	a, b := biglink.Source(), biglink.SourceFor("8.8", "sm_100")
	if want := strings.Replace(a, ".version 7.8\n.target sm_80\n", ".version 8.8\n.target sm_100\n", 1); b != want || a == b {
		t.Error("the source for sm_100 is another")
	}
}

func TestModules(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 65537} {
		if _, err := biglink.Modules(n); err == nil {
			t.Errorf("%d modules", n)
		}
	}
	list, err := biglink.Modules(3)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d modules, %v", len(list), err)
	}
	for i, data := range list {
		f, err := cubin.Open("m", data)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{fmt.Sprintf(".text.f_m%04x_01", i), fmt.Sprintf(".text.k_m%04x", i)} {
			if f.Lookup(want) == 0 {
				t.Errorf("module %d has no %s", i, want)
			}
		}
		if bytes.Contains(data, []byte("n0000")) {
			t.Errorf("module %d still has a name of the template", i)
		}
	}
}

// The modules are a link like others: each release takes them, and the engine
// makes the same of them, all functions alive. With 256 nvlink makes more
// sections than st_shndx has numbers for, with 300 the image has: see the
// engine's shndx.go. (11.8 takes seconds for those; BenchmarkAgainstNvlink of
// cmd/twinlink compares it too.)
func TestLink(t *testing.T) {
	for _, c := range []struct {
		release string
		modules int
	}{{"11.8", 16}, {"12.4", 16}, {"13.0", 16}, {"12.4", 256}, {"13.0", 300}} {
		t.Run(fmt.Sprintf("%s/%d", c.release, c.modules), func(t *testing.T) {
			release, modules := c.release, c.modules
			list, err := biglink.Modules(modules)
			if err != nil {
				t.Fatal(err)
			}
			set := nvidiatest.Need(t, release)
			var inputs []engine.Input
			var files []nvidia.File
			for i, data := range list {
				name := fmt.Sprintf("m%d.cubin", i)
				inputs = append(inputs, engine.Input{Name: name, Data: data})
				files = append(files, nvidia.File{Name: name, Data: data})
			}
			res, err := set.Link(t.Context(), release, []string{"-arch=sm_80"}, files)
			if err != nil || !res.Linked() {
				t.Fatalf("%v, %v", res, err)
			}
			out, err := engine.Link(inputs, engine.Options{Arch: "sm_80", Toolkit: release, Record: engine.CommandLine{Text: "-arch sm_80 "}})
			if err != nil || !bytes.Equal(out.Image, res.Output) {
				t.Fatalf("the engine's image is another: %v", err)
			}
			f, err := cubin.Open("out", out.Image)
			if err != nil {
				t.Fatal(err)
			}
			code := 0
			for i := 1; i < f.NumSections(); i++ {
				if s := f.Section(i); bytes.HasPrefix([]byte(f.SectionName(&s)), []byte(".text.")) {
					code++
				}
			}
			if code != modules*biglink.Functions {
				t.Errorf("%d functions in the image, want %d", code, modules*biglink.Functions)
			}
		})
	}
}
