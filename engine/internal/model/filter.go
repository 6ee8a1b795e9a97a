package model

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// keptKernel applies --kernels-used and --variables-used: a filter of either
// kind removes every kernel that --kernels-used doesn't name.
func (l *Program) keptKernel(id names.ID) bool {
	if !l.KernelsHidden() {
		return true
	}
	name := l.Names.Str(id)
	for _, part := range l.Opt.KernelsUsed {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// IsHidden reports whether a filter hides a kernel.
func (l *Program) IsHidden(f *Function) bool {
	s := &l.Syms[f.Sym]
	return s.Other&cuda.STOEntry != 0 && !l.keptKernel(s.Name)
}

// IsEntry reports whether f is a kernel that no filter hides: without
// --kernels-used one whose address is taken stays too. A hidden one that stays
// (nothing is removed with -g and --preserve-relocs) is taken for a device
// function.
func (l *Program) IsEntry(f FunID) bool {
	s := &l.Syms[l.Funs[f].Sym]
	return s.Other&cuda.STOEntry != 0 && (l.Opt.KernelsUsed == nil && l.Funs[f].Taken || l.keptKernel(s.Name))
}
