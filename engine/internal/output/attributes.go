package output

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/parallel"
	"github.com/twinlink/twinlink/engine/internal/reach"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// BuildAttributes makes the contents of .nv.info, .nv.info.<f>, .nv.callgraph,
// .nv.prototype and .nv.rel.action, which name symbols by their final index.
func (l *Planner) BuildAttributes(img *Plan) {
	l.buildModuleInfo(img)
	l.buildFunctionInfo(img)
	l.buildUnified(img)
	l.setContent(img, l.Callgraph, l.callgraphBytes(img))
	l.setContent(img, l.Protosec, l.prototypeBytes(img))
	if l.Relaction != model.Absent {
		l.setContent(img, l.Relaction, l.relAction())
	}
}

func (l *Planner) setContent(img *Plan, id model.SecID, b []byte) {
	img.made = append(img.made, b)
	img.madeOf[id] = int32(len(img.made))
	l.Secs[id].Size = uint64(len(b))
}

// replaceContent gives a section that has a content another.
func (l *Planner) replaceContent(img *Plan, id model.SecID, b []byte) {
	img.made[img.madeOf[id]-1] = b
	l.Secs[id].Size = uint64(len(b))
}

// appendInfo appends a record in wire format; ok is false where its symbol is
// not in the image.
func (l *Planner) appendInfo(b []byte, r *model.Attribute) []byte {
	rec := cubin.InfoRecord{Format: r.Format, Attr: r.Attr, Value: r.Value, Data: r.Data()}
	switch {
	case r.Attr == cuda.AttrExterns && r.Format == cuda.FormatSized:
		var left []byte
		for _, s := range l.SymList(r.List) {
			if l.StaysExtern(s) && l.Syms[s].Index != 0 {
				left = binary.LittleEndian.AppendUint32(left, l.Syms[s].Index)
			}
		}
		if len(left) == 0 {
			return b
		}
		rec.Data = left
	case r.Format == cuda.FormatSized && model.NamesSymbol(r.Attr):
		index := uint32(0)
		if r.Sym != model.Absent {
			index = l.Syms[r.Sym].Index
		}
		if index == 0 && r.Attr != cuda.AttrKparamInfo && r.Attr != cuda.AttrKparamInfoV2 {
			return b
		}
		at := len(b)
		b = rec.Append(b)
		binary.LittleEndian.PutUint32(b[at+4:], index)
		return b
	}
	return rec.Append(b)
}

// infoRoom is how many bytes of .nv.info.<f> are made at a time.
const infoRoom = 1 << 16

// buildFunctionInfo makes each .nv.info.<f>.
func (l *Planner) buildFunctionInfo(img *Plan) {
	var infos []model.SecID
	for i := range l.Funs {
		if id := l.Funs[i].Info; id != model.Absent && !l.Secs[id].Deleted {
			infos = append(infos, id)
			l.setContent(img, id, nil) // a place for what is made below
		}
	}
	parallel.Do(len(infos), func(from, to int) {
		var room []byte
		for _, id := range infos[from:to] {
			if cap(room)-len(room) < infoRoom/64 {
				room = make([]byte, 0, infoRoom)
			}
			start := len(room)
			room = l.appendFunctionInfo(room, id)
			l.replaceContent(img, id, room[start:len(room):len(room)])
		}
	})
}

// appendFunctionInfo appends a function's records, last read first, then those
// the link added.
func (l *Planner) appendFunctionInfo(b []byte, id model.SecID) []byte {
	s := &l.Parts[id]
	records, added := s.Records(), s.Added()
	for i := len(records) - 1; i >= 0; i-- {
		if !records[i].Gone {
			b = l.appendInfo(b, &records[i])
		}
	}
	for i := range added {
		b = l.appendInfo(b, &added[i])
	}
	return b
}

// buildModuleInfo makes .nv.info: its records, last read first, without
// MAX_STACK_SIZE and, where kernels' stacks are found, without those that are unknown; then MIN_STACK_SIZE of each kernel.
func (l *Planner) buildModuleInfo(img *Plan) {
	b := make([]byte, 0, len(l.ModuleAttributes)*model.InfoLeast)
	for i := len(l.ModuleAttributes) - 1; i >= 0; i-- {
		r := &l.ModuleAttributes[i]
		if r.Gone || r.Attr == cuda.AttrMaxStackSize && !l.IsRelocatable() || r.SaysUnbounded() && len(l.Stacks) > 0 {
			continue
		}
		b = l.appendInfo(b, r)
	}
	for _, flag := range []model.SymFlags{0, model.SymGlobal} {
		for _, k := range l.Stacks {
			s := l.Funs[k.Kernel].Sym
			if l.Syms[s].Flags&model.SymGlobal != flag {
				continue
			}
			r := model.Attribute{Format: cuda.FormatSized, Attr: cuda.AttrMinStackSize, Sym: s}
			r.SetData(make([]byte, 8))
			r.SetWord(1, k.Bytes)
			b = l.appendInfo(b, &r)
		}
	}
	l.setContent(img, l.Info, b)
}

func pair(b []byte, x, y uint32) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, x), y)
}

// callgraphBytes is .nv.callgraph: functions by creation, each one's list the
// last read first.
func (l *Planner) callgraphBytes(img *Plan) []byte {
	calls := len(l.Funs)
	for i := range l.Funs {
		calls += len(l.Funs[i].Callees.List)
	}
	b := pair(make([]byte, 0, 8*calls), 0, cuda.CallgraphCalls)
	var callees []model.FunID
	l.eachShown(func(i model.FunID, x uint32) {
		callees = l.appendCallees(callees[:0], i)
		for _, g := range callees {
			if y := l.Syms[l.Funs[g].Sym].Index; y != 0 && !(l.Release.NoOpenCalls && l.Funs[g].Text == model.Absent) {
				b = pair(b, x, y)
			}
		}
	})
	b = pair(b, 0, cuda.CallgraphPrototypes)
	l.eachShown(func(i model.FunID, x uint32) {
		if f := &l.Funs[i]; f.Taken {
			proto := uint32(0)
			if f.HasProto || f.Proto != 0 {
				proto = l.addPrototype(img, f.Proto)
			}
			b = pair(b, x, proto)
		}
	})
	b = pair(b, 0, cuda.CallgraphIndirect)
	l.eachShown(func(i model.FunID, x uint32) {
		for _, proto := range slices.Backward(l.Funs[i].Icalls) {
			b = pair(b, x, l.addPrototype(img, proto))
		}
	})
	if !l.Release.Edges {
		return b
	}
	b = pair(b, 0, cuda.CallgraphEdges)
	l.eachShown(func(i model.FunID, x uint32) {
		for _, g := range slices.Backward(l.Funs[i].Edges.List) {
			if y := l.Syms[l.Funs[g].Sym].Index; y != 0 {
				b = pair(b, x, y)
			}
		}
	})
	return b
}

// eachShown calls do for each function whose symbol is in the image, with its index.
func (l *Planner) eachShown(do func(i model.FunID, index uint32)) {
	for i := range l.Funs {
		if x := l.Syms[l.Funs[i].Sym].Index; x != 0 {
			do(model.FunID(i), x)
		}
	}
}

// appendCallees appends a function's callees as .nv.callgraph lists them. 11.8
// adds the matches of indirect calls, each in front.
func (l *Planner) appendCallees(list []model.FunID, id model.FunID) []model.FunID {
	if l.Release.IcallPairs {
		return append(list, l.CalledBy(id)...)
	}
	return reach.Reversed(list, l.Funs[id].Callees.List)
}

// addPrototype adds a prototype to .strtab. The empty one gets a NUL of its own, but in
// a table that the finalizer begins again, where it is at 0.
func (l *Planner) addPrototype(img *Plan, id names.ID) uint32 {
	if l.beginsNames() {
		return img.Str.Add(id)
	}
	return img.Str.AddPrototype(id)
}

// prototypeBytes is .nv.prototype: functions whose address nothing takes.
func (l *Planner) prototypeBytes(img *Plan) []byte {
	var b []byte
	l.eachShown(func(i model.FunID, x uint32) {
		if f := &l.Funs[i]; f.Proto != 0 && !f.Taken {
			b = pair(b, x, l.addPrototype(img, f.Proto))
		}
	})
	return b
}

// relActionBytes is .nv.rel.action as a release writes it.
func relActionBytes(p *release.Release) []byte {
	return descriptor.RelAction(p.RelActionFirst, p.RelActionLast)
}
