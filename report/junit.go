package report

import (
	"encoding/xml"
	"io"
	"strings"
	"unicode/utf8"
)

// The JUnit form as CI systems read it: a suite, a case for each row.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Failure *junitText `xml:"failure,omitempty"`
	Error   *junitText `xml:"error,omitempty"`
	Skipped *junitText `xml:"skipped,omitempty"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the rows as test cases. A row that differs is a failure, one
// that is refused or not wholly judged an error, one that was skipped is skipped.
func WriteJUnit(w io.Writer, r *Report) error {
	suite := junitSuite{Name: clean(suiteName(r)), Tests: len(r.Rows)}
	for i := range r.Rows {
		row := &r.Rows[i]
		c := junitCase{
			Class: clean("twinlink." + commandOf(r)),
			Name:  clean(strings.Join(nonEmpty(plain(row.Subject), row.Arch, row.Release), " ")),
		}
		var text strings.Builder
		details(&text, row)
		body := &junitText{Message: clean(summary(row)), Text: clean(strings.TrimLeft(text.String(), "\n"))}
		switch row.Verdict {
		case Differ:
			if f := row.First(); f != nil {
				body.Type = clean(f.Key)
			}
			c.Failure, suite.Failures = body, suite.Failures+1
		case NotJudged, Refusal:
			body.Type = row.Verdict.String()
			c.Error, suite.Errors = body, suite.Errors+1
		case Skipped:
			c.Skipped, suite.Skipped = &junitText{Message: clean(row.Note)}, suite.Skipped+1
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suiteName(r *Report) string {
	if r.Title != "" {
		return r.Title
	}
	return "twinlink " + commandOf(r)
}

func commandOf(r *Report) string {
	if r.Command == "" {
		return "report"
	}
	return r.Command
}

// summary is a row in one line.
func summary(row *Row) string {
	f := row.First()
	switch {
	case f != nil && f.Meaning != "":
		return f.Meaning
	case f != nil:
		return strings.TrimSpace(f.Key + " " + f.Place())
	case row.Note != "":
		return row.Note
	case len(row.Unjudged) > 0:
		return row.Unjudged[0].Name + ": " + row.Unjudged[0].Reason
	}
	return row.Verdict.String()
}

// clean drops what XML 1.0 can't hold, but for what the encoder drops itself.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' {
			return '\ufffd'
		}
		return r
	}, s)
}
