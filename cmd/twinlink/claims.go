package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/claims"
	"github.com/twinlink/twinlink/report"
)

func claimsCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "claims",
		GroupID: groupProject,
		Short:   "Print the verdicts on the claims of the source documents",
		Long: `Prints what the source documents state: each claim, its verdict, what is true if
it is refuted, and the evidence. Without --system and --verdict the text format
has only totals. The other formats have a row for each claim: confirmed agrees,
refuted differs, open is not judged, and claims that can't be observed are skipped.`,
		Example: "  twinlink claims --system dispatcher --verdict refuted",
		Args:    exactly(0, "claims takes no argument"),
	}
	system := c.Flags().String("system", "", "only claims about this system")
	words := []string{""}
	for _, v := range claims.Verdicts {
		words = append(words, string(v))
	}
	verdict := choose(c, "verdict", "only claims with this verdict", words...)
	out := chooseFace(c)
	c.RunE = func(*cobra.Command, []string) error {
		filter := claims.Filter{System: *system, Verdict: claims.Verdict(verdict.value)}
		return listClaims(filter, out, s)
	}
	return c
}

func listClaims(filter claims.Filter, out *face, s streams) error {
	all, err := claims.All()
	if err != nil {
		return err
	}
	if systems := claims.Systems(all); filter.System != "" && !slices.Contains(systems, filter.System) {
		return badUsage("no system %q; there are %s", filter.System, strings.Join(systems, ", "))
	}
	list := filter.Apply(all)
	if !out.text() {
		return out.write(s, claimsReport(list))
	}
	write := claims.WriteText
	if filter == (claims.Filter{}) {
		write = claims.WriteSums
	}
	var text bytes.Buffer
	if err := write(&text, list); err != nil {
		return err
	}
	return out.print(s, text.Bytes())
}

var claimVerdicts = map[claims.Verdict]report.Verdict{
	claims.Confirmed: report.Agree, claims.Refuted: report.Differ, claims.Open: report.NotJudged, claims.NotObservable: report.Skipped,
}

// claimsReport makes of claims a report with a row for each.
func claimsReport(list []claims.Claim) *report.Report {
	r := &report.Report{Title: "Claims of the source documents", Command: "claims"}
	for i := range list {
		c := &list[i]
		f := report.Finding{Key: "claim." + string(c.Verdict), Level: report.Remark, File: c.Document, Section: c.Place, Meaning: c.Truth}
		for _, by := range c.By {
			f.Values = append(f.Values, report.Value{Of: "decided by", Text: by})
		}
		r.Rows = append(r.Rows, report.Row{Subject: c.ID, Verdict: claimVerdicts[c.Verdict], Note: c.Statement, Findings: []report.Finding{f}})
	}
	return r
}
