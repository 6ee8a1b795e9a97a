package engine

import "github.com/twinlink/twinlink/cuda"

// layoutCommons puts tentative definitions that nothing defined behind
// .nv.global, the last named first.
func (l *linker) layoutCommons() {
	for i := len(l.commons) - 1; i >= 0; i-- {
		sym := &l.syms[l.commons[i]]
		if !sym.is(symCommon) {
			continue
		}
		name := l.names.id(".nv.global")
		id := l.unowned(name)
		if id == absent {
			id = l.newSection(name, cuda.SHTCudaGlobal, cuda.SHFWrite|cuda.SHFAlloc, 1)
			l.setUnowned(name, id)
			sym = &l.syms[l.commons[i]]
		}
		sec := &l.secs[id]
		off := alignUp(sec.size, sym.value)
		sec.align = max(sec.align, sym.value)
		sec.size = off + sym.size
		sym.value, sym.sec = off, id
		sym.flags = sym.flags&^symCommon | symDefined
	}
}
