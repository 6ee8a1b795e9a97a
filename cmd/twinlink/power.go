package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/fuzz/power"
)

func powerCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "power",
		GroupID: groupProject,
		Short:   "Plant faults in twinlink's own source and see what finds them",
		Long: `Plants the faults of fuzz/power/faults one at a time in the source tree of the
working folder and runs detectors, the cheap ones first, until one fails. Prints
each fault with what found it and how long that took. Needs the go command.

Exit status: 0 all faults are found, or have a reason; 1 not so; 2 wrong use.`,
		Example: "  twinlink power --only 'oracle/*'\n  twinlink power --compile",
		Args:    exactly(0, "power takes no argument"),
	}
	var o power.Options
	f := c.Flags()
	f.StringVar(&o.Only, "only", "", "faults that match this pattern, AREA/FAULT, alone")
	f.BoolVar(&o.Fit, "fit", false, "only see that the text of every fault is in its file once")
	f.BoolVar(&o.Compile, "compile", false, "only see that every fault fits and compiles")
	f.BoolVar(&o.Live, "live", false, "ask NVIDIA's tools as well")
	f.BoolVar(&o.Fuzz, "fuzz", false, "run the fuzz targets as well")
	f.IntVar(&o.Workers, "workers", 2, "how many faults at once")
	f.StringVar(&o.Root.Dir, "root", ".", "folder of the source")
	c.RunE = func(c *cobra.Command, _ []string) error { return runPower(c.Context(), o, s) }
	return c
}

func runPower(ctx context.Context, o power.Options, s streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	o.Each = func(r power.Result) {
		if r.Outcome == power.Planted {
			return
		}
		fmt.Fprintf(s.out, "%-10s %-50s %-10s %6.1f s %s\n", r.Outcome, r.Area+"/"+r.Fault, r.Detector, r.Time.Round(100*time.Millisecond).Seconds(), r.Note)
	}
	results, err := power.Run(ctx, o)
	if err != nil {
		return badUsage("%v", err)
	}
	power.Sums(s.out, results)
	for i := range results {
		if results[i].Bad() {
			return exitStatus(exitDiffer)
		}
	}
	return nil
}
