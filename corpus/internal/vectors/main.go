// Command vectors makes the corpus of relocation vectors again with NVIDIA's tools
// and compares it with what is committed.
//
// It compiles the templates with the ptxas that each names, asks nvlink of every
// release about every vector of its plan, and prints what is not as the tools
// say; then the exit status is 1. With -update it writes that instead.
//
// With -random N it asks about N vectors that are in no file and compares the
// answers with the rules of packages expect and oracle.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/internal/nvidia"
)

type regen struct {
	root     string
	update   bool
	trials   int
	seed     uint64
	only     string
	show     int
	tools    *nvidia.Toolset
	manifest *relocs.Manifest

	differences int
}

func (r *regen) differ(format string, args ...any) {
	r.differences++
	fmt.Printf(format+"\n", args...)
}

func main() {
	r := &regen{}
	flag.StringVar(&r.root, "corpus", filepath.Join("corpus", "testdata", "relocs"), "folder of the corpus")
	flag.BoolVar(&r.update, "update", false, "write what differs")
	flag.IntVar(&r.trials, "random", 0, "run nvlink on this many random vectors instead, and compare with the oracle")
	flag.Uint64Var(&r.seed, "seed", 1, "of -random")
	flag.IntVar(&r.show, "show", 100, "differences that -random prints at most")
	flag.StringVar(&r.only, "template", "", "only templates whose name contains this")
	flag.Parse()
	if err := r.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
	if r.differences > 0 {
		os.Exit(1)
	}
}

func (r *regen) run(ctx context.Context) (err error) {
	if r.tools, err = nvidia.Find(ctx, nvidia.Options{Dir: r.root, Limits: nvidia.Limits{Time: patience}}); err != nil {
		return err
	}
	if r.manifest, err = relocs.ReadManifest(os.DirFS(r.root)); err != nil {
		return err
	}
	if r.trials > 0 {
		return r.random(ctx, r.trials, r.seed, r.only)
	}
	if err := r.compile(ctx); err != nil {
		return err
	}
	if err := r.nodes(ctx); err != nil {
		return err
	}
	return r.generate(ctx)
}
