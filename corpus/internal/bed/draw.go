package main

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/splitmix"
)

// plan is one link before any linker has run.
type plan struct {
	number  int
	release string // of the linker
	arch    string
	objects []*object
	args    []string // options besides -arch, the inputs and -o
	part    *part    // nil: all inputs are linked at once
	parted  []*object
}

// mixed reports whether some input comes from another toolkit than the linker.
func (p *plan) mixed() bool {
	return slices.ContainsFunc(p.objects, func(o *object) bool { return o.Release != p.release })
}

// kind is the part of the sums that a link counts in.
func (p *plan) kind() string {
	kind := "plain"
	switch {
	case p.part != nil:
		kind = "parts"
	case len(p.args) > 0:
		kind = "options"
	case p.mixed():
		kind = "mixed"
	}
	if mercury(p.arch) {
		return "sm_100+ " + kind
	}
	return "sm_90a- " + kind
}

// options are the names of the plan's options, and whether it has a part.
func (p *plan) options() string {
	var names []string
	for _, a := range p.args {
		name, _, _ := strings.Cut(a, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	if p.part != nil {
		names = append(names, "over a part")
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " ")
}

const (
	mostDrawn  = 6
	mostClosed = 24 // objects of a link that is closed under what they leave undefined
	mostBytes  = 12 << 20
)

// draw returns the link of a number, nil where no linker at hand knows the object.
func (b *bed) draw(n int) *plan {
	r := splitmix.New(b.seed<<32 + uint64(n))
	family := splitmix.Pick(r, b.families)
	objects := b.pool[family]
	if b.pairs > 0 && r.OneIn(b.pairs) {
		objects = slices.Concat(objects, b.pool[splitmix.Pick(r, b.families)])
	}
	// Half of the links are of sm_100 and up, where the program has such objects.
	upper := r.Below(2) == 0
	objects = where(objects, func(o *object) bool {
		return slices.ContainsFunc(b.releases, func(r string) bool {
			return slices.Contains(b.architectures(r), o.Arch) && compareReleases(o.Release, r) <= 0
		})
	})
	objects = where(objects, func(o *object) bool { return mercury(o.Arch) == upper })
	first := splitmix.Pick(r, objects)
	p := &plan{number: n, arch: first.Arch}
	var releases []string
	for _, release := range b.releases {
		known := slices.Contains(b.architectures(release), p.arch)
		// One in ten is linked by an older linker than the object's compiler, which
		// is to be refused.
		if known && (compareReleases(first.Release, release) <= 0 || r.OneIn(10)) {
			releases = append(releases, release)
		}
	}
	if len(releases) == 0 {
		return nil
	}
	p.release = splitmix.Pick(r, releases)
	var others []*object
	for _, o := range objects {
		if o != first && o.Arch == p.arch && compareReleases(o.Release, p.release) <= 0 {
			others = append(others, o)
		}
	}
	p.objects = []*object{first}
	for count := r.Below(mostDrawn); count > 0 && len(others) > 0; count-- {
		i := r.Below(len(others))
		p.objects = append(p.objects, others[i])
		others = slices.Delete(others, i, i+1)
	}
	if r.Below(2) == 0 || b.launching { // half of the links of launches would be refused
		p.close(r, append(others, b.library(p)...))
	}
	p.objects = dropSameNames(p.objects)
	if r.Below(2) == 0 {
		p.drawOptions(r)
	}
	if b.parts > 0 && r.OneIn(b.parts) {
		b.drawPart(r, p)
	}
	return p
}

// library returns the objects of archives that the toolkit of a link has: the newest that its linker reads.
func (b *bed) library(p *plan) []*object {
	newest := map[string]*object{}
	for _, o := range b.closing {
		if o.Arch != p.arch || compareReleases(o.Release, p.release) > 0 {
			continue
		}
		if q := newest[o.Name]; q == nil || compareReleases(o.Release, q.Release) > 0 {
			newest[o.Name] = o
		}
	}
	var list []*object
	for _, name := range sortedKeys(newest) {
		list = append(list, newest[name])
	}
	return list
}

// where returns the elements that fit, or all where none does.
func where[T any](list []T, fits func(T) bool) []T {
	some := slices.DeleteFunc(slices.Clone(list), func(v T) bool { return !fits(v) })
	if len(some) == 0 {
		return list
	}
	return some
}

// close adds what defines the undefined, as long as something does.
func (p *plan) close(r *splitmix.Random, others []*object) {
	splitmix.Shuffle(r, others)
	defined := map[string]bool{}
	for _, o := range p.objects {
		for _, name := range o.defined {
			defined[name] = true
		}
	}
	for i := 0; i < len(p.objects) && len(p.objects) < mostClosed; i++ {
		for _, name := range p.objects[i].undefined {
			if defined[name] {
				continue
			}
			for _, o := range others {
				if slices.Contains(o.defined, name) && !slices.Contains(p.objects, o) && !slices.ContainsFunc(o.defined, func(d string) bool { return defined[d] }) {
					p.objects = append(p.objects, o)
					for _, d := range o.defined {
						defined[d] = true
					}
					break
				}
			}
		}
	}
}

// dropSameNames keeps the first of objects that bear one name or hold the same
// bytes, and no more than a link ought to have.
func dropSameNames(list []*object) (out []*object) {
	seen, bytes := map[string]bool{}, 0
	for _, o := range list {
		if seen[o.Name] || seen[o.Hash] || len(out) > 0 && bytes+len(o.data) > mostBytes {
			continue
		}
		seen[o.Name], seen[o.Hash] = true, true
		bytes += len(o.data)
		out = append(out, o)
	}
	return out
}

// option is one way to vary a link.
type option struct {
	weight int
	since  string
	args   func(r *splitmix.Random, p *plan) []string
}

func plain(args ...string) func(*splitmix.Random, *plan) []string {
	return func(*splitmix.Random, *plan) []string { return args }
}

var options = []option{
	{14, "", plain("-g")},
	{12, "", plain("--preserve-relocs")},
	{10, "", plain("-r")},
	{12, "", func(r *splitmix.Random, p *plan) []string {
		return []string{"-kernels-used=" + parts(r, p, func(o *object) []string { return o.kernels })}
	}},
	{8, "", func(r *splitmix.Random, p *plan) []string {
		return []string{"-variables-used=" + parts(r, p, func(o *object) []string { return o.variables })}
	}},
	{4, "", plain("-v")},
	{3, "", plain("-Werror")},
	{5, "", plain("--force-rela")},
	{5, "", plain("--reserve-null-pointer")},
	{5, "", plain("--disable-smem-reservation=true")},
	{5, "", plain("-g", "-suppress-debug-info")},
	{4, "", plain("--allow-undefined-globals")},
	{4, "", plain("--dump-callgraph")},
	{2, "", plain("-extrawarn")},
	{2, "", plain("-w")},
	{2, "13", plain("--verbose-tkinfo=true")},
	{3, "", func(r *splitmix.Random, p *plan) []string {
		return []string{splitmix.Pick(r, []string{"-m64", "-maxrregcount=32", "--shared", "-suppress-arch-warning", "-suppress-stack-size-warning", "-use-host-info", "-ignore-host-info", "--report-arch"})}
	}},
}

func (p *plan) drawOptions(r *splitmix.Random) {
	total := 0
	for _, o := range options {
		total += o.weight
	}
	used := map[int]bool{}
	for range splitmix.Pick(r, []int{1, 1, 1, 2, 2, 3}) {
		k := r.Below(total)
		i := slices.IndexFunc(options, func(o option) bool { k -= o.weight; return k < 0 })
		if used[i] || options[i].since != "" && compareReleases(p.release, options[i].since+".0") < 0 {
			continue
		}
		used[i] = true
		p.args = append(p.args, options[i].args(r, p)...)
	}
}

// parts draws names that the inputs have, parts of names, or one they lack.
func parts(r *splitmix.Random, p *plan, of func(*object) []string) string {
	var names []string
	for _, o := range p.objects {
		names = append(names, of(o)...)
	}
	names = slices.DeleteFunc(names, func(s string) bool { return strings.ContainsAny(s, ", ") })
	if len(names) == 0 || r.OneIn(8) {
		return "nothing_of_that_name"
	}
	if r.OneIn(8) {
		n := splitmix.Pick(r, names)
		return n[:1+r.Below(len(n))]
	}
	var list []string
	for range 1 + r.Below(3) {
		if n := splitmix.Pick(r, names); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return strings.Join(list, ",")
}
