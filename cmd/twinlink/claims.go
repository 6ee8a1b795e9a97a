package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/claims"
)

func claimsCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "claims",
		GroupID: groupProject,
		Short:   "Print the verdicts on what the source documents state",
		Long: `Prints the ledger of what the source documents state: each claim, its verdict,
what is true where it is refuted, and what decided it. Without --system and
--verdict the text is the sums alone; json is an array of
{"id", "verdict", "truth", "by"}.`,
		Example: "  twinlink claims --system dispatcher --verdict refuted",
		Args:    exactly(0, "claims takes no argument"),
	}
	system := c.Flags().String("system", "", "claims about this system alone")
	words := []string{""}
	for _, v := range claims.Verdicts {
		words = append(words, string(v))
	}
	verdict := choose(c, "verdict", "claims with this verdict alone", words...)
	style := choose(c, "format", "how to print", "text", "json")
	c.RunE = func(*cobra.Command, []string) error {
		filter := claims.Filter{System: *system, Verdict: claims.Verdict(verdict.value)}
		return listClaims(filter, style.value, s)
	}
	return c
}

func listClaims(filter claims.Filter, style string, s streams) error {
	all, err := claims.All()
	if err != nil {
		return err
	}
	if systems := claims.Systems(all); filter.System != "" && !slices.Contains(systems, filter.System) {
		return badUsage("no system %q; there are %s", filter.System, strings.Join(systems, ", "))
	}
	list := filter.Apply(all)
	switch {
	case style == "json":
		return claims.WriteJSON(s.out, list)
	case filter == claims.Filter{}:
		return claims.WriteSums(s.out, list)
	}
	return claims.WriteText(s.out, list)
}
