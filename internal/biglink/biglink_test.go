package biglink_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/biglink"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

// The template is what ptxas 11.8 makes of Source.
func TestTemplate(t *testing.T) {
	set := nvidiatest.Need(t, "11.8", nvidia.Ptxas)
	res, err := set.Assemble(t.Context(), "11.8", []string{"-arch=sm_80"}, nvidia.File{Name: "a.ptx", Data: []byte(biglink.Source())})
	if err != nil || res.Outcome != nvidia.Success {
		t.Fatalf("%v, %v", res, err)
	}
	template, err := biglink.Template()
	if err != nil || !bytes.Equal(template, res.Output) {
		t.Errorf("the template is another file: %v", err)
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
