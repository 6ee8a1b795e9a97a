package model

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// keptKernel applies --kernels-used, --variables-used and what the host refers
// to: a filter of any kind removes every kernel that it doesn't name.
func (l *Program) keptKernel(s *Symbol) bool {
	if !l.KernelsHidden() {
		return true
	}
	name := l.Names.Str(s.Name)
	if use := l.Opt.HostUse; use != nil {
		patterns := use.Kernels
		if s.Binding() == cuda.STBLocal {
			patterns = use.InternalKernels
		}
		for _, p := range patterns {
			if matches(p, name) {
				return true
			}
		}
	}
	for _, part := range l.Opt.KernelsUsed {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// IsReadAsEntry reports whether f is a kernel as far as reading knows: what the
// host refers to is known only behind the last input.
func (l *Program) IsReadAsEntry(f FunID) bool {
	if l.Opt.HostUse != nil {
		return l.Syms[l.Funs[f].Sym].Other&cuda.STOEntry != 0
	}
	return l.IsEntry(f)
}

// matches reports whether a name is what a pattern says, in which * stands for
// any characters.
func matches(pattern, name string) bool {
	head, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	for _, p := range parts[:len(parts)-1] {
		_, after, ok := strings.Cut(name, p)
		if !ok {
			return false
		}
		name = after
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

// IsHidden reports whether a filter hides a kernel.
func (l *Program) IsHidden(f *Function) bool {
	s := &l.Syms[f.Sym]
	return s.Other&cuda.STOEntry != 0 && !l.keptKernel(s)
}

// IsEntry reports whether f is a kernel that no filter hides. One
// whose address is taken may stay all the same, see takenStays. A hidden one that stays
// (nothing is removed with -g and --preserve-relocs) is taken for a device
// function.
func (l *Program) IsEntry(f FunID) bool {
	s := &l.Syms[l.Funs[f].Sym]
	return s.Other&cuda.STOEntry != 0 && (l.Funs[f].Taken && l.takenStays() || l.keptKernel(s))
}

// takenStays reports whether a kernel stays because its address is taken. Where
// a filter keeps one kernel alone, the tool takes such a one for a function.
func (l *Program) takenStays() bool {
	if l.Opt.HostUse == nil && l.Opt.KernelsUsed == nil {
		return true
	}
	if l.oneKernel == 0 {
		n := 0
		for i := range l.Funs {
			if s := &l.Syms[l.Funs[i].Sym]; s.Other&cuda.STOEntry != 0 && s.Is(SymDefined) && l.keptKernel(s) {
				n++
			}
		}
		if l.oneKernel = 1; n == 1 {
			l.oneKernel = 2
		}
	}
	return l.oneKernel != 2
}
