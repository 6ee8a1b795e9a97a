// Command judge measures package oracle/check: how many right links it accepts,
// and how many planted defects it rejects.
//
//	go run ./internal/judge make -n 1000 -seed 1 DIR   # right links by NVIDIA's tools
//	go run ./internal/judge cpp -n 50 -seed 1 DIR      # links of C++ programs, 14 of each
//	go run ./internal/judge real -from PTX -n 50 -seed 1 DIR  # the same of programs that are as PTX
//	go run ./internal/judge objects -from CUBINS -n 50 -seed 1 DIR  # the same of programs that are as cubins
//	go run ./internal/judge right DIR                  # what the check says of them
//	go run ./internal/judge layouts DIR                # the same links in other layouts
//	go run ./internal/judge jit -release 13.3 -to NEW DIR  # the same inputs by nvJitLink
//	go run ./internal/judge plant -n 10000 DIR         # defects planted into them
//	go run ./internal/judge stale -n 500 DIR           # defects planted into their inputs, linked by nvlink
//	go run ./internal/judge conditions -n 300 DIR      # the same links by the linker in this source with a condition that fails
//	go run ./internal/judge hostile -n 5000 DIR        # several defects and wild numbers at once: no panic, how long
//	go run ./internal/judge again -keep FILES DIR      # those of plant -keep that are still accepted
//
// A folder of links can be kept and judged again; make needs nvlink and ptxas,
// see internal/nvidia.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// flags are what the command line says.
type flags struct {
	dir     string
	n       int
	seed    uint64
	workers int
	only    string
	each    bool
	release string
	from    string
	to      string
}

// commands are what judge does, by name.
var commands = map[string]func(context.Context, *flags) error{
	"make": func(ctx context.Context, f *flags) error {
		refused, err := makeAll(ctx, f.dir, f.only, f.seed, f.n, f.workers)
		fmt.Printf("%d made, %d refused\n", f.n-refused, refused)
		return err
	},
	"cpp":     func(ctx context.Context, f *flags) error { return cppAll(ctx, f.dir, f.seed, f.n) },
	"real":    func(ctx context.Context, f *flags) error { return realAll(ctx, f.dir, f.from, f.seed, f.n) },
	"objects": func(ctx context.Context, f *flags) error { return objectsAll(ctx, f.dir, f.from, f.seed, f.n) },
	"right":   func(_ context.Context, f *flags) error { return judgeRight(f.dir, f.only, f.each) },
	"layouts": func(_ context.Context, f *flags) error { return judgeLayouts(f.dir, f.only, f.seed, f.each) },
	"jit":     func(ctx context.Context, f *flags) error { return jitAll(ctx, f.dir, f.only, f.to, f.release) },
	"plant":   func(_ context.Context, f *flags) error { return plantAll(f.dir, f.only, f.seed, f.n, f.each) },
	"stale":   func(ctx context.Context, f *flags) error { return staleAll(ctx, f.dir, f.only, f.seed, f.n, f.each) },
	"hostile": func(_ context.Context, f *flags) error { return hostileAll(f.dir, f.only, f.seed, f.n) },
	"conditions": func(ctx context.Context, f *flags) error {
		return conditionsAll(ctx, f.dir, f.only, f.seed, f.n, f.each)
	},
	"again": func(_ context.Context, f *flags) error { return judgeAgain(f.dir) },
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "usage: judge %s [flags] DIR\n", strings.Join(slices.Sorted(maps.Keys(commands)), "|"))
		os.Exit(2)
	}
	f, err := parseFlags(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(2)
	}
	if err := commands[os.Args[1]](context.Background(), f); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

// parseFlags reads the arguments after the command's name, and leaves the kinds of faults that are wanted.
func parseFlags(command string, args []string) (*flags, error) {
	var f flags
	set := flag.NewFlagSet(command, flag.ExitOnError)
	set.IntVar(&f.n, "n", 100, "number of links")
	set.Uint64Var(&f.seed, "seed", 1, "seed of the first")
	set.IntVar(&f.workers, "j", 2, "links at a time")
	set.StringVar(&f.only, "only", "", "links whose name or tags contain this; make: architectures that do")
	set.BoolVar(&f.each, "v", false, "print every verdict that is not accepted")
	set.BoolVar(&wide, "wide", false, "use every release that has an nvlink, and more options")
	set.StringVar(&f.release, "release", "13.5", "release of nvJitLink")
	set.StringVar(&f.from, "from", "", "real, objects: folder of programs, one folder of PTX files or cubins each")
	set.StringVar(&f.to, "to", "", "bed for the links of nvJitLink")
	kinds := set.String("kinds", "", "plant, stale: only faults whose name matches this")
	set.StringVar(&keep, "keep", "", "folder for the files with a defect that were not rejected")
	_ = set.Parse(args) // it exits
	if set.NArg() != 1 {
		return nil, fmt.Errorf("want one folder, got %q", set.Args())
	}
	f.dir = set.Arg(0)
	pattern, err := regexp.Compile(*kinds)
	if err != nil {
		return nil, err
	}
	faults = slices.DeleteFunc(faults, func(x fault) bool { return !pattern.MatchString(x.name) })
	if len(faults) == 0 {
		return nil, fmt.Errorf("no kind of fault matches %q", *kinds)
	}
	return &f, nil
}
