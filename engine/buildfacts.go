package engine

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// buildFacts makes the contents of .nv.info, .nv.info.<f>, .nv.callgraph,
// .nv.prototype and .nv.rel.action, which name symbols by their final index.
func (l *linker) buildFacts(img *image) {
	l.buildModuleInfo(img)
	for i := range l.funs {
		if id := l.funs[i].info; id != absent && !l.secs[id].deleted {
			l.setContent(img, id, l.functionInfo(id))
		}
	}
	l.buildUnified(img)
	l.setContent(img, l.callgraph, l.callgraphBytes(img))
	l.setContent(img, l.protosec, l.prototypeBytes(img))
	if l.relaction != absent {
		l.setContent(img, l.relaction, l.relAction())
	}
}

func (l *linker) setContent(img *image, id secID, b []byte) {
	img.content[id] = b
	l.secs[id].size = uint64(len(b))
}

// appendInfo appends a record in wire format; ok is false where its symbol is
// not in the image.
func (l *linker) appendInfo(b []byte, r *infoRec) []byte {
	rec := cubin.InfoRecord{Format: r.format, Attr: r.attr, Value: r.value, Data: r.data}
	switch {
	case r.attr == cuda.AttrExterns && r.format == cuda.FormatSized:
		var left []byte
		for _, s := range l.symList(r.list) {
			if l.staysExtern(s) && l.syms[s].index != 0 {
				left = binary.LittleEndian.AppendUint32(left, l.syms[s].index)
			}
		}
		if len(left) == 0 {
			return b
		}
		rec.Data = left
	case r.format == cuda.FormatSized && namesSymbol(r.attr):
		index := uint32(0)
		if r.sym != absent {
			index = l.syms[r.sym].index
		}
		if index == 0 && r.attr != cuda.AttrKparamInfo && r.attr != cuda.AttrKparamInfoV2 {
			return b
		}
		at := len(b)
		b = rec.Append(b)
		binary.LittleEndian.PutUint32(b[at+4:], index)
		return b
	}
	return rec.Append(b)
}

// functionInfo is a function's records, last read first, then those the link
// added.
func (l *linker) functionInfo(id secID) []byte {
	s := &l.secs[id]
	records, added := s.records(), s.added()
	size := 0
	for i := range records {
		size += infoHead + (len(records[i].data)+3)&^3
	}
	b := make([]byte, 0, size)
	for i := len(records) - 1; i >= 0; i-- {
		if !records[i].gone {
			b = l.appendInfo(b, &records[i])
		}
	}
	for i := range added {
		b = l.appendInfo(b, &added[i])
	}
	return b
}

// buildModuleInfo makes .nv.info: its records, last read first, without
// MAX_STACK_SIZE, then MIN_STACK_SIZE of each kernel.
func (l *linker) buildModuleInfo(img *image) {
	b := make([]byte, 0, len(l.module)*infoLeast)
	for i := len(l.module) - 1; i >= 0; i-- {
		r := &l.module[i]
		if r.gone || r.attr == cuda.AttrMaxStackSize && !l.isRelocatable() {
			continue
		}
		b = l.appendInfo(b, r)
	}
	for _, flag := range []symFlags{0, symGlobal} {
		for _, k := range l.stacks {
			s := l.funs[k.kernel].sym
			if l.syms[s].flags&symGlobal != flag {
				continue
			}
			r := infoRec{format: cuda.FormatSized, attr: cuda.AttrMinStackSize, value: 8, data: make([]byte, 8), sym: s}
			r.setWord(1, k.bytes)
			b = l.appendInfo(b, &r)
		}
	}
	l.setContent(img, l.info, b)
}

func pair(b []byte, x, y uint32) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, x), y)
}

// callgraphBytes is .nv.callgraph: functions by creation, each one's list the
// last read first.
func (l *linker) callgraphBytes(img *image) []byte {
	calls := len(l.funs)
	for i := range l.funs {
		calls += len(l.funs[i].callees.list)
	}
	b := pair(make([]byte, 0, 8*calls), 0, cuda.CallgraphCalls)
	for i := range l.funs {
		if x := l.syms[l.funs[i].sym].index; x != 0 {
			for _, g := range l.writtenCallees(funID(i)) {
				if y := l.syms[l.funs[g].sym].index; y != 0 {
					b = pair(b, x, y)
				}
			}
		}
	}
	b = pair(b, 0, cuda.CallgraphPrototypes)
	for i := range l.funs {
		f := &l.funs[i]
		if x := l.syms[f.sym].index; x != 0 && f.taken {
			proto := uint32(0)
			if f.hasProto || f.proto != 0 {
				proto = img.str.addPrototype(f.proto)
			}
			b = pair(b, x, proto)
		}
	}
	b = pair(b, 0, cuda.CallgraphIndirect)
	for i := range l.funs {
		f := &l.funs[i]
		if x := l.syms[f.sym].index; x != 0 {
			for j := len(f.icalls) - 1; j >= 0; j-- {
				b = pair(b, x, img.str.addPrototype(f.icalls[j]))
			}
		}
	}
	if !l.prof.edges {
		return b
	}
	b = pair(b, 0, cuda.CallgraphEdges)
	for i := range l.funs {
		f := &l.funs[i]
		if x := l.syms[f.sym].index; x != 0 {
			for j := len(f.edges.list) - 1; j >= 0; j-- {
				if y := l.syms[l.funs[f.edges.list[j]].sym].index; y != 0 {
					b = pair(b, x, y)
				}
			}
		}
	}
	return b
}

// writtenCallees is a function's callees as .nv.callgraph lists them. 11.8
// adds the matches of indirect calls, each in front.
func (l *linker) writtenCallees(id funID) []funID {
	if l.prof.icallPairs {
		return l.calledBy(id)
	}
	return reversed(nil, l.funs[id].callees.list)
}

// calledBy is all a function may call: the matches of its indirect calls, each
// in front, then its callees.
func (l *linker) calledBy(id funID) []funID {
	var list []funID
	for _, proto := range l.funs[id].icalls {
		list = reversed(list, l.graph.matches(proto))
	}
	return reversed(list, l.funs[id].callees.list)
}

// reversed appends fs, the last first.
func reversed(to, fs []funID) []funID {
	for _, f := range slices.Backward(fs) {
		to = append(to, f)
	}
	return to
}

// prototypeBytes is .nv.prototype: functions whose address nobody takes.
func (l *linker) prototypeBytes(img *image) []byte {
	var b []byte
	for i := range l.funs {
		f := &l.funs[i]
		if x := l.syms[f.sym].index; x != 0 && f.proto != 0 && !f.taken {
			b = pair(b, x, img.str.addPrototype(f.proto))
		}
	}
	return b
}
