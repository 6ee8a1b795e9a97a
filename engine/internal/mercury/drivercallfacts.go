package mercury

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// What the SASS side tells of calls of the driver in .nv.info, .nv.info.<f> and .nv.callgraph.

// calledGraph is .nv.callgraph of the SASS side: the calls of the driver, function by function, are in
// front of what the Mercury side has. Those are missing that a kernel was said to make before the finalizer
// came to it, as a function that it reaches makes them.
func (l *Backend) calledGraph(img *plan, merc []byte) []byte {
	if len(img.calls.of) == 0 {
		return merc
	}
	const entry = 8
	out := slices.Clone(merc[:entry])
	told := l.toldBefore(img)
	for i := range l.Funs {
		f := model.FunID(i)
		for _, k := range img.calls.of[f] {
			if x := l.Syms[l.Funs[i].Sym].Index; x != 0 && !slices.Contains(told[f], k) {
				out = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, x), img.calls.symbol(k))
			}
		}
	}
	return append(out, merc[entry:]...)
}

// toldBefore returns for each kernel the calls of functions that it reaches and that are before it.
func (l *Backend) toldBefore(img *plan) map[model.FunID][]int {
	if l.IsRelocatable() {
		return nil
	}
	done := make(map[model.FunID]bool)
	return l.callsReached(img, func(f, g model.FunID) bool {
		done[f] = true
		return done[g]
	})
}

// callsBelow returns for each kernel the calls of functions that it reaches.
func (l *Backend) callsBelow(img *plan) map[model.FunID][]int {
	return l.callsReached(img, func(f, g model.FunID) bool { return true })
}

// callsReached returns for each kernel the calls of those functions that it reaches and that count.
func (l *Backend) callsReached(img *plan, counts func(f, g model.FunID) bool) map[model.FunID][]int {
	all := make(map[model.FunID][]int)
	for _, fn := range l.order {
		f := l.Secs[fn.text].Fun
		counts(f, f)
		if !l.isKernel(f) || len(img.calls.of[f]) == 0 {
			continue
		}
		l.calledFrom(f, func(g model.FunID) {
			if g != f && counts(f, g) {
				all[f] = append(all[f], img.calls.of[g]...)
			}
		})
	}
	return all
}

func (l *Backend) isKernel(f model.FunID) bool {
	return l.Syms[l.Funs[f].Sym].Other&cuda.STOEntry != 0
}

// externCalls returns the calls that EXTERNS of a function names: its own, and those of all that a kernel
// reaches, in the order in which the finalizer comes to them.
func (l *Backend) externCalls(img *plan, f model.FunID) []int {
	if l.IsRelocatable() || !l.isKernel(f) {
		return img.calls.of[f]
	}
	reached := make(map[model.FunID]bool)
	l.calledFrom(f, func(g model.FunID) { reached[g] = true })
	var list []int
	for _, fn := range l.order {
		g := l.Secs[fn.text].Fun
		if !reached[g] {
			continue
		}
		for _, k := range img.calls.of[g] {
			if !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// calledExterns is EXTERNS of a function with more calls: at its end.
func (f *filler) calledExterns(rec cubin.InfoRecord, fn *code) cubin.InfoRecord {
	rec.Data = slices.Clip(rec.Data)
	for _, k := range f.img.calls.externs[f.Secs[fn.text].Fun] {
		rec.Data = binary.LittleEndian.AppendUint32(rec.Data, f.img.calls.symbol(k))
	}
	return rec
}

// appendCallInfo appends what .nv.info.<f> of the SASS side has of calls: EXTERNS where there is none, and of
// the input's the places of what saves and restores registers around them.
func (f *filler) appendCallInfo(out []byte, fn *code, named bool) ([]byte, error) {
	if !named && len(f.img.calls.externs[f.Secs[fn.text].Fun]) > 0 {
		rec := f.calledExterns(cubin.InfoRecord{Format: cuda.FormatSized, Attr: cuda.AttrExterns}, fn)
		out = rec.Append(out)
	}
	if k := fn.input.Info[fn.sassidx]; len(fn.calls) > 0 && k != 0 {
		s := fn.input.File.Section(int(k))
		r := fn.input.File.Info(&s)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr != cuda.AttrAnnotations {
				continue
			}
			at := len(out) + 4
			out = rec.Append(out)
			data := out[at : at+len(rec.Data)]
			if fault := capsule.VisitOffsets(rec.Attr, data, func(k int) {
				if w := binary.LittleEndian.Uint32(data[k:]); w != capsule.NoOffset {
					binary.LittleEndian.PutUint32(data[k:], fn.moved(w))
				}
			}); fault != nil {
				return nil, fault.In(fn.input.File.Name, fn.sourceName())
			}
		}
		if err := r.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sassSize is what a function needs on the SASS side.
type sassSize struct{ frame, regs uint32 }

// sassSizes returns what functions with calls of the driver need.
func (l *Backend) sassSizes(img *plan) map[model.FunID]sassSize {
	of := make(map[*cubin.File]map[uint32]sassSize)
	sizes := make(map[model.FunID]sassSize)
	for _, fn := range l.order {
		if len(fn.calls) == 0 {
			continue
		}
		file := fn.input.File
		if of[file] == nil {
			of[file] = sizesOf(file)
		}
		s := file.Section(int(fn.sassidx))
		sizes[l.Secs[fn.text].Fun] = of[file][s.Info&symbolOfCode]
	}
	return sizes
}

// symbolOfCode are the bits of a section of code's sh_info that name its function.
const symbolOfCode = 1<<24 - 1

// sizesOf returns what functions of an input need by its SASS side, by symbol.
func sizesOf(file *cubin.File) map[uint32]sassSize {
	sizes := make(map[uint32]sassSize)
	for i := range file.OfType(cuda.SHTCudaInfo) {
		s := file.Section(i)
		if s.Flags&(cuda.SHFInfoLink|cuda.SHFMercury) != 0 {
			continue
		}
		r := file.Info(&s)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			sym, ok1 := rec.Word(0)
			n, ok2 := rec.Word(1)
			if !ok1 || !ok2 {
				continue
			}
			at := sizes[sym]
			switch rec.Attr {
			case cuda.AttrRegcount:
				at.regs = n
			case cuda.AttrFrameSize:
				at.frame = n
			default:
				continue
			}
			sizes[sym] = at
		}
	}
	return sizes
}

// calledInfo is .nv.info of the SASS side: frames with what calls of the driver save, and the stacks that
// these lead to.
func (l *Backend) calledInfo(img *plan, merc []byte) []byte {
	if len(img.calls.of) == 0 {
		return merc
	}
	sizes := l.sassSizes(img)
	depths := l.depths(sizes)
	graph := l.callGraph()
	out := slices.Clone(merc)
	l.eachFact(out, func(attr cuda.InfoAttr, f model.FunID, word []byte) {
		own, calls := sizes[f]
		switch n := binary.LittleEndian.Uint32(word); {
		case attr == cuda.AttrFrameSize && calls:
			binary.LittleEndian.PutUint32(word, own.frame)
		case attr == cuda.AttrRegcount:
			binary.LittleEndian.PutUint32(word, max(n, own.regs))
		case attr == cuda.AttrMinStackSize && n != unknownStack && (len(graph) == 0 || graph[f]):
			binary.LittleEndian.PutUint32(word, uint32(depths[f]))
		}
	})
	return out
}

// eachFact calls visit for each record of .nv.info that says a number of a function, with where that is kept.
func (l *Backend) eachFact(info []byte, visit func(attr cuda.InfoAttr, f model.FunID, word []byte)) {
	function := make(map[uint32]model.FunID, len(l.Funs))
	for i := range l.Funs {
		if x := l.Syms[l.Funs[i].Sym].Index; x != 0 {
			function[x] = model.FunID(i)
		}
	}
	for pos := 0; pos+4 <= len(info); {
		size := 4
		if cuda.InfoFormat(info[pos]) == cuda.FormatSized {
			size += int(binary.LittleEndian.Uint16(info[pos+2:]))
		}
		rec := info[pos:min(pos+size, len(info))]
		pos += (size + 3) &^ 3
		if len(rec) < 12 {
			continue
		}
		if f, ok := function[binary.LittleEndian.Uint32(rec[4:])]; ok {
			visit(cuda.InfoAttr(rec[1]), f, rec[8:12])
		}
	}
}

// unknownStack is the MIN_STACK_SIZE of a kernel that reaches a cycle.
const unknownStack = 1<<32 - 1

// callGraph returns the functions that call another by the Mercury side, or that another calls, and those whose
// address code or data takes, dead code too. Where there are some, kernels that are none of them keep the stack that
// they have there (kernels and functions named in code, dead code and tables, nvlink 13.4.92 and 13.5.37).
func (l *Backend) callGraph() map[model.FunID]bool {
	in := make(map[model.FunID]bool)
	for i := range l.Funs {
		if l.Funs[i].Taken {
			in[model.FunID(i)] = true
		}
		if !l.Funs[i].Live {
			continue
		}
		for k := 0; ; k++ {
			g, ok := l.called(model.FunID(i), k)
			if !ok {
				break
			}
			in[model.FunID(i)], in[g] = true, true
		}
	}
	return in
}

// called returns what a function calls or takes the address of, one after the other. What it may call through
// pointers doesn't count.
func (l *Backend) called(f model.FunID, i int) (model.FunID, bool) {
	calls, edges := l.Funs[f].Callees.List, l.Funs[f].Edges.List
	switch {
	case i < len(calls):
		return calls[i], true
	case i < len(calls)+len(edges):
		return edges[i-len(calls)], true
	}
	return model.Absent, false
}

// calledFrom calls visit for a function and all that it reaches so, but for kernels whose address code takes.
func (l *Backend) calledFrom(f model.FunID, visit func(model.FunID)) {
	seen := map[model.FunID]bool{f: true}
	for list := []model.FunID{f}; len(list) > 0; {
		g := list[len(list)-1]
		list = list[:len(list)-1]
		visit(g)
		for i := 0; ; i++ {
			h, ok := l.called(g, i)
			if !ok {
				break
			}
			if !seen[h] && !l.isKernel(h) {
				seen[h] = true
				list = append(list, h)
			}
		}
	}
}

// depths returns the deepest frames of each function and all that it reaches so. Of what reaches a cycle it
// means nothing.
func (l *Backend) depths(sizes map[model.FunID]sassSize) []uint64 {
	type visit struct {
		f     model.FunID
		i     int
		below uint64
	}
	all, seen := make([]uint64, len(l.Funs)), make([]bool, len(l.Funs))
	for i := range l.Funs {
		if seen[i] {
			continue
		}
		seen[i] = true
		for path := []visit{{f: model.FunID(i)}}; len(path) > 0; {
			v := &path[len(path)-1]
			if g, ok := l.called(v.f, v.i); ok && !seen[g] {
				seen[g] = true
				path = append(path, visit{f: g})
				continue
			} else if ok {
				v.below = max(v.below, all[g])
				v.i++
				continue
			}
			frame := uint64(l.Funs[v.f].Frame)
			if s, ok := sizes[v.f]; ok {
				frame = uint64(s.frame)
			}
			all[v.f] = frame + v.below
			path = path[:len(path)-1]
		}
	}
	return all
}
