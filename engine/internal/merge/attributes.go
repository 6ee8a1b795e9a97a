package merge

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// readAttributes reads .nv.info or an .nv.info.<f>.
func (l *merger) readAttributes(m *module, s *cubin.Section) error {
	owner := s.Owner()
	if owner == 0 {
		return l.readModuleAttributes(m, s)
	}
	text, err := l.ownerOf(m, s, owner)
	if err != nil || text == lost {
		return err
	}
	f := l.Secs[text].Fun
	id := l.Funs[f].Info
	if id == model.Absent {
		id = l.NewOwned(text, l.infoName(m, s, owner, text), s.Type, s.Flags, s.Align)
		l.Funs[f].Info = id
	}
	if l.Funs[f].InfoMade == 0 {
		l.Funs[f].InfoMade = l.Moment()
	}
	if l.Funs[f].InfoAt == 0 {
		l.Funs[f].InfoAt = l.Moment()
	}
	dated := false
	r := m.file.Info(s)
	records := l.records[:0]
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		out, err := l.mapInfo(m, s, &rec)
		if err != nil {
			return err
		}
		records = append(records, out)
		l.checkAPI(m, &rec)
		l.checkSanitized(m, &rec)
		dated = dated || rec.Attr == cuda.AttrMercuryIsaVersion
		l.TellsSparse = l.TellsSparse || rec.Attr == cuda.AttrSparseMmaMask
	}
	if n := l.Dialect.OldestISA; n > 0 && !dated && !l.Release.FirstNotes {
		records = append(records, model.Attribute{Format: cuda.FormatHalf, Attr: cuda.AttrMercuryIsaVersion, Value: n, Sym: model.Absent})
	}
	l.records = records
	info := l.InfoOf(id)
	info.Read = append(l.recordLists.Room(info.Read, len(records)), records...)
	return r.Err()
}

// infoName is the name of a function's attributes: the input's, or where its code
// got another name, one after that.
func (l *merger) infoName(m *module, s *cubin.Section, owner uint32, text model.SecID) names.ID {
	function := l.Syms[l.Funs[l.Secs[text].Fun].Sym].Name
	if l.Names.Str(l.Secs[text].Name) != m.file.SectionName(&m.heads[owner]) {
		return l.Names.Join(names.Info, function)
	}
	return l.Names.Joined(m.file.SectionName(s), names.Info, function)
}

// checkAPI holds the API version of a function against --cuda-api-version.
func (l *merger) checkAPI(m *module, rec *cubin.InfoRecord) {
	if rec.Attr != cuda.AttrCudaApiVersion || l.Opt.APIVersion == 0 {
		return
	}
	if v, ok := rec.Word(0); ok && v > l.Opt.APIVersion {
		l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.WrongToolkit, File: m.file.Name, Value: uint64(v),
			Text: fmt.Sprintf("Object '%s' has cuda-api-version of %d which is greater than version on link line (%d)", m.file.Name, v, l.Opt.APIVersion)})
	}
}

// mapInfo turns the symbol indices of a record into symbols.
func (l *merger) mapInfo(m *module, s *cubin.Section, rec *cubin.InfoRecord) (model.Attribute, error) {
	out := model.Attribute{Format: rec.Format, Attr: rec.Attr, Value: rec.Value, Sym: model.Absent}
	if rec.Format != cuda.FormatSized {
		return out, nil
	}
	out.SetData(rec.Data)
	switch {
	case rec.Attr == cuda.AttrExterns:
		list, err := l.externs(m, s, rec)
		if err != nil {
			return out, err
		}
		out.List = list
	case model.NamesSymbol(rec.Attr):
		w, ok := rec.Word(0)
		if !ok {
			return out, m.fault(cubin.BadRecord, s, 0, uint64(len(rec.Data)), rec.Attr.String()+" without a symbol")
		}
		sym, err := l.symbolOf(m, s, w)
		if err != nil {
			return out, err
		}
		out.Sym = sym
	}
	return out, nil
}

// symbolOf returns the symbol an index of this module stands for, absent for
// index 0 unless the nameless symbol took it.
func (l *merger) symbolOf(m *module, s *cubin.Section, index uint32) (model.SymID, error) {
	if int64(index) >= int64(len(m.sym)) {
		return model.Absent, m.fault(cubin.BadIndex, s, 0, uint64(index), "no such symbol")
	}
	if m.sym[index] != model.Absent || index == 0 {
		return m.sym[index], nil
	}
	if sym := &m.syms[index]; sym.Type() == cuda.STTSection {
		shndx := m.tab.Shndx(int(index), sym)
		if int64(shndx) < int64(len(m.sec)) && m.sec[shndx] >= 0 {
			return l.Secs[m.sec[shndx]].Sym, nil
		}
	}
	return model.Absent, nil
}

// function returns the function a symbol index of this module stands for; ok
// is false where its definition here lost.
func (l *merger) functionOf(m *module, s *cubin.Section, off int, index uint32) (f model.FunID, ok bool, err error) {
	if int64(index) >= int64(len(m.sym)) || m.sym[index] == model.Absent || l.Syms[m.sym[index]].Fun == model.Absent {
		return model.Absent, false, m.fault(cubin.BadIndex, s, uint64(off), uint64(index), "no function has that symbol index")
	}
	return l.Syms[m.sym[index]].Fun, !m.lostSyms[index], nil
}

// readModuleAttributes reads .nv.info: facts about functions by symbol.
func (l *merger) readModuleAttributes(m *module, s *cubin.Section) error {
	r := m.file.Info(s)
	for rec, ok := r.Next(); ok; rec, ok = r.Next() {
		kind := -1
		switch rec.Attr {
		case cuda.AttrRegcount:
			kind = model.ModRegs
		case cuda.AttrFrameSize:
			kind = model.ModFrame
		case cuda.AttrMaxStackSize:
			kind = model.ModMaxStack
		case cuda.AttrSamRegionStackSize:
			kind = model.ModSamRegion
		}
		if kind == model.ModMaxStack && l.misreadsStack() && !l.misread(m, &rec) {
			continue
		}
		if w, ok := rec.Word(0); ok && kind >= 0 && m.lostSyms[w] {
			continue
		}
		out, err := l.mapInfo(m, s, &rec)
		if err != nil {
			return err
		}
		l.ModuleAttributes = append(l.ModuleAttributes, out)
		if out.Sym == model.Absent || l.Syms[out.Sym].Fun == model.Absent {
			continue
		}
		f := &l.Funs[l.Syms[out.Sym].Fun]
		f.Unbounded = f.Unbounded || out.SaysUnbounded()
		if kind < 0 {
			continue
		}
		f.Mod[kind] = int32(len(l.ModuleAttributes))
		n, _ := rec.Word(1)
		switch kind {
		case model.ModRegs:
			f.Regs = n
		case model.ModFrame:
			f.Frame = n
		}
	}
	return r.Err()
}

// readCallgraph reads .nv.callgraph.
func (l *merger) readCallgraph(m *module, s *cubin.Section) error {
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
			if l.callsDriver(m, p.Y) {
				continue // of the SASS side alone, which gets its own
			}
			g, _, err := l.functionOf(m, s, i*8+4, p.Y)
			if err != nil {
				return err
			}
			if part == cuda.CallgraphCalls {
				l.addCallee(f, g)
			} else {
				l.addEdge(f, g)
				l.Funs[g].Taken = true
			}
		case cuda.CallgraphPrototypes, cuda.CallgraphIndirect:
			proto, err := l.prototype(m, s, i*8+4, p.Y)
			if err != nil {
				return err
			}
			if part == cuda.CallgraphPrototypes {
				l.Funs[f].Proto, l.Funs[f].HasProto, l.Funs[f].Taken = proto, true, true
			} else {
				l.Funs[f].Icalls = append(l.Funs[f].Icalls, proto)
			}
		default:
			return m.fault(cubin.BadRecord, s, uint64(i*8), uint64(part), "unknown part of the call graph")
		}
	}
	return nil
}

// callsDriver reports whether a symbol index is that of a function of the driver that only the SASS side knows.
func (l *merger) callsDriver(m *module, index uint32) bool {
	return int64(index) >= int64(len(m.sym)) && l.Sides != nil && l.Sides[m.num].DriverCall(index) != ""
}

// readPrototypes reads .nv.prototype.
func (l *merger) readPrototypes(m *module, s *cubin.Section) error {
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
		if have := l.Funs[f].Proto; have != 0 && !l.sameSignature(have, proto) {
			l.prototypeMismatch(m, l.Funs[f].Sym)
			continue
		}
		l.Funs[f].Proto = proto
	}
	return nil
}

// sameSignature compares prototypes. Newer compilers append "|" and what the
// calling convention uses.
func (l *merger) sameSignature(a, b names.ID) bool {
	x, _, _ := strings.Cut(l.Names.Str(a), "|")
	y, _, _ := strings.Cut(l.Names.Str(b), "|")
	return x == y
}

// prototype interns the prototype string at an offset of the module's .strtab.
func (l *merger) prototype(m *module, s *cubin.Section, off int, at uint32) (names.ID, error) {
	str, ok := m.tab.String(uint64(at))
	if !ok {
		return 0, m.fault(cubin.BadName, s, uint64(off), uint64(at), "a prototype outside the string table")
	}
	id := l.Names.ID(str)
	l.Protos = append(l.Protos, id)
	if l.Release.EarlyStrings {
		l.Str.AddPrototype(id)
	}
	return id, nil
}
