package engine

import (
	"github.com/twinlink/twinlink/cuda"
	"strings"
)

// Dead code: a function lives if a kernel that is kept reaches it, or if its
// address is taken. What a function calls that lives only by its address is
// not followed. With -g, --preserve-relocs and a relocatable link everything
// lives.

func (l *linker) markLive() {
	if l.keepsDead() {
		for i := range l.funs {
			l.funs[i].live = true
		}
	}
	for i := range l.funs {
		f := &l.funs[i]
		if f.taken {
			f.live = true
		}
	}
	g := l.graph
	seen := make([]bool, len(g.comp))
	var queue []int32
	for _, k := range l.kernels() {
		seen[k] = true
		queue = append(queue, int32(k))
	}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		if int(v) < g.funcs {
			l.funs[v].live = true
		}
		for i := 0; ; i++ {
			w := l.successor(v, i)
			if w < 0 {
				break
			}
			if !seen[w] {
				seen[w] = true
				queue = append(queue, w)
			}
		}
	}
	l.keepCalled()
	l.judgeAliases()
}

// keepsDead reports whether nothing is removed.
func (l *linker) keepsDead() bool {
	return l.opt.Debug || l.opt.PreserveReloc || l.isRelocatable()
}

// showsDebug reports whether -g shows what a debugger looks for; without that
// it only keeps what nothing reaches.
func (l *linker) showsDebug() bool { return l.opt.Debug && !l.opt.SuppressDebug }

// judgeAliases finds second names that nothing reaches. 11.8 keeps one whose
// code lives and fails where the code is dead too; later releases fail where
// the code lives.
func (l *linker) judgeAliases() {
	for i := range l.funs {
		f := &l.funs[i]
		if f.text == absent || l.secs[f.text].fun == funID(i) {
			continue
		}
		codeLives := l.funs[l.secs[f.text].fun].live
		switch {
		case f.live && codeLives:
		case f.live && !l.prof.keepsAliases:
			l.broken = "reference to deleted symbol"
		case l.prof.keepsAliases && codeLives:
			f.live = true
		case l.prof.keepsAliases:
			f.live = true
			l.broken = "reference to deleted section"
		case codeLives:
			l.broken = "reference to deleted symbol"
		}
	}
}

// keepCalled keeps the undefined functions that live ones call, also those
// that live only by their address.
func (l *linker) keepCalled() {
	for i := range l.funs {
		if !l.funs[i].live {
			continue
		}
		for _, g := range l.funs[i].callees.list {
			if l.funs[g].text == absent {
				l.funs[g].live = true
			}
		}
	}
}

// keptKernel applies --kernels-used and --variables-used: a filter of either
// kind removes every kernel that --kernels-used doesn't name.
func (l *linker) keptKernel(id nameID) bool {
	if !l.kernelsHidden() {
		return true
	}
	name := l.names.str(id)
	for _, part := range l.opt.KernelsUsed {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// kernels returns every defined kernel that no filter hides, in the order of
// creation.
func (l *linker) kernels() []funID {
	if l.kernelList == nil {
		l.kernelList = []funID{}
		for i := range l.syms {
			s := &l.syms[i]
			if s.fun != absent && s.is(symDefined) && l.entry(s.fun) {
				l.kernelList = append(l.kernelList, s.fun)
			}
		}
	}
	return l.kernelList
}

// allKernels returns every live kernel, hidden by a filter or not.
func (l *linker) allKernels() []funID {
	if l.kernelsHidden() {
		var all []funID
		for i := range l.funs {
			if s := &l.syms[l.funs[i].sym]; l.funs[i].live && s.is(symDefined) && s.other&cuda.STOEntry != 0 {
				all = append(all, funID(i))
			}
		}
		return all
	}
	return l.liveKernels()
}

// isHidden reports whether a filter hides a kernel.
func (l *linker) isHidden(f *function) bool {
	s := &l.syms[f.sym]
	return s.other&cuda.STOEntry != 0 && !l.keptKernel(s.name)
}

// reachShown is reach for the layout of shared memory, where a kernel that a
// filter hides stands for itself alone.
func (l *linker) reachShown(k funID, visit func(funID)) {
	if l.isHidden(&l.funs[k]) {
		visit(k)
		return
	}
	l.reach(k, visit)
}

// kernelsHidden reports whether there is a filter.
func (l *linker) kernelsHidden() bool {
	return (l.opt.KernelsUsed != nil || l.opt.VariablesUsed != nil) && !l.showsDebug()
}

// liveKernels returns those that are kept.
func (l *linker) liveKernels() []funID {
	var live []funID
	for _, k := range l.kernels() {
		if l.funs[k].live {
			live = append(live, k)
		}
	}
	return live
}

// removeDead deletes the sections of dead functions, whatever belongs to them
// and the relocations of both.
func (l *linker) removeDead() {
	for i := range l.funs {
		f := &l.funs[i]
		if f.live {
			continue
		}
		l.syms[f.sym].flags |= symDead
		if f.text == absent || l.secs[f.text].fun != funID(i) {
			continue
		}
		l.deleteSection(f.text)
		for _, id := range l.secs[f.text].owned {
			if s := &l.secs[id]; s.typ == cuda.SHTCudaShared && l.isHidden(f) {
				s.size, s.chunks = 0, nil // its name stays
				continue
			}
			l.deleteSection(id)
		}
	}
}

func (l *linker) deleteSection(id secID) {
	l.secs[id].deleted = true
	for _, r := range l.secs[id].rels {
		l.secs[r].deleted = true
	}
}
