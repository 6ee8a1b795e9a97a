package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// Images that nvlink 13.0.88 and 12.4.131 made of testdata/lto with libnvvm of
// their toolkits and the toolkits' libcudadevrt.a: SHA-256. The fatbinaries are
// nvcc's of the same releases, of the sources beside them.
var optimized = []struct {
	release, name, args, sum string
	jit                      bool // needs nvJitLink, besides ptxas
}{
	{"13.0", "whole", "-dlto 13.0-a.lto.fatbin 13.0-b.lto.fatbin", "aebc0c6e823ca2e9676cb57f922f08c167ba082d73a8058da19100a55ce10845", true},
	{"13.0", "one kernel kept", "-dlto -kernels-used=run 13.0-a.lto.fatbin 13.0-b.lto.fatbin", "f8e17c77c7bb4601695b96d675375943abe972d79ef7ae27977edd0f8f5a1fd9", true},
	{"13.0", "PTX", "13.0-a.compute.fatbin 13.0-b.compute.fatbin", "e3019cd66386d82979d62b49c298f42883e2e0fa36d2e459e48dce860b924b3d", false},
	{"13.0", "PTX of the whole", "-dlto -emit-ptx 13.0-a.lto.fatbin 13.0-b.lto.fatbin", "1d9282495f4c98a4d88d04e2694bb2e07c989584a64884fb34f2ff6b89456c36", true},
	{"12.4", "whole", "-dlto 12.4-a.lto.fatbin 12.4-b.lto.fatbin", "31a74cc7cdfdc1db542fa85c21f416075a181bc7e1e18f9cabfc375afd168d3e", true},
	{"12.4", "one kernel kept", "-dlto -kernels-used=run 12.4-a.lto.fatbin 12.4-b.lto.fatbin", "f24f09be931e15dc6ade3d48ede3f7537176d07d98af7b9b7435e3969f06262a", true},
	{"12.4", "PTX", "12.4-a.compute.fatbin 12.4-b.compute.fatbin", "5bcf015f7a517578ce807731fd7c8c170324a91a592b8719000dcce8b89bd564", false},
}

// linkWith runs the program.
func linkWith(args ...string) result { return runAs("twinlink", args...) }

// ltoFolder makes a folder with the objects and a device runtime of no members.
func ltoFolder(t *testing.T) {
	t.Helper()
	from, err := filepath.Abs("testdata/lto")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	write(t, "libcudadevrt.a", "!<arch>\n")
}

// compilersOf names the ptxas and the nvJitLink of a release, or skips.
func compilersOf(t *testing.T, release string, jit bool) []string {
	t.Helper()
	tools, err := nvidia.Find(context.Background(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ptxas, err := tools.Tool(release, nvidia.Ptxas)
	if err != nil {
		nvidiatest.Skip(t, err.Error())
	}
	with := "auto"
	if jit {
		lib, err := nvjitlink.Release(nvjitlink.Options{}, release)
		if err != nil {
			nvidiatest.Skip(t, err.Error())
		}
		if with, err = filepath.Abs(lib.Path); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(filepath.Dir(with)), nvjitlink.WorkerName)); err != nil {
			nvidiatest.Skip(t, "no "+nvjitlink.WorkerName+" beside the libraries: make witness-all")
		}
		t.Setenv("TWINLINK_NVJITLINK_WORKER", filepath.Join(filepath.Dir(filepath.Dir(with)), nvjitlink.WorkerName))
	}
	path, err := filepath.Abs(ptxas.Path)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--toolkit=" + release, "--lto-with=" + with, "--ptxas=" + path}
}

// What nvlink makes with libnvvm, twinlink makes with nvJitLink and ptxas.
func TestLinkTimeOptimization(t *testing.T) {
	for _, c := range optimized {
		t.Run(c.release+" "+c.name, func(t *testing.T) {
			own := compilersOf(t, c.release, c.jit)
			ltoFolder(t)
			args := append(own, "-arch=sm_75", "-nvvmpath=nvvm")
			args = append(append(args, strings.Fields(c.args)...), "libcudadevrt.a", "-o", "out")
			linkWith(append([]string{"link"}, args...)...).want(t, 0)
			sum := sha256.Sum256([]byte(read(t, "out")))
			if got := hex.EncodeToString(sum[:]); got != c.sum {
				t.Errorf("%d bytes with checksum %s, nvlink's is %s", len(read(t, "out")), got, c.sum)
			}
		})
	}
}

// Without the option link-time optimization is refused, with a hint; and nothing
// is written.
func TestOptimizationIsAskedFor(t *testing.T) {
	ltoFolder(t)
	for _, c := range []struct{ args, want string }{
		{"-dlto 13.0-a.lto.fatbin 13.0-b.lto.fatbin", "option '--dlto' is not supported by twinlink: --lto-with=auto or --lto-with=PATH takes nvJitLink 13.0 (Python wheel nvidia-nvjitlink==13.0.*)"},
		{"13.0-a.lto.fatbin", "LTO objects found, use -dlto"},
		{"13.0-a.compute.fatbin", "--lto-with=auto compiles it with a ptxas of 13.0"},
		{"--lto-with=nowhere -dlto 13.0-a.lto.fatbin 13.0-b.lto.fatbin", "--lto-with: stat nowhere"},
		{"--lto-with=auto -dlto 13.0-a.lto.fatbin 13.0-b.lto.fatbin", "expected libcudadevrt object"},
	} {
		args := append(append([]string{"link", "--toolkit=13.0", "-arch=sm_75", "-nvvmpath=nvvm"}, strings.Fields(c.args)...), "-o", "out")
		if r := linkWith(args...); r.exit != 1 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit %d, %q; want 1 and %q", c.args, r.exit, r.stderr, c.want)
		}
		if _, err := os.Stat("out"); err == nil {
			t.Errorf("%s: wrote a file", c.args)
		}
	}
}
