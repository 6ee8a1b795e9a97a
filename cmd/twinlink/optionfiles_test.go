package main

import (
	"os"
	"strings"
	"testing"
)

// --nv-host puts a file into the image, on both sides where there are two. A later
// link drops it or has its own.
func TestHostSection(t *testing.T) {
	mercury, err := os.ReadFile(mercuryObject)
	if err != nil {
		t.Fatal(err)
	}
	folder(t, "13.0-sm_90")
	write(t, "host.bin", strings.Repeat("what host code left", 7))
	write(t, "nothing", "")
	write(t, "m.cubin", string(mercury))
	for _, c := range []struct{ target, inputs string }{{"-arch=sm_90", "a.cubin b.cubin"}, {"-arch=sm_110", "m.cubin"}} {
		line, with := c.target+" "+c.inputs, strings.Fields(c.inputs+" host.bin nothing")
		for _, option := range []string{"", " -r", " -g", " --preserve-relocs"} {
			asNvlinkDoes(t, "13.0", line+option+" -nv-host host.bin", with...)
		}
		for _, file := range []string{"nothing", "none"} {
			asNvlinkDoes(t, "13.0", line+" -nv-host "+file, with...)
		}
		image := asNvlinkDoes(t, "13.0", line+" -r -nv-host host.bin", with...)
		write(t, "first.cubin", string(image))
		for _, option := range []string{"", " -r", " -g", " -nv-host a.cubin", " -r -nv-host a.cubin"} {
			asNvlinkDoes(t, "13.0", c.target+" first.cubin"+option, "first.cubin", "a.cubin")
		}
	}
}

// mercuryObject was made for sm_110 by ptxas 13.0.
const mercuryObject = "../../corpus/testdata/mercury/constants/13.0-sm_110/a.cubin"

// --cuda-api-version is held against each function's attribute.
func TestAPIVersion(t *testing.T) {
	for _, set := range []struct{ release, folder, arch string }{{"11.8", "11.8-sm_52", "sm_52"}, {"12.4", "12.4-sm_80", "sm_80"}, {"13.0", "13.0-sm_90", "sm_90"}, {"13.5", "13.0-sm_90", "sm_90"}} {
		t.Run(set.release, func(t *testing.T) {
			folder(t, set.folder)
			major, _, _ := strings.Cut(set.release, ".")
			for _, minor := range []string{".0", ".3", ".9"} {
				for _, option := range []string{"", " -g", " -Werror"} {
					asNvlinkDoes(t, set.release, "-arch="+set.arch+" a.cubin b.cubin --cuda-api-version "+major+minor+option, "a.cubin", "b.cubin")
				}
			}
		})
	}
}

// Options files that can't be read, that name others, or that say other things than the command line.
func TestOptionsFiles(t *testing.T) {
	for _, set := range []struct{ release, folder, arch string }{{"11.8", "11.8-sm_52", "sm_52"}, {"12.4", "12.4-sm_80", "sm_80"}, {"13.0", "13.0-sm_90", "sm_90"}, {"13.5", "13.0-sm_90", "sm_90"}} {
		t.Run(set.release, func(t *testing.T) {
			folder(t, set.folder)
			write(t, "g.txt", "-g")
			write(t, "r.txt", "-r -v")
			write(t, "more.txt", "-optf g.txt -w")
			write(t, "lost.txt", "-optf none.txt -v")
			write(t, "arch.txt", "-arch=sm_99 a.cubin")
			write(t, "same.txt", "-arch="+set.arch)
			write(t, "inputs.txt", "a.cubin b.cubin")
			write(t, "empty.txt", "")
			files := []string{"a.cubin", "b.cubin", "g.txt", "r.txt", "more.txt", "lost.txt", "arch.txt", "same.txt", "inputs.txt", "empty.txt"}
			for _, words := range []string{"-optf none.txt", "-optf none.txt -optf g.txt", "-optf g.txt -optf none.txt -optf r.txt", "-optf none.txt,g.txt", "-optf none.txt,gone.txt", "-optf none.txt -optf gone.txt", "-optf g.txt,none.txt,r.txt",
				"-optf g.txt,r.txt", "-optf more.txt", "-optf lost.txt", "-optf lost.txt,g.txt", "-optf arch.txt", "-optf same.txt", "-optf empty.txt", "-optf empty.txt,g.txt",
				"-optf g.txt -g", "-optf g.txt,g.txt", "-optf none.txt -v", "-optf none.txt -Werror", "-optf none.txt -w", "-optf arch.txt -w", "-optf arch.txt -Werror"} {
				asNvlinkDoes(t, set.release, "-arch="+set.arch+" a.cubin b.cubin "+words, files...)
			}
			asNvlinkDoes(t, set.release, "-arch="+set.arch+" -optf inputs.txt", files...)
			asNvlinkDoes(t, set.release, "-optf same.txt,inputs.txt", files...)
			for _, again := range []string{"-g -g", "-kernels-used=k -kernels-used=k", "-arch=sm_99", "-m=64 -m=32", "-cpu-arch=X86_64 -cpu-arch=AARCH64", "-maxrregcount=32 -maxrregcount=64",
				"-maxrregcount=32 -maxrregcount=32", "-o out.cubin", "-o other.cubin", "--cpu-arch=unknown", "-Xptxas=-v -Xptxas=-w"} {
				asNvlinkDoes(t, set.release, "-arch="+set.arch+" a.cubin b.cubin "+again, files...)
			}
		})
	}
}
