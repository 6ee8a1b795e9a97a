package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/fuzz/storm"
	"github.com/twinlink/twinlink/internal/cputime"
	"github.com/twinlink/twinlink/internal/progress"
)

func stormCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "storm",
		GroupID: groupProject,
		Short:   "Compare engine and oracle on relocations at full speed",
		Long: `Applies every relocation type to random records, with the engine and by the
oracle's recipes, and compares the results. On a terminal a bar shows the progress.
A seed gives the same records everywhere; a divergence is printed with the command
that reproduces it.

Exit status: 0 all agree, 1 a divergence, 2 usage error.`,
		Example: "  twinlink storm --duration 10s\n  twinlink storm --seed 7 --batch 1234",
		Args:    exactly(0, "storm takes no argument"),
	}
	var o storm.Options
	f := c.Flags()
	f.Uint64Var(&o.Seed, "seed", 1, "which records")
	f.DurationVar(&o.Duration, "duration", 10*time.Second, "how long")
	f.IntVar(&o.Workers, "workers", 0, "number of workers; 0 is one per processor")
	out, meter := chooseFace(c), chooseProgress(c)
	batch := f.Int64("batch", -1, "only the batch of this number")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *batch >= 0 {
			o.First, o.Batches, o.Duration = uint64(*batch), 1, 0
		}
		return runStorm(c.Context(), o, out, meter, s)
	}
	return c
}

func runStorm(ctx context.Context, o storm.Options, out *face, meter *choice, s streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	shown := progress.New(s.err, progress.Mode(meter.value), "storm", int64(o.Duration.Seconds()))
	began, busy := time.Now(), cputime.Now()
	o.Progress = func(t *storm.Tally) {
		shown.Set(int64(time.Since(began).Seconds()), fmt.Sprintf("%.0f M compared", float64(t.Compared)/1e6))
	}
	tally, found, err := storm.Run(ctx, o)
	shown.End()
	if err != nil {
		return badUsage("%v", err)
	}
	if out.text() {
		text := fmt.Sprintf("seed %d: %s\n", o.Seed, storm.Line(&tally, time.Since(began), cputime.Now()-busy))
		if found != nil {
			text += found.Error() + "\n"
		}
		err = out.print(s, []byte(text))
	} else {
		err = out.write(s, stormReport(o.Seed, &tally, found))
	}
	if err == nil && found != nil {
		return exitStatus(exitDiffer)
	}
	return err
}
