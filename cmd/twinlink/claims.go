package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/claims"
)

const claimsUsage = `Usage: twinlink claims [--system S] [--verdict V] [--format text|json]

Prints the ledger of what the seed documents state: each claim, its verdict
(confirmed, refuted, open, not-observable), what is true where it is refuted,
and what decided it. Without --system and --verdict the text is the sums alone;
json is an array of {"id", "verdict", "truth", "by"}.
`

func listClaims(args []string, s streams) int {
	f := flags("claims", claimsUsage, s)
	style := format(f)
	var filter claims.Filter
	f.StringVar(&filter.System, "system", "", "")
	f.Func("verdict", "", func(v string) error {
		filter.Verdict = claims.Verdict(v)
		if !slices.Contains(claims.Verdicts, filter.Verdict) {
			return fmt.Errorf("must be one of %v", claims.Verdicts)
		}
		return nil
	})
	if status, done := parse(f, args); done {
		return status
	}
	if f.NArg() > 0 {
		f.Usage()
		return exitUsage
	}
	all, err := claims.All()
	if err != nil {
		fmt.Fprintf(s.err, "twinlink: %s\n", err)
		return exitFailed
	}
	if systems := claims.Systems(all); filter.System != "" && !slices.Contains(systems, filter.System) {
		fmt.Fprintf(s.err, "twinlink: no system %q; there are %s\n", filter.System, strings.Join(systems, ", "))
		return exitUsage
	}
	list := filter.Apply(all)
	switch {
	case *style == "json":
		err = claims.WriteJSON(s.out, list)
	case filter == claims.Filter{}:
		err = claims.WriteSums(s.out, list)
	default:
		err = claims.WriteText(s.out, list)
	}
	if err != nil {
		fmt.Fprintf(s.err, "twinlink: %s\n", err)
		return exitFailed
	}
	return exitOK
}
