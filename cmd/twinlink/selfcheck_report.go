package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twinlink/twinlink/report"
	"github.com/twinlink/twinlink/selfcheck"
)

// selfcheckRow makes of a self-check a row of a report.
func selfcheckRow(r *selfcheck.Report) report.Row {
	row := report.Row{Subject: r.File, More: r.More}
	answer := report.Answer{Source: report.Selfcheck}
	switch r.Verdict {
	case selfcheck.Pass:
		row.Verdict, answer.Outcome = report.Agree, report.Accepted
	case selfcheck.Fail:
		row.Verdict, answer.Outcome = report.Differ, report.Rejected
	case selfcheck.Incomplete:
		row.Verdict, answer.Outcome = report.NotJudged, report.Unsure
	default:
		row.Verdict, answer.Outcome = report.Refusal, report.Refused
		if r.Err != nil {
			row.Note = r.Err.Error()
		}
	}
	row.Answers = []report.Answer{answer}
	for i := range r.Findings {
		f := &r.Findings[i]
		offset := f.Offset
		row.Findings = append(row.Findings, report.Finding{
			Key: "selfcheck." + f.Kind.String() + "." + f.Aspect.String(), Level: report.Wrong, Code: f.Code,
			File: r.File, Section: f.Section, Offset: &offset, Meaning: f.What,
			Values: []report.Value{{Of: "expected", Text: f.Expected}, {Of: "found", Text: f.Found}},
		})
	}
	for _, why := range slices.Sorted(maps.Keys(r.Unknown)) {
		row.Unjudged = append(row.Unjudged, report.Unjudged{Name: fmt.Sprintf("%d times", r.Unknown[why]), Reason: why})
	}
	for _, s := range r.Coverage {
		row.Figures = append(row.Figures, report.Figure{Name: s.Depth.String() + ": " + s.What, Value: float64(s.Bytes), Unit: "bytes"})
	}
	return row
}
