package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteText writes a file as a table of nodes for each function:
//
//	SASS    Mercury  kind    tag       word                               text
//	0x0050  0x0080   stored  02380e32  000fe2000c101904.0000000502007986  STG.E …
func (f *File) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: sm_%d, %d functions with a capsule\n", f.File, f.SM, len(f.Functions))
	for _, a := range f.Compat {
		fmt.Fprintf(b, "  .nv.compat %-28s %s\n", a.Name, a.Value)
	}
	for i := range f.Functions {
		f.Functions[i].text(b)
	}
	return b.Flush()
}

func (f *Function) text(b *bufio.Writer) {
	fmt.Fprintf(b, "\n%s: %d nodes, 0x%x bytes of SASS (section %d), 0x%x of Mercury (section %d)\n",
		f.Name, len(f.Nodes), f.SASSSize, f.Text, f.MercSize, f.Capsule)
	for _, off := range f.Unsized {
		fmt.Fprintf(b, "  size in Mercury of the instruction at 0x%x is not known: later addresses are wrong\n", off)
	}
	b.WriteString("  SASS    Mercury  kind    tag       word                               text\n")
	for i := range f.Nodes {
		f.Nodes[i].text(b)
	}
	for _, a := range f.Attributes {
		fmt.Fprintf(b, "  %-28s", a.Name)
		switch {
		case a.Mercury != nil:
			fmt.Fprintf(b, " Mercury %s, SASS %s", numbers(a.Mercury), numbers(a.SASS))
		case a.SASS != nil:
			fmt.Fprintf(b, " %s", numbers(a.SASS))
		default:
			fmt.Fprintf(b, " %s", a.Value)
		}
		if a.Side != "" {
			fmt.Fprintf(b, " (%s only)", a.Side)
		}
		b.WriteByte('\n')
	}
}

func numbers(list []uint32) string {
	var s []string
	for _, v := range list {
		s = append(s, fmt.Sprintf("0x%x", v))
	}
	return strings.Join(s, " ")
}

func (n *Node) text(b *bufio.Writer) {
	if n.Span == 0 {
		fmt.Fprintf(b, "          0x%04x   %-6s  %s\n", n.Mercury, n.Kind, n.Tag)
	}
	for k, word := range n.Words {
		if k == 0 {
			line := fmt.Sprintf("  0x%04x  0x%04x   %-6s  %-8s  %s", n.SASS, n.Mercury, n.Kind, n.Tag, word)
			if n.Kind == "skip" {
				line = fmt.Sprintf("  0x%04x           %-6s  %-8s  %s", n.SASS, n.Kind, n.Tag, word)
			}
			b.WriteString(line)
		} else {
			fmt.Fprintf(b, "  0x%04x                             %s", int(n.SASS)+16*k, word)
		}
		if n.Text != nil && n.Text[k] != "" {
			b.WriteString("  " + n.Text[k])
		}
		b.WriteByte('\n')
	}
	if len(n.Record) > 8 {
		fmt.Fprintf(b, "                   record  %s\n", n.Record)
	}
	for _, r := range n.Relocs {
		fmt.Fprintf(b, "                   reloc   %s byte %d: %s%+d\n", r.Type, r.Byte, r.Symbol, r.Addend)
	}
}
