package anatomy

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Object is a symbol with a place in a memory space.
type Object struct {
	Name         string
	Offset, Size uint64 // bytes
}

// Space is a section of memory: global, shared of a kernel, a constant bank.
type Space struct {
	Name    string // the section's
	Size    uint64
	Objects []Object // by offset
}

// Section is a section's name and size.
type Section struct {
	Name string
	Size uint64
}

// File is what a linked file is made of.
type File struct {
	Spaces    []Space
	Functions []Function // in order of the symbol table
	Sections  []Section
}

// Of reads a file. A call graph or an attribute that names no function is
// passed over: the file's checker is another package.
func Of(f *cubin.File) (*File, error) {
	out := &File{}
	space := map[uint32]int{}
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		name := f.SectionName(&s)
		out.Sections = append(out.Sections, Section{name, s.Size})
		if isMemory(name) {
			space[uint32(i)] = len(out.Spaces)
			out.Spaces = append(out.Spaces, Space{Name: name, Size: s.Size})
		}
	}
	table := f.Symtab()
	if table == nil {
		return out, nil
	}
	index := map[uint32]int{} // of a function, by symbol
	for i := 1; i < table.Len(); i++ {
		s, _ := table.At(i)
		at, inSpace := space[table.Shndx(i, &s)]
		switch {
		case s.Type() == cuda.STTFunc:
			index[uint32(i)] = len(out.Functions)
			out.Functions = append(out.Functions, Function{Name: table.Name(&s), Kernel: s.Other&cuda.STOEntry != 0})
		case inSpace && s.Type() != cuda.STTSection:
			out.Spaces[at].Objects = append(out.Spaces[at].Objects, Object{table.Name(&s), s.Value, s.Size})
		}
	}
	for i := range out.Spaces {
		slices.SortStableFunc(out.Spaces[i].Objects, func(a, b Object) int {
			switch {
			case a.Offset < b.Offset:
				return -1
			case a.Offset > b.Offset:
				return 1
			}
			return strings.Compare(a.Name, b.Name)
		})
	}
	if err := attributes(f, out.Functions, index); err != nil {
		return nil, err
	}
	g, err := readGraph(f, len(out.Functions), index)
	if err != nil {
		return nil, err
	}
	g.measure(out.Functions)
	return out, nil
}

// isMemory tells sections that hold or reserve a program's memory.
func isMemory(name string) bool {
	return name == ".nv.global" || name == ".nv.global.init" || strings.HasPrefix(name, ".nv.shared.") || strings.HasPrefix(name, ".nv.local.") || strings.HasPrefix(name, ".nv.constant")
}
