package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"

	"github.com/twinlink/twinlink/report"
)

func face(t *testing.T, r *report.Report, f report.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, r, f); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.Bytes()
}

// TestFaces writes every face twice: the same report gives the same bytes.
func TestFaces(t *testing.T) {
	for _, f := range report.Formats() {
		once := face(t, sample(), f)
		if !bytes.Equal(once, face(t, sample(), f)) {
			t.Errorf("%s: other bytes the second time", f)
		}
		if !bytes.Contains(once, []byte("R_CUDA_ABS32_LO_32")) {
			t.Errorf("%s: the finding isn't there", f)
		}
		if bytes.ContainsAny(once, "\x1b") {
			t.Errorf("%s: an escape character", f)
		}
	}
}

// TestNothingCompared wants no face of a report that has nothing to say.
func TestNothingCompared(t *testing.T) {
	for _, f := range report.Formats() {
		var b bytes.Buffer
		if err := report.Write(&b, &report.Report{Title: "none"}, f); !errors.Is(err, report.ErrEmpty) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", f, err, b.Len())
		}
	}
	if err := report.Write(&bytes.Buffer{}, sample(), "yaml"); err == nil {
		t.Error("a format that isn't there was written")
	}
}

// validate holds a JSON document against a schema file.
func validate(t *testing.T, file string, doc []byte) *gojsonschema.Result {
	t.Helper()
	schema, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	res, err := gojsonschema.Validate(gojsonschema.NewBytesLoader(schema), gojsonschema.NewBytesLoader(doc))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestSchema holds JSON against docs/schema/report.json.
func TestSchema(t *testing.T) {
	const file = "../docs/schema/report.json"
	for _, r := range []*report.Report{sample(), full()} {
		if res := validate(t, file, face(t, r, report.JSON)); !res.Valid() {
			t.Errorf("not by the schema: %v", res.Errors())
		}
	}
	bad := bytes.Replace(face(t, sample(), report.JSON), []byte(`"verdict": "differ"`), []byte(`"verdict": "fine"`), 1)
	if validate(t, file, bad).Valid() {
		t.Error("the schema has a verdict that there isn't")
	}
}

// full has what only some reports have.
func full() *report.Report {
	return &report.Report{
		Command: "verify",
		Figures: []report.Figure{{Name: "cpu", Value: 0.25, Unit: "s"}},
		Rows: []report.Row{{
			Subject: "a.cubin", Verdict: report.Agree,
			Answers: []report.Answer{{Source: report.NvJitLink, Release: "12.4", Outcome: report.Linked}, {Source: report.NvJitLink, Release: "13.0", Outcome: report.Linked}},
			Link: &report.Link{
				Spaces:   []report.Space{{Name: "global", Size: 64, Parts: []report.Piece{{Name: "table", Offset: 16, Size: 32}}}},
				Calls:    []report.Call{{Name: "k", Kernel: true, Registers: 24, Frame: 8, Stack: 40, Calls: []string{"f"}}, {Name: "f", Frame: 32, Stack: 32, Unbounded: "recursion through f"}},
				Sections: []report.Extent{{Name: ".text.k", Size: 128, Other: &report.Other{Size: 256}, Changed: 3}},
			},
			Series:   []report.Series{{Name: "executions", Points: [][2]float64{{0, 0}, {3, 1200}, {6, 2100}}}},
			Capsules: []report.Capsule{{Function: "k", Nodes: []report.Node{{Kind: "explicit", Tag: "010b040a", Record: "0a", Words: []string{"00"}, Text: []string{"EXIT"}, State: "same"}}}},
		}},
		Relocations: []report.RelocationType{{
			Number: 56, Name: "R_CUDA_ABS32_LO_32", Bits: 64, Recipe: "bits[32..63] = LO(S+A)", Entry: "32 bits from 32",
			Fields:  []report.Field{{First: 32, Width: 32, Role: "value"}},
			Results: []report.Score{{Source: "engine", Same: 5, Total: 6, Example: "R_CUDA_ABS32_LO_32/bank"}},
		}},
	}
}

// TestColumns gives each release of a source its column where a row has several.
func TestColumns(t *testing.T) {
	if got := string(face(t, full(), report.Text)); !strings.Contains(got, "NVJITLINK 12.4  NVJITLINK 13.0") {
		t.Errorf("got\n%s", got)
	}
}

// TestSARIF holds SARIF against the schema that OASIS publishes for 2.1.0.
func TestSARIF(t *testing.T) {
	const file = "testdata/sarif-2.1.0.schema.json"
	for _, r := range []*report.Report{sample(), full()} {
		if res := validate(t, file, face(t, r, report.SARIF)); !res.Valid() {
			t.Errorf("not by the schema: %v", res.Errors())
		}
	}
	var doc struct {
		Runs []struct {
			Results []struct{ RuleID, Level string }
		}
	}
	if err := json.Unmarshal(face(t, sample(), report.SARIF), &doc); err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, res := range doc.Runs[0].Results {
		rules = append(rules, res.RuleID+" "+res.Level)
	}
	want := "relocation.field.R_CUDA_ABS32_LO_32 error, differ error, not-judged warning, refused error"
	if got := strings.Join(rules, ", "); got != want {
		t.Errorf("results %s, want %s", got, want)
	}
}

// TestSARIFOffset: an offset in the file is a byte offset of the region.
func TestSARIFOffset(t *testing.T) {
	r := &report.Report{Rows: []report.Row{{Subject: "a b", Verdict: report.Differ, Findings: []report.Finding{{Key: "header", Level: report.Suspect, Offset: at(49)}}}}}
	got := string(face(t, r, report.SARIF))
	for _, want := range []string{`"byteOffset": 49`, `"uri": "a%20b"`, `"level": "warning"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestJUnit(t *testing.T) {
	var doc struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(face(t, sample(), report.JUnit), &doc); err != nil {
		t.Fatal(err)
	}
	s := doc.Suites[0]
	if s.Tests != 7 || s.Failures != 2 || s.Errors != 2 || s.Skipped != 1 || len(s.Cases) != 7 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped, %d cases", s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Cases))
	}
	if f := s.Cases[1].Failure; f == nil || f.Type != "relocation.field.R_CUDA_ABS32_LO_32" {
		t.Errorf("failure %+v", f)
	}
}

// TestMarkdown keeps names as they are and bars out of the table.
func TestMarkdown(t *testing.T) {
	r := &report.Report{Rows: []report.Row{{Subject: "a|b_<c>`", Verdict: report.Differ, Findings: []report.Finding{{Key: "k", Level: report.Wrong, Meaning: "```"}}}}}
	got := string(face(t, r, report.Markdown))
	if !strings.Contains(got, "| a\\|b\\_&lt;c\\>\\` |") || !strings.Contains(got, "````\n") {
		t.Errorf("got\n%s", got)
	}
	golden(t, "sample.md", face(t, sample(), report.Markdown))
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		verdicts []report.Verdict
		want     int
	}{
		{[]report.Verdict{report.Agree}, 0},
		{[]report.Verdict{report.Agree, report.RefusedAlike}, 0},
		{[]report.Verdict{report.Agree, report.NotJudged}, 4},
		{[]report.Verdict{report.NotJudged, report.Differ, report.Refusal}, 1},
		{[]report.Verdict{report.Agree, report.Refusal}, 3},
		{[]report.Verdict{report.RefusedAlike}, 3},
		{[]report.Verdict{report.Skipped}, 2},
		{nil, 2},
	} {
		var r report.Report
		for _, v := range c.verdicts {
			r.Rows = append(r.Rows, report.Row{Verdict: v})
		}
		if got := r.ExitStatus(); got != c.want {
			t.Errorf("%v: %d, want %d", c.verdicts, got, c.want)
		}
	}
}

// A finding says what it has, and no word about what it hasn't.
func TestBareFinding(t *testing.T) {
	place := uint64(8)
	for want, f := range map[string]report.Finding{
		"  error: k\n":              {},
		"  error: k (7)\n":          {Code: 7},
		"  error: k at file+0x8\n":  {Offset: &place},
		"  error: k at s\n":         {Section: "s"},
		"  error: k at f\n":         {Symbol: "f"},
		"  error: k at s (f)\n":     {Section: "s", Symbol: "f"},
		"  error: k in l\n":         {File: "l"},
		"  error: k\n    means\n":   {Meaning: "means"},
		"  error: k at s+0x8 (f)\n": {Section: "s", Offset: &place, Symbol: "f"},
	} {
		f.Key, f.Level = "k", report.Wrong
		r := &report.Report{Title: "t", Rows: []report.Row{{Subject: "a", Verdict: report.Differ, Findings: []report.Finding{f}}}}
		if text := string(face(t, r, report.Text)); !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
