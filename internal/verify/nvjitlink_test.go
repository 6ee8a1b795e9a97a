package verify_test

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/nvjitlinktest"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

// TestNvJitLink wants an answer of each library, the image compared where it is
// of the question's release, and a library that isn't one to cost nothing else.
func TestNvJitLink(t *testing.T) {
	for _, release := range []string{"12.4", "13.0"} {
		nvjitlinktest.Need(t, release)
	}
	self := nvjitlink.Options{Self: true}
	libs := []nvjitlink.SharedObject{{Path: "main_test.go", Release: "12.9"}}
	for _, l := range nvjitlink.Find(self) {
		if l.Release == "12.4" || l.Release == "13.0" {
			libs = append(libs, l)
		}
	}
	ask := func(id string) map[string]report.Answer {
		q := question(find(t, id))
		q.WithNvJitLink(libs, self)
		row := verify.Ask(t.Context(), q, nil)
		if row.Verdict != report.Agree && row.Verdict != report.RefusedAlike {
			t.Errorf("%s: %s", id, row.Verdict)
		}
		answers := map[string]report.Answer{}
		for _, a := range row.Answers {
			if a.Source == report.NvJitLink {
				answers[a.Release] = a
			}
		}
		return answers
	}
	answers := ask("constants/13.0-sm_80")
	if a := answers["13.0"]; a.Outcome != report.Linked || !strings.Contains(a.Detail, "the engine's except for the tool's name") {
		t.Errorf("13.0: %+v", a)
	}
	if a := answers["12.4"]; a.Outcome != report.Refused {
		t.Errorf("12.4 was given an object of 13.0: %+v", a)
	}
	if a := answers["12.9"]; a.Outcome != report.Absent || !strings.Contains(a.Detail, "can't be loaded") {
		t.Errorf("no library: %+v", a)
	}
	answers = ask("err_weak_strong/13.0-sm_88")
	if a := answers["13.0"]; a.Outcome != report.Linked || !strings.Contains(a.Detail, "though it reports: error   : Multiple definition of 'f'") {
		t.Errorf("two definitions: %+v", a)
	}
}

// TestNvJitLinkCannot says what can't be asked.
func TestNvJitLinkCannot(t *testing.T) {
	q := question(find(t, "constants/13.0-sm_80"))
	q.Args = append(q.Args, "--preserve-relocs")
	q.WithNvJitLink([]nvjitlink.SharedObject{{Path: "none", Release: "13.0"}}, nvjitlink.Options{Self: true})
	row := verify.Ask(t.Context(), q, nil)
	a := row.Answer(report.NvJitLink)
	if a.Outcome != report.Absent || !strings.Contains(a.Detail, "--preserve-relocs: there is no such option") {
		t.Errorf("%+v", a)
	}
}
