package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/ownwarnings"
	"github.com/twinlink/twinlink/report"
)

// unsupported is how twinlink refuses what it knows and doesn't do.
const unsupported = "is not supported by twinlink"

// compare holds two runs of the same command against each other.
func compare(got, want *nvidia.Result) report.Row {
	row := report.Row{Answers: []report.Answer{answer(report.Engine, got), answer(report.Nvlink, want)}}
	first, more := firstDifference(got, want)
	switch {
	case got.Outcome == nvidia.Crashed || got.Outcome == nvidia.Hung || bytes.Contains(got.Stderr, []byte("goroutine ")):
		row.Verdict = report.Differ
		if first == nil {
			first = sides("outcome", got.String(), want.String())
		}
	case want.Outcome == nvidia.Crashed || want.Outcome == nvidia.Hung:
		row.Verdict, first, row.Note = report.Skipped, nil, "nvlink "+want.Outcome.String()
	case first != nil && bytes.Contains(got.Stderr, []byte(unsupported)):
		row.Verdict, first, row.Note = report.Skipped, nil, firstLine(got.Message())
	case first != nil:
		row.Verdict = report.Differ
	case want.Files[outName] == nil:
		row.Verdict = report.RefusedAlike
	default:
		row.Verdict = report.Agree
	}
	if first != nil {
		row.Findings, row.More = []report.Finding{*first}, more
	}
	return row
}

func answer(w report.Source, res *nvidia.Result) report.Answer {
	a := report.Answer{Source: w}
	output := res.Files[outName]
	switch {
	case res.Outcome == nvidia.Crashed:
		a.Outcome = report.Crashed
	case res.Outcome == nvidia.Hung:
		a.Outcome = report.Hung
	case output != nil:
		a.Outcome, a.Detail = report.Linked, fmt.Sprintf("%d bytes", len(output))
	default:
		a.Outcome, a.Detail = report.Refused, strings.TrimSpace(string(res.Stderr))
	}
	return a
}

// firstDifference returns nil where exit status, messages and bytes are the
// same, and how many differences are after the first.
func firstDifference(got, want *nvidia.Result) (first *report.Finding, more int) {
	if got.ExitCode != want.ExitCode {
		d := sides("exit", fmt.Sprint(got.ExitCode), fmt.Sprint(want.ExitCode))
		if line := firstLine(got.Message()); line != "" {
			d.Meaning = line
		}
		return d, 0
	}
	said, _ := ownwarnings.Strip(string(got.Stderr))
	for _, t := range [...]struct{ key, got, want string }{{"stderr", said, string(want.Stderr)}, {"stdout", string(got.Stdout), string(want.Stdout)}} {
		if t.got != t.want {
			a, b := firstLines(t.got, t.want)
			return sides(t.key, a, b), 0
		}
	}
	a, b := got.Files[outName], want.Files[outName]
	switch {
	case a == nil && b == nil || a != nil && b != nil && bytes.Equal(a, b):
		return nil, 0
	case a == nil || b == nil:
		return sides("output", presence(a), presence(b)), 0
	}
	list, err := diff.Compare(diff.Input{Name: "ours", Data: a}, diff.Input{Name: "nvlink", Data: b})
	if err != nil || len(list) == 0 {
		return sides("output.bytes", presence(a), presence(b)), 0
	}
	return sides(list[0].Key, value(list[0].A), value(list[0].B)), len(list) - 1
}

func presence(data []byte) string {
	if data == nil {
		return ""
	}
	return fmt.Sprintf("%d bytes", len(data))
}

func sides(key, ours, theirs string) *report.Finding {
	return &report.Finding{Key: key, Level: report.Wrong, Values: []report.Value{
		{Of: string(report.Engine), Text: ours}, {Of: string(report.Nvlink), Text: theirs}}}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// firstLines returns the first lines in which two texts differ.
func firstLines(a, b string) (string, string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	head := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return strings.TrimSuffix(list[0], "\n")
	}
	return head(x), head(y)
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
