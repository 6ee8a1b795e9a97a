package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/report"
)

var update = flag.Bool("update", false, "write the goldens")

// sample has a row of every verdict, and in it what a table could get wrong:
// names with underscores, long cells, a hostile name, a trace.
func sample() *report.Report {
	return &report.Report{
		Title: "links of corpus/links",
		Rows: []report.Row{
			{
				Subject: "alias", Arch: "sm_50", Release: "11.8", Verdict: report.Agree,
				Answers: []report.Answer{
					{Source: report.Engine, Outcome: report.Linked, Detail: "6,120 bytes"},
					{Source: report.Oracle, Outcome: report.Accepted},
					{Source: report.Nvlink, Outcome: report.Linked, Detail: "6,120 bytes"},
				},
			},
			{
				Subject: "vector R_CUDA_ABS32_LO_32/constant", Arch: "sm_90a", Release: "13.0", Verdict: report.Differ,
				Answers: []report.Answer{
					{Source: report.Nvlink, Outcome: report.Linked},
					{Source: report.Engine, Outcome: report.Linked, Trace: []string{"slot 0: [32,64) Low", "old 0, new 0x40"}},
					{Source: report.Oracle, Outcome: report.Rejected, Detail: "relocation.field .text.k+0x20\nsymbol.value", Trace: []string{"bits[32..63] = LO(ADDR)"}},
				},
				More: 2,
				Findings: []report.Finding{{
					Key: "relocation.field.R_CUDA_ABS32_LO_32", Level: report.Wrong, Section: ".text.k", Offset: at(0x20), Symbol: "k", File: "linked.cubin",
					Meaning: "The kernel k loads from another address than the one of table.",
					Values:  []report.Value{{Of: "engine", Text: "0x40"}, {Of: "nvlink", Text: "0x44"}, {Of: "oracle"}},
					Words:   []report.Word{{Of: "before", Bytes: "00000000000000000000000000000000"}, {Of: "engine", Bytes: "00000000400000000000000000000000"}, {Of: "nvlink", Bytes: "00000000440000000000000000000000"}},
				}},
				Repeat: "twinlink verify -arch sm_90a a.cubin",
			},
			{
				Subject: "err_duplicate", Arch: "sm_80", Release: "12.4", Verdict: report.RefusedAlike, Note: "Multiple definition of 'f'",
				Answers: []report.Answer{
					{Source: report.Engine, Outcome: report.Refused, Detail: "Multiple definition of 'f'"},
					{Source: report.Nvlink, Outcome: report.Refused, Detail: "Multiple definition of 'f'"},
				},
			},
			{
				Subject: "mutant", Arch: "sm_80", Release: "12.4", Verdict: report.Differ, Repeat: "twinlink link x",
				Answers: []report.Answer{
					{Source: report.Engine, Outcome: report.Refused, Detail: "a.cubin: section .text: bad extent"},
					{Source: report.Oracle, Outcome: report.Hung},
					{Source: report.Nvlink, Outcome: report.Crashed, Detail: "SIGSEGV"},
				},
			},
			{
				Subject: "capsules/cluster.cubin", Arch: "sm_100", Verdict: report.NotJudged,
				Answers:   []report.Answer{{Source: report.Selfcheck, Outcome: report.Unsure}},
				Functions: &report.Functions{Accepted: 3, NotJudged: 1},
				Unjudged:  []report.Unjudged{{Name: "f|g<T>", Reason: "form 021b5e06 is unknown"}},
				Figures:   []report.Figure{{Name: "checked bytes", Value: 99.25, Unit: "%"}},
			},
			{Subject: "cut.cubin", Verdict: report.Refusal, Note: "cut.cubin: not an ELF file"},
			{Subject: "evil\x1b[2J\nname \u202e", Verdict: report.Skipped, Note: "nvlink isn't installed"},
		},
	}
}

func at(offset uint64) *uint64 { return &offset }

// golden compares with a file of testdata. The forms are of our own making:
// there is no tool to ask for them.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s (-want +got):\n%s", name, strings.ReplaceAll(cmp.Diff(string(want), string(got)), "\u00a0", " "))
	}
}

func text(t *testing.T, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteText(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	golden(t, "sample.txt", []byte(text(t, sample())))
	if got, want := text(t, &report.Report{}), "0 agree, 0 differ, 0 refused alike, 0 skipped\n"; got != want {
		t.Errorf("empty report: %q", got)
	}
}

// What a table must keep, whatever its look.
func TestTextKeeps(t *testing.T) {
	got := text(t, sample())
	for _, want := range []string{"R_CUDA_ABS32_LO_32/constant", `evil\x1b[2J\nname \u202e`, "1 agree, 2 differ, 1 not judged, 1 refused alike, 1 refused, 1 skipped", "repeat: twinlink verify"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.ContainsAny(got, "\x1b\u202e\u00a0\t") {
		t.Errorf("control characters in %q", got)
	}
	for line := range strings.Lines(got) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

// A difference's detail stays with its row however long it is.
func TestLongCellIsOneLine(t *testing.T) {
	long := strings.Repeat("k", 400)
	r := &report.Report{Rows: []report.Row{{Subject: long, Verdict: report.Skipped}, {Subject: "| a", Verdict: report.Agree}}}
	if got := text(t, r); strings.Count(got, "\n") != 5 || !strings.Contains(got, long) || !strings.Contains(got, "| a") {
		t.Errorf("got\n%s", got)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	golden(t, "sample.json", b.Bytes())
	got, err := report.ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sample(), got); d != "" {
		t.Errorf("read back (-want +got):\n%s", d)
	}
	b.Reset()
	if err := report.WriteJSON(&b, &report.Report{}); err != nil || !strings.Contains(b.String(), `"rows": []`) {
		t.Errorf("empty report: %v\n%s", err, b.String())
	}
}

func TestJSONRefused(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"schema", `{"schema":"twinlink.report/1","title":"","rows":[],"count":{}}`, "twinlink.report/1"},
		{"field", `{"schema":"twinlink.report/2","colour":"red"}`, "colour"},
		{"verdict", `{"schema":"twinlink.report/2","rows":[{"subject":"a","answers":[],"verdict":"fine"}]}`, "fine"},
		{"sums", `{"schema":"twinlink.report/2","rows":[{"subject":"a","answers":[],"verdict":"agree"}],"count":{"agree":2}}`, "counts"},
		{"cut", `{"schema":"twinlink.report/2",`, "EOF"},
	} {
		if _, err := report.ReadJSON(strings.NewReader(c.doc)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// A number that is no verdict must not become a word.
	if _, err := json.Marshal(report.Row{Verdict: 9}); err == nil {
		t.Error("verdict 9 was written")
	}
}

func TestAnswer(t *testing.T) {
	row := sample().Rows[2]
	if got := row.Answer(report.Oracle); got.Outcome != report.Absent {
		t.Errorf("missing witness: %v", got.Outcome)
	}
	if got := row.Answer(report.Nvlink); got.Outcome != report.Refused {
		t.Errorf("nvlink: %v", got.Outcome)
	}
}
