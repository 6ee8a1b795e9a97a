// Command judge measures package oracle/check: how many right links it accepts,
// and how many planted defects it rejects.
//
//	go run ./internal/judge make -n 1000 -seed 1 DIR   # right links by NVIDIA's tools
//	go run ./internal/judge cpp -n 50 -seed 1 DIR      # links of C++ programs, 14 of each
//	go run ./internal/judge real -from PTX -n 50 -seed 1 DIR  # the same of programs that stand as PTX
//	go run ./internal/judge objects -from CUBINS -n 50 -seed 1 DIR  # the same of programs that stand as cubins
//	go run ./internal/judge right DIR                  # what the check says of them
//	go run ./internal/judge jit -release 13.3 -to NEW DIR  # the same inputs by nvJitLink
//	go run ./internal/judge plant -n 10000 DIR         # defects planted into them
//	go run ./internal/judge stale -n 500 DIR           # defects planted into their inputs, linked by nvlink
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
	"os"
	"regexp"
	"slices"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: judge make|cpp|real|objects|right|jit|plant|stale|hostile|again [flags] DIR")
		os.Exit(2)
	}
	set := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	n := set.Int("n", 100, "number of links")
	seed := set.Uint64("seed", 1, "seed of the first")
	workers := set.Int("j", 2, "links at a time")
	only := set.String("only", "", "links whose name or tags contain this; make: architectures that do")
	each := set.Bool("v", false, "print every verdict that is not accepted")
	set.BoolVar(&wide, "wide", false, "draw from every release of which there is an nvlink, and more options")
	release := set.String("release", "13.5", "release of nvJitLink")
	from := set.String("from", "", "real, objects: folder of programs, one folder of PTX files or cubins each")
	to := set.String("to", "", "bed for the links of nvJitLink")
	kinds := set.String("kinds", "", "plant, stale: only faults whose name matches this")
	set.StringVar(&keep, "keep", "", "folder for the files with a defect that were not rejected")
	_ = set.Parse(os.Args[2:])
	if set.NArg() != 1 {
		set.Usage()
		os.Exit(2)
	}
	dir := set.Arg(0)
	pattern, err := regexp.Compile(*kinds)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	faults = slices.DeleteFunc(faults, func(x fault) bool { return !pattern.MatchString(x.name) })
	if len(faults) == 0 {
		fmt.Fprintf(os.Stderr, "judge: no kind of fault matches %q\n", *kinds)
		os.Exit(2)
	}

	switch os.Args[1] {
	case "make":
		var refused int
		refused, err = makeAll(context.Background(), dir, *only, *seed, *n, *workers)
		fmt.Printf("%d made, %d refused\n", *n-refused, refused)
	case "cpp":
		err = cppAll(context.Background(), dir, *seed, *n)
	case "real":
		err = realAll(context.Background(), dir, *from, *seed, *n)
	case "objects":
		err = objectsAll(context.Background(), dir, *from, *seed, *n)
	case "right":
		err = judgeRight(dir, *only, *each)
	case "jit":
		err = jitAll(context.Background(), dir, *only, *to, *release)
	case "plant":
		err = plantAll(dir, *only, *seed, *n, *each)
	case "stale":
		err = staleAll(context.Background(), dir, *only, *seed, *n, *each)
	case "hostile":
		err = hostileAll(dir, *only, *seed, *n)
	case "again":
		err = judgeAgain(dir)
	default:
		err = fmt.Errorf("no command %q", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}
