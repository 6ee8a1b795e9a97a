package engine

import (
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// A link makes some hundred thousand small things. Their tables are made at
// the size the inputs ask for, and short lists are cut from larger pieces: a
// table that doubles copies itself and leaves its old half to the collector.

// census counts what the inputs hold, to size the tables.
type census struct {
	sections, symbols int
	functions         int // sections of code
	records           int // of .nv.info
	relocs            int // records, at most
}

// infoLeast is the size of the records that .nv.info mostly consists of.
const infoLeast = 12

// infoHead is what a record has before its data.
const infoHead = 4

func takeCensus(files []*cubin.File) (c census) {
	for _, f := range files {
		c.sections += f.NumSections()
		c.symbols += f.Symtab().Len()
		c.relocs += len(f.Data) / cubin.RelSize
		counted := false // the .nv.info of a sound file is one; overlapping ones must not add up
		for i := 1; i < f.NumSections(); i++ {
			switch s := f.Section(i); {
			case s.Type == cuda.SHTProgbits && s.Flags&cuda.SHFExec != 0:
				c.functions++
			case s.Type == cuda.SHTCudaInfo && s.Owner() == 0 && !counted:
				counted = true
				c.records += int(min(s.Size, uint64(len(f.Data))) / infoLeast)
			}
		}
	}
	return c
}

// arena cuts short lists from pieces of arenaPiece elements.
type arena[T any] struct{ rest []T }

const arenaPiece = 1024

// list returns an empty list with room for n elements.
func (a *arena[T]) list(n int) []T {
	if n > arenaPiece/4 {
		return make([]T, 0, n)
	}
	if n > len(a.rest) {
		a.rest = make([]T, arenaPiece)
	}
	list := a.rest[:0:n]
	a.rest = a.rest[n:]
	return list
}

// room makes room for n more elements; a list that has none is cut anew.
func (a *arena[T]) room(list []T, n int) []T {
	if list == nil {
		return a.list(n)
	}
	return slices.Grow(list, n)
}
