package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/fuzz/storm"
)

func stormCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "storm",
		GroupID: groupProject,
		Short:   "Compare engine and oracle on relocations as fast as it goes",
		Long: `Applies every relocation type to records drawn at random, with the engine and by
the oracle's recipes, and compares the places. A line a second says how far it
is. The same seed gives the same records everywhere; a divergence is printed
with the command that shows it again.

Exit status: 0 all agree, 1 a divergence, 2 wrong use.`,
		Example: "  twinlink storm --duration 10s\n  twinlink storm --seed 7 --batch 1234",
		Args:    exactly(0, "storm takes no argument"),
	}
	var o storm.Options
	f := c.Flags()
	f.Uint64Var(&o.Seed, "seed", 1, "which records")
	f.DurationVar(&o.Duration, "duration", 10*time.Second, "how long")
	f.IntVar(&o.Workers, "workers", 0, "how many at once; 0 is one a processor")
	batch := f.Int64("batch", -1, "only the batch of this number")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *batch >= 0 {
			o.First, o.Batches, o.Duration = uint64(*batch), 1, 0
		}
		return runStorm(c.Context(), o, s)
	}
	return c
}

func runStorm(ctx context.Context, o storm.Options, s streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	o.Progress = s.err
	began := time.Now()
	tally, found, err := storm.Run(ctx, o)
	if err != nil {
		return badUsage("%v", err)
	}
	fmt.Fprintf(s.out, "seed %d: %s\n", o.Seed, storm.Line(&tally, time.Since(began)))
	if found != nil {
		fmt.Fprintln(s.out, found.Error())
		return exitStatus(exitDiffer)
	}
	return nil
}
