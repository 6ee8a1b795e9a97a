package engine

import (
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// namesSymbol reports whether an attribute's first word is a symbol index.
func namesSymbol(a cuda.InfoAttr) bool {
	switch a {
	case cuda.AttrImageSlot, cuda.AttrImageOffset, cuda.AttrImageSize, cuda.AttrTextureNormalized,
		cuda.AttrSamplerInit, cuda.AttrParamCbank, cuda.AttrFrameSize, cuda.AttrMinStackSize,
		cuda.AttrSamplerForceUnnormalized, cuda.AttrBindlessImageOffsets, cuda.AttrKparamInfo,
		cuda.AttrMaxStackSize, cuda.AttrLoadCacheRequest, cuda.AttrRegcount, cuda.AttrSamRegionStackSize,
		cuda.AttrKparamInfoV2:
		return true
	}
	return false
}

// readInfo reads .nv.info or an .nv.info.<f>.
func (l *linker) readInfo(m *module, s *cubin.Section) error {
	owner := s.Owner()
	if owner == 0 {
		return l.readModuleInfo(m, s)
	}
	text, err := l.ownerOf(m, s, owner)
	if err != nil || text == lost {
		return err
	}
	f := l.secs[text].fun
	id := l.funs[f].info
	if id == absent {
		id = l.newOwned(text, l.names.id(m.file.SectionName(s)), s.Type, s.Flags, s.Align)
		l.funs[f].info = id
	}
	if l.funs[f].infoAt == 0 {
		l.funs[f].infoAt = l.moment()
	}
	r := m.file.Info(s)
	records := l.recordLists.room(l.secs[id].records(), min(int(s.Size/infoLeast)+1, arenaPiece/16))
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		out, err := l.mapInfo(m, s, &rec)
		if err != nil {
			return err
		}
		records = append(records, out)
	}
	l.infoOf(id).read = records
	return r.Err()
}

// mapInfo turns the symbol indices of a record into symbols.
func (l *linker) mapInfo(m *module, s *cubin.Section, rec *cubin.InfoRecord) (infoRec, error) {
	out := infoRec{format: rec.Format, attr: rec.Attr, value: rec.Value, data: rec.Data, sym: absent}
	if rec.Format != cuda.FormatSized {
		return out, nil
	}
	switch {
	case rec.Attr == cuda.AttrExterns:
		list := l.symbolLists.list(len(rec.Data) / 4)
		for i := 0; i < len(rec.Data)/4; i++ {
			w, _ := rec.Word(i)
			sym, err := l.symbolOf(m, s, w)
			if err != nil {
				return out, err
			}
			list = append(list, sym)
		}
		out.list = l.newSymList(list)
	case namesSymbol(rec.Attr):
		w, ok := rec.Word(0)
		if !ok {
			return out, m.fault(cubin.BadRecord, s, 0, uint64(len(rec.Data)), rec.Attr.String()+" without a symbol")
		}
		sym, err := l.symbolOf(m, s, w)
		if err != nil {
			return out, err
		}
		out.sym = sym
	}
	return out, nil
}

// symbolOf returns the symbol an index of this module stands for, absent for
// index 0 unless the nameless symbol took it.
func (l *linker) symbolOf(m *module, s *cubin.Section, index uint32) (symID, error) {
	if int64(index) >= int64(len(m.sym)) {
		return absent, m.fault(cubin.BadIndex, s, 0, uint64(index), "no such symbol")
	}
	if m.sym[index] != absent || index == 0 {
		return m.sym[index], nil
	}
	sym, _ := m.tab.At(int(index))
	if sym.Type() == cuda.STTSection {
		shndx := m.tab.Shndx(int(index), &sym)
		if int64(shndx) < int64(len(m.sec)) && m.sec[shndx] >= 0 {
			return l.secs[m.sec[shndx]].sym, nil
		}
	}
	return absent, nil
}

// function returns the function a symbol index of this module stands for; ok
// is false where its definition here lost.
func (l *linker) functionOf(m *module, s *cubin.Section, off int, index uint32) (f funID, ok bool, err error) {
	if int64(index) >= int64(len(m.sym)) || m.sym[index] == absent || l.syms[m.sym[index]].fun == absent {
		return absent, false, m.fault(cubin.BadIndex, s, uint64(off), uint64(index), "no function has that symbol index")
	}
	return l.syms[m.sym[index]].fun, !m.lostSyms[index], nil
}

// readModuleInfo reads .nv.info: facts about functions by symbol.
func (l *linker) readModuleInfo(m *module, s *cubin.Section) error {
	r := m.file.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		kind := -1
		switch rec.Attr {
		case cuda.AttrRegcount:
			kind = modRegs
		case cuda.AttrFrameSize:
			kind = modFrame
		case cuda.AttrMaxStackSize:
			kind = modMaxStack
		case cuda.AttrSamRegionStackSize:
			kind = modSamRegion
		}
		if w, ok := rec.Word(0); ok && kind >= 0 && m.lostSyms[w] {
			continue
		}
		out, err := l.mapInfo(m, s, &rec)
		if err != nil {
			return err
		}
		l.module = append(l.module, out)
		if kind < 0 || out.sym == absent || l.syms[out.sym].fun == absent {
			continue
		}
		f := &l.funs[l.syms[out.sym].fun]
		f.mod[kind] = int32(len(l.module))
		n, _ := rec.Word(1)
		switch kind {
		case modRegs:
			f.regs = n
		case modFrame:
			f.frame = n
		}
	}
	return r.Err()
}

// readCallgraph reads .nv.callgraph.
func (l *linker) readCallgraph(m *module, s *cubin.Section) error {
	n, err := m.file.Pairs(s)
	if err != nil {
		return err
	}
	part := uint32(cuda.CallgraphCalls)
	for i := 0; i < n; i++ {
		p := m.file.Pair(s, i)
		if p.X == 0 {
			part = p.Y
			continue
		}
		f, won, err := l.functionOf(m, s, i*8, p.X)
		if err != nil {
			return err
		}
		if !won {
			continue
		}
		switch part {
		case cuda.CallgraphCalls, cuda.CallgraphEdges:
			g, _, err := l.functionOf(m, s, i*8+4, p.Y)
			if err != nil {
				return err
			}
			if part == cuda.CallgraphCalls {
				l.addCallee(f, g)
			} else {
				l.addEdge(f, g)
				l.funs[g].taken = true
			}
		case cuda.CallgraphPrototypes, cuda.CallgraphIndirect:
			proto, err := l.prototype(m, s, i*8+4, p.Y)
			if err != nil {
				return err
			}
			if part == cuda.CallgraphPrototypes {
				l.funs[f].proto, l.funs[f].hasProto, l.funs[f].taken = proto, true, true
			} else {
				l.funs[f].icalls = append(l.funs[f].icalls, proto)
			}
		default:
			return m.fault(cubin.BadRecord, s, uint64(i*8), uint64(part), "unknown part of the call graph")
		}
	}
	return nil
}

// readPrototypes reads .nv.prototype.
func (l *linker) readPrototypes(m *module, s *cubin.Section) error {
	n, err := m.file.Pairs(s)
	if err != nil {
		return err
	}
	for i := 0; i < n; i++ {
		p := m.file.Pair(s, i)
		f, _, err := l.functionOf(m, s, i*8, p.X)
		if err != nil {
			return err
		}
		proto, err := l.prototype(m, s, i*8+4, p.Y)
		if err != nil {
			return err
		}
		if have := l.funs[f].proto; have != 0 && !l.sameSignature(have, proto) {
			l.prototypeMismatch(m, l.funs[f].sym)
			continue
		}
		l.funs[f].proto = proto
	}
	return nil
}

// sameSignature compares prototypes. Newer compilers append "|" and what the
// calling convention uses.
func (l *linker) sameSignature(a, b nameID) bool {
	x, _, _ := strings.Cut(l.names.str(a), "|")
	y, _, _ := strings.Cut(l.names.str(b), "|")
	return a == b || x == y
}

// prototype interns the prototype string at an offset of the module's .strtab.
func (l *linker) prototype(m *module, s *cubin.Section, off int, at uint32) (nameID, error) {
	str, ok := m.tab.String(uint64(at))
	if !ok {
		return 0, m.fault(cubin.BadName, s, uint64(off), uint64(at), "a prototype outside the string table")
	}
	id := l.names.id(str)
	l.protos = append(l.protos, id)
	if l.prof.earlyStrings {
		l.str.addPrototype(id)
	}
	return id, nil
}
