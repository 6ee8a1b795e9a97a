package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/twinlink/twinlink/fuzz/power"
	"github.com/twinlink/twinlink/report"
)

// runConditions makes every condition fail on recorded links, and lists those that no link tells.
func runConditions(ctx context.Context, o power.Options, results string, out *face, s streams) error {
	list, err := o.Root.Census(ctx, o.Under, results)
	if err != nil {
		return badUsage("%v", err)
	}
	if !out.text() {
		return out.write(s, conditionReport(list))
	}
	return out.print(s, conditionsText(list))
}

func conditionsText(list []power.Judged) []byte {
	var b bytes.Buffer
	for i := range list {
		if j := &list[i]; j.FoundBy == "" && j.Nothing == "" {
			fmt.Fprintf(&b, "%s:%d: %s: %q: %s\n", j.File, j.Line, j.Failing, j.Text, notFound(j))
		}
	}
	sums := sumsOfConditions(list)
	for _, folder := range slices.Sorted(maps.Keys(sums)) {
		n := sums[folder]
		fmt.Fprintf(&b, "%-30s %5d of %5d found, %5d change no link that was tried, %5d are reached by none; %5d more change nothing\n", folder, n[0], n[0]+n[1]+n[2], n[1], n[2], n[3])
	}
	return b.Bytes()
}

func notFound(j *power.Judged) string {
	if j.Links == 0 {
		return "reached by no link"
	}
	return fmt.Sprintf("no difference in the links tried, %d reach it", j.Links)
}

// sumsOfConditions counts by folder faults that are found, that no link tried finds, that no link reaches, and that are
// listed as changing nothing.
func sumsOfConditions(list []power.Judged) map[string][4]int {
	sums := map[string][4]int{}
	for i := range list {
		j := &list[i]
		n := sums[path.Dir(j.File)]
		switch {
		case j.Nothing != "":
			n[3]++
		case j.FoundBy != "":
			n[0]++
		case j.Links > 0:
			n[1]++
		default:
			n[2]++
		}
		sums[path.Dir(j.File)] = n
	}
	return sums
}

func conditionReport(list []power.Judged) *report.Report {
	r := &report.Report{Title: "Inverted conditions, and the links that detect them", Command: "power"}
	sums := sumsOfConditions(list)
	for _, folder := range slices.Sorted(maps.Keys(sums)) {
		n := sums[folder]
		r.Figures = append(r.Figures, report.Figure{Name: folder + ": found", Value: float64(n[0])},
			report.Figure{Name: folder + ": no difference", Value: float64(n[1])}, report.Figure{Name: folder + ": no link", Value: float64(n[2])},
			report.Figure{Name: folder + ": listed as changing nothing", Value: float64(n[3])})
	}
	for i := range list {
		if j := &list[i]; j.FoundBy == "" && j.Nothing == "" {
			r.Rows = append(r.Rows, report.Row{Subject: fmt.Sprintf("%s:%d %s: %s", j.File, j.Line, j.Failing, j.Text), Verdict: report.Differ, Note: notFound(j)})
		}
	}
	return r
}
