package diff

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/internal/dump"
)

func hex(v uint64) string { return fmt.Sprintf("0x%x", v) }

func headerFacts(s *side) *group {
	g := newGroup()
	h := s.model.Header
	g.add("header",
		field{"type", h.Type}, field{"machine", fmt.Sprint(h.Machine)}, field{"sm", h.SM}, field{"osabi", hex(uint64(h.OSABI))},
		field{"abiversion", fmt.Sprint(h.ABIVersion)}, field{"version", fmt.Sprint(h.Version)},
		field{"entry", hex(h.Entry)}, field{"flags", fmt.Sprintf("0x%08x", h.Flags)},
		field{"phoff", hex(h.PhOff)}, field{"phnum", fmt.Sprint(h.PhNum)}, field{"shoff", hex(h.ShOff)},
		field{"shnum", fmt.Sprint(h.ShNum)}, field{"shstrndx", fmt.Sprint(h.ShStrNdx)})
	g.add("file", field{"size", fmt.Sprint(s.model.Size)})
	return g
}

func programFacts(s *side) *group {
	g := newGroup()
	for i, p := range s.model.Programs {
		g.add(fmt.Sprintf("program.%d", i),
			field{"type", p.Type}, field{"flags", p.Flags}, field{"offset", hex(p.Offset)},
			field{"vaddr", hex(p.VAddr)}, field{"paddr", hex(p.PAddr)}, field{"filesz", hex(p.FileSz)},
			field{"memsz", hex(p.MemSz)}, field{"align", fmt.Sprint(p.Align)})
	}
	return g
}

func sectionFacts(s *side) *group {
	g := newGroup()
	for _, x := range s.model.Sections {
		key := g.add("section"+dotted(x.Name),
			field{"type", x.Type}, field{"flags", x.Flags}, field{"addr", hex(x.Addr)}, field{"offset", hex(x.Offset)},
			field{"size", hex(x.Size)}, field{"link", x.Link}, field{"info", x.Info},
			field{"align", fmt.Sprint(x.Align)}, field{"entsize", fmt.Sprint(x.EntSize)})
		g.follow("section.order", key)
	}
	return g
}

func symbolFacts(s *side) *group {
	g := newGroup()
	for _, x := range s.model.Symbols {
		name := x.Name
		if strings.HasPrefix(name, "#") {
			name = "#" // nameless: told by how many, not by index
		}
		key := g.add("symbol."+name,
			field{"value", hex(x.Value)}, field{"size", fmt.Sprint(x.Size)}, field{"type", x.Type},
			field{"binding", x.Binding}, field{"other", x.Other}, field{"section", x.Section})
		g.follow("symbol.order", key)
	}
	return g
}

func relocFacts(s *side) *group {
	g := newGroup()
	for i := range s.model.Relocations {
		t := &s.model.Relocations[i]
		kind := "reloc"
		if strings.Contains(t.Form, "RESOLVED") {
			kind = "resolved"
		}
		table := kind + dotted(t.Target)
		for j := range t.Records {
			r := &t.Records[j]
			key := g.add(fmt.Sprintf("%s.0x%x.%s", table, r.Offset, r.Type),
				field{"form", t.Form}, field{"symbol", r.Symbol}, field{"addend", fmt.Sprint(r.Addend)},
				field{"field", fieldText(r.Fields)})
			g.follow(table+"."+t.Form+".order", key)
		}
		fault(g, table, t.Fault)
	}
	return g
}

func fieldText(fields []dump.Field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = fmt.Sprintf("%d+%d=0x%x", f.First, f.Width, f.Value)
	}
	return strings.Join(parts, ",")
}

func infoFacts(s *side) *group {
	g := newGroup()
	for i := range s.model.Info {
		t := &s.model.Info[i]
		owner := t.Owner
		if owner == "" {
			owner = "module"
		}
		infoTable(g, "info."+owner, "info.", t)
	}
	if t := s.model.Compat; t != nil {
		infoTable(g, "compat", "compat.", t)
	}
	return g
}

// infoTable adds records under the symbol they are about, or else the table.
func infoTable(g *group, table, subject string, t *dump.InfoTable) {
	for i := range t.Records {
		r := &t.Records[i]
		key := table + "." + r.Attribute
		if r.Subject != "" {
			key = subject + r.Subject + "." + r.Attribute
		}
		if r.Attribute == "KPARAM_INFO" && len(r.Values) > 1 {
			key += "." + r.Values[1].Text
		}
		key = g.add(key, field{"", r.Format + " " + valueText(r.Values)})
		g.follow(table+".order", key)
	}
	fault(g, table, t.Fault)
}

func valueText(values []dump.Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		if parts[i] = v.Text; v.Name != "" {
			parts[i] = v.Name + "=" + v.Text
		}
	}
	return strings.Join(parts, " ")
}

func callgraphFacts(s *side) *group {
	g := newGroup()
	if t := s.model.Callgraph; t != nil {
		for _, e := range t.Edges {
			g.follow("callgraph.order", g.add("callgraph."+e.Kind+"."+e.From+"->"+e.To, field{"", "present"}))
		}
		fault(g, "callgraph", t.Fault)
	}
	if t := s.model.Prototypes; t != nil {
		for _, e := range t.Edges {
			g.follow("prototype.order", g.add("prototype."+e.From, field{"", e.To}))
		}
		fault(g, "prototype", t.Fault)
	}
	return g
}

func relactionFacts(s *side) *group {
	g := newGroup()
	if t := s.model.RelAction; t != nil {
		for _, a := range t.Actions {
			g.add("relaction."+a.Type, field{"", fmt.Sprintf("%s flags=%d %v", a.Kind, a.Flags, a.Fields)})
		}
		fault(g, "relaction", t.Fault)
	}
	return g
}

func noteFacts(s *side) *group {
	g := newGroup()
	for i := range s.model.Notes {
		t := &s.model.Notes[i]
		for j, n := range t.Notes {
			fields := []field{{"owner", n.Owner}}
			for k, v := range n.Values {
				name := v.Name
				if name == "" {
					name = fmt.Sprint(k)
				}
				fields = append(fields, field{name, v.Text})
			}
			g.add(fmt.Sprintf("note.%s.%d", n.Kind, j), fields...)
		}
		fault(g, "note"+dotted(t.Section), t.Fault)
	}
	return g
}

// fault adds what is wrong with a table, so that a malformed one never counts
// as equal to one that ends there.
func fault(g *group, table, text string) {
	if text != "" {
		g.add(table+".fault", field{"", text})
	}
}
