package report

import (
	_ "embed"
	"encoding/json"
	"html"
	"io"
	"strings"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string
)

// WriteHTML writes one page that needs nothing else: no network, no other file.
// The report is in it as JSON, and its script draws tables, words, memory maps
// and relocation fields of that.
func WriteHTML(w io.Writer, r *Report) error {
	data, err := json.Marshal(document{Schema, *r, r.Count()}) // escapes "<", so that no name ends the script
	if err != nil {
		return err
	}
	verdict, class, words := inWords(r)
	_, err = strings.NewReplacer(
		"%TITLE%", html.EscapeString(plain(suiteName(r))),
		"%STYLE%", pageCSS,
		"%CLASS%", class,
		"%VERDICT%", verdict,
		"%SUMS%", sums(r.Count()),
		"%WORDS%", words,
		"%DATA%", string(data),
		"%SCRIPT%", pageJS,
	).WriteString(w, pageHTML)
	return err
}

// inWords says for a newcomer what the run came to.
func inWords(r *Report) (verdict, class, words string) {
	c := r.Count()
	switch {
	case c.Differ > 0:
		return "differs", "bad", differs(r.Command) + " The rows marked “differ” say where."
	case c.Refused > 0:
		return "refused", "bad", "At least one file could not be read or checked."
	case c.NotJudged > 0:
		return "not all judged", "doubt", "No errors were found, but some parts could not be judged. They are listed in their rows."
	case c.Agree+c.RefusedAlike > 0:
		return "agrees", "good", "All results that were compared agree."
	case len(r.Rows) == 0:
		return "reference", "calm", "The relocation types and the results of each source on their vectors."
	}
	return "nothing judged", "calm", "Every row was skipped; the notes give the reasons."
}

// differs says what a difference is in the result of a command.
func differs(command string) string {
	switch command {
	case "selfcheck":
		return "The SASS of at least one file does not match its Mercury capsule."
	case "diff":
		return "The two files differ."
	case "storm":
		return "Engine and oracle patch a relocated field differently."
	case "power":
		return "At least one planted fault was not found."
	case "fuzz":
		return "At least one fuzz target found an input on which two sides disagree."
	case "claims":
		return "Some statements of the documents are wrong."
	}
	return "At least one linked file is wrong for its inputs, or two linkers made different files from the same inputs."
}
