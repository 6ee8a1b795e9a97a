package dump

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// JSON prints a model as one JSON object.
func JSON(w io.Writer, f *File) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(f)
}

// Text prints a model for reading: a heading for each part, a line for each
// thing.
func Text(w io.Writer, f *File) error {
	p := &printer{w: bufio.NewWriter(w)}
	fmt.Fprintf(p.w, "%s: %d bytes\n", f.Name, f.Size)
	p.header(f.Header)
	p.programs(f.Programs)
	p.sections(f.Sections)
	p.symbols(f.Symbols)
	for i := range f.Relocations {
		p.relocations(&f.Relocations[i])
	}
	for i := range f.Info {
		p.info(&f.Info[i])
	}
	if f.Compat != nil {
		p.info(f.Compat)
	}
	if g := f.Callgraph; g != nil {
		p.edges(g.Section, g.Edges, g.Fault)
	}
	if g := f.Prototypes; g != nil {
		p.edges(g.Section, g.Edges, g.Fault)
	}
	p.relaction(f.RelAction)
	for i := range f.Notes {
		p.notes(&f.Notes[i])
	}
	return p.w.Flush()
}

type printer struct{ w *bufio.Writer }

// table prints a heading and rows whose cells are separated by tabs.
func (p *printer) table(heading, columns string, rows func(w io.Writer)) {
	fmt.Fprintf(p.w, "\n%s\n", heading)
	t := tabwriter.NewWriter(p.w, 0, 1, 2, ' ', 0)
	if columns != "" {
		fmt.Fprintln(t, "  "+strings.ReplaceAll(columns, " ", "\t"))
	}
	rows(t)
	_ = t.Flush()
}

func (p *printer) fault(text string) {
	if text != "" {
		fmt.Fprintf(p.w, "  malformed: %s\n", text)
	}
}

func (p *printer) header(h *Header) {
	if h == nil {
		return
	}
	p.table("header", "", func(w io.Writer) {
		fmt.Fprintf(w, "  type\t%s\n", h.Type)
		fmt.Fprintf(w, "  machine\t%d\n", h.Machine)
		fmt.Fprintf(w, "  sm\t%s\n", h.SM)
		if h.Toolkit != "" {
			fmt.Fprintf(w, "  toolkit\t%s\n", h.Toolkit)
		}
		fmt.Fprintf(w, "  osabi\t0x%x, version %d\n", h.OSABI, h.ABIVersion)
		fmt.Fprintf(w, "  version\t%d\n", h.Version)
		fmt.Fprintf(w, "  entry\t0x%x\n", h.Entry)
		fmt.Fprintf(w, "  flags\t0x%08x  %s\n", h.Flags, strings.Join(h.FlagNames, " "))
		fmt.Fprintf(w, "  sections\t%d at 0x%x, names in %d\n", h.ShNum, h.ShOff, h.ShStrNdx)
		fmt.Fprintf(w, "  programs\t%d at 0x%x\n", h.PhNum, h.PhOff)
	})
}

func (p *printer) programs(list []Program) {
	if list == nil {
		return
	}
	p.table("program headers", "type flags offset filesz memsz vaddr paddr align", func(w io.Writer) {
		for _, h := range list {
			fmt.Fprintf(w, "  %s\t%s\t0x%x\t0x%x\t0x%x\t0x%x\t0x%x\t%d\n",
				h.Type, h.Flags, h.Offset, h.FileSz, h.MemSz, h.VAddr, h.PAddr, h.Align)
		}
	})
}

func (p *printer) sections(list []Section) {
	if list == nil {
		return
	}
	p.table("sections", "# name type offset size align entsize link info flags", func(w io.Writer) {
		for _, s := range list {
			fmt.Fprintf(w, "  %d\t%s\t%s\t0x%x\t0x%x\t%d\t%d\t%s\t%s\t%s\n",
				s.Index, s.Name, s.Type, s.Offset, s.Size, s.Align, s.EntSize, dash(s.Link), dash(s.Info), dash(s.Flags))
		}
	})
}

func (p *printer) symbols(list []Symbol) {
	if list == nil {
		return
	}
	p.table("symbols", "# value size type binding section other name", func(w io.Writer) {
		for _, s := range list {
			fmt.Fprintf(w, "  %d\t0x%x\t%d\t%s\t%s\t%s\t%s\t%s\n",
				s.Index, s.Value, s.Size, s.Type, s.Binding, s.Section, dash(s.Other), s.Name)
		}
	})
}

func (p *printer) relocations(t *RelocTable) {
	p.table(fmt.Sprintf("relocations %s for %s", t.Section, t.Target), "", func(w io.Writer) {
		for i := range t.Records {
			r := &t.Records[i]
			fmt.Fprintf(w, "  0x%04x\t%s\t%s\t%s\t%s\n", r.Offset, r.Type, r.Symbol+addend(r.Addend), r.Resolver, fieldText(r.Fields))
		}
	})
	p.fault(t.Fault)
}

func addend(a int64) string {
	switch {
	case a == 0:
		return ""
	case a < 0:
		return fmt.Sprintf("-0x%x", uint64(-a))
	}
	return fmt.Sprintf("+0x%x", a)
}

func fieldText(fields []Field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = fmt.Sprintf("%d..%d=0x%x (%s)", f.First, uint64(f.First)+uint64(f.Width)-1, f.Value, f.Holds)
	}
	return strings.Join(parts, ", ")
}

func (p *printer) info(t *InfoTable) {
	p.table(t.Section, "", func(w io.Writer) {
		for i := range t.Records {
			r := &t.Records[i]
			what := r.Attribute
			if r.Subject != "" {
				what += "(" + r.Subject + ")"
			}
			fmt.Fprintf(w, "  %s\t%s\n", what, valueText(r.Values))
		}
	})
	p.fault(t.Fault)
}

func valueText(values []Value) string {
	parts := make([]string, len(values))
	for i, v := range values {
		if parts[i] = v.Text; v.Name != "" {
			parts[i] = v.Name + "=" + v.Text
		}
	}
	return strings.Join(parts, " ")
}

func (p *printer) edges(heading string, edges []Edge, fault string) {
	p.table(heading, "", func(w io.Writer) {
		for _, e := range edges {
			fmt.Fprintf(w, "  %s\t%s\t-> %s\n", e.Kind, e.From, e.To)
		}
	})
	p.fault(fault)
}

func (p *printer) relaction(t *RelAction) {
	if t == nil {
		return
	}
	p.table(t.Section, "", func(w io.Writer) {
		for _, a := range t.Actions {
			fmt.Fprintf(w, "  %s\t%s\tflags=%d\t%s\n", a.Type, a.Kind, a.Flags, actionText(a.Fields))
		}
	})
	p.fault(t.Fault)
}

func actionText(fields []ActionField) string {
	var parts []string
	for _, f := range fields {
		if f.Width > 0 {
			parts = append(parts, fmt.Sprintf("value bits %d..%d to %d..%d",
				f.Source, int(f.Source)+int(f.Width)-1, f.First, int(f.First)+int(f.Width)-1))
		}
	}
	return strings.Join(parts, ", ")
}

func (p *printer) notes(t *NoteTable) {
	p.table(t.Section, "", func(w io.Writer) {
		for i, n := range t.Notes {
			fmt.Fprintf(w, "  note %d\t%s\t%s\n", i, n.Kind, n.Owner)
			for _, v := range n.Values {
				fmt.Fprintf(w, "  \t%s\t%s\n", v.Name, v.Text)
			}
		}
	})
	p.fault(t.Fault)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
