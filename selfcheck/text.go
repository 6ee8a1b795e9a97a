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
	fmt.Fprintf(b, "%s: %s", r.File, r.Verdict)
	if code := r.Code(); code != 0 && r.Verdict == Fail {
		fmt.Fprintf(b, ", code %d", code)
	}
	fmt.Fprintln(b)
	for i := range r.Findings {
		f := &r.Findings[i]
		section := f.Section
		if section == "" {
			section = "file"
		}
		fmt.Fprintf(b, "  %d %s %s: %s at 0x%x: %s\n", f.Code, f.Kind, f.Aspect, section, f.Offset, f.Detail())
	}
	if r.More > 0 {
		fmt.Fprintf(b, "  and %d more findings\n", r.More)
	}
	if r.Verdict == Refused {
		return b.Flush()
	}
	n := &r.Nodes
	fmt.Fprintf(b, "  %d nodes: %d plain, %d tag-only, %d skip, %d stored, of which %d reconstituted and %d unknown\n",
		n.Total, n.Plain, n.TagOnly, n.Skip, n.Stored, n.Reconstituted, n.Unknown)
	counted(b, "not known", r.Unknown, len(r.Unknown))
	counted(b, "unknown record", r.Forms, maxForms)
	counted(b, "not checked", r.Unchecked, len(r.Unchecked))
	covered(b, r.Coverage)
	return b.Flush()
}

// covered writes what was checked of the file's bytes.
func covered(b *bufio.Writer, list []Share) {
	total := 0
	var by [3]int
	for i := range list {
		total += list[i].Bytes
		by[list[i].Depth] += list[i].Bytes
	}
	if total == 0 {
		return
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(total) }
	fmt.Fprintf(b, "  %d bytes: %.1f %% compared, %.1f %% form only, %.1f %% unchecked\n", total, percent(by[Compared]), percent(by[Form]), percent(by[Unchecked]))
	for i := range list {
		s := &list[i]
		fmt.Fprintf(b, "  %s: %d bytes, %.1f %%: %s\n", s.Depth, s.Bytes, percent(s.Bytes), s.What)
	}
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
