package report_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/report"
)

// row is a report of one row.
func row(r report.Row) *report.Report { return &report.Report{Rows: []report.Row{r}} }

// What each face says of one thing, whole lines, and what it doesn't say.
func TestCorners(t *testing.T) {
	place := uint64(8)
	bare := report.Finding{Key: "k", Level: report.Wrong}
	findings := func(list ...report.Finding) *report.Report {
		return row(report.Row{Subject: "a", Verdict: report.Differ, Findings: list})
	}
	located := func(section, symbol string, offset *uint64) *report.Report {
		f := bare
		f.Section, f.Symbol, f.Offset = section, symbol, offset
		return findings(f)
	}
	for _, c := range []struct {
		name      string
		r         *report.Report
		face      report.Format
		want, not string
	}{
		{"no title", row(report.Row{Subject: "a", Verdict: report.Agree}), report.JUnit, `<testsuite name="twinlink report"`, ""},
		{"no title", &report.Report{Command: "diff", Rows: []report.Row{{Verdict: report.Agree}}}, report.JUnit, `<testsuite name="twinlink diff"`, ""},
		{"class", &report.Report{Command: "diff", Rows: []report.Row{{Verdict: report.Agree}}}, report.JUnit, `classname="twinlink.diff"`, ""},
		{"class", row(report.Row{Verdict: report.Agree}), report.JUnit, `classname="twinlink.report"`, ""},
		{"no title", row(report.Row{Subject: "a", Verdict: report.Agree}), report.Markdown, "| Subject | Verdict | First finding |\n| --- | --- | --- |\n| a | agree |  |\n", "#"},
		{"name", row(report.Row{Subject: "a", Arch: "sm_90", Release: "13.0", Verdict: report.Agree}), report.JUnit, `name="a sm_90 13.0"`, ""},
		{"only an arch", row(report.Row{Subject: "a", Arch: "sm_90", Verdict: report.Agree}), report.Text, "SUBJECT  ARCH   RELEASE  VERDICT  FIRST FINDING\na        sm_90           agree\n", ""},
		{"only a release", row(report.Row{Subject: "a", Release: "13.0", Verdict: report.Agree}), report.Text, "SUBJECT  ARCH  RELEASE  VERDICT  FIRST FINDING\na              13.0     agree\n", ""},
		{"neither", row(report.Row{Subject: "a", Verdict: report.Agree}), report.Text, "SUBJECT  VERDICT  FIRST FINDING\na        agree\n", ""},

		{"wide and combining characters", row(report.Row{Subject: "日本e\u0301", Verdict: report.Agree}), report.Text, "SUBJECT  VERDICT  FIRST FINDING\n日本e\u0301    agree\n", ""},

		{"refusal's summary", row(report.Row{Subject: "a", Verdict: report.Refusal}), report.JUnit, `<error message="refused" type="refused">`, ""},
		{"refusal's note", row(report.Row{Subject: "a", Verdict: report.Refusal, Note: "no file"}), report.JUnit, `<error message="no file" type="refused">`, ""},
		{"one not judged", row(report.Row{Subject: "a", Verdict: report.NotJudged, Unjudged: []report.Unjudged{{Name: "f", Reason: "why"}}}), report.JUnit, `<error message="f: why" type="not judged">`, ""},
		{"two not judged", row(report.Row{Subject: "a", Verdict: report.NotJudged, Unjudged: []report.Unjudged{{Name: "f", Reason: "why"}, {Name: "g", Reason: "who"}}}), report.JUnit, `<error message="f: why"`, ""},
		{"finding without a meaning", located("s", "", &place), report.JUnit, `<failure message="k s+0x8" type="k">`, ""},
		{"no finding", row(report.Row{Subject: "a", Verdict: report.Differ, Note: "n"}), report.JUnit, `<failure message="n">`, ""},
		{"shape", row(report.Row{Subject: "a", Verdict: report.Agree}), report.JUnit, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"twinlink report\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">\n    <testcase classname=\"twinlink.report\" name=\"a\"></testcase>\n  </testsuite>\n</testsuites>\n", ""},
		{"tab and end of line", row(report.Row{Subject: "a", Verdict: report.Refusal, Note: "x\ty\nz\x01"}), report.JUnit, "message=\"x&#x9;y&#xA;z\ufffd\"", ""},

		{"a name for Markdown", row(report.Row{Subject: "a&b<c>", Verdict: report.Agree}), report.Markdown, `| a&amp;b&lt;c\> | agree |`, ""},
		{"a name for the details", row(report.Row{Subject: "a&b<c>", Verdict: report.Differ}), report.Markdown, `<summary>a&amp;b&lt;c&gt;: differ</summary>`, ""},
		{"no row", &report.Report{Title: "T", Relocations: []report.RelocationType{{Name: "R"}}}, report.Markdown, "## T\n\n0 agree", "|"},

		{"agrees with nothing to add", row(report.Row{Subject: "a", Verdict: report.Agree, Repeat: "x"}), report.Text, "", "repeat: x"},
		{"agrees with figures", row(report.Row{Subject: "a", Verdict: report.Agree, Repeat: "x", Figures: []report.Figure{{Name: "n", Value: 1}}}), report.Text, "\na: agree\n  n: 1\n  repeat: x\n", ""},
		{"agrees with findings", row(report.Row{Subject: "a", Verdict: report.Agree, Repeat: "x", Findings: []report.Finding{bare}}), report.Text, "\na: agree, 1 finding\n  error: k\n  repeat: x\n", ""},
		{"agrees with a part not judged", row(report.Row{Subject: "a", Verdict: report.Agree, Repeat: "x", Unjudged: []report.Unjudged{{Name: "f", Reason: "why"}}}), report.Text, "\na: agree\n  not judged: f: why\n  repeat: x\n", ""},
		{"skipped", row(report.Row{Subject: "a", Verdict: report.Skipped, Repeat: "x", Figures: []report.Figure{{Name: "n", Value: 1}}}), report.Text, "", "repeat: x"},
		{"refused alike", row(report.Row{Subject: "a", Verdict: report.RefusedAlike, Repeat: "x", Findings: []report.Finding{bare}}), report.Text, "", "repeat: x"},
		{"one more", row(report.Row{Subject: "a", Verdict: report.Differ, Findings: []report.Finding{bare}, More: 1}), report.Text, "\na: differ, 2 findings\n  error: k\n  and 1 more\n", ""},
		{"no more", findings(bare), report.Text, "\na: differ, 1 finding\n  error: k\n", "more"},
		{"none", row(report.Row{Subject: "a", Verdict: report.Differ}), report.Text, "\na: differ\n", "finding\n"},
		{"a rejection without a word", row(report.Row{Subject: "a", Verdict: report.Differ, Answers: []report.Answer{{Source: "s", Outcome: report.Rejected}}}), report.Text, "\na: differ\n", "s rejected"},
		{"two lines of a refusal", row(report.Row{Subject: "a", Verdict: report.Differ, Answers: []report.Answer{{Source: "s", Release: "1", Outcome: report.Refused, Detail: "x\ny"}}}), report.Text, "\na: differ\n  s 1 refused: x\n  s 1 refused: y\n", ""},
		{"a link's words are in the table alone", row(report.Row{Subject: "a", Verdict: report.Differ, Answers: []report.Answer{{Source: "s", Outcome: report.Linked, Detail: "x"}}}), report.Text, "linked x", "s linked: x"},
		{"words that the values say", findings(report.Finding{Key: "k", Level: report.Wrong, Values: []report.Value{{Of: "b", Text: "v"}}, Words: []report.Word{{Of: "b", Bytes: "00"}, {Of: "c", Bytes: "11"}}}), report.Text, "    b         v\n", "11"},
		{"words of another", findings(report.Finding{Key: "k", Level: report.Wrong, Values: []report.Value{{Of: "c", Text: "v"}}, Words: []report.Word{{Of: "b", Bytes: "00"}, {Of: "c", Bytes: "11"}}}), report.Text, "    c         v\n    b         00\n    c         11\n", ""},
		{"a sign that isn't one", row(report.Row{Subject: "a\xffb", Verdict: report.Agree}), report.Text, `a\xffb`, ""},

		{"byte of the file", located("", "", &place), report.SARIF, `"byteOffset": 8`, "logicalLocations"},
		{"byte of a section", located("s", "", &place), report.SARIF, `"fullyQualifiedName": "s+0x8"`, "byteOffset"},
		{"a section", located("s", "", nil), report.SARIF, `"fullyQualifiedName": "s"`, "byteOffset"},
		{"a symbol", located("", "f", nil), report.SARIF, `"fullyQualifiedName": "f"`, "byteOffset"},
		{"no place", located("", "", nil), report.SARIF, `"text": "k"`, "logicalLocations"},
		{"place in words", located("s", "f", &place), report.SARIF, `"text": "k s+0x8"`, ""},
		{"a meaning", findings(report.Finding{Key: "k", Level: report.Wrong, Meaning: "m", Values: []report.Value{{Of: "b", Text: "v"}}}), report.SARIF, `"text": "m\nb: v"`, ""},
		{"no subject", row(report.Row{Verdict: report.Refusal}), report.SARIF, `"uri": "unnamed"`, ""},
		{"rules", findings(report.Finding{Key: "z", Level: report.Wrong}, report.Finding{Key: "b", Level: report.Remark}, report.Finding{Key: "z", Level: report.Wrong}), report.SARIF,
			"          \"rules\": [\n            {\n              \"id\": \"b\",\n              \"shortDescription\": {\n                \"text\": \"Finding b.\"\n              }\n            },\n            {\n              \"id\": \"z\",", ""},
		{"a rule's number", findings(report.Finding{Key: "z", Level: report.Wrong}, report.Finding{Key: "b", Level: report.Remark}), report.SARIF, "\"ruleId\": \"z\",\n          \"ruleIndex\": 1,", ""},
		{"refused", row(report.Row{Subject: "a", Verdict: report.Refusal}), report.SARIF, `"text": "A file that could not be read or checked."`, ""},
		{"differs", row(report.Row{Subject: "a", Verdict: report.Differ}), report.SARIF, `"text": "Two sources gave different results."`, ""},
		{"not judged", row(report.Row{Subject: "a", Verdict: report.NotJudged, Unjudged: []report.Unjudged{{Name: "f", Reason: "why"}}}), report.SARIF, `"text": "A part that could not be judged."`, "ruleId\": \"refused"},
	} {
		got := string(face(t, c.r, c.face))
		if !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: no %q in\n%s", c.name, c.face, c.want, got)
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s, %s: %q in\n%s", c.name, c.face, c.not, got)
		}
	}
}

// Columns: engine, oracle and nvlink first, then the others by name; a source has one a release, in their order, where a
// row has two of it, and the first answer of a release counts.
func TestColumnsOf(t *testing.T) {
	say := func(source report.Source, release, detail string) report.Answer {
		return report.Answer{Source: source, Release: release, Outcome: report.Linked, Detail: detail}
	}
	for _, c := range []struct {
		rows       []report.Row
		head, line string
	}{
		{[]report.Row{{Subject: "a", Verdict: report.Agree, Answers: []report.Answer{say("zeta", "", "1"), say("beta", "", "2"), say(report.Nvlink, "", "3"), say(report.Oracle, "", "4"), say(report.Engine, "", "5")}}},
			"SUBJECT ENGINE ORACLE NVLINK BETA ZETA VERDICT", "a linked 5 linked 4 linked 3 linked 2 linked 1 agree"},
		{[]report.Row{{Subject: "a", Verdict: report.Agree, Answers: []report.Answer{say("s", "2", "two"), say("s", "1", "one")}}, {Subject: "b", Verdict: report.Agree, Answers: []report.Answer{say("s", "1", "three")}}},
			"SUBJECT S 1 S 2 VERDICT", "a linked one linked two agree"},
		{[]report.Row{{Subject: "a", Verdict: report.Agree, Answers: []report.Answer{say("s", "1", "one")}}, {Subject: "b", Verdict: report.Agree, Answers: []report.Answer{say("s", "2", "two")}}},
			"SUBJECT S VERDICT", "a linked one agree"},
		{[]report.Row{{Subject: "a", Verdict: report.Agree, Answers: []report.Answer{say("s", "1", "one"), say("r", "1", "two")}}},
			"SUBJECT R S VERDICT", "a linked two linked one agree"},
		{[]report.Row{{Subject: "a", Verdict: report.Agree, Answers: []report.Answer{say("s", "1", "one"), say("s", "2", "two")}}, {Subject: "b", Verdict: report.Agree, Answers: []report.Answer{say("r", "1", "x"), say("s", "3", "y")}}},
			"SUBJECT R S 1 S 2 S 3 VERDICT", "a - linked one linked two - agree"},
	} {
		lines := strings.Split(string(face(t, &report.Report{Rows: c.rows}, report.Text)), "\n")
		for i, want := range []string{c.head, c.line} {
			if got := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}

// The page says in words what the run came to: the gravest of its rows.
func TestPageInWords(t *testing.T) {
	for _, c := range []struct {
		command              string
		verdicts             []report.Verdict
		verdict, class, word string
	}{
		{"", []report.Verdict{report.Agree, report.NotJudged, report.Refusal, report.Differ}, "differs", "bad", "At least one linked file is wrong for its inputs"},
		{"selfcheck", []report.Verdict{report.Differ}, "differs", "bad", "does not match its Mercury capsule"},
		{"diff", []report.Verdict{report.Differ}, "differs", "bad", "The two files differ"},
		{"storm", []report.Verdict{report.Differ}, "differs", "bad", "patch a relocated field differently"},
		{"power", []report.Verdict{report.Differ}, "differs", "bad", "planted fault was not found"},
		{"fuzz", []report.Verdict{report.Differ}, "differs", "bad", "on which two sides disagree"},
		{"claims", []report.Verdict{report.Differ}, "differs", "bad", "Some statements of the documents are wrong"},
		{"", []report.Verdict{report.Agree, report.NotJudged, report.Refusal}, "refused", "bad", "could not be read or checked"},
		{"", []report.Verdict{report.Agree, report.NotJudged}, "not all judged", "doubt", "some parts could not be judged"},
		{"", []report.Verdict{report.Skipped, report.Agree}, "agrees", "good", "All results that were compared agree"},
		{"", []report.Verdict{report.RefusedAlike}, "agrees", "good", "All results that were compared agree"},
		{"", []report.Verdict{report.Skipped}, "nothing judged", "calm", "Every row was skipped"},
		{"", nil, "reference", "calm", "The relocation types and the results of each source"},
	} {
		r := &report.Report{Title: "T<1>&", Command: c.command, Relocations: []report.RelocationType{{Name: "R"}}}
		for _, v := range c.verdicts {
			r.Rows = append(r.Rows, report.Row{Verdict: v})
		}
		page := string(face(t, r, report.HTML))
		for _, want := range []string{c.word, "T&lt;1&gt;&amp;", "verdict " + c.class, ">" + c.verdict + "<"} {
			if !strings.Contains(page, want) {
				t.Errorf("%v: no %q", c.verdicts, want)
			}
		}
		for _, mark := range []string{"%TITLE%", "%STYLE%", "%CLASS%", "%VERDICT%", "%SUMS%", "%WORDS%", "%DATA%", "%SCRIPT%"} {
			if strings.Contains(page, mark) {
				t.Errorf("%v: %s is left", c.verdicts, mark)
			}
		}
	}
}

// failing takes some bytes and then no more.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if len(b) > f.left {
		n := f.left
		f.left = 0
		return n, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

// A face that can't be written is an error, wherever writing ends.
func TestWriteFails(t *testing.T) {
	for _, f := range report.Formats() {
		whole := face(t, sample(), f)
		for _, left := range []int{0, 1, 38, len(whole) / 2, len(whole) - 1} {
			if err := report.Write(&failing{left}, sample(), f); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d of %d bytes: %v", f, left, len(whole), err)
			}
		}
		if err := report.Write(&failing{len(whole)}, sample(), f); err != nil {
			t.Errorf("%s with room for all: %v", f, err)
		}
	}
}

// Words that there aren't, and numbers that have none, are errors that name them.
func TestNoSuchWord(t *testing.T) {
	var v report.Verdict
	if err := v.UnmarshalText([]byte("fine")); err == nil || err.Error() != `report: no verdict is called "fine"` {
		t.Error(err)
	}
	for n, want := range map[report.Verdict]string{0: "report: no verdict has number 0", 7: "report: no verdict has number 7", 200: "report: no verdict has number 200"} {
		if _, err := n.MarshalText(); err == nil || err.Error() != want {
			t.Errorf("%d: %v", n, err)
		}
	}
	for n, want := range map[report.Verdict]string{0: "?0", 1: "agree", 6: "refused", 7: "?7"} {
		if n.String() != want {
			t.Errorf("%d: %s, want %s", n, n, want)
		}
	}
	for text, want := range map[string]string{
		`{"schema": "x", "title": "", "rows": [], "count": {}}`:                                                                                   `report: schema "x", want "` + report.Schema + `"`,
		`{"schema": "` + report.Schema + `", "title": "", "rows": [{"subject": "a", "answers": [], "verdict": "agree"}], "count": {"differ": 3}}`: "report: counts {Agree:0 Differ:3 NotJudged:0 RefusedAlike:0 Refused:0 Skipped:0}, the rows give {Agree:1 Differ:0 NotJudged:0 RefusedAlike:0 Refused:0 Skipped:0}",
	} {
		if _, err := report.ReadJSON(bytes.NewReader([]byte(text))); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
