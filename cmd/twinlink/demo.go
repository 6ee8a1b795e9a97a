package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/corpus"
	demolinks "github.com/twinlink/twinlink/corpus/demo"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

func demoCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		GroupID: groupProject,
		Short:   "Link real programs and check each in three ways",
		Long: `Links built-in real programs and checks each result in three ways. If nvlink is
not installed, its recorded results are used.`,
		Example: "  twinlink demo",
		Args:    exactly(0, "demo takes no argument"),
		RunE:    func(c *cobra.Command, _ []string) error { return demo(c.Context(), s) },
	}
}

func demo(ctx context.Context, s streams) error {
	tools, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	programs, err := demolinks.Links()
	if err != nil {
		return err
	}
	r := report.Report{Title: "Real programs, linked and checked in three ways"}
	for i := range programs {
		for _, c := range programs[i].Cases {
			r.Rows = append(r.Rows, verify.Ask(ctx, demoQuestion(&c), tools))
		}
	}
	if err := writeReport(s, &r, report.Text, ""); err != nil {
		return err
	}
	if releases := tools.Releases(); len(releases) == 0 {
		fmt.Fprintln(s.out, "\nnvlink is not installed: its column shows recorded results (make witness downloads it).")
	}
	if r.Count().Differ > 0 {
		return exitStatus(exitDiffer)
	}
	return nil
}

// demoQuestion makes a recorded run a question.
func demoQuestion(c *corpus.Case) *verify.Question {
	q := &verify.Question{Subject: c.Program, Release: c.Release, Recorded: &verify.Recorded{Output: c.Output, Message: c.Stderr}}
	for _, in := range c.Inputs {
		q.Inputs = append(q.Inputs, verify.File{Name: in.Name, Data: in.Data})
	}
	q.Args = withoutFiles(c.Args, q.Inputs)
	return q
}

// withoutFiles takes the inputs and "-o NAME" out of a command line.
func withoutFiles(args []string, inputs []verify.File) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "-o" {
			i++
			continue
		}
		if !slices.ContainsFunc(inputs, func(f verify.File) bool { return f.Name == args[i] }) {
			out = append(out, args[i])
		}
	}
	return out
}
