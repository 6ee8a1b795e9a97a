package report_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/twinlink/twinlink/report"
)

// every has a word of its own in each field.
func every() *report.Report {
	return &report.Report{Title: "qtitle", Figures: []report.Figure{{Name: "qfigure", Value: 271828, Unit: "qunit"}}, Rows: []report.Row{{
		Subject: "qsubject", Arch: "qarch", Release: "qrelease", Verdict: report.Differ, Note: "qnote", Repeat: "qrepeat", More: 7777,
		Answers: []report.Answer{
			{Source: "qsource", Release: "qtool", Outcome: report.Linked, Detail: "qdetail", Trace: []string{"qtrace1", "qtrace2"}},
			{Source: "qother", Outcome: report.Refused, Detail: "qwhy1\nqwhy2"},
		},
		Functions: &report.Functions{Accepted: 1111, Rejected: 2222, NotJudged: 3333},
		Unjudged:  []report.Unjudged{{Name: "qunjudged", Reason: "qreason"}},
		Figures:   []report.Figure{{Name: "qsize", Value: 314159, Unit: "qbytes"}},
		Findings: []report.Finding{{Key: "qkey", Level: report.Wrong, File: "qfile", Section: "qsection", Symbol: "qsymbol", Offset: at(0xabcde), Code: 4444, Meaning: "qmeaning",
			Values: []report.Value{{Of: "qof", Text: "qvalue"}}, Words: []report.Word{{Of: "qword", Bytes: "qhex"}}}},
	}}}
}

// omissions are reports that lack one thing, and the words that go with it.
var omissions = []struct {
	words string
	from  func(r *report.Report, row *report.Row, f *report.Finding)
}{
	{"qtitle", func(r *report.Report, _ *report.Row, _ *report.Finding) { r.Title = "" }},
	{"qfigure 271828 qunit", func(r *report.Report, _ *report.Row, _ *report.Finding) { r.Figures = nil }},
	{"qunit", func(r *report.Report, _ *report.Row, _ *report.Finding) { r.Figures[0].Unit = "" }},
	{"qsubject", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Subject = "" }},
	{"qarch", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Arch = "" }},
	{"qrelease", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Release = "" }},
	{"qnote", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Note = "" }},
	{"qrepeat", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Repeat = "" }},
	{"7777 7778", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.More = 0 }},
	{"qdetail", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Answers[0].Detail = "" }},
	{"qtrace2", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Answers[0].Trace = []string{"qtrace1"} }},
	{"qtrace1 qtrace2", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Answers[0].Trace = nil }},
	{"qwhy2", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Answers[1].Detail = "qwhy1" }},
	{"qwhy1 qwhy2", func(_ *report.Report, row *report.Row, _ *report.Finding) {
		row.Answers[1].Outcome = report.Hung
		row.Answers[1].Detail = ""
	}},
	{"1111 2222 3333", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Functions = nil }},
	{"qunjudged qreason", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Unjudged = nil }},
	{"qsize 314159 qbytes", func(_ *report.Report, row *report.Row, _ *report.Finding) { row.Figures = nil }},
	{"qfile", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.File = "" }},
	{"qsection", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Section = "" }},
	{"qsymbol", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Symbol = "" }},
	{"abcde", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Offset = nil }},
	{"4444", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Code = 0 }},
	{"qmeaning", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Meaning = "" }},
	{"qof qvalue", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Values = nil }},
	{"qvalue", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Values[0].Text = "" }},
	{"qword qhex", func(_ *report.Report, _ *report.Row, f *report.Finding) { f.Words = nil }},
}

// unsaid are the words of every that a face has no room for.
var unsaid = map[report.Format]string{
	report.Text: "qnote", report.Markdown: "271828 qfigure qnote qunit",
	report.JSON: "7778", report.HTML: "7778",
	report.JUnit: "271828 qdetail qfigure qnote qunit",
	report.SARIF: "qtitle 271828 qfigure qunit qarch qrelease qnote qrepeat 7777 7778 qdetail qtrace1 qtrace2 qwhy1 qwhy2 1111 2222 3333 qsize 314159 qbytes 4444 qword qhex",
}

// follows are words that SARIF says otherwise or no more: a subject stands for a finding's file alone where nothing is left
// that is the subject's, and an offset without a section is a number of its own.
var follows = map[string]string{"qunjudged qreason": "qsubject", "qsection": "abcde"}

// Each face says what a report has, and only that: where one field is empty its words go, and no other.
func TestFields(t *testing.T) {
	words := map[string]bool{}
	for _, o := range omissions {
		for w := range strings.FieldsSeq(o.words) {
			words[w] = true
		}
	}
	for _, f := range report.Formats() {
		full := strings.ToLower(string(face(t, every(), f)))
		missing := strings.Fields(unsaid[f])
		said := map[string]bool{}
		for w := range words {
			said[w] = strings.Contains(full, spelled(w, f))
			if said[w] == slices.Contains(missing, w) {
				t.Errorf("%s: %q is said: %v", f, w, said[w])
			}
		}
		for _, o := range omissions {
			r := every()
			o.from(r, &r.Rows[0], &r.Rows[0].Findings[0])
			less := strings.ToLower(string(face(t, r, f)))
			for w := range words {
				gone := slices.Contains(strings.Fields(o.words), w) || f == report.SARIF && follows[o.words] == w
				if want := said[w] && !gone; strings.Contains(less, spelled(w, f)) != want {
					t.Errorf("%s without %q: %q is there %v, want %v", f, o.words, w, !want, want)
				}
			}
		}
	}
}

// spelled is how a face writes a word.
func spelled(w string, f report.Format) string {
	if w == "abcde" && (f == report.JSON || f == report.HTML) {
		return "703710"
	}
	return w
}

// A SARIF reference has each byte of a name, escaped but for those that RFC 3986 reserves nothing for and that part
// folders.
func TestSARIFNames(t *testing.T) {
	for b := range 256 {
		name := "a" + string([]byte{byte(b)}) + "z"
		var doc struct {
			Runs []struct {
				Results []struct {
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		r := &report.Report{Rows: []report.Row{{Subject: name, Verdict: report.Refusal, Note: "n"}}}
		if err := json.Unmarshal(face(t, r, report.SARIF), &doc); err != nil {
			t.Fatal(err)
		}
		got := doc.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI
		back, err := url.PathUnescape(got)
		bare := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.ContainsRune("-._~/+,", rune(b))
		if err != nil || back != name || (got == name) != bare || !bare && got != fmt.Sprintf("a%%%02Xz", b) {
			t.Errorf("byte %#x is %q", b, got)
		}
	}
}

// XML 1.0 holds tab, line feed, carriage return and all from blank on but surrogates, 0xFFFE and 0xFFFF; the rest is
// replaced. A carriage return is replaced too, which readers would make a line feed of.
func TestJUnitCharacters(t *testing.T) {
	for _, c := range []rune{0, 1, 8, '\t', '\n', 0xb, 0xc, '\r', 0xe, 0x1f, ' ', '!', '<', '&', '"', '\'', 0x7e, 0x7f, 0x9f, 0xe9, 0xd7ff, 0xe000, 0xfffc, 0xfffd, 0xfffe, 0xffff, 0x10000, utf8.MaxRune} {
		text := "a" + string(c) + "z"
		r := &report.Report{Title: "t", Rows: []report.Row{{Subject: "s", Verdict: report.Differ, Findings: []report.Finding{{Key: "k", Level: report.Wrong, Meaning: text}}}}}
		var doc struct {
			Suite struct {
				Case struct {
					Failure struct {
						Message string `xml:"message,attr"`
					} `xml:"failure"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(face(t, r, report.JUnit), &doc); err != nil {
			t.Errorf("%U: %v", c, err)
			continue
		}
		want := text
		if c < ' ' && c != '\t' && c != '\n' || c == 0xfffe || c == 0xffff {
			want = "a\ufffdz"
		}
		if got := doc.Suite.Case.Failure.Message; got != want {
			t.Errorf("%U: %q, want %q", c, got, want)
		}
	}
}
