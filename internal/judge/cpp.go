package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// cppTargets are the architectures of C++ programs by the release of ptxas.
var cppTargets = map[string][]string{
	"11.8": {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"},
	"12.4": {"sm_75", "sm_80", "sm_87", "sm_90", "sm_90a"},
	"13.0": {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a"},
	"13.1": cppNewest, "13.2": cppNewest, "13.3": cppNewest, "13.4": cppNewest, "13.5": cppNewest,
}

var cppNewest = []string{"sm_75", "sm_80", "sm_89", "sm_90", "sm_90a"}

// ptxVersions are what ptxas of a release reads of nvcc 13.0's PTX.
var ptxVersions = map[string]string{"11.8": "7.8", "12.4": "8.4"}

// cpp is one C++ program as cubins.
type cpp struct {
	seed    uint64
	arch    string
	targets map[string][]string // architectures by the release of the linker
	newest  string              // release of ptxas
	mixed   bool
	inputs  []nvidia.File
	kernels []string
}

// cppAll makes the links of n C++ programs, which nvcc of $TWINLINK_CUDA compiles.
func cppAll(ctx context.Context, dir string, seed uint64, n int) error {
	m, err := newMaker(ctx, dir)
	if err != nil {
		return err
	}
	failed, made, refused := 0, 0, 0
	for i := range uint64(n) {
		p, err := m.compile(ctx, seed+i)
		if err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%d: %v\n", seed+i, err)
			continue
		}
		y, x, err := m.linkCpp(ctx, p)
		if err != nil {
			return err
		}
		made, refused = made+y, refused+x
	}
	fmt.Printf("%d programs not compiled, %d links made, %d refused\n", failed, made, refused)
	return nil
}

// compile draws the program of a seed, its options, and the ptxas of each file.
func (m *maker) compile(ctx context.Context, seed uint64) (*cpp, error) {
	r := splitmix.New(seed)
	s := newSource(seed)
	p := &cpp{seed: seed, targets: cppTargets, newest: splitmix.Pick(r, m.linkers("11.8", "12.4", "13.0", "13.0", "13.0", "13.5")), kernels: s.kernels}
	p.arch = splitmix.Pick(r, cppTargets[p.newest])
	if wide && p.newest >= "13" && r.OneIn(2) {
		p.arch, p.targets = splitmix.Pick(r, []string{"sm_100", "sm_103", "sm_110", "sm_120"}), targets
	}
	debug := r.Below(5) // 0, 1: -G; 2, 3: -lineinfo; 4: none
	p.mixed = r.OneIn(5)
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for i := range s.files {
		ptxas := p.newest
		if p.mixed {
			older := splitmix.Pick(r, []string{"11.8", "12.4", "13.0"})
			if older < p.newest && slices.Contains(cppTargets[older], p.arch) {
				ptxas = older
			}
			if r.OneIn(3) {
				debug = r.Below(5)
			}
		}
		name := fmt.Sprintf("p%d_%d", seed, i)
		data, err := m.compileFile(ctx, dir, name, s.files[i].String(), p.arch, ptxas, debug, r.OneIn(4))
		if err != nil {
			return nil, err
		}
		p.inputs = append(p.inputs, nvidia.File{Name: name + ".cubin", Data: data})
	}
	return p, nil
}

var ptxVersion = regexp.MustCompile(`(?m)^\.version .*$`)

// compileFile compiles one file to PTX by nvcc, and that by ptxas of a release.
func (m *maker) compileFile(ctx context.Context, dir, name, text, arch, ptxas string, debug int, slow bool) ([]byte, error) {
	if err := os.WriteFile(filepath.Join(dir, name+".cu"), []byte(text), 0o666); err != nil {
		return nil, err
	}
	args := []string{"-std=c++17", "-rdc=true", "-arch=" + arch, "-ptx", "-diag-suppress=20044,177,20014", name + ".cu", "-o", name + ".ptx"}
	flags := []string{"-arch=" + arch, "-c"}
	switch {
	case debug < 2:
		args, flags = append(args, "-G"), append(flags, "-g")
	case debug < 4:
		args, flags = append(args, "-lineinfo"), append(flags, "-lineinfo")
	}
	if slow && debug >= 2 {
		flags = append(flags, "-O1")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(os.Getenv("TWINLINK_CUDA"), "bin", "nvcc"), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("nvcc: %w: %.300s", err, out)
	}
	ptx, err := os.ReadFile(filepath.Join(dir, name+".ptx"))
	if err != nil {
		return nil, err
	}
	if v := ptxVersions[ptxas]; v != "" {
		ptx = ptxVersion.ReplaceAll(ptx, []byte(".version "+v))
	}
	res, err := m.tools.Assemble(ctx, ptxas, flags[:len(flags):len(flags)], nvidia.File{Name: name + ".ptx", Data: ptx})
	if err != nil {
		return nil, err
	}
	if res.Outcome != nvidia.Success {
		return nil, fmt.Errorf("ptxas %s: %s", ptxas, res.Message())
	}
	return res.Output, nil
}

// linkCpp links a program in each way, each by a release drawn from those that can.
func (m *maker) linkCpp(ctx context.Context, p *cpp) (made, refused int, err error) {
	r := splitmix.New(p.seed ^ 0x11)
	var releases []string
	for _, v := range m.linkers("11.8", "12.4", "13.0", "13.5") {
		if v >= p.newest && slices.Contains(p.targets[v], p.arch) {
			releases = append(releases, v)
		}
	}
	some := "-kernels-used=" + splitmix.Pick(r, append([]string{"work"}, p.kernels...))
	ways := []struct {
		name string
		args []string
	}{
		{"plain", nil}, {"plain", nil}, {"g", []string{"-g"}}, {"preserve", []string{"--preserve-relocs"}}, {"order", nil}, {"order", []string{"-g"}}, {"r", []string{"-r"}},
		{"two-step", nil}, {"two-step", []string{"-g"}}, {"kernels", []string{some}}, {"kernels", []string{some, "--preserve-relocs"}}, {"preserve", []string{"-g", "--preserve-relocs"}},
		{"stripped", nil}, {"stripped", []string{"-g"}},
	}
	for i, w := range ways {
		l := link{Name: fmt.Sprintf("c%06d-%02d-%s", p.seed, i, w.name), Release: splitmix.Pick(r, releases), Arch: p.arch, Args: w.args, Tags: []string{w.name}}
		if p.mixed {
			l.Tags = append(l.Tags, "mixed")
		}
		order := slices.Clone(p.inputs)
		if w.name == "order" || r.OneIn(8) {
			slices.Reverse(order)
		}
		for _, in := range p.inputs {
			l.Inputs = append(l.Inputs, in.Name)
		}
		image, err := m.linkOne(ctx, &l, w.name, order)
		if err != nil {
			refused++
			continue
		}
		if err := l.write(m.dir, p.inputs, image); err != nil {
			return made, refused, err
		}
		made++
	}
	return made, refused, nil
}

func (m *maker) linkOne(ctx context.Context, l *link, way string, inputs []nvidia.File) ([]byte, error) {
	args := append([]string{"-arch=" + l.Arch}, l.Args...)
	switch way {
	case "two-step":
		n := 1 + len(inputs)/2
		part, err := m.run(ctx, l.Release, append(slices.Clone(args), "-r"), inputs[:n])
		if err != nil {
			return nil, err
		}
		inputs = append([]nvidia.File{{Name: "part.cubin", Data: part}}, inputs[n:]...)
	case "stripped":
		image, err := m.run(ctx, l.Release, args, inputs)
		if err != nil {
			return nil, err
		}
		return strip(image)
	}
	return m.run(ctx, l.Release, args, inputs)
}
