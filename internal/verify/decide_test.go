package verify

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/report"
)

// Every state of the three answers has the verdict that docs/verify.md promises: what is wrong never agrees, what was not
// judged is said not to be, and who wasn't asked doesn't count.
func TestDecide(t *testing.T) {
	ours, other := []byte("image"), []byte("another")
	outcomes := func(of report.Source, list ...report.Outcome) (answers []*report.Answer) {
		for _, o := range list {
			answers = append(answers, &report.Answer{Source: of, Outcome: o, Detail: "said"})
		}
		return answers
	}
	engines := outcomes(report.Engine, report.Linked, report.Refused)
	oracles := append(outcomes(report.Oracle, report.Accepted, report.Rejected, report.Unsure, report.Refused), nil)
	nvlinks := append(outcomes(report.Nvlink, report.Linked, report.Refused, report.Crashed, report.Absent), nil)
	seen := map[report.Verdict]int{}
	for _, engine := range engines {
		for _, oracle := range oracles {
			for _, nvlink := range nvlinks {
				for state := range 8 {
					allow, same, given := state&1 != 0, state&2 != 0, state&4 != 0
					a := &run{q: &Question{AllowUnjudged: allow}, engine: engine, oracle: oracle, nvlink: nvlink, more: 7}
					if given && oracle == nil || !given && (engine.Outcome == report.Linked) != (oracle != nil) {
						continue // an image is always judged
					}
					if given {
						a.q.Output = other
					}
					if engine.Outcome == report.Linked {
						a.image = ours
					}
					if oracle != nil && oracle.Outcome == report.Rejected {
						a.findings = []report.Finding{{Key: "relocation.field"}}
					}
					if nvlink != nil && nvlink.Outcome == report.Linked {
						if a.nvImage = other; same {
							a.nvImage = ours
						}
					}
					if engine.Outcome == report.Refused && nvlink != nil && nvlink.Outcome == report.Refused && !same {
						a.nvlink = &report.Answer{Source: report.Nvlink, Outcome: report.Refused, Detail: "said otherwise"}
					}
					var row report.Row
					a.decide(&row)
					want := wanted(a, same, given)
					seen[want]++
					if row.Verdict != want {
						t.Errorf("%s: %s, want %s", stateOf(a, given), row.Verdict, want)
					}
					if refused := row.Verdict == report.RefusedAlike || row.Verdict == report.Refusal; refused && row.Note != engine.Detail {
						t.Errorf("%s: note %q, want why the engine refuses", stateOf(a, given), row.Note)
					}
					if (row.Verdict == report.Differ) != (len(row.Findings) > 0) {
						t.Errorf("%s: %s with %d findings", stateOf(a, given), row.Verdict, len(row.Findings))
					}
					if oracle != nil && oracle.Outcome == report.Rejected && row.More != 7 {
						t.Errorf("%s: %d findings more", stateOf(a, given), row.More)
					}
				}
			}
		}
	}
	for _, v := range []report.Verdict{report.Agree, report.Differ, report.NotJudged, report.RefusedAlike, report.Refusal, report.Skipped} {
		if seen[v] == 0 {
			t.Errorf("no state is %s", v)
		}
	}
}

// wanted says it in the order of the promise, not of the code.
func wanted(a *run, same, given bool) report.Verdict {
	is := func(answer *report.Answer, o report.Outcome) bool { return answer != nil && answer.Outcome == o }
	asked := a.nvlink != nil && a.nvlink.Outcome != report.Absent
	unsure := is(a.oracle, report.Unsure) && !a.q.AllowUnjudged
	if is(a.oracle, report.Rejected) {
		return report.Differ
	}
	if given { // by the oracle alone
		switch {
		case is(a.oracle, report.Refused) && is(a.engine, report.Refused):
			return report.RefusedAlike
		case is(a.oracle, report.Refused):
			return report.Skipped
		case unsure:
			return report.NotJudged
		}
		return report.Agree
	}
	if is(a.engine, report.Refused) {
		if is(a.nvlink, report.Linked) || is(a.nvlink, report.Refused) && !same {
			return report.Differ
		}
		if !asked {
			return report.Refusal
		}
		return report.RefusedAlike
	}
	if asked && (!is(a.nvlink, report.Linked) || !same) {
		return report.Differ
	}
	if unsure {
		return report.NotJudged
	}
	return report.Agree
}

func stateOf(a *run, given bool) string {
	text := fmt.Sprintf("given %v, unjudged allowed %v", given, a.q.AllowUnjudged)
	for _, one := range []*report.Answer{a.engine, a.oracle, a.nvlink} {
		if one != nil {
			text += fmt.Sprintf(", %s %s", one.Source, one.Outcome)
		}
	}
	return text
}
