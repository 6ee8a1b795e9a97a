//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/twinlink/twinlink/internal/biglink"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// steepest is the exponent of growth above which the bench fails.
const steepest = 1.2

func main() {
	if len(os.Args) == 2 && os.Args[1] == touchFlag {
		touch()
		return
	}
	if len(os.Args) > 4 && os.Args[1] == judgeFlag {
		if err := judge(os.Args[2], os.Args[3], os.Args[4:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	rounds := flag.Int("rounds", 5, "how often each program runs")
	quick := flag.Bool("quick", false, "leave out nvlink and the largest links")
	only := flag.String("only", "", "only links whose name contains this")
	checks := flag.Bool("check", false, "measure the check of links alone")
	profile := flag.String("profile", "", "measure nothing, but write a profile of links, for the compiler, to this file")
	flag.Parse()
	work := func() error { return run(*rounds, *quick, *checks, *only) }
	if *profile != "" {
		work = func() error { return writeProfile(*profile) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is a run of this program.
type bench struct {
	dir      string // of temporary files, in memory where the system has such
	twinlink string
	floors   []program // that can be built here
	tools    *nvidia.Toolset
	rounds   int
	quick    bool
	only     string
	left     []string // what was omitted, and why
	steep    []string // what grows too fast
	out      *tabwriter.Writer
}

func run(rounds int, quick, checks bool, only string) (err error) {
	memory := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		memory = "/dev/shm"
	}
	dir, err := os.MkdirTemp(memory, "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{dir: dir, rounds: rounds, quick: quick, only: only, twinlink: filepath.Join(dir, "twinlink"),
		out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)}
	for path, source := range map[string]string{b.twinlink: "./cmd/twinlink", b.nvlink(): "./cmd/twinlink-nvlink", b.empty(): "./internal/bench/empty"} {
		build := exec.Command("go", "build", "-pgo="+profilePath, "-o", path, source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make builds it
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	b.floors = append(b.buildFloor("floor", "gcc", "-O2", "internal/bench/floor/floor.c"), b.buildFloor("floor in Go", "go", "build", "./internal/bench/gofloor")...)
	if b.tools, err = nvidia.Find(context.Background(), nvidia.Options{}); err != nil {
		return err
	}
	if !checks {
		b.speed()
		b.growth()
	}
	b.checks()
	_ = b.out.Flush()
	for _, l := range b.left {
		fmt.Println("left out:", l)
	}
	if len(b.steep) > 0 {
		return fmt.Errorf("grows faster than size^%.1f: %s", steepest, strings.Join(b.steep, ", "))
	}
	return nil
}

// empty is a Go program that does nothing: what starting a process costs.
func (b *bench) empty() string { return filepath.Join(b.dir, "empty") }

// buildFloor builds a program that touches the same bytes and decides nothing; it is left
// out where there is no compiler.
func (b *bench) buildFloor(name, compiler string, args ...string) []program {
	path := filepath.Join(b.dir, name)
	last := len(args) - 1
	build := exec.Command(compiler, append(args[:last:last], "-o", path, args[last])...)
	if out, err := build.CombinedOutput(); err != nil {
		b.leave("the "+name, fmt.Errorf("%w %s", err, out))
		return nil
	}
	return []program{{name, []string{path}}}
}

// nvlink is the program that only links.
func (b *bench) nvlink() string { return filepath.Join(b.dir, "twinlink-nvlink") }

func (b *bench) leave(what string, err error) {
	b.left = append(b.left, what+": "+strings.TrimSpace(err.Error()))
}

// module makes the template of a shape.
func (b *bench) module(s *shape) ([]byte, error) {
	if s.source == nil {
		return biglink.Template()
	}
	tool, err := b.tools.Tool(s.release, nvidia.Ptxas)
	if err != nil {
		return nil, err
	}
	in, out := filepath.Join(b.dir, "module.ptx"), filepath.Join(b.dir, "module.cubin")
	if err := os.WriteFile(in, []byte(s.source(ptx[s.release], s.target)), 0o600); err != nil {
		return nil, err
	}
	if text, err := exec.Command(tool.Path, "-c", "-arch="+s.target, "-o", out, in).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("ptxas: %w %.300s", err, text)
	}
	return os.ReadFile(out)
}

// write writes n modules and returns their names.
func (b *bench) write(s *shape, template []byte, n int) ([]string, error) {
	list, err := biglink.Copies(template, n, func(i int) int { return s.next(i, n) })
	if err != nil {
		return nil, err
	}
	names := make([]string, n)
	for i, data := range list {
		names[i] = fmt.Sprintf("m%05d.cubin", i)
		if err := os.WriteFile(filepath.Join(b.dir, names[i]), data, 0o600); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// ours is twinlink's command for a link.
func (b *bench) ours(s *shape, inputs []string) program {
	args := append([]string{b.twinlink, "link", "-arch=" + s.target, "-o", "ours"}, s.options...)
	return program{"twinlink", append(args, inputs...)}
}

// manyFunctions are the links whose speed is looked at first.
var manyFunctions = []shape{
	{name: "16,384 functions", modules: 256, release: "11.8", target: "sm_80", next: around},
	{name: "16,384 functions", modules: 256, release: "13.0", target: "sm_90", source: biglink.SourceFor, next: around},
	{name: "16,384 functions", modules: 256, release: "13.0", target: "sm_100", source: biglink.SourceFor, next: around},
}

// speed compares with the floor and with nvlink.
func (b *bench) speed() {
	fmt.Fprintln(b.out, "link\tprogram\tCPU ms\twall ms\tMiB\tfaults\tCPU of the floor's\tof twinlink's\tMiB of twinlink's\t")
	small := shape{name: "two small cubins", modules: 2, release: "13.0", target: "sm_90", source: small, next: around}
	large := shape{name: "few large sections", modules: 2, release: "13.0", target: "sm_90", source: large, next: toItself}
	for _, s := range slices.Concat([]shape{small}, manyFunctions, []shape{large}) {
		s.name += ", " + s.target
		if strings.Contains(s.name, b.only) {
			if err := b.compare(&s); err != nil {
				b.leave(s.name, err)
			}
		}
	}
	_ = b.out.Flush()
}

func (b *bench) compare(s *shape) error {
	template, err := b.module(s)
	if err != nil {
		return err
	}
	inputs, err := b.write(s, template, s.modules)
	if err != nil {
		return err
	}
	programs := []program{b.ours(s, inputs)}
	floor := -1
	for _, f := range b.floors {
		if f.name == "floor" {
			floor = len(programs)
		}
		programs = append(programs, program{f.name, append([]string{f.args[0], "floor.out"}, inputs...)})
	}
	if s.modules == 2 {
		alone := program{"twinlink-nvlink", append([]string{b.nvlink()}, programs[0].args[2:]...)}
		programs = append(programs, alone, program{"empty Go program", []string{b.empty()}})
	}
	for _, release := range nvidia.Standard {
		if b.quick || release < s.release {
			continue
		}
		tool, err := b.tools.Tool(release, nvidia.Nvlink)
		if err != nil {
			b.leave(s.name+", nvlink "+release, err)
			continue
		}
		programs = append(programs, program{"nvlink " + release, append([]string{tool.Path, "-arch=" + s.target, "-o", "theirs"}, inputs...)})
	}
	all, err := takeTurns(b.dir, programs, b.rounds)
	if err != nil {
		return err
	}
	mib := func(of []sample) float64 { return over(of, func(s sample) float64 { return float64(s.memory) / 1024 }) }
	for i, samples := range all {
		toFloor := "-"
		if floor >= 0 {
			toFloor = fmt.Sprintf("%.2f", ratio(samples, all[floor]))
		}
		fmt.Fprintf(b.out, "%s\t%s\t%.1f\t%.1f\t%.0f\t%.0f\t%s\t%.2f\t%.2f\t\n", s.name, programs[i].name,
			over(samples, func(s sample) float64 { return float64(s.cpu.Microseconds()) / 1000 }),
			over(samples, func(s sample) float64 { return float64(s.wall.Microseconds()) / 1000 }),
			mib(samples), over(samples, func(s sample) float64 { return float64(s.faults) }),
			toFloor, ratio(samples, all[0]), mib(samples)/mib(all[0]))
	}
	return nil
}

// growth links each shape in two sizes.
func (b *bench) growth() {
	fmt.Fprintln(b.out, "\nshape\tmodules\tCPU ms\tMiB\tmodules\tCPU ms\tMiB\texponent\t")
	list := []shape{{name: "functions, 1k to 65k, sm_80", target: "sm_80", release: "11.8", next: around, modules: 16}}
	for _, target := range []string{"sm_90", "sm_100"} {
		list = append(list, shape{name: "functions, 4k to 16k, " + target, target: target, source: biglink.SourceFor, next: around, modules: 64})
	}
	for _, s := range append(list, shapes...) {
		if b.wants(&s) {
			if err := b.grow(&s); err != nil {
				b.leave(s.name, err)
			}
		}
	}
}

func (b *bench) grow(s *shape) error {
	times := 4
	if s.source == nil && !b.quick {
		times = 64
	}
	return b.twoSizes(s, times, func(inputs []string) (program, error) { return b.ours(s, inputs), nil })
}

// wants fills in what a shape leaves open, and reports whether it was asked for.
func (b *bench) wants(s *shape) bool {
	if s.release == "" {
		s.release = "13.0"
	}
	if s.target == "" {
		s.target = "sm_90"
	}
	return strings.Contains(s.name, b.only)
}
