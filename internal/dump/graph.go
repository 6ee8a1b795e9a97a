package dump

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

func (r *reader) callgraph() {
	r.each(func(_ int, s *cubin.Section, name string) {
		switch {
		case s.Type == cuda.SHTCudaCallgraph && r.out.Callgraph == nil:
			g := &Callgraph{Section: name}
			g.Fault = r.pairs(s, func(kind uint32, p cubin.Pair) {
				g.Edges = append(g.Edges, r.edge(kind, p))
			})
			r.out.Callgraph = g
		case s.Type == cuda.SHTCudaPrototype && r.out.Prototypes == nil:
			g := &Prototypes{Section: name}
			g.Fault = r.pairs(s, func(_ uint32, p cubin.Pair) {
				g.Edges = append(g.Edges, Edge{"prototype", r.symbol(p.X), r.str(p.Y)})
			})
			r.out.Prototypes = g
		}
	})
}

// pairs calls f for the pairs of a section that aren't markers, with the
// marker before them.
func (r *reader) pairs(s *cubin.Section, f func(kind uint32, p cubin.Pair)) string {
	n, err := r.f.Pairs(s)
	if err != nil {
		return faultOf(err)
	}
	kind := uint32(0)
	for i := 0; i < n && r.spend(edgeCost); i++ {
		p := r.f.Pair(s, i)
		if p.X == 0 {
			kind = p.Y
			continue
		}
		f(kind, p)
	}
	return ""
}

func (r *reader) edge(kind uint32, p cubin.Pair) Edge {
	switch kind {
	case cuda.CallgraphCalls:
		return Edge{"call", r.symbol(p.X), r.symbol(p.Y)}
	case cuda.CallgraphPrototypes:
		return Edge{"prototype", r.symbol(p.X), r.str(p.Y)}
	case cuda.CallgraphIndirect:
		return Edge{"indirect", r.symbol(p.X), r.str(p.Y)}
	case cuda.CallgraphEdges:
		return Edge{"address", r.symbol(p.X), r.symbol(p.Y)}
	}
	return Edge{number(kind), number(p.X), number(p.Y)}
}

func (r *reader) relaction() {
	r.each(func(_ int, s *cubin.Section, name string) {
		if s.Type != cuda.SHTCudaRelocInfo || r.out.RelAction != nil {
			return
		}
		r.out.RelAction = r.relActionTable(r.f.Content(s), name)
	})
}

func (r *reader) relActionTable(data []byte, name string) *RelAction {
	out := &RelAction{Section: name}
	if len(data) < 8 || len(data)%8 != 0 {
		out.Fault = "not a header and records of eight bytes"
		return out
	}
	typ := uint32(data[0])
	out.First = relocName(typ)
	for data = data[8:]; len(data) > 0 && r.spend(recordCost); data = data[8:] {
		out.Actions = append(out.Actions, Action{
			Type: relocName(typ), Kind: relKind(data[0]), Flags: data[1],
			Fields: []ActionField{{data[2], data[3], data[4]}, {data[5], data[6], data[7]}},
		})
		typ++
	}
	return out
}

func relocName(typ uint32) string {
	if info, ok := cuda.LookupReloc(typ); ok {
		return info.Name
	}
	return number(typ)
}

// relKind names what a rule's value is.
func relKind(kind byte) string {
	switch kind {
	case 0:
		return "address"
	case 1:
		return "generic"
	case 2:
		return "descriptor"
	case 3:
		return "header"
	case 9:
		return "unified"
	}
	return number(kind)
}

func (r *reader) notes() {
	r.each(func(_ int, s *cubin.Section, name string) {
		if s.Type != cuda.SHTNote || !r.spend(recordCost*int(min(s.Size, uint64(len(r.f.Data)))/12)) {
			return
		}
		out := NoteTable{Section: name}
		notes, err := r.f.Notes(s)
		out.Fault = faultOf(err)
		for i := range notes {
			out.Notes = append(out.Notes, r.note(&notes[i]))
		}
		r.out.Notes = append(r.out.Notes, out)
	})
}

func (r *reader) note(n *cubin.Note) Note {
	owner := n.Name
	if len(owner) > 0 && owner[len(owner)-1] == 0 {
		owner = owner[:len(owner)-1]
	}
	out := Note{Owner: r.name(owner)}
	if t, ok := n.Tkinfo(); ok {
		out.Kind = "tkinfo"
		out.Values = []Value{{"version", number(t.Version)}, {"object", r.name(t.Object)}, {"tool", r.name(t.Tool)},
			{"release", r.name(t.Release)}, {"build", r.name(t.Build)}, {"options", r.name(t.Options)}}
		return out
	}
	if c, ok := n.Cuinfo(); ok {
		out.Kind = "cuinfo"
		out.Values = []Value{{"version", number(c.Version)}, {"sm", number(c.SM)}, {"api", release(c.API)}}
		return out
	}
	out.Kind = number(n.Type)
	out.Values = words(n.Desc)
	return out
}
