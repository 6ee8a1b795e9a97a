package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// part is some inputs of a link that NVIDIA's nvlink links with -r first, so
// that all linkers read the same.
type part struct {
	release string
	from    int // the first of these inputs; what -r makes is in their place
	count   int
	args    []string // besides -r
}

// partOptions are what -r is drawn with; what it keeps differs by these.
var partOptions = [][]string{nil, nil, nil, nil, {"-g"}, {"--preserve-relocs"}, {"-g", "--preserve-relocs"}, {"--disable-smem-reservation=true"}, {"--reserve-null-pointer"}}

// drawPart draws which inputs are a part: by an nvlink of the link's release, or
// now and then an older one that knows the objects.
func (b *bed) drawPart(r *splitmix.Random, p *plan) {
	var releases []string
	for _, release := range b.linkers {
		if compareReleases(release, p.release) <= 0 && slices.Contains(b.architectures(release), p.arch) && !slices.ContainsFunc(p.objects, func(o *object) bool {
			return compareReleases(o.Release, release) > 0
		}) {
			releases = append(releases, release)
		}
	}
	if len(releases) == 0 {
		return
	}
	q := &part{release: splitmix.Pick(r, releases)}
	if last := releases[len(releases)-1]; last == p.release && !r.OneIn(4) {
		q.release = last
	}
	q.from = r.Below(len(p.objects))
	q.count = 1 + r.Below(len(p.objects)-q.from)
	q.args = splitmix.Pick(r, partOptions)
	p.part = q
}

// join links a plan's part and puts it in the place of its inputs. A part that
// nvlink refuses leaves the link as it was.
func (b *bed) join(ctx context.Context, p *plan) error {
	q := p.part
	if q == nil {
		return nil
	}
	inputs := p.objects[q.from : q.from+q.count]
	args := append([]string{"-arch=" + p.arch, "-r"}, q.args...)
	key, names, files := []string{"part 1", q.release, strings.Join(args, " ")}, make([]string, len(inputs)), make([]nvidia.File, len(inputs))
	for i, o := range inputs {
		key = append(key, o.Name, o.Hash)
		names[i], files[i] = o.Name, nvidia.File{Name: o.Name, Data: o.data}
	}
	m, err := b.cache.get(keyOf(key...), func() (*made, error) {
		res, err := b.tools.Link(ctx, q.release, args, files)
		if err != nil {
			return nil, err
		}
		if res.Outcome != nvidia.Success {
			return &made{Fault: lastLine(res.Message())}, nil
		}
		return &made{Files: map[string][]byte{"out.cubin": res.Output}}, nil
	})
	if err != nil || m.Fault != "" {
		p.part = nil
		return err
	}
	how := fmt.Sprintf("nvlink of %s %s %s", q.release, strings.Join(args, " "), strings.Join(names, " "))
	o, err := newObject(inputs[0].Family, "part.cubin", how, m.Files["out.cubin"])
	if err != nil {
		p.part = nil
		return nil //nolint:nilerr // not an object that any linker takes: the inputs are linked as they are
	}
	o.Arch, o.Release = p.arch, q.release
	p.parted = slices.Clone(inputs)
	p.objects = slices.Concat(p.objects[:q.from], []*object{o}, p.objects[q.from+q.count:])
	return nil
}
