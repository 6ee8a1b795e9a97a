package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/ptxgen"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// link is one right link as it is on the disk: case.json beside the inputs
// and the output.
type link struct {
	Name    string
	Release string // of the linker
	Arch    string
	Args    []string // what changes the output; the check is told the same
	Inputs  []string // in the order in which the check is given them
	Tags    []string // "order", "two-step", "mixed", "jit", ...
}

// targets are the architectures by the release of ptxas.
var targets = map[string][]string{
	"11.8": {"sm_52", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"},
	"12.4": {"sm_52", "sm_60", "sm_72", "sm_75", "sm_80", "sm_87", "sm_89", "sm_90", "sm_90a"},
	"13.0": {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100", "sm_100a", "sm_103", "sm_110", "sm_120", "sm_120", "sm_121"},
	"13.1": newest, "13.2": newest, "13.3": newest, "13.4": newest, "13.5": newest,
}

// targetsOf are the architectures that links of a release are drawn for.
func targetsOf(release string) []string {
	if wide && release >= "13.4" {
		return append(slices.Clip(targets[release]), "sm_107", "sm_107a")
	}
	return targets[release]
}

var newest = []string{"sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100", "sm_103", "sm_110", "sm_120", "sm_120"}

// wide has links drawn from all releases and with more options. Tests hold what seeds
// give without it.
var wide bool

// linkers are the releases in targets of which there is an nvlink, oldest first, or the
// ones given.
func (m *maker) linkers(narrow ...string) []string {
	if !wide {
		return narrow
	}
	var list []string
	for _, v := range slices.Sorted(maps.Keys(targets)) {
		if _, err := m.tools.Tool(v, nvidia.Nvlink); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// maker makes right links with NVIDIA's tools.
type maker struct {
	tools *nvidia.Toolset
	dir   string
	only  string // what the architecture contains
}

// newMaker returns a maker of links with the tools that are installed.
func newMaker(ctx context.Context, dir string) (*maker, error) {
	tools, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return nil, err
	}
	m := &maker{tools: tools, dir: dir}
	if len(m.linkers("any")) == 0 {
		return nil, errors.New("no nvlink of any release is installed")
	}
	return m, nil
}

// makeAll makes n links and returns how many linkers refused.
func makeAll(ctx context.Context, dir, only string, seed uint64, n, workers int) (refused int, err error) {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(targets)), func(release string) bool { return strings.Contains(strings.Join(targetsOf(release), " "), only) }) {
		return 0, fmt.Errorf("no architecture contains %q", only)
	}
	m, err := newMaker(ctx, dir)
	if err != nil {
		return 0, err
	}
	m.only = only
	failures := make([]error, n)
	var group sync.WaitGroup
	next := make(chan int)
	for range workers {
		group.Go(func() {
			for i := range next {
				failures[i] = m.make(ctx, seed+uint64(i))
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	for _, err := range failures {
		if errors.Is(err, errRefused) {
			refused++
		} else if err != nil {
			return refused, err
		}
	}
	return refused, nil
}

var errRefused = errors.New("a tool refused")

// make draws the link of a seed and makes it.
func (m *maker) make(ctx context.Context, seed uint64) error {
	r := splitmix.New(seed)
	releases := m.linkers("11.8", "12.4", "13.0", "13.0", "13.5")
	l := link{Name: fmt.Sprintf("s%06d", seed), Release: splitmix.Pick(r, releases)}
	l.Arch = splitmix.Pick(r, targetsOf(l.Release))
	for !strings.Contains(l.Arch, m.only) {
		l.Release = splitmix.Pick(r, releases)
		l.Arch = splitmix.Pick(r, targetsOf(l.Release))
	}
	program := ptxgen.New(seed, m.target(r, l.Release, l.Arch), ptxgen.Options{})
	compilers := slices.Repeat([]string{l.Release}, len(program.Modules))
	if r.OneIn(6) {
		for i := range compilers {
			older := splitmix.Pick(r, releases)
			if older < l.Release && slices.Contains(targets[older], l.Arch) && r.OneIn(2) {
				compilers[i] = older
			}
		}
		l.Tags = append(l.Tags, "mixed")
	}
	flags := []string{"-arch=" + l.Arch}
	switch r.Below(8) {
	case 0:
		flags = append(flags, "-lineinfo")
	case 1:
		flags = append(flags, "-g")
	}
	var inputs []nvidia.File
	for i, module := range program.Modules {
		res, err := m.tools.Assemble(ctx, compilers[i], flags, nvidia.File{Name: module.Name + ".ptx", Data: []byte(module.Text)})
		if err != nil {
			return err
		}
		if res.Outcome != nvidia.Success {
			return errRefused
		}
		inputs = append(inputs, nvidia.File{Name: module.Name + ".cubin", Data: res.Output})
	}
	for _, in := range inputs {
		l.Inputs = append(l.Inputs, in.Name)
	}
	if r.OneIn(2) {
		m.drawArgs(r, &l, program)
	}
	order := slices.Clone(inputs)
	if len(order) > 1 && r.OneIn(2) {
		for i := range order {
			j := i + r.Below(len(order)-i)
			order[i], order[j] = order[j], order[i]
		}
		l.Tags = append(l.Tags, "order")
	}
	linked, err := m.link(ctx, r, &l, order)
	if err != nil {
		return err
	}
	return l.write(m.dir, inputs, linked)
}

// target draws what language the program is written in.
func (m *maker) target(r *splitmix.Random, release, arch string) ptxgen.Target {
	list := []ptxgen.Target{ptxgen.Old, ptxgen.Lanes, ptxgen.Stack}
	if arch == "sm_90" || arch == "sm_90a" || arch >= "sm_1" && len(arch) > 5 {
		list = append(list, ptxgen.Hopper11)
		if release != "11.8" {
			list = append(list, ptxgen.Hopper12, ptxgen.Hopper12)
		}
	}
	return splitmix.Pick(r, list)
}

func (m *maker) drawArgs(r *splitmix.Random, l *link, program ptxgen.Program) {
	ways := 10
	if wide {
		ways = 12
	}
	switch r.Below(ways) {
	case 10:
		l.Args = append(l.Args, "-r", splitmix.Pick(r, []string{"-g", "--preserve-relocs", "--reserve-null-pointer"}))
	case 11:
		l.Args = append(l.Args, "-g", "--reserve-null-pointer")
	case 0, 1:
		l.Args = append(l.Args, "-g")
	case 2, 3:
		l.Args = append(l.Args, "--preserve-relocs")
	case 4, 5:
		list := []string{"_"}
		if len(program.Kernels) > 0 {
			list = []string{splitmix.Pick(r, program.Kernels)}
		}
		for _, k := range program.Kernels {
			if r.OneIn(2) {
				list = append(list, k)
			}
		}
		text := list[0]
		for _, k := range list[1:] {
			text += "," + k
		}
		l.Args = append(l.Args, "-kernels-used="+text)
	case 6:
		l.Args = append(l.Args, "-r")
	case 7:
		l.Args = append(l.Args, "--force-rela")
	case 8:
		l.Args = append(l.Args, splitmix.Pick(r, []string{"--reserve-null-pointer", "--disable-smem-reservation=true"}))
	case 9:
		l.Args = append(l.Args, "-g", "-suppress-debug-info")
	}
	if r.OneIn(8) {
		l.Args = append(l.Args, "--preserve-relocs")
	}
}

// link runs nvlink, now and then in two steps, or strips what it made.
func (m *maker) link(ctx context.Context, r *splitmix.Random, l *link, inputs []nvidia.File) ([]byte, error) {
	args := append([]string{"-arch=" + l.Arch}, l.Args...)
	if wide && !slices.Contains(l.Args, "-r") && r.OneIn(8) {
		l.Tags = append(l.Tags, "stripped")
		image, err := m.run(ctx, l.Release, args, inputs)
		if err != nil {
			return nil, err
		}
		return strip(image)
	}
	if l.Release >= "13" && (len(l.Args) == 0 || wide && l.Args[0] == "-g") && r.OneIn(5) {
		l.Tags = append(l.Tags, "two-step")
		n := 1 + r.Below(len(inputs))
		part, err := m.run(ctx, l.Release, append(args, "-r"), inputs[:n])
		if err != nil {
			return nil, err
		}
		inputs = append([]nvidia.File{{Name: "part.cubin", Data: part}}, inputs[n:]...)
	}
	return m.run(ctx, l.Release, args, inputs)
}

func (m *maker) run(ctx context.Context, release string, args []string, inputs []nvidia.File) ([]byte, error) {
	res, err := m.tools.Link(ctx, release, args, inputs)
	if err != nil {
		return nil, err
	}
	if res.Outcome != nvidia.Success {
		return nil, errRefused
	}
	return res.Output, nil
}

func (l *link) write(dir string, inputs []nvidia.File, output []byte) error {
	to := filepath.Join(dir, l.Name)
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, in := range inputs {
		if err := os.WriteFile(filepath.Join(to, in.Name), in.Data, 0o666); err != nil {
			return err
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "case.json"), text, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "out.cubin"), output, 0o666)
}
