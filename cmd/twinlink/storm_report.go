package main

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/fuzz/storm"
	"github.com/twinlink/twinlink/report"
)

// stormReport makes of a run a report with a row for each relocation type. The
// same batches give the same report: rates are in the text alone.
func stormReport(seed uint64, t *storm.Tally, found *storm.Divergence) *report.Report {
	r := &report.Report{Title: fmt.Sprintf("Relocations of seed %d, engine and oracle", seed), Command: "storm"}
	r.Figures = []report.Figure{
		{Name: "batches", Value: float64(t.Batches)},
		{Name: "places compared", Value: float64(t.Compared)},
		{Name: "fields compared", Value: float64(t.Fields)},
		{Name: "both refuse", Value: float64(t.BothRefuse)},
		{Name: "the engine has no descriptor", Value: float64(t.Inexpressed)},
	}
	for number := range t.Types {
		row := report.Row{Subject: cuda.Relocs[number].Name, Verdict: report.Agree, Figures: []report.Figure{
			{Name: "compared as REL", Value: float64(t.Types[number][0])},
			{Name: "compared as RELA", Value: float64(t.Types[number][1])},
		}}
		switch {
		case found != nil && int(found.Type) == number:
			row.Verdict = report.Differ
			row.Findings = []report.Finding{{Key: "relocation." + found.Key(), Level: report.Wrong, Meaning: found.What}}
			row.Answers = []report.Answer{{Source: report.Oracle, Outcome: report.Rejected, Detail: found.What, Trace: strings.Split(strings.TrimRight(found.Text, "\n"), "\n")}}
			row.Repeat = fmt.Sprintf("twinlink storm --seed %d --batch %d", found.Seed, found.Batch)
		case t.Types[number] == [2]uint64{}:
			row.Verdict, row.Note = report.Skipped, "no record of this type was compared"
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}
