package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/fuzz/power"
	"github.com/twinlink/twinlink/internal/progress"
)

func powerCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "power",
		GroupID: groupProject,
		Short:   "Plant faults in twinlink's source and report which tests find them",
		Long: `Plants the faults of fuzz/power/faults one at a time in the source tree of the
working folder and runs detectors, the cheap ones first, until one fails. Prints
each fault with the detector that found it and the time. Needs the go command.

A long run can be split: --limit ends it early, --resume continues it. Faults that
weren't tried don't make a run fail.
With --draw the faults are small changes at random places. A seed gives the same
faults in a changed version of the source, as far as it still has them.
With --conditions every condition under --under is inverted instead, one at a time
in one program, on the recorded links that reach it.

Exit status: 0 all faults are found, or have a reason; 1 some are not; 2 usage
error, or no fault was tried.`,
		Example: "  twinlink power --only 'oracle/*'\n  twinlink power --compile",
		Args:    exactly(0, "power takes no argument"),
	}
	var o power.Options
	f := c.Flags()
	f.StringVar(&o.Only, "only", "", "only faults that match this pattern, AREA/FAULT")
	f.BoolVar(&o.Fit, "fit", false, "only check that the text of every fault is in its file once")
	f.BoolVar(&o.Compile, "compile", false, "only check that every fault applies and compiles")
	f.BoolVar(&o.Live, "live", false, "run NVIDIA's tools as well")
	f.BoolVar(&o.Fuzz, "fuzz", false, "run the fuzz targets as well")
	f.IntVar(&o.Draw, "draw", 0, "this many random faults instead of the listed ones")
	f.BoolVar(&o.Own, "own", false, "run only the tests of a fault's own package")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the random faults")
	f.StringVar(&o.Under, "under", "", "folder for random faults")
	f.StringVar(&o.Results, "results", ".power.json", "file for results, one per line")
	f.BoolVar(&o.Resume, "resume", false, "continue where the file of results ends")
	f.DurationVar(&o.Limit, "limit", 0, "start no fault after this time")
	conditions := f.String("conditions", "", "invert every condition on recorded links; results are kept in this file, and a run continues where it ends")
	f.IntVar(&o.Workers, "workers", 2, "faults in parallel")
	f.Uint64Var(&o.Seek.From, "seek-from", 1500, "number of the first link for --seek-to")
	f.Uint64Var(&o.Seek.To, "seek-to", 0, "search links with numbers below this for ones that detect surviving faults")
	f.StringVar(&o.Root.Dir, "root", ".", "folder of the source")
	out := chooseFace(c)
	meter := chooseProgress(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *conditions != "" {
			return runConditions(c.Context(), o, *conditions, out, s)
		}
		return runPower(c.Context(), o, out, meter, s)
	}
	return c
}

func runPower(ctx context.Context, o power.Options, out *face, meter *choice, s streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	shown := progress.New(s.err, progress.Mode(meter.value), "faults", 0)
	o.Each = func(r power.Result) {
		shown.Add(1, r.Area+"/"+r.Fault)
		if r.Outcome == power.Planted || !out.text() || out.file != "" {
			return
		}
		fmt.Fprintf(s.out, "%-10s %-50s %-10s %6.1f s %s\n", r.Outcome, r.Area+"/"+r.Fault, r.Detector, r.Time.Round(100*time.Millisecond).Seconds(), r.Note)
	}
	if o.Fit || o.Compile {
		o.Results = ""
	}
	results, err := power.Run(ctx, o)
	shown.End()
	if err != nil {
		return badUsage("%v", err)
	}
	if out.text() {
		var sums bytes.Buffer
		power.Sums(&sums, results)
		err = out.print(s, sums.Bytes())
	} else {
		err = out.write(s, powerReport(results))
	}
	if err != nil {
		return err
	}
	return powerStatus(results, o)
}

// powerStatus judges a run. A portion may leave faults for the next one, but not all of them.
func powerStatus(results []power.Result, o power.Options) error {
	tried := 0
	for i := range results {
		untried := results[i].Outcome == power.Untried
		if !untried {
			tried++
		}
		if results[i].Bad() && o.Draw == 0 && !(untried && o.Limit > 0) {
			return exitStatus(exitDiffer)
		}
	}
	if tried == 0 {
		return badUsage("no fault was tried: --limit is too short")
	}
	return nil
}
