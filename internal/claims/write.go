package claims

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes each claim: statement, verdict, what is true or why it isn't known, what decided it. The sums follow.
func WriteText(w io.Writer, list []Claim) error {
	for _, c := range list {
		if _, err := fmt.Fprintf(w, "%s  %s  (%s, %s)\n  %s\n", c.ID, c.Verdict, c.Document, c.Place, c.Statement); err != nil {
			return err
		}
		if c.Truth != "" {
			fmt.Fprintf(w, "  = %s\n", c.Truth)
		}
		fmt.Fprintf(w, "  by %s\n", strings.Join(c.By, "; "))
		if r := c.Reading; r != nil {
			fmt.Fprintf(w, "     %s: %s\n     %s: %s\n", r.Document, r.Says, r.Other, r.Against)
		}
		fmt.Fprintln(w)
	}
	return WriteSums(w, list)
}

// WriteSums writes how many claims of each system have each verdict.
func WriteSums(w io.Writer, list []Claim) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "system\tclaims\t")
	for _, v := range Verdicts {
		fmt.Fprintf(t, "%s\t", v)
	}
	fmt.Fprintln(t)
	row := func(name string, list []Claim) {
		fmt.Fprintf(t, "%s\t%d\t", name, len(list))
		for _, v := range Verdicts {
			fmt.Fprintf(t, "%d\t", len(Filter{Verdict: v}.Apply(list)))
		}
		fmt.Fprintln(t)
	}
	for _, s := range Systems(list) {
		row(s, Filter{System: s}.Apply(list))
	}
	row("all", list)
	return t.Flush()
}
