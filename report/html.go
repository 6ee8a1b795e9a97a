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
		return "refused", "bad", "At least one file could not be read or checked. Nothing is known about it."
	case c.NotJudged > 0:
		return "not all judged", "doubt", "Nothing was found wrong, but some parts could not be judged. They are listed in their rows."
	case c.Agree+c.RefusedAlike > 0:
		return "agrees", "good", "Everything that was compared says the same."
	case len(r.Rows) == 0:
		return "reference", "calm", "The relocation types and how each source does on their vectors."
	}
	return "nothing judged", "calm", "Every row was skipped; their notes say why."
}

// differs says what a difference is in the result of a command.
func differs(command string) string {
	switch command {
	case "selfcheck":
		return "The SASS of at least one file is not what its Mercury capsule says."
	case "diff":
		return "The two files are not the same."
	case "storm":
		return "Engine and oracle patch a relocated field in two ways."
	case "power":
		return "At least one planted fault was found by nothing."
	case "fuzz":
		return "At least one fuzz target found an input on which two sides part."
	case "claims":
		return "Some statements of the documents are not so."
	}
	return "At least one linked file is not what its inputs ask for, or two linkers made different files of the same inputs."
}
