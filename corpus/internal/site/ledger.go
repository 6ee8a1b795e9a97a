package main

import (
	"context"
	"strings"

	"github.com/twinlink/twinlink/internal/claims"
	"github.com/twinlink/twinlink/report"
)

// ledger makes a row of every claim: a confirmed one agrees, a refuted one
// differs, an open one is not judged.
func ledger(context.Context) (*report.Report, error) {
	all, err := claims.All()
	if err != nil {
		return nil, err
	}
	r := &report.Report{Title: "Claims of the source documents", Command: "claims"}
	for _, c := range all {
		row := report.Row{Subject: c.ID + ": " + c.Statement, Verdict: report.Skipped, Note: c.Truth}
		switch c.Verdict {
		case claims.Confirmed:
			row.Verdict = report.Agree
		case claims.Refuted:
			row.Verdict = report.Differ
		case claims.Open:
			row.Verdict = report.NotJudged
		}
		if len(c.By) > 0 {
			row.Repeat = strings.Join(c.By, "\n")
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}
