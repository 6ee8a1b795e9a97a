package main

import (
	"context"
	"slices"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle/check"
)

// staleAll plants n faults into inputs of a bed's links, has nvlink link those, and asks the check
// about the result and the inputs as they were: a link of other objects, all of whose tables
// agree with each other. Links in two steps and stripped ones are omitted.
func staleAll(ctx context.Context, dir, only string, seed uint64, n int, each bool) error {
	tools, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	list, err := linksIn(dir, only)
	if err != nil {
		return err
	}
	m := &maker{tools: tools}
	r := splitmix.At(seed)
	kinds := slices.DeleteFunc(slices.Clone(faults), func(x fault) bool { // those that are a linker's alone
		return slices.ContainsFunc(forgottenFaults, func(y fault) bool { return y.name == x.name })
	})
	tallies := map[string]*tally{}
	planted := 0
	for tries := 0; planted < n && tries < 40*n && len(list) > 0 && len(kinds) > 0; tries++ {
		folder := list[r.Below(len(list))]
		l, inputs, _, err := load(folder)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(l.Tags, func(t string) bool { return t == "two-step" || t == "stripped" || t == "jit" }) {
			continue
		}
		right, err := m.relink(ctx, &l, inputs)
		if err != nil || !check.Check(inputs, right, l.options()).Agrees() {
			continue
		}
		for range 6 {
			x := &kinds[r.Below(len(kinds))]
			i := r.Below(len(inputs))
			f := open(inputs[i].Data, r)
			f.several, f.relocatable = definedTwice(inputs), true
			if x.mercury && len(f.symtabs) < 2 {
				continue
			}
			about := x.plant(f)
			if about == "" || string(f.bytes) == string(inputs[i].Data) {
				continue
			}
			others := slices.Clone(inputs)
			others[i].Data = f.bytes
			image, err := m.relink(ctx, &l, others)
			if err != nil || string(image) == string(right) {
				continue
			}
			planted++
			tallies[x.name] = tallies[x.name].count(x, &l, inputs, image, about)
		}
	}
	report(tallies, planted, each)
	return nil
}

// relink links inputs as they stand, in their order.
func (m *maker) relink(ctx context.Context, l *link, inputs []check.Input) ([]byte, error) {
	var files []nvidia.File
	for _, in := range inputs {
		files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
	}
	return m.run(ctx, l.Release, append([]string{"-arch=" + l.Arch}, l.Args...), files)
}
