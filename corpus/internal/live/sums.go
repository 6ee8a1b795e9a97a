package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/twinlink/twinlink/report"
)

// writeSums prints a line for each release and architecture, for each release and for all, and why links were skipped.
func writeSums(w io.Writer, r *report.Report) error {
	groups, reasons := map[string]*report.Report{}, map[string]int{}
	add := func(key string, row report.Row) {
		if groups[key] == nil {
			groups[key] = &report.Report{}
		}
		groups[key].Rows = append(groups[key].Rows, row)
	}
	for _, row := range r.Rows {
		add(row.Release+"\t"+row.Arch, row)
		add(row.Release+"\tall", row)
		add("all\t", row)
		if row.Verdict == report.Skipped {
			reasons[row.Note]++
		}
	}
	fmt.Fprintf(w, "%s\n\n", r.Title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "release\tarch\tlinks\tagree\trefused alike\tskipped\tdiffer\t")
	for _, key := range sorted(groups) {
		c := groups[key].Count()
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t\n", key, len(groups[key].Rows), c.Agree, c.RefusedAlike, c.Skipped, c.Differ)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, note := range sorted(reasons) {
		if _, err := fmt.Fprintf(w, "skipped %d: %s\n", reasons[note], note); err != nil {
			return err
		}
	}
	return nil
}

func sorted[T any](m map[string]T) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
