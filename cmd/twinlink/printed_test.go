package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/fuzz/power"
	"github.com/twinlink/twinlink/fuzz/storm"
	"github.com/twinlink/twinlink/report"
)

// What is printed of results that no run of a test has: conditions and faults, and a relocation on which engine and oracle
// part.

var judgedConditions = []power.Judged{
	{Place: power.Place{File: "a/x.go", Line: 3, Text: "n > 0"}, Failing: power.AlwaysTrue, FoundBy: "link 1"},
	{Place: power.Place{File: "a/x.go", Line: 4, Text: "ok"}, Failing: power.AlwaysFalse, Links: 7},
	{Place: power.Place{File: "a/y.go", Line: 5, Text: "n < m"}, Failing: power.TurnedWhereEqual},
	{Place: power.Place{File: "b/z.go", Line: 6, Text: "room"}, Failing: power.AlwaysTrue, Links: 2, Nothing: "only room"},
	{Place: power.Place{File: "b/z.go", Line: 7, Text: "fits"}, Failing: power.AlwaysTrue, FoundBy: "link 2"},
	{Place: power.Place{File: "b/z.go", Line: 8, Text: "fits"}, Failing: power.AlwaysFalse, FoundBy: "link 2"},
}

func TestConditionsPrinted(t *testing.T) {
	want := `a/x.go:4: ` + power.AlwaysFalse.String() + `: "ok": no difference in the links tried, 7 reach it
a/y.go:5: ` + power.TurnedWhereEqual.String() + `: "n < m": reached by no link
a                                  1 of     3 found,     1 change no link that was tried,     1 are reached by none;     0 more change nothing
b                                  2 of     2 found,     0 change no link that was tried,     0 are reached by none;     1 more change nothing
`
	if d := cmp.Diff(want, string(conditionsText(judgedConditions))); d != "" {
		t.Error(d)
	}
	r := conditionReport(judgedConditions)
	wanted := &report.Report{Title: "Inverted conditions, and the links that detect them", Command: "power",
		Figures: []report.Figure{
			{Name: "a: found", Value: 1}, {Name: "a: no difference", Value: 1}, {Name: "a: no link", Value: 1}, {Name: "a: listed as changing nothing"},
			{Name: "b: found", Value: 2}, {Name: "b: no difference"}, {Name: "b: no link"}, {Name: "b: listed as changing nothing", Value: 1},
		},
		Rows: []report.Row{
			{Subject: "a/x.go:4 " + power.AlwaysFalse.String() + ": ok", Verdict: report.Differ, Note: "no difference in the links tried, 7 reach it"},
			{Subject: "a/y.go:5 " + power.TurnedWhereEqual.String() + ": n < m", Verdict: report.Differ, Note: "reached by no link"},
		}}
	if d := cmp.Diff(wanted, r); d != "" {
		t.Error(d)
	}
}

func TestPowerReport(t *testing.T) {
	got := powerReport([]power.Result{
		{Area: "a", Fault: "f", Outcome: power.Killed, Detector: "corpus", Time: time.Second, Note: "TestX"},
		{Area: "a", Fault: "g", Outcome: power.Killed, Detector: "corpus"}, {Area: "a", Fault: "h", Outcome: power.Killed, Detector: "storm"},
		{Area: "b", Fault: "i", Outcome: power.Survived, Note: "reached by no test"},
		{Area: "b", Fault: "j", Outcome: power.Planted, Note: "x"}, {Area: "b", Fault: "k", Outcome: power.Equivalent, Note: "same sum"},
	})
	found := func(name, by, note string) report.Row {
		return report.Row{Subject: "a/" + name, Verdict: report.Agree, Note: note, Answers: []report.Answer{{Source: report.Source(by), Outcome: report.Rejected}}}
	}
	want := &report.Report{Title: "Planted faults, and the detectors that find them", Command: "power",
		Figures: []report.Figure{{Name: "found by corpus", Value: 2}, {Name: "found by storm", Value: 1}},
		Rows: []report.Row{
			found("f", "corpus", "TestX"), found("g", "corpus", ""), found("h", "storm", ""),
			{Subject: "b/i", Verdict: report.Differ, Note: "reached by no test", Findings: []report.Finding{{Key: "power.survived", Level: report.Wrong, Meaning: "reached by no test"}}},
			{Subject: "b/j", Verdict: report.Skipped, Note: "it applies; no detector was run"},
			{Subject: "b/k", Verdict: report.Agree, Note: "same sum"},
		}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestStormReport(t *testing.T) {
	tally := &storm.Tally{Batches: 2, Compared: 30, Fields: 40, BothRefuse: 5, Inexpressed: 6}
	tally.Types[1], tally.Types[2] = [2]uint64{7, 8}, [2]uint64{0, 9}
	found := &storm.Divergence{Seed: 3, Batch: 4, What: "they part", Text: "one\ntwo\n\n"}
	found.Type = 2
	r := stormReport(3, tally, found)
	if r.Title != "Relocations of seed 3, engine and oracle" || r.Command != "storm" || len(r.Rows) != len(cuda.Relocs) {
		t.Errorf("%q of %q with %d rows", r.Title, r.Command, len(r.Rows))
	}
	wantFigures := []report.Figure{{Name: "batches", Value: 2}, {Name: "places compared", Value: 30}, {Name: "fields compared", Value: 40}, {Name: "both refuse", Value: 5}, {Name: "the engine has no descriptor", Value: 6}}
	if d := cmp.Diff(wantFigures, r.Figures); d != "" {
		t.Error(d)
	}
	figures := func(rel, rela float64) []report.Figure {
		return []report.Figure{{Name: "compared as REL", Value: rel}, {Name: "compared as RELA", Value: rela}}
	}
	want := []report.Row{
		{Subject: cuda.Relocs[0].Name, Verdict: report.Skipped, Note: "no record of this type was compared", Figures: figures(0, 0)},
		{Subject: cuda.Relocs[1].Name, Verdict: report.Agree, Figures: figures(7, 8)},
		{Subject: cuda.Relocs[2].Name, Verdict: report.Differ, Figures: figures(0, 9), Repeat: "twinlink storm --seed 3 --batch 4",
			Findings: []report.Finding{{Key: "relocation." + found.Key(), Level: report.Wrong, Meaning: "they part"}},
			Answers:  []report.Answer{{Source: report.Oracle, Outcome: report.Rejected, Detail: "they part", Trace: []string{"one", "two"}}}},
		{Subject: cuda.Relocs[3].Name, Verdict: report.Skipped, Note: "no record of this type was compared", Figures: figures(0, 0)},
	}
	if d := cmp.Diff(want, r.Rows[:4]); d != "" {
		t.Error(d)
	}
	if alone := stormReport(3, tally, nil).Rows[2]; alone.Verdict != report.Agree || strings.Contains(alone.Note, "no record") {
		t.Errorf("where nothing parts: %+v", alone)
	}
}
