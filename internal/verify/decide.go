package verify

import (
	"bytes"
	"fmt"

	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/report"
)

// decide makes the verdict of the answers.
func (a *asked) decide(row *report.Row) {
	switch {
	case a.q.Output != nil:
		a.decideGiven(row)
	case a.oracle != nil && a.oracle.Outcome == report.Rejected:
		a.rejected(row)
	case a.image == nil:
		a.decideRefused(row)
	case a.nvlink == nil || a.nvlink.Outcome == report.Absent:
		row.Verdict = report.Agree
	case a.nvlink.Outcome != report.Linked:
		row.Verdict = report.Differ
		row.First = &report.Difference{Key: "link.outcome", Sides: a.outcomes()}
	case bytes.Equal(a.image, a.nvImage):
		row.Verdict = report.Agree
	default:
		row.Verdict = report.Differ
		row.First = firstDifference(a.image, a.nvImage)
	}
}

// decideGiven judges an output that was given: by the oracle alone. Whether the
// bytes are the engine's is worth a note.
func (a *asked) decideGiven(row *report.Row) {
	switch {
	case a.oracle.Outcome == report.Rejected:
		a.rejected(row)
	case a.oracle.Outcome == report.Refused && a.image == nil:
		row.Verdict = report.RefusedAlike
	case a.oracle.Outcome == report.Refused:
		row.Verdict, row.Note = report.Skipped, a.oracle.Detail
	default:
		row.Verdict = report.Agree
	}
	if a.image != nil && row.Verdict == report.Agree {
		row.Note = "the engine's bytes are others"
		if bytes.Equal(a.image, a.q.Output) {
			row.Note = "the engine's bytes are the same"
		}
	}
}

func (a *asked) rejected(row *report.Row) {
	row.Verdict = report.Differ
	row.First = &a.findings[0]
	row.First.More = len(a.findings) - 1
}

// decideRefused compares what the engine and nvlink say of inputs that the
// engine would not have.
func (a *asked) decideRefused(row *report.Row) {
	switch {
	case a.nvlink == nil || a.nvlink.Outcome == report.Absent:
		row.Verdict = report.RefusedAlike
	case a.nvlink.Outcome == report.Linked:
		row.Verdict = report.Differ
		row.First = &report.Difference{Key: "link.outcome", Sides: a.outcomes()}
	case a.nvlink.Outcome == report.Refused && a.nvlink.Detail != a.engine.Detail:
		row.Verdict = report.Differ
		row.First = &report.Difference{Key: "link.message", Sides: []report.Side{
			{Witness: report.Engine, Value: a.engine.Detail}, {Witness: report.Nvlink, Value: a.nvlink.Detail}}}
	default:
		row.Verdict = report.RefusedAlike
	}
}

func (a *asked) outcomes() []report.Side {
	var sides []report.Side
	for _, one := range []*report.Answer{a.engine, a.nvlink} {
		sides = append(sides, report.Side{Witness: one.Witness, Value: fmt.Sprintf("%s: %s", one.Outcome, one.Detail)})
	}
	return sides
}

// firstDifference is the first of the differences between two images.
func firstDifference(ours, nvlinks []byte) *report.Difference {
	found, err := diff.Compare(diff.Input{Name: "engine", Data: ours}, diff.Input{Name: "nvlink", Data: nvlinks})
	if err != nil || len(found) == 0 {
		return &report.Difference{Key: "file.bytes"}
	}
	d := &report.Difference{Key: found[0].Key, More: len(found) - 1}
	for _, side := range []struct {
		w report.Witness
		v *string
	}{{report.Engine, found[0].A}, {report.Nvlink, found[0].B}} {
		value := ""
		if side.v != nil {
			value = *side.v
		}
		d.Sides = append(d.Sides, report.Side{Witness: side.w, Value: value})
	}
	return d
}
