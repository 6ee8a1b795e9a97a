package verify

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/report"
)

// decide makes the verdict of the answers.
func (a *run) decide(row *report.Row) {
	switch {
	case a.q.Output != nil:
		a.decideGiven(row)
	case a.oracle != nil && a.oracle.Outcome == report.Rejected:
		a.rejected(row)
	case a.image == nil:
		a.decideRefused(row)
	case a.unsure() && (a.nvlink == nil || a.nvlink.Outcome == report.Absent):
		row.Verdict = report.NotJudged
	case a.nvlink == nil || a.nvlink.Outcome == report.Absent:
		row.Verdict = report.Agree
	case a.nvlink.Outcome != report.Linked:
		row.Verdict = report.Differ
		row.Findings = []report.Finding{{Key: "link.outcome", Level: report.Wrong, Values: a.outcomes()}}
	case bytes.Equal(a.image, a.nvImage) && a.unsure():
		row.Verdict = report.NotJudged
	case bytes.Equal(a.image, a.nvImage):
		row.Verdict = report.Agree
	default:
		row.Verdict = report.Differ
		row.Findings, row.More = differences(a.image, a.nvImage)
	}
}

// decideGiven judges an output that was given: by the oracle alone. Whether the
// bytes are the engine's is worth a note.
func (a *run) decideGiven(row *report.Row) {
	switch {
	case a.oracle.Outcome == report.Rejected:
		a.rejected(row)
	case a.oracle.Outcome == report.Refused && a.image == nil:
		row.Verdict, row.Note = report.RefusedAlike, a.refusal()
	case a.oracle.Outcome == report.Refused:
		row.Verdict, row.Note = report.Skipped, a.oracle.Detail
	case a.unsure():
		row.Verdict = report.NotJudged
	default:
		row.Verdict = report.Agree
	}
	if a.image != nil && row.Verdict == report.Agree {
		row.Note = "output differs from the engine's"
		if bytes.Equal(a.image, a.q.Output) {
			row.Note = "output is the engine's, byte for byte"
		}
	}
}

// unsure reports whether the oracle left something unjudged, and that counts.
func (a *run) unsure() bool {
	return a.oracle != nil && a.oracle.Outcome == report.Unsure && !a.q.AllowUnjudged
}

func (a *run) rejected(row *report.Row) {
	row.Verdict = report.Differ
	row.Findings, row.More = a.findings, a.more
}

// decideRefused compares what the engine and nvlink say of inputs that the
// engine would not have.
func (a *run) decideRefused(row *report.Row) {
	switch {
	case a.nvlink == nil || a.nvlink.Outcome == report.Absent:
		row.Verdict, row.Note = report.Refusal, a.refusal()
	case a.nvlink.Outcome == report.Linked:
		row.Verdict = report.Differ
		row.Findings = []report.Finding{{Key: "link.outcome", Level: report.Wrong, Values: a.outcomes()}}
	case a.nvlink.Outcome == report.Refused && a.nvlink.Detail != a.engine.Detail:
		row.Verdict = report.Differ
		row.Findings = []report.Finding{{Key: "link.message", Level: report.Wrong, Values: []report.Value{
			{Of: string(report.Engine), Text: a.engine.Detail}, {Of: string(report.Nvlink), Text: a.nvlink.Detail}}}}
	default:
		row.Verdict, row.Note = report.RefusedAlike, a.refusal()
	}
}

// refusal is the first line of what the engine says of inputs that it won't have.
func (a *run) refusal() string {
	if a.engine == nil {
		return ""
	}
	line, _, _ := strings.Cut(a.engine.Detail, "\n")
	return line
}

func (a *run) outcomes() []report.Value {
	var sides []report.Value
	for _, one := range []*report.Answer{a.engine, a.nvlink} {
		sides = append(sides, report.Value{Of: string(one.Source), Text: fmt.Sprintf("%s: %s", one.Outcome, one.Detail)})
	}
	return sides
}

// maxFindings bounds the differences that a row keeps.
const maxFindings = 256

// differences says how the engine's bytes and nvlink's differ; more counts
// what is omitted.
func differences(ours, nvlinks []byte) (list []report.Finding, more int) {
	found, err := diff.Compare(diff.Input{Name: "engine", Data: ours}, diff.Input{Name: "nvlink", Data: nvlinks})
	if err != nil || len(found) == 0 {
		return []report.Finding{{Key: "file.bytes", Level: report.Wrong}}, 0
	}
	for i := range found[:min(len(found), maxFindings)] {
		list = append(list, report.Finding{Key: found[i].Key, Level: report.Wrong, Values: []report.Value{
			{Of: string(report.Engine), Text: text(found[i].A)}, {Of: string(report.Nvlink), Text: text(found[i].B)}}})
	}
	return list, len(found) - len(list)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
