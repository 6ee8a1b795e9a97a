package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/oracle/check"
)

// Links of C++ programs that were judged wrongly once, made again: "judge cpp" drew them.
func TestFoundCpp(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of nvcc")
	}
	if os.Getenv("TWINLINK_CUDA") == "" {
		t.Skip("nvcc is not installed: TWINLINK_CUDA")
	}
	var tools *nvidia.Toolset
	for _, release := range []string{"11.8", "12.4", "13.0", "13.5"} {
		tools = nvidiatest.Need(t, release, nvidia.Nvlink, nvidia.Ptxas)
	}
	for _, x := range []struct {
		seed  uint64
		way   string
		what  string
		wrong check.Kind // 0: the link is right
	}{
		{31001, "06-r", "barriers in the section flags of older code, with -r", 0},
		{31001, "13-stripped", "the index of KPARAM_INFO, which a stripper leaves", 0},
		{41001, "03-preserve", "records that name a label which the compiler lost", 0},
		{52073, "04-order", "a table of strings that begins another", 0},
		{52004, "10-kernels", "registers of a kernel that nobody asked for, 11.8", 0},
		{63041, "02-g", "a call by name of what a call through a pointer reaches as well, 11.8", 0},
		{52088, "10-kernels", "barriers of all that is there, but for flags of older code", 0},
		{41086, "00-plain", "barriers of an older kernel in flags, of what it calls in its attribute", 0},
		{41099, "10-kernels", "the same of the only kernel, which is charged with everything", 0},
		{41028, "10-kernels", "barriers in the flags of a kernel that nobody asked for", 0},
		{41029, "10-kernels", "barriers of a kernel that nobody asked for", 0},
		{41089, "09-kernels", "debug information of a shared variable of a kernel that is gone", 0},
		{41058, "04-order", "abbreviations of two files that are alike; prototypes of two toolkits", 0},
		{41118, "00-plain", "prototypes of two toolkits", 0},
		{41038, "08-two-step", "what -r says for objects without .nv.compat", 0},
		{41062, "09-kernels", "a table points to a function whose own definition lost", check.FunctionMissing},
		{41030, "08-two-step", "a reference to a constant of another object, which -r loses", check.RelocationField},
		{41004, "07-two-step", "constants of the compiler, which -r loses", check.SectionOverlap},
		{41000, "07-two-step", "a second link by 11.8, which loses all", check.OtherProgram},
	} {
		t.Run(fmt.Sprintf("%d-%s", x.seed, x.way), func(t *testing.T) {
			m := &maker{tools: tools, dir: t.TempDir()}
			p, err := m.compile(context.Background(), x.seed)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := m.linkCpp(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			l, inputs, output, err := load(filepath.Join(m.dir, fmt.Sprintf("c%06d-%s", x.seed, x.way)))
			if err != nil {
				t.Fatal("the seed makes no such link any more:", err)
			}
			v := check.Check(inputs, output, l.options())
			named := slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Kind == x.wrong })
			if v.Agrees() != (x.wrong == 0) || x.wrong != 0 && !named {
				t.Errorf("%s: %v\n%s", x.what, v.Outcome(), v)
			}
		})
	}
}
