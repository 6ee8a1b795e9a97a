package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/worker"
)

// bed is a run: what the flags say, and the pool.
type bed struct {
	seed      uint64
	n         int
	workers   int
	variants  int
	perFamily int
	parts     int // one link of so many has inputs that are linked with -r first; 0: none
	pairs     int // one link in this many combines two programs; 0: none
	largest   int64
	out       string
	tool      string
	compiler  string
	archs     []string
	releases  []string
	wheels    []string
	packages  []string
	lists     []string
	archives  []string // files whose objects a link gets where they define what it leaves undefined
	generated int      // programs of the generator
	launching bool     // all of them hold addresses of kernels

	cache      *cache
	tools      *nvidia.Toolset
	libraries  []nvjitlink.SharedObject
	assemblers []string // releases that have a ptxas
	linkers    []string // releases that have an nvlink

	sources  []source
	pool     map[string][]*object
	closing  []*object // those of archives
	families []string

	mu sync.Mutex
}

// words is a flag that may be repeated, or holds a list with commas.
type words []string

func (w *words) String() string { return strings.Join(*w, ",") }
func (w *words) Set(s string) error {
	*w = append(*w, strings.Split(s, ",")...)
	return nil
}

func main() {
	worker.Main()
	b := &bed{pool: map[string][]*object{}}
	var cacheDir string
	flag.Uint64Var(&b.seed, "seed", 1, "seed of all random choices")
	flag.IntVar(&b.n, "n", 200, "number of links")
	flag.IntVar(&b.workers, "j", 2, "tools at a time")
	flag.IntVar(&b.variants, "variants", 3, "for how many drawn targets each source is compiled")
	flag.IntVar(&b.perFamily, "sources", 60, "sources of a program that are compiled at most")
	largest := flag.Int64("largest", 600, "MB of a library that is looked into at most")
	flag.StringVar(&cacheDir, "cache", "", "folder that keeps downloads and objects (required)")
	flag.IntVar(&b.parts, "parts", 4, "one link in this many has inputs that nvlink links with -r first; 0: none")
	flag.IntVar(&b.pairs, "pairs", 4, "one link in this many combines two programs; 0: none")
	flag.IntVar(&b.generated, "generated", 0, "number of generated programs to take code from")
	flag.BoolVar(&b.launching, "launching", false, "code and data of all generated programs hold addresses of kernels; else one of three")
	flag.StringVar(&b.out, "out", "", "folder for the report and the smallest link of each bucket")
	flag.StringVar(&b.tool, "tool", "", "twinlink's program; default: built from the module")
	flag.StringVar(&b.compiler, "nvcc", "", "nvcc, for CUDA sources")
	flag.Var((*words)(&b.archs), "arch", "only these architectures")
	flag.Var((*words)(&b.releases), "release", "only these releases of the linker; all for which an nvlink or nvJitLink is installed")
	flag.Var((*words)(&b.wheels), "wheel", "Python package NAME==VERSION to take code from")
	flag.Var((*words)(&b.packages), "deb", "distribution package to take code from")
	flag.Var((*words)(&b.archives), "library", "archive such as libcudadevrt.a: a link gets the objects of it that define what it leaves undefined")
	flag.Var((*words)(&b.lists), "list", "list of sources")
	flag.Parse()
	b.largest = *largest << 20
	if cacheDir == "" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := b.run(ctx, cacheDir, flag.Args())
	if err == nil && b.out != "" {
		err = o.save(b.out)
	}
	if err == nil {
		err = o.write(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bed:", err)
		os.Exit(2)
	}
	if len(o.Buckets) > 0 {
		os.Exit(1)
	}
}

func (b *bed) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// run makes the pool, draws the links and asks.
func (b *bed) run(ctx context.Context, cacheDir string, paths []string) (*outcome, error) {
	var err error
	if cacheDir, err = filepath.Abs(cacheDir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cacheDir, 0o755); err != nil {
		return nil, err
	}
	b.cache = &cache{cacheDir}
	if err := b.findTools(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bed")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if b.tool, err = b.provideTool(ctx, dir); err != nil {
		return nil, err
	}
	if err := b.known(ctx); err != nil {
		return nil, err
	}
	if err := b.fill(ctx, paths); err != nil {
		return nil, err
	}
	links := make([]*link, b.n)
	var done atomic.Int64
	err = b.parallel(ctx, b.n, func(i int) (err error) {
		if p := b.draw(i); p != nil {
			if err = b.join(ctx, p); err == nil {
				links[i], err = b.askProcesses(ctx, p)
			}
		}
		if n := done.Add(1); n%500 == 0 {
			b.note("%d of %d links", n, b.n)
		}
		return err
	})
	if err == nil {
		err = b.askJIT(ctx, links)
	}
	if err != nil {
		return nil, err
	}
	return b.outcome(links), nil
}

// findTools settles the releases: those asked for, or else all of which there is
// an nvlink or nvJitLink.
func (b *bed) findTools(ctx context.Context) (err error) {
	if b.tools, err = nvidia.Find(ctx, nvidia.Options{}); err != nil {
		return err
	}
	all := b.tools.Releases()
	for _, r := range all {
		if _, err := b.tools.Tool(r, nvidia.Ptxas); err == nil {
			b.assemblers = append(b.assemblers, r)
		}
		if _, err := b.tools.Tool(r, nvidia.Nvlink); err == nil {
			b.linkers = append(b.linkers, r)
		}
	}
	for _, lib := range nvjitlink.Find(nvjitlink.Options{}) {
		if len(b.releases) == 0 || slices.Contains(b.releases, lib.Release) {
			b.libraries = append(b.libraries, lib)
		}
		all = append(all, lib.Release)
	}
	slices.SortFunc(all, compareReleases)
	all = slices.Compact(all)
	if len(b.releases) == 0 {
		b.releases = all
	}
	for _, r := range b.releases {
		if !slices.Contains(all, r) {
			return fmt.Errorf("no linker of release %s is installed", r)
		}
	}
	if len(b.releases) == 0 {
		return errors.New("no linker of NVIDIA's is installed (make witness)")
	}
	return nil
}

// known omits the releases that twinlink has no profile of.
func (b *bed) known(ctx context.Context) error {
	var list []string
	for _, r := range b.releases {
		res, err := nvidia.Tool{Name: "nvlink", Path: b.tool}.Run(ctx, nvidia.Job{Args: []string{"-toolkit=" + r, "--version"}})
		if err != nil {
			return err
		}
		if res.ExitCode == 0 {
			list = append(list, r)
		} else {
			b.note("twinlink has no profile of %s", r)
		}
	}
	if b.releases = list; len(list) == 0 {
		return errors.New("twinlink has no profile of any of the releases")
	}
	// What no linker here reads needn't be compiled.
	b.assemblers = slices.DeleteFunc(b.assemblers, func(r string) bool { return compareReleases(r, slices.MaxFunc(list, compareReleases)) > 0 })
	return nil
}

// fill makes the pool.
func (b *bed) fill(ctx context.Context, paths []string) error {
	for _, spec := range b.wheels {
		dir, err := b.cache.fetchWheel(ctx, spec)
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(spec, "==")
		if err := b.gather(ctx, name, dir); err != nil {
			return err
		}
	}
	for _, name := range b.packages {
		dir, err := b.cache.fetchPackage(ctx, name)
		if err != nil {
			return err
		}
		if err := b.gather(ctx, name, dir); err != nil {
			return err
		}
	}
	for _, name := range b.lists {
		if err := b.list(name); err != nil {
			return err
		}
	}
	for _, root := range paths {
		if err := b.gather(ctx, "", root); err != nil {
			return err
		}
	}
	if err := b.openArchives(ctx); err != nil {
		return err
	}
	b.generate(b.generated)
	if err := b.compileAll(ctx); err != nil {
		return err
	}
	b.families = sortedKeys(b.pool)
	if len(b.families) == 0 {
		return errors.New("nothing that can be linked was found")
	}
	total := 0
	for _, f := range b.families {
		slices.SortStableFunc(b.pool[f], func(x, y *object) int { return strings.Compare(x.Hash, y.Hash) })
		total += len(b.pool[f])
	}
	made := map[string]int{}
	for _, list := range b.pool {
		for _, o := range list {
			made[o.Release+" "+o.Arch]++
		}
	}
	b.note("%d objects of %d programs: %v", total, len(b.families), made)
	return nil
}

func (b *bed) wanted(arch string) bool { return len(b.archs) == 0 || slices.Contains(b.archs, arch) }

// add takes a cubin into the pool, once.
func (b *bed) add(family, name, how string, data []byte) {
	if o, err := newObject(family, name, how, data); err == nil {
		b.keepObjects([]*object{o})
	}
}

// mostObjects of one program are kept.
const mostObjects = 1000

func (b *bed) keepObjects(list []*object) {
	for _, o := range list {
		same := func(x *object) bool { return x.Hash == o.Hash }
		if b.wanted(o.Arch) && len(b.pool[o.Family]) < mostObjects && !slices.ContainsFunc(b.pool[o.Family], same) {
			b.pool[o.Family] = append(b.pool[o.Family], o)
		}
	}
}
