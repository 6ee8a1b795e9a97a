package main

import (
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

// asNvlinkDoes runs a command line in the working folder with twinlink and with
// nvlink, and compares out.cubin, messages and status. It returns nvlink's out.cubin.
func asNvlinkDoes(t *testing.T, release, line string, inputs ...string) (image []byte) {
	t.Helper()
	tool, err := nvidiatest.Need(t, release, nvidia.Nvlink).Tool(release, nvidia.Nvlink)
	if err != nil {
		t.Fatal(err)
	}
	job := nvidia.Job{Args: append(strings.Fields(line), "-o", "out.cubin"), Collect: "out.cubin"}
	for _, name := range inputs {
		job.Inputs = append(job.Inputs, nvidia.File{Name: name, Data: []byte(read(t, name))})
	}
	theirs, err := tool.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove("out.cubin")
	ours := runAs("twinlink", append([]string{"link", "-toolkit", release}, job.Args...)...)
	if said, _ := ownwarnings.Strip(ours.stderr); ours.exit != theirs.ExitCode || said != string(theirs.Stderr) {
		t.Errorf("%s: %s: exit %d, %q, with nvlink %d, %q", release, line, ours.exit, ours.stderr, theirs.ExitCode, theirs.Stderr)
		return theirs.Files["out.cubin"]
	}
	if image = theirs.Files["out.cubin"]; theirs.ExitCode == 0 && read(t, "out.cubin") != string(image) {
		t.Errorf("%s: %s: not the image that nvlink makes", release, line)
	}
	return image
}

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
