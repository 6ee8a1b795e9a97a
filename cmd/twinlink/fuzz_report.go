package main

import (
	"github.com/twinlink/twinlink/internal/fuzzlog"
	"github.com/twinlink/twinlink/report"
)

// fuzzReport makes of a log of "go test -fuzz" a report with a row for each
// target. Executions and coverage grow over time, so this one has times.
func fuzzReport(targets []fuzzlog.Target) *report.Report {
	r := &report.Report{Title: "Fuzz targets", Command: "fuzz"}
	for i := range targets {
		t := &targets[i]
		row := report.Row{Subject: t.Name, Verdict: report.Agree, Note: t.Package}
		executions, interesting := report.Series{Name: "executions"}, report.Series{Name: "inputs with new coverage"}
		for _, s := range t.Samples {
			at := s.Time.Seconds()
			executions.Points = append(executions.Points, [2]float64{at, float64(s.Executions)})
			interesting.Points = append(interesting.Points, [2]float64{at, float64(s.Interesting)})
		}
		last := len(t.Samples) - 1
		switch {
		case t.Failure != "":
			row.Verdict = report.Differ
			row.Findings = []report.Finding{{Key: "fuzz." + t.Name, Level: report.Wrong, File: t.Failure}}
		case last < 0 || t.Samples[last].Executions == 0:
			row.Verdict, row.Note = report.Skipped, "no execution"
		}
		if last >= 0 {
			row.Series = []report.Series{executions, interesting}
			row.Figures = []report.Figure{
				{Name: "executions", Value: float64(t.Samples[last].Executions)},
				{Name: "inputs with new coverage", Value: float64(t.Samples[last].Interesting)},
			}
		}
		for _, v := range t.Verdicts {
			row.Figures = append(row.Figures, report.Figure{Name: v.Name, Value: float64(v.Count)})
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}
