package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/report"
)

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string // in what is printed
	}{
		{nil, exitOK, "dispatcher"},
		{[]string{"--system", "dispatcher", "--verdict", "refuted"}, exitOK, "RC-064  refuted"},
		{[]string{"--verdict", "open", "--format", "text"}, exitOK, "  = "},
		{[]string{"--system", "nothing"}, exitUsage, "there are"},
		{[]string{"--verdict", "likely"}, exitUsage, "must be one of"},
		{[]string{"--format", "xml"}, exitUsage, "text, markdown, json"},
		{[]string{"more"}, exitUsage, "claims takes no argument"},
	} {
		var out, errs bytes.Buffer
		if status := run(append([]string{"twinlink", "claims"}, c.args...), streams{&out, &errs}); status != c.status || !strings.Contains(out.String()+errs.String(), c.want) {
			t.Errorf("%q: exit %d\n%s%s", c.args, status, out.String(), errs.String())
		}
	}
	var out, errs bytes.Buffer
	if status := run([]string{"twinlink", "claims", "--format", "json"}, streams{&out, &errs}); status != exitOK {
		t.Fatalf("exit %d: %s", status, errs.String())
	}
	r, err := report.ReadJSON(&out)
	if err != nil || len(r.Rows) < 752 {
		t.Errorf("%d claims, %v", len(r.Rows), err)
	}
}
