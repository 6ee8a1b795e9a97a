package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// compileAll compiles each source for a few drawn releases and architectures.
func (b *bed) compileAll(ctx context.Context) error {
	slices.SortStableFunc(b.sources, func(x, y source) int {
		return strings.Compare(x.family+"\x00"+x.name+"\x00"+x.path, y.family+"\x00"+y.name+"\x00"+y.path)
	})
	perFamily := map[string]int{}
	jobs := make([]func() ([]*object, error), 0, len(b.sources))
	for i := range b.sources {
		s := &b.sources[i]
		if perFamily[s.family]++; perFamily[s.family] > b.perFamily || len(s.text) > mostText {
			continue
		}
		jobs = append(jobs, func() ([]*object, error) { return b.compile(ctx, s) })
	}
	made := make([][]*object, len(jobs))
	err := b.parallel(ctx, len(jobs), func(i int) (err error) {
		made[i], err = jobs[i]()
		return err
	})
	for _, list := range made {
		b.keepObjects(list)
	}
	return err
}

// compile draws what a source is compiled for. Sources of one program are
// compiled for the same, so that they can be linked; PTX in one of three cases by
// toolkits of their own.
func (b *bed) compile(ctx context.Context, s *source) ([]*object, error) {
	var list []*object
	for v := range b.variants {
		r := splitmix.New(b.seed<<16 ^ uint64(v) ^ hashOf(s.family))
		release := splitmix.Pick(r, b.assemblers)
		archs := b.architectures(release)
		archs = slices.DeleteFunc(archs, func(a string) bool { return !b.wanted(a) || !fits(s.text, a) })
		if len(archs) == 0 {
			continue
		}
		arch := splitmix.Pick(r, archs)
		var flags []string
		if s.text == nil {
			flags = splitmix.Pick(r, [][]string{nil, nil, nil, nil, {"-lineinfo"}, {"-g"}})
		} else {
			own := splitmix.New(b.seed<<16 ^ uint64(v) ^ hashOf(s.family+"\x00"+s.name))
			if r.OneIn(3) {
				release = splitmix.Pick(own, where(b.assemblers, func(v string) bool { return slices.Contains(b.architectures(v), arch) }))
			}
			flags = drawFlags(own, release)
		}
		o, err := b.compileOne(ctx, s, release, arch, flags)
		if err != nil {
			return nil, err
		}
		if o != nil {
			list = append(list, o)
		}
	}
	return list, nil
}

func (b *bed) compileOne(ctx context.Context, s *source, release, arch string, flags []string) (*object, error) {
	text := s.text
	if text == nil {
		var err error
		if text, err = os.ReadFile(s.path); err != nil {
			return nil, err
		}
	}
	name := strings.TrimSuffix(s.name, filepath.Ext(s.name)) + ".cubin"
	way, assemble := "compile 1", b.tools.Assemble
	if slices.Contains(flags, extended) {
		way, assemble = "compile 2", b.tools.AssembleWhole // 1 was with -c, beside which ptxas ignores -ewp
	}
	key := keyOf(way, release, arch, strings.Join(flags, " "), strings.Join(s.flags, " "), s.path, string(text))
	m, err := b.cache.get(key, func() (*made, error) {
		if s.text == nil {
			return b.nvcc(ctx, s, arch, flags)
		}
		res, err := assemble(ctx, release, append([]string{"-arch=" + arch}, flags...), nvidia.File{Name: "in.ptx", Data: lowered(text, release)})
		if err != nil {
			return nil, err
		}
		if res.Outcome != nvidia.Success {
			return &made{Fault: lastLine(res.Message())}, nil
		}
		return &made{Files: map[string][]byte{"out.cubin": res.Output}}, nil
	})
	if err != nil || m.Files["out.cubin"] == nil {
		if m != nil && m.Fault != "" {
			b.note("%s for %s by %s: %s", s.name, arch, release, m.Fault)
		}
		return nil, err
	}
	o, err := newObject(s.family, name, fmt.Sprintf("%s by %s for %s %s", s.name, release, arch, strings.Join(flags, " ")), m.Files["out.cubin"])
	if err != nil {
		return nil, nil
	}
	o.Arch = arch
	return o, nil
}

// nvcc compiles a CUDA source to a relocatable cubin, with the release that nvcc
// is of.
func (b *bed) nvcc(ctx context.Context, s *source, arch string, flags []string) (*made, error) {
	if b.compiler == "" {
		return &made{Fault: "no -nvcc"}, nil
	}
	dir, err := os.MkdirTemp("", "bed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	flags = slices.Clone(flags)
	for i := range flags {
		if flags[i] == "-g" {
			flags[i] = "-G"
		}
	}
	out := filepath.Join(dir, "out.cubin")
	args := append(append([]string{"-rdc=true", "-cubin", "-arch=" + arch, "-o", out}, flags...), s.flags...)
	cmd := exec.CommandContext(ctx, b.compiler, append(args, s.path)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return &made{Fault: lastLine(string(text))}, nil
	}
	data, err := os.ReadFile(out)
	return &made{Files: map[string][]byte{"out.cubin": data}}, err
}

var targetLine = regexp.MustCompile(`(?m)^\.target\s+sm_([0-9]+)([af]?)`)

// fits reports whether PTX can be compiled for an architecture.
func fits(text []byte, arch string) bool {
	if text == nil {
		return true
	}
	m := targetLine.FindSubmatch(text)
	if m == nil {
		return false
	}
	n, _ := strconv.Atoi(string(m[1]))
	if len(m[2]) > 0 {
		return arch == "sm_"+string(m[1])+string(m[2])
	}
	return archNumber(arch) >= n
}

// mostText omits PTX that takes ptxas minutes.
const mostText = 200 << 10

// archsOf are what ptxas of a release compiles for.
var archsOf = map[string][]string{
	"11.8": {"sm_50", "sm_52", "sm_60", "sm_61", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"},
	"12.0": {"sm_50", "sm_52", "sm_60", "sm_61", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"},
	"13.0": {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_103a", "sm_110", "sm_110a", "sm_120", "sm_120a", "sm_121", "sm_121a"},
	"13.4": {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_103a", "sm_107", "sm_107a", "sm_110", "sm_110a", "sm_120", "sm_120a", "sm_121", "sm_121a"},
}

// architectures of a release: those of the newest that is no newer.
func (b *bed) architectures(release string) []string {
	best := "11.8"
	for r := range archsOf {
		if compareReleases(r, release) <= 0 && compareReleases(r, best) > 0 {
			best = r
		}
	}
	return slices.Clone(archsOf[best])
}
