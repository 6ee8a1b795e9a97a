package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// Tests that run real build tools. A toolkit is a folder with bin/nvcc: the one
// that TWINLINK_CUDA names, or that of the nvcc in PATH. "scripts/witness.sh
// toolkit-13.0" fetches one. They take minutes.

// kit is a folder made by as-nvlink in which nvlink is now the toolkit's, now
// twinlink (this test program): so both get the same command lines.
type kit struct {
	t      *testing.T
	folder string
	tool   string // the toolkit's nvlink
}

func needNvcc(t *testing.T) *kit {
	t.Helper()
	from := os.Getenv("TWINLINK_CUDA")
	if from == "" {
		nvcc, err := exec.LookPath("nvcc")
		if err != nil {
			nvidiatest.Skip(t, "no nvcc: name a toolkit with TWINLINK_CUDA")
		}
		from = filepath.Dir(filepath.Dir(nvcc))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{t: t, folder: filepath.Join(t.TempDir(), "cuda"), tool: filepath.Join(from, "bin", "nvlink")}
	if _, err := shadow(from, k.folder, self); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	return k
}

// use makes nvlink the toolkit's or twinlink.
func (k *kit) use(twinlink bool) {
	k.t.Helper()
	target := k.tool
	if twinlink {
		self, err := os.Executable()
		if err != nil {
			k.t.Fatal(err)
		}
		target = self
	}
	if err := symlink(target, filepath.Join(k.folder, "bin", "nvlink")); err != nil {
		k.t.Fatal(err)
	}
}

// nvcc runs the toolkit's nvcc in the folder's shape.
func (k *kit) nvcc(args ...string) string {
	k.t.Helper()
	return k.run(filepath.Join(k.folder, "bin", "nvcc"), append([]string{"-allow-unsupported-compiler"}, args...)...)
}

func (k *kit) run(name string, args ...string) string {
	k.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(k.folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		k.t.Fatalf("%s %q: %v\n%s", filepath.Base(name), args, err, out)
	}
	return string(out)
}

// images are the linked images in a file, by place; modules what it registers.
func images(t *testing.T, name string) (list [][]byte, modules []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	o, err := container.ReadObject(name, data, container.NewBudget(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Plain {
		for i := range f.Members {
			content, err := f.Members[i].Data(container.NewBudget(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, content)
		}
	}
	return list, o.ModuleIDs
}

// same builds twice and compares the device code in the result.
func (k *kit) same(result string, build func()) {
	k.t.Helper()
	k.use(false)
	build()
	theirs, theirModules := images(k.t, result)
	if err := os.RemoveAll(result); err != nil {
		k.t.Fatal(err)
	}
	k.use(true)
	build()
	ours, ourModules := images(k.t, result)
	if len(theirs) == 0 || len(theirs) != len(ours) {
		k.t.Fatalf("%d images, with nvlink %d", len(ours), len(theirs))
	}
	for i := range ours {
		if !bytes.Equal(ours[i], theirs[i]) {
			k.t.Errorf("image %d of %d differs: %d bytes, nvlink's %d", i, len(ours), len(ours[i]), len(theirs[i]))
		}
	}
	if strings.Join(ourModules, " ") != strings.Join(theirModules, " ") {
		k.t.Errorf("registered %q, with nvlink %q", ourModules, theirModules)
	}
}

const (
	programA = `extern __device__ int twice(int);
__constant__ int bias;
__global__ void run(int *p) { __shared__ int s[32]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); *p = twice(s[3]) + bias; }
int main() { int v = 1; cudaMemcpyToSymbol(bias, &v, 4); run<<<1, 32>>>(nullptr); return 0; }
`
	programB = `__device__ int factor = 2;
__device__ int twice(int x) { return x * factor; }
__global__ void unused(int *p) { *p = 5; }
`
	programLaunch = `extern __device__ int twice(int);
__global__ void child(int *p) { *p = twice(*p); }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() { parent<<<1, 1>>>(nullptr); return 0; }
`
)

func programs(t *testing.T) {
	t.Helper()
	write(t, "a.cu", programA)
	write(t, "b.cu", programB)
	write(t, "launch.cu", programLaunch)
}

// Each way in which nvcc links device code, with the same objects.
func TestNvcc(t *testing.T) {
	for _, c := range []struct {
		name    string
		compile []string // options of the compilation of each file
		link    []string // of the link
		files   []string
	}{
		{"two files", []string{"-arch=sm_75"}, []string{"-arch=sm_75"}, []string{"a", "b"}},
		{"with -g -lineinfo", []string{"-arch=sm_75", "-g", "-lineinfo"}, []string{"-arch=sm_75", "-g"}, []string{"a", "b"}},
		{"launch from the device", []string{"-arch=sm_75"}, []string{"-arch=sm_75", "-lcudadevrt"}, []string{"launch", "b"}},
		{"several architectures", []string{"-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_80,code=[sm_80,compute_80]"},
			[]string{"-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_80,code=[sm_80,compute_80]"}, []string{"a", "b"}},
		{"all-major", []string{"-arch=all-major"}, []string{"-arch=all-major"}, []string{"a", "b"}},
		{"--no-compress", []string{"-arch=sm_75", "--no-compress"}, []string{"-arch=sm_75", "--no-compress"}, []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := needNvcc(t)
			programs(t)
			var objects []string
			for _, f := range c.files {
				k.nvcc(append(append([]string{"-dc"}, c.compile...), f+".cu", "-o", f+".o")...)
				objects = append(objects, f+".o")
			}
			k.same("program", func() { k.nvcc(append(append(append([]string{}, c.link...), objects...), "-o", "program")...) })
			if r := runAs("twinlink", "verify", "program"); r.exit != 0 {
				t.Errorf("the program doesn't verify: exit %d: %s%s", r.exit, r.out, r.stderr)
			}
			k.same("device.o", func() { k.nvcc(append(append(append([]string{"-dlink"}, c.link...), objects...), "-o", "device.o")...) })
		})
	}
}

// An archive made by nvcc -lib, and the compression of what is in it.
func TestNvccLibrary(t *testing.T) {
	k := needNvcc(t)
	programs(t)
	for _, mode := range []string{"", "none", "size", "speed", "balance"} {
		args := []string{"-arch=sm_75"}
		if mode != "" {
			if !strings.Contains(k.nvcc("--help"), "--compress-mode") {
				t.Logf("SKIPPED: this nvcc has no --compress-mode=%s", mode)
				continue
			}
			args = append(args, "--compress-mode="+mode)
		}
		k.nvcc(append(args, "-dc", "b.cu", "-o", "b.o")...)
		_ = os.Remove("libb.a")
		k.nvcc("-lib", "b.o", "-o", "libb.a")
		k.nvcc(append(args, "-dc", "a.cu", "-o", "a.o")...)
		k.same("program", func() { k.nvcc(append(args, "a.o", "-L.", "-lb", "-o", "program")...) })
	}
}

const cmakeLists = `cmake_minimum_required(VERSION 3.20)
project(demo LANGUAGES CXX CUDA)
add_library(host STATIC host.cpp)
add_library(part STATIC b.cu)
add_library(whole SHARED a.cu b.cu)
add_executable(app a.cu)
set_target_properties(part whole app PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
target_link_libraries(app PRIVATE part host)
`

// A CMake project: the configure step's probe, libraries of the host alone, a
// static and a shared library.
func TestCMake(t *testing.T) {
	if _, err := exec.LookPath("cmake"); err != nil {
		nvidiatest.Skip(t, "no cmake: a Python wheel, pip install cmake")
	}
	k := needNvcc(t)
	programs(t)
	write(t, "host.cpp", "int host() { return 1; }\n")
	write(t, "CMakeLists.txt", cmakeLists)
	for _, result := range []string{"build/app", "build/libwhole.so"} {
		k.same(result, func() {
			if err := os.RemoveAll("build"); err != nil {
				t.Fatal(err)
			}
			k.run("cmake", "-S", ".", "-B", "build", "-DCMAKE_CUDA_COMPILER="+filepath.Join(k.folder, "bin", "nvcc"), "-DCMAKE_CUDA_ARCHITECTURES=75",
				"-DCMAKE_CUDA_FLAGS=-allow-unsupported-compiler")
			k.run("cmake", "--build", "build")
		})
	}
}

// clang hands its objects to clang-nvlink-wrapper, which calls nvlink. Versions
// before 22 don't compile with the headers of CUDA 13.
func TestClang(t *testing.T) {
	const clang = "clang++-22"
	if _, err := exec.LookPath(clang); err != nil {
		nvidiatest.Skip(t, "no "+clang+" (Debian: packages clang-22, clang-tools-22 and llvm-22)")
	}
	k := needNvcc(t)
	programs(t)
	// clang includes a header of cuRAND, which the toolkit here lacks, in every program.
	write(t, "curand_mtgp32_kernel.h", "")
	k.same("program", func() {
		k.run(clang, "-I.", "--cuda-path="+k.folder, "--offload-arch=sm_75", "--offload-arch=sm_90", "-Wno-unknown-cuda-version", "-fgpu-rdc",
			"a.cu", "b.cu", "-L"+filepath.Join(k.folder, "lib64"), "-lcudart_static", "-lpthread", "-ldl", "-lrt", "-o", "program")
	})
}

// XLA looks for V and digits in what nvlink --version prints, and then links
// files that it has written.
func TestXLA(t *testing.T) {
	folder(t, "12.4-sm_80")
	version := regexp.MustCompile(`\bV(\d+)\.(\d+)\.(\d+)\b`)
	r := runAs(toolkit(t, "linked.cubin"), "--version")
	if got := version.FindString(r.out); r.exit != 0 || got != "V12.4.131" {
		t.Errorf("exit %d, version %q in %q", r.exit, got, r.out)
	}
	runAs("nvlink", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "xla").want(t, 0)
	if read(t, "xla") != read(t, "linked.cubin") {
		t.Error("not what nvlink links")
	}
}

// A build whose links nvlink makes and twinlink judges: the build's result is
// nvlink's, and there is a line for each link.
func TestJudgedBuild(t *testing.T) {
	k := needNvcc(t)
	programs(t)
	k.use(true)
	t.Setenv(verifyVariable, "1")
	t.Setenv(reportVariable, filepath.Join(t.TempDir(), "report.jsonl"))
	k.nvcc("-arch=sm_75", "-rdc=true", "a.cu", "b.cu", "-o", "program")
	if lines := strings.Split(strings.TrimSpace(read(t, os.Getenv(reportVariable))), "\n"); len(lines) != 1 || !strings.Contains(lines[0], `"verdict":"agree"`) {
		t.Errorf("report:\n%s", strings.Join(lines, "\n"))
	}
}
