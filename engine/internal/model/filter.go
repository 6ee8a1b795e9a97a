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
// host refers to is known only after the last input, and so is whether a filter
// keeps one kernel alone.
func (l *Program) IsReadAsEntry(f FunID) bool {
	fun := &l.Funs[f]
	return l.IsKernel(fun) && (fun.LikeDriver || l.Opt.HostUse != nil || fun.Taken || l.IsEntry(f))
}

// IsKernel reports whether a function is a kernel, hidden or not. A program's own
// function that is called as one of the driver's is one to nvlink.
func (l *Program) IsKernel(f *Function) bool {
	return f.LikeDriver || l.Syms[f.Sym].Other&cuda.STOEntry != 0
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
// function. So is one of the program's own functions that nvlink takes for a kernel by
// its name, beside one kernel alone.
func (l *Program) IsEntry(f FunID) bool {
	fun := &l.Funs[f]
	if s := &l.Syms[fun.Sym]; s.Other&cuda.STOEntry != 0 {
		return fun.Taken && l.takenStays() || l.keptKernel(s)
	}
	return fun.LikeDriver && !l.keepsOneKernel()
}

// takenStays reports whether a kernel stays because its address is taken. Where
// a filter keeps one kernel alone, the tool takes such a one for a function.
func (l *Program) takenStays() bool {
	return l.Opt.HostUse == nil && l.Opt.KernelsUsed == nil || !l.keepsOneKernel()
}

// keepsOneKernel reports whether exactly one kernel is there that no filter hides.
func (l *Program) keepsOneKernel() bool {
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
	return l.oneKernel == 2
}
