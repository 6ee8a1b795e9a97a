package merge

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// span is where one table or constant lies in a bank of the compiler's.
type span struct{ from, to uint64 }

// refuseOverlap refuses a bank of a second strong definition, which lies over the first's, where
// its bytes are others. Each table of it may lie in one of the first's, begin with one and end behind the last,
// or be two of them; a table that begins inside one and goes on behind it, or begins with one and ends in the next or
// behind that, spans too much. Bytes are compared from where a table begins with one of the first's
// or lies inside it, before its end is looked at (nvlink 11.8.89 to 13.5.37, tables of two functions of 18 shapes).
func (l *merger) refuseOverlap(m *module, s *cubin.Section, id model.SecID) error {
	chunks := l.Parts[id].Chunks
	if len(chunks) == 0 {
		return nil
	}
	have := &chunks[len(chunks)-1]
	first, second, content := l.spansIn(id, have), m.spansIn(s), m.file.Content(s)
	if err := l.spend(m, s, uint64(len(l.Syms)+len(m.syms)+len(first)*len(second))); err != nil {
		return err
	}
	for _, p := range second {
		if fault := overlapOf(p, first, content, have.Data); fault != "" {
			return diag.Refuse(diag.Internal, m.file.Name, "Internal error: %s", fault)
		}
	}
	return nil
}

// overlapOf is what is wrong with a table of a bank that lies over those of another, which are in order.
func overlapOf(p span, first []span, content, have []byte) string {
	i := slices.IndexFunc(first, func(f span) bool { return f.to > p.from })
	if i < 0 || first[i].from >= p.to {
		return ""
	}
	const spans, differs = "overlapping data spans too much", "overlapping non-identical data"
	f := first[i]
	same := func(from, to uint64) bool {
		to = min(to, uint64(len(content)), uint64(len(have)))
		return from >= to || bytes.Equal(content[from:to], have[from:to])
	}
	switch {
	case p.from > f.from && p.to > f.to:
		return spans
	case !same(max(p.from, f.from), min(p.to, f.to)):
		return differs
	case p.to <= f.to || i+1 == len(first) || first[i+1].from >= p.to:
		return ""
	}
	if next := first[i+1]; next.from != f.to || next.to != p.to {
		return spans
	}
	if !same(f.to, p.to) {
		return differs
	}
	return ""
}

// spansIn returns where the tables of a section of the image lie in a piece of it.
func (l *merger) spansIn(id model.SecID, in *model.Chunk) []span {
	var list []span
	for i := range l.Syms {
		if s := &l.Syms[i]; s.Sec == id && s.Type() == cuda.STTCudaObject && s.Size > 0 && s.Value >= in.Off {
			list = append(list, span{s.Value - in.Off, s.Value - in.Off + s.Size})
		}
	}
	return inOrder(list, in.Size)
}

// spansIn returns where the tables of an input section lie.
func (m *module) spansIn(s *cubin.Section) []span {
	var list []span
	for k := range m.syms {
		sym := &m.syms[k]
		if sym.Type() != cuda.STTCudaObject || sym.Size == 0 {
			continue
		}
		if at := m.tab.Shndx(k, sym); int64(at) < int64(len(m.heads)) && &m.heads[at] == s {
			list = append(list, span{sym.Value, sym.Value + sym.Size})
		}
	}
	return inOrder(list, s.Size)
}

// inOrder sorts spans by where they begin; a bank without any is one.
func inOrder(list []span, size uint64) []span {
	if len(list) == 0 {
		return []span{{0, size}}
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return list
}
