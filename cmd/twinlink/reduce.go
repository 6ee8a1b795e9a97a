package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/fuzz/opinion"
	"github.com/twinlink/twinlink/fuzz/reduce"
)

func reduceCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "reduce FOLDER",
		GroupID: groupProject,
		Short:   "Minimize a link on which linkers disagree",
		Long: `Reads a link from a folder, as fuzzing saves it: the inputs, and a file "command"
with "nvlink RELEASE" and then one argument per line. Removes options, modules,
sections, records and symbols as long as the engine, nvlink of that release (if it
is installed) and the checker disagree in the same way, and writes the rest to a
new folder, named by its content.

Exit status: 0 written, 1 they don't disagree, 2 usage error.`,
		Example: "  twinlink reduce fuzz/testdata/divergences/1f0c77ab2e31",
		Args:    exactly(1, "reduce takes a folder"),
	}
	out := c.Flags().StringP("output", "o", ".", "folder in which to create the new one")
	limit := c.Flags().Int("limit", 2000, "maximum number of links")
	c.RunE = func(c *cobra.Command, args []string) error { return runReduce(c.Context(), args[0], *out, *limit, s) }
	return c
}

func runReduce(ctx context.Context, dir, out string, limit int, s streams) error {
	start, err := reduce.Load(dir)
	if err != nil {
		return err
	}
	opinions, err := opinion.Find(ctx)
	if err != nil {
		return err
	}
	key := opinions.Key(ctx, start)
	if key == "" {
		fmt.Fprintf(s.out, "%s: all agree\n", dir)
		return exitStatus(exitDiffer)
	}
	small, stats := reduce.Reduce(ctx, start, opinions.Key, limit)
	folder := out + "/" + small.Hash()
	story := fmt.Sprintf("%s\nfrom %s, %d bytes; %d links\n", key, dir, start.Size(), stats.Asked)
	for _, t := range opinions.Traces(ctx, small) {
		story += fmt.Sprintf("--- %s\n%s\n", t.Witness, strings.TrimRight(t.Text, "\n"))
	}
	if err := small.Save(folder, story); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %s: %d of %d bytes, %d of %d inputs, %s\n", folder, key, small.Size(), start.Size(), len(small.Inputs), len(start.Inputs), strings.Join(small.Options, " "))
	return nil
}
