package main

import (
	"maps"
	"slices"

	"github.com/twinlink/twinlink/fuzz/power"
	"github.com/twinlink/twinlink/report"
)

// powerReport makes of planted faults a report with a row for each. Times stand
// in the text alone, so that the same outcomes give the same report.
func powerReport(results []power.Result) *report.Report {
	r := &report.Report{Title: "Planted faults, and the detectors that find them", Command: "power"}
	killed := map[string]float64{}
	for i := range results {
		p := &results[i]
		row := report.Row{Subject: p.Area + "/" + p.Fault, Verdict: report.Agree, Note: p.Note}
		switch {
		case p.Bad():
			row.Verdict = report.Differ
			row.Findings = []report.Finding{{Key: "power." + string(p.Outcome), Level: report.Wrong, Meaning: p.Note}}
		case p.Outcome == power.Planted:
			row.Verdict = report.Skipped
			row.Note = "it applies; no detector was run"
		case p.Outcome == power.Killed:
			row.Answers = []report.Answer{{Source: report.Source(p.Detector), Outcome: report.Rejected}}
			killed[p.Detector]++
		}
		r.Rows = append(r.Rows, row)
	}
	for _, name := range slices.Sorted(maps.Keys(killed)) {
		r.Figures = append(r.Figures, report.Figure{Name: "found by " + name, Value: killed[name]})
	}
	return r
}
