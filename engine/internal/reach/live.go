package reach

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Dead code: a function lives if a kernel that is kept reaches it, or if its
// address is taken. What a function calls that lives only by its address is
// not followed. With -g, --preserve-relocs and a relocatable link everything
// lives.

func (l *Graph) markLive() {
	if l.KeepsDead() {
		for i := range l.Funs {
			l.Funs[i].Live = true
		}
	}
	for i := range l.Funs {
		f := &l.Funs[i]
		if f.Taken {
			f.Live = true
		}
	}
	g := l.Calls
	seen := make([]bool, len(g.Comp))
	var queue []int32
	for _, k := range l.kernels() {
		seen[k] = true
		queue = append(queue, int32(k))
	}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		if int(v) < g.Funcs {
			l.Funs[v].Live = true
		}
		for i := 0; ; i++ {
			w := l.Successor(v, i)
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

// judgeAliases finds second names that nothing reaches. 11.8 keeps one whose
// code lives and fails where the code is dead too; later releases fail where
// the code lives.
func (l *Graph) judgeAliases() {
	for i := range l.Funs {
		f := &l.Funs[i]
		if f.Text == model.Absent || l.Secs[f.Text].Fun == model.FunID(i) {
			continue
		}
		codeLives := l.Funs[l.Secs[f.Text].Fun].Live
		switch {
		case codeLives && l.IsNested(model.FunID(i)):
			f.Live, l.Nested = true, true
		case f.Live && codeLives:
		case f.Live && !l.Release.KeepsAliases:
			l.breakAlias(model.FunID(i))
		case l.Release.KeepsAliases && codeLives:
			f.Live = true
		case l.Release.KeepsAliases:
			f.Live = true
			l.BrokenAtEnd = deletedSection
		case codeLives:
			l.breakAlias(model.FunID(i))
		}
	}
}

const deletedSection = "reference to deleted section"

// breakAlias makes the link fail of a second name: of its symbol, or where that of the code is static,
// of its section, when all else was said (nvlink 12.4.131, 13.1.115, 13.5.37).
func (l *Graph) breakAlias(f model.FunID) {
	if code := l.Secs[l.Funs[f].Text].Fun; l.Syms[l.Funs[code].Sym].Binding() == cuda.STBLocal {
		l.BrokenAtEnd = deletedSection
		return
	}
	l.Broken = "reference to deleted symbol"
}

// judgeLostTables finds the jump table of a definition that was replaced by one without: from 13.0
// on a partial link fails of its symbol.
func (l *Graph) judgeLostTables() {
	if l.Release.LoserDebug || !l.IsRelocatable() {
		return
	}
	for i := range l.Secs {
		if s := &l.Secs[i]; s.Emptied && s.Deleted {
			l.BrokenAtEnd = deletedSection
		}
	}
}

// keepCalled keeps the undefined functions that live ones call, also those
// that live only by their address.
func (l *Graph) keepCalled() {
	for i := range l.Funs {
		if !l.Funs[i].Live {
			continue
		}
		for _, g := range l.Funs[i].Callees.List {
			if l.Funs[g].Text == model.Absent {
				l.Funs[g].Live = true
			}
		}
	}
}

// kernels returns every defined kernel that no filter hides, in the order of
// creation.
func (l *Graph) kernels() []model.FunID {
	if l.kernelList == nil {
		l.kernelList = []model.FunID{}
		for i := range l.Syms {
			s := &l.Syms[i]
			if s.Fun != model.Absent && s.Is(model.SymDefined) && l.IsEntry(s.Fun) {
				l.kernelList = append(l.kernelList, s.Fun)
			}
		}
	}
	return l.kernelList
}

// AllKernels returns every live kernel, hidden by a filter or not.
func (l *Graph) AllKernels() []model.FunID {
	if l.KernelsHidden() {
		var all []model.FunID
		for i := range l.Funs {
			if f := &l.Funs[i]; f.Live && l.Syms[f.Sym].Is(model.SymDefined) && l.IsKernel(f) {
				all = append(all, model.FunID(i))
			}
		}
		return all
	}
	return l.LiveKernels()
}

// LiveKernels returns those that are kept.
func (l *Graph) LiveKernels() []model.FunID {
	var live []model.FunID
	for _, k := range l.kernels() {
		if l.Funs[k].Live {
			live = append(live, k)
		}
	}
	return live
}

// removeDead deletes the sections of dead functions, whatever belongs to them
// and the relocations of both.
func (l *Graph) removeDead() {
	for i := range l.Funs {
		f := &l.Funs[i]
		if f.Live {
			continue
		}
		l.Syms[f.Sym].Flags |= model.SymDead
		if f.Text == model.Absent || l.Secs[f.Text].Fun != model.FunID(i) {
			continue
		}
		l.DeleteSection(f.Text)
		for id := l.Parts[f.Text].FirstOwned; id != model.Absent; id = l.Parts[id].NextOwned {
			if s := &l.Secs[id]; s.Type == cuda.SHTCudaShared && (f.LikeDriver || l.IsHidden(f)) {
				s.Size, l.Parts[id].Chunks = 0, nil // its name stays
				continue
			}
			l.DeleteSection(id)
		}
	}
}

func (l *Graph) DeleteSection(id model.SecID) {
	l.Secs[id].Deleted = true
	for r := l.Parts[id].FirstRel; r != model.Absent; r = l.Parts[r].NextRel {
		l.Secs[r].Deleted = true
	}
}
