package power

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
)

// The lists hold faults that somebody thought of. Drawn faults are small changes at places chosen at random: they show
// what the checks would find of faults that nobody thought of. Some change nothing; the table says how many live, and
// which.

// decides are the folders of packages that decide something, and the area whose detectors look at them.
var decides = map[string]string{
	"engine": "engine-resolve", "engine/internal/release": "engine-resolve", "engine/internal/names": "engine-resolve", "engine/internal/diag": "engine-resolve",
	"engine/descriptor": "descriptor", "engine/internal/layout": "engine-layout", "engine/internal/merge": "engine-merge",
	"engine/internal/model": "engine-merge", "engine/internal/input": "engine-merge", "engine/internal/resolve": "engine-resolve",
	"engine/internal/sass": "engine-resolve", "engine/internal/output": "engine-resolve", "engine/internal/reach": "engine-resources",
	"engine/internal/resources": "engine-resources", "engine/internal/mercury": "mercury", "engine/internal/resched": "mercury",
	"oracle/check": "oracle-check", "oracle": "oracle", "oracle/internal/capsule": "oracle", "selfcheck": "selfcheck", "capsule": "capsule",
	"oracle/check/verdict": "oracle-check", "oracle/check/internal/apply": "oracle-check", "oracle/check/internal/calls": "oracle-check",
	"oracle/check/internal/capsules": "oracle-check", "oracle/check/internal/code": "oracle-check", "oracle/check/internal/debug": "oracle-check",
	"oracle/check/internal/facts": "oracle-check", "oracle/check/internal/image": "oracle-check", "oracle/check/internal/link": "oracle-check",
	"oracle/check/internal/place": "oracle-check", "oracle/check/internal/reach": "oracle-check", "oracle/check/internal/records": "oracle-check",
	"oracle/check/internal/resolve": "oracle-check", "oracle/check/internal/sass": "oracle-check", "oracle/check/internal/schedule": "oracle-check",
	"oracle/check/internal/shared": "oracle-check", "oracle/check/internal/symbols": "oracle-check", "oracle/check/internal/tables": "oracle-check",
	"internal/finalizer": "capsule", "internal/cmdline": "options", "internal/inputs": "options", "internal/registration": "options",
	"internal/ownwarnings": "report", "internal/verify": "report", "report": "report", "cmd/twinlink": "report", "internal/capsule/model": "capsule",
	"cubin": "container", "internal/container": "container", "mercury": "decoder", "fuzz": "report",
	"internal/diff": "tools", "internal/dump": "tools", "internal/dwarf": "tools", "internal/lto": "tools", "internal/linkcommand": "tools", "internal/nvidia": "tools",
	"internal/nvjitlink": "tools", "internal/outfile": "tools", "internal/repro": "tools", "internal/usage": "tools", "internal/capsule/view": "tools",
}

// others is the area of packages that are in no other's: their own tests look at them first.
const others = "others"

// packages returns the folders with Go files, from the root, in order.
func (r *Root) packages() ([]string, error) {
	found := map[string]bool{}
	err := filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != r.Dir && (name == "testdata" || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go"):
			dir, err := filepath.Rel(r.Dir, filepath.Dir(path))
			found[filepath.ToSlash(dir)] = true
			return err
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), err
}

// Draw returns n faults at random places of all packages, by a seed, of each area the same number
// as far as it has them; under names a folder that they have to be below.
func (r *Root) Draw(n int, seed uint64, under string) ([]Fault, error) {
	areas := map[string][]Fault{}
	folders, err := r.packages()
	if err != nil {
		return nil, err
	}
	for _, dir := range folders {
		if !strings.HasPrefix(dir, strings.TrimSuffix(under, "/")) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(r.Dir, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			list, err := candidates(file, dir+"/"+filepath.Base(file))
			if err != nil {
				return nil, err
			}
			area := cmp.Or(decides[dir], others)
			for i := range list {
				list[i].Area = area
			}
			areas[area] = append(areas[area], list...)
		}
	}
	for _, list := range areas {
		shuffle(list, seed)
	}
	return inTurn(areas, n), nil
}

// shuffle puts faults into an order of chance in which those of a changed version are as they did: it goes by what a
// fault is and which of its kind in its file, not by where it is.
func shuffle(list []Fault, seed uint64) {
	count := map[string]int{}
	key := map[string]uint64{}
	for i := range list {
		f := &list[i]
		what := fmt.Sprintf("%s\x00%s\x00%s", f.File, f.context, f.New)
		count[what]++
		h := fnv.New64a()
		fmt.Fprintf(h, "%d\x00%d\x00%s", seed, count[what], what)
		key[f.ID()] = rand.New(rand.NewPCG(h.Sum64(), seed)).Uint64() // sums of like texts are alike
	}
	slices.SortStableFunc(list, func(a, b Fault) int { return cmp.Compare(key[a.ID()], key[b.ID()]) })
}

// inTurn takes one fault of each area after the other.
func inTurn(areas map[string][]Fault, n int) (all []Fault) {
	names := slices.Sorted(keys(areas))
	for k := 0; len(all) < n; k++ {
		before := len(all)
		for _, name := range names {
			if list := areas[name]; k < len(list) && len(all) < n {
				all = append(all, list[k])
			}
		}
		if len(all) == before {
			break
		}
	}
	return all
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
