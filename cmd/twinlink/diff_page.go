package main

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/report"
)

// sectionsOf lists the sections of two files side by side for a page, those of
// the first in its order and then what only the second has. A name's second
// section in a file meets the second of that name in the other.
func sectionsOf(a, b diff.Input) *report.Link {
	one, err := cubin.Open(a.Name, a.Data)
	if err != nil {
		return nil
	}
	two, err := cubin.Open(b.Name, b.Data)
	if err != nil {
		return nil
	}
	others := map[string][]int{}
	for i := 1; i < two.NumSections(); i++ {
		s := two.Section(i)
		name := two.SectionName(&s)
		others[name] = append(others[name], i)
	}
	link := &report.Link{}
	for i := 1; i < one.NumSections(); i++ {
		s := one.Section(i)
		x := report.Extent{Name: one.SectionName(&s), Size: s.Size, Other: &report.Other{}}
		x.Changed = int(s.Size)
		if list := others[x.Name]; len(list) > 0 {
			others[x.Name] = list[1:]
			t := two.Section(list[0])
			x.Other.Size = t.Size
			x.Changed = changedBytes(one.Content(&s), two.Content(&t))
		}
		link.Sections = append(link.Sections, x)
	}
	for i := 1; i < two.NumSections(); i++ {
		s := two.Section(i)
		name := two.SectionName(&s)
		if list := others[name]; len(list) > 0 && list[0] == i {
			others[name] = list[1:]
			link.Sections = append(link.Sections, report.Extent{Name: name, Other: &report.Other{Size: s.Size}, Changed: int(s.Size)})
		}
	}
	return link
}

// changedBytes counts the places at which two sections differ; what one has
// after the other's end counts too.
func changedBytes(a, b []byte) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
