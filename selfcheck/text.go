package selfcheck

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// maxForms is how many forms of unknown nodes the text names.
const maxForms = 20

// Text writes the report for reading: the verdict, a line for each finding, the
// nodes, and what could not be checked.
func (r *Report) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s\n", r.File, r.Verdict)
	for i := range r.Findings {
		f := &r.Findings[i]
		section := f.Section
		if section == "" {
			section = "file"
		}
		fmt.Fprintf(b, "  %d %s %s: %s at 0x%x: %s\n", f.Code, f.Kind, f.Aspect, section, f.Offset, f.Detail())
	}
	if r.More > 0 {
		fmt.Fprintf(b, "  and %d findings more\n", r.More)
	}
	if r.Verdict == Refused {
		return b.Flush()
	}
	n := &r.Nodes
	fmt.Fprintf(b, "  %d nodes: %d plain, %d mini, %d skip, %d stored, of which %d reconstituted and %d unknown\n",
		n.Total, n.Plain, n.Mini, n.Skip, n.Stored, n.Reconstituted, n.Unknown)
	counted(b, "unknown", r.Forms, maxForms)
	counted(b, "not checked", r.Unchecked, len(r.Unchecked))
	return b.Flush()
}

// counted writes a tally, the most frequent first.
func counted(b *bufio.Writer, what string, tally map[string]int, limit int) {
	keys := slices.SortedFunc(maps.Keys(tally), func(x, y string) int {
		return cmp.Or(cmp.Compare(tally[y], tally[x]), cmp.Compare(x, y))
	})
	for i, k := range keys {
		if i == limit {
			fmt.Fprintf(b, "  %s: %d others\n", what, len(keys)-limit)
			return
		}
		fmt.Fprintf(b, "  %s: %d × %s\n", what, tally[k], k)
	}
}
