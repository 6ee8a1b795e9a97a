// Command real links real libraries with nvlink and with twinlink, compares the
// images and the registration files, and prints sizes, processor time and the
// most memory of both:
//
//	scripts/witness.sh 11.8 real-cufft-11.8
//	go run ./corpus/real
//
// A library that isn't there is named, with the line that fetches it. Nothing of
// them is part of this repository.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// recipe is one link. %LIB in args is the library's folder.
type recipe struct {
	name, release, folder string // the folder is one of the witness
	source                string // compiled by the toolkit of the folder "toolkit-RELEASE" first
	args                  []string
}

var recipes = []recipe{
	{"cuFFT, static, whole", "11.8", "real-cufft-11.8", "", []string{"-arch=sm_80", "%LIB/libcufft_static.a", "%LIB/libculibos.a"}},
	{"cuFFT, static, whole", "12.4", "real-cufft-12.4", "", []string{"-arch=sm_80", "%LIB/libcufft_static.a", "%LIB/libculibos.a"}},
	{"NVSHMEM's device library", "13.0", "real-nvshmem-13.0", "", []string{"-arch=sm_90", "%LIB/libnvshmem_device.a"}},
	{"NVSHMEM's device library", "13.0", "real-nvshmem-13.0", "", []string{"-arch=sm_100", "%LIB/libnvshmem_device.a"}},
	{"cudadevrt, launches from kernels", "13.0", "toolkit-13.0", launches, []string{"-arch=sm_90", "launches.o", "%LIB/lib64/libcudadevrt.a"}},
}

const launches = `__global__ void child(int *p) { *p += 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
void run() { parent<<<1, 1>>>(nullptr); }
`

func main() {
	twinlink := flag.String("twinlink", "", "the program to measure; default: built from this repository")
	flag.Parse()
	if err := run(*twinlink); err != nil {
		fmt.Fprintln(os.Stderr, "real:", err)
		os.Exit(1)
	}
}

func run(twinlink string) error {
	work, err := os.MkdirTemp("", "twinlink-real-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if twinlink == "" {
		twinlink = filepath.Join(work, "twinlink")
		if out, err := exec.Command("go", "build", "-o", twinlink, "./cmd/twinlink").CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w: %s", err, out)
		}
	}
	tools, err := nvidia.Find(context.Background(), nvidia.Options{})
	if err != nil {
		return err
	}
	fmt.Println("| library | release | target | image | registration file | nvlink: CPU, memory | twinlink: CPU, memory |\n|---|---|---|---|---|---|---|")
	different := 0
	for _, r := range recipes {
		nvlink, err := tools.Tool(r.release, nvidia.Nvlink)
		if err != nil {
			fmt.Fprintf(os.Stderr, "SKIPPED: %s %s: %v\n", r.name, r.release, err)
			continue
		}
		witness := filepath.Dir(filepath.Dir(nvlink.Path))
		lib := filepath.Join(witness, r.folder)
		if _, err := os.Stat(lib); err != nil {
			fmt.Fprintf(os.Stderr, "SKIPPED: %s %s: scripts/witness.sh %s fetches it\n", r.name, r.release, r.folder)
			continue
		}
		same, err := r.compare(work, lib, nvlink.Path, twinlink)
		if err != nil {
			return fmt.Errorf("%s %s: %w", r.name, r.release, err)
		}
		if !same {
			different++
		}
	}
	if different > 0 {
		return fmt.Errorf("%d links differ", different)
	}
	return nil
}

// result is what a linker made and took.
type result struct {
	image, register []byte
	cpu             float64 // seconds
	memory          int64   // KiB
}

func (r *recipe) compare(work, lib, nvlink, twinlink string) (same bool, err error) {
	lib, err = filepath.Abs(lib)
	if err != nil {
		return false, err
	}
	if r.source != "" {
		if err := os.WriteFile(filepath.Join(work, "launches.cu"), []byte(r.source), 0o666); err != nil {
			return false, err
		}
		cmd := exec.Command(filepath.Join(lib, "bin", "nvcc"), "-allow-unsupported-compiler", "-dc", r.args[0], "launches.cu", "-o", "launches.o")
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			return false, fmt.Errorf("nvcc: %w: %s", err, out)
		}
	}
	args := append([]string{"--register-link-binaries=reg.c", "-o", "image"}, r.args...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "%LIB", lib)
	}
	theirs, err := link(work, nvlink, args)
	if err != nil {
		return false, err
	}
	ours, err := link(work, twinlink, append([]string{"link", "--toolkit=" + r.release}, args...))
	if err != nil {
		return false, err
	}
	word := func(equal bool) string {
		if equal {
			return "identical"
		}
		return "DIFFERENT"
	}
	image, register := bytes.Equal(theirs.image, ours.image), bytes.Equal(theirs.register, ours.register)
	fmt.Printf("| %s | %s | %s | %s, %d bytes | %s | %.2f s, %d MB | %.2f s, %d MB |\n", r.name, r.release, strings.TrimPrefix(r.args[0], "-arch="),
		word(image), len(ours.image), word(register), theirs.cpu, theirs.memory>>10, ours.cpu, ours.memory>>10)
	return image && register, nil
}

// link runs a linker in a folder.
func link(dir, program string, args []string) (*result, error) {
	for _, name := range []string{"image", "reg.c"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(program), err, out)
	}
	r := &result{
		cpu:    (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		memory: peakMemory(cmd.ProcessState),
	}
	if r.image, err = os.ReadFile(filepath.Join(dir, "image")); err != nil {
		return nil, err
	}
	r.register, err = os.ReadFile(filepath.Join(dir, "reg.c"))
	return r, err
}
