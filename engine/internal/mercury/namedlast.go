package mercury

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// findNamedLast finds, where the release looks symbols of EXTERNS up by name, those that aren't the last of
// their name: the SASS side of a list names the last, whatever that is.
//
// Source: static kernels of one name in up to three objects, beside a static function and a static variable of
// that name, by nvlink 13.0.88 to 13.5.37: from 13.4 on, for sm_100, sm_103 and with -r and -g.
func (l *Backend) findNamedLast() {
	if !l.Release.ExternsByName {
		return
	}
	last := make(map[names.ID]uint32) // of the names that lists have
	l.eachExtern(func(_ model.FunID, s model.SymID) { last[l.Syms[s].Name] = l.Syms[s].Index })
	if len(last) == 0 {
		return
	}
	for i := range l.Syms {
		if at, ok := last[l.Syms[i].Name]; ok && l.Syms[i].Index > at {
			last[l.Syms[i].Name] = l.Syms[i].Index
		}
	}
	l.namedLast = make(map[uint32]uint32)
	told := model.FunID(model.Absent)
	l.eachExtern(func(f model.FunID, s model.SymID) {
		from := &l.Syms[s]
		if from.Index == 0 || last[from.Name] == from.Index {
			return
		}
		l.namedLast[from.Index] = last[from.Name]
		if f != told {
			told = f
			name := l.SymName(l.Funs[f].Sym)
			l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, Symbol: name,
				Text: fmt.Sprintf("EXTERNS of '%s' refers to the last of several symbols of one name, as with nvlink %s", name, l.Release.Name)})
		}
	})
}

// eachExtern calls visit for each symbol that a function's EXTERNS keeps.
func (l *Backend) eachExtern(visit func(model.FunID, model.SymID)) {
	for f := range l.Funs {
		info := l.Funs[f].Info
		if info == model.Absent || l.Secs[info].Deleted {
			continue
		}
		r := l.Attribute(info, cuda.AttrExterns)
		if r == nil {
			continue
		}
		for _, s := range l.SymList(r.List) {
			if l.StaysExtern(s) {
				visit(model.FunID(f), s)
			}
		}
	}
}

// byName gives a list of EXTERNS the symbols that its names are taken for.
func (l *Backend) byName(rec cubin.InfoRecord) cubin.InfoRecord {
	if len(l.namedLast) == 0 {
		return rec
	}
	rec.Data = slices.Clone(rec.Data)
	for at := 0; at+4 <= len(rec.Data); at += 4 {
		if to := l.namedLast[binary.LittleEndian.Uint32(rec.Data[at:])]; to != 0 {
			binary.LittleEndian.PutUint32(rec.Data[at:], to)
		}
	}
	return rec
}
