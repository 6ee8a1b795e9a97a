package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/nv50"
)

func nv50Command(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "nv50",
		GroupID: groupProject,
		Short:   "Answer a question about the first CUDA chips, from the page that describes them",
		Long: `Answers a question about NV50 to NVA8 (sm_10 to sm_13) twice: by the formulas of
the one page that describes these chips, and by its prose. If the two disagree,
both readings are printed, and what they disagree about; the exit status is 1.
Numbers may be written as 0x14.`,
		Example: "  twinlink nv50 where --block 64,4,1 --tid 33,2,0 --threads 256 --word 3 --mp 1 --mps 3\n  twinlink nv50 physid-of --physid 0x00a2130c",
		Args:    exactly(0, "nv50 takes a question; see twinlink nv50 --help"),
		RunE: func(c *cobra.Command, _ []string) error {
			return badUsage("nv50 takes a question; see twinlink nv50 --help")
		},
	}
	for i := range nv50.Questions {
		c.AddCommand(nv50Question(&nv50.Questions[i], s))
	}
	c.AddCommand(&cobra.Command{
		Use:   "contradictions",
		Short: "Where the page's formulas and prose disagree",
		Args:  exactly(0, "contradictions takes no argument"),
		RunE: func(*cobra.Command, []string) error {
			for _, x := range nv50.Contradictions {
				fmt.Fprintf(s.out, "%s\n  formula: %s\n  prose:   %s\n", x.ID, x.Formula, x.Prose)
			}
			return nil
		},
	})
	return c
}

func nv50Question(q *nv50.Question, s streams) *cobra.Command {
	c := &cobra.Command{Use: q.Name, Short: q.Short, Args: exactly(0, q.Name+" takes only flags")}
	given := map[string]*string{}
	for _, p := range q.Params {
		given[p.Name] = c.Flags().String(p.Name, p.Default, p.Help)
	}
	c.RunE = func(*cobra.Command, []string) error {
		values := map[string]string{}
		for name, v := range given {
			values[name] = *v
		}
		a, err := q.Ask(values)
		if err != nil {
			return badUsage("%s", err)
		}
		return ended(printAnswer(a, s))
	}
	return c
}

func printAnswer(a *nv50.Answer, s streams) int {
	if a.Agree {
		fmt.Fprintln(s.out, a.Readings[0].Value)
		return exitOK
	}
	for _, r := range a.Readings {
		fmt.Fprintf(s.out, "%-32s %s\n", r.Side+":", r.Value)
	}
	for _, x := range nv50.Contradictions {
		if slices.Contains(a.Why, x.ID) {
			fmt.Fprintf(s.out, "\n%s\n  formula: %s\n  prose:   %s\n", x.ID, x.Formula, x.Prose)
		}
	}
	return exitDiffer
}
