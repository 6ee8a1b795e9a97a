package ptxgen

import (
	"fmt"
	"slices"
)

// plan holds the entities of a program before any body is written.
type plan struct {
	c           chooser
	target      Target
	modules     []*module
	functions   []*function
	objects     []*object
	faults      bool
	focused     bool
	independent bool // texture mode
	enabled     [numFeatures]bool
	used        [numFeatures]bool
}

func newPlan(c chooser, t Target, o Options) *plan {
	p := &plan{c: c, target: t, faults: o.Faults}
	size := o.Size
	if size == Any {
		size = Size(1 + c.below(3))
	}
	for f := range p.enabled {
		p.enabled[f] = len(o.Focus) == 0 && !Feature(f).asked() && c.below(2) == 1
	}
	for _, f := range slices.Concat(o.Focus, o.Also) {
		p.enabled[f] = true
	}
	p.focused = len(o.Focus) > 0
	p.independent = oneIn(c, 3)
	for i := range between(c, 1, [...]int{0, 2, 3, 6}[size]) {
		p.modules = append(p.modules, &module{plan: p, name: fmt.Sprintf("m%d", i), index: i})
	}
	p.planObjects(between(c, 0, [...]int{0, 5, 10, 24}[size]))
	p.planFunctions(between(c, 0, [...]int{0, 2, 6, 20}[size]), between(c, 1, [...]int{0, 2, 3, 5}[size]))
	p.planTables()
	p.planKernelTables()
	if o.Faults && oneIn(c, 3) {
		p.planFault()
	}
	return p
}

// may reports whether the feature belongs to the program's subset and its target.
func (p *plan) may(f Feature) bool { return p.enabled[f] }

func (p *plan) use(f Feature) { p.used[f] = true }

// places draws the modules an entity is defined in: one, or with many up to three in ascending order.
func (p *plan) places(many bool) []int {
	first := p.c.below(len(p.modules))
	list := []int{first}
	if many {
		for i := first + 1; i < len(p.modules) && len(list) < 3; i++ {
			if p.c.below(3) > 0 {
				list = append(list, i)
			}
		}
	}
	return list
}
