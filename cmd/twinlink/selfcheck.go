package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/report"
	"github.com/twinlink/twinlink/selfcheck"
)

func selfcheckCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "selfcheck FILE...",
		GroupID: groupLink,
		Short:   "Check that both sides of a file for sm_100 and up say the same",
		Long: `Makes the SASS side of objects and linked files for sm_100 and up again from
their Mercury side and compares: texts, then relocations, then debug sections.

Numbers of findings: with --codes seed 17 is content, 18 count, 19 metadata;
with --codes section 17 is text, 18 debug, 19 relocation.

The result for a file is pass; findings, with the code of the gravest;
incomplete, where something in it is not known to this program, or unlike all
of its kind that is; or refused, where it can't be read. How many bytes were
compared, looked at for their form alone, and left unchecked is printed too.

Exit status: 0 all pass, 1 findings, 2 wrong use, 3 a file was refused,
4 incomplete. Of several files the worst counts: refused, findings, incomplete.`,
		Example: "  twinlink selfcheck out.cubin\n  twinlink selfcheck --format json *.cubin",
		Args:    atLeast(1, "no file to check"),
	}
	style := choose(c, "format", "how to print", "text", "json", "json-full", string(report.Markdown), string(report.HTML), string(report.SARIF), string(report.JUnit))
	codes := choose(c, "codes", "numbers of findings", "seed", "section")
	out := c.Flags().String("out-sass", "", "write the file with the SASS side that Mercury has; one input only")
	allow := c.Flags().Bool("allow-unknown", false, "take what isn't known for correct, instead of the result incomplete")
	ask := c.Flags().Bool("witness", false, "also link each object with nvlink and report which functions are unchanged (does not affect the result)")
	pick := chooseMembers(c)
	pick.mercury = true
	c.RunE = func(_ *cobra.Command, files []string) error {
		if *out != "" && len(files) != 1 {
			return badUsage("--out-sass takes one file")
		}
		opts := selfcheck.Options{Codes: selfcheck.LookupCodes(codes.value), AllowUnknown: *allow}
		return pick.selfcheck(files, style.value, opts, *out, *ask, s)
	}
	return c
}

// selfcheck checks the files in order; the verdict is the worst of theirs.
func (w *choosing) selfcheck(files []string, style string, opts selfcheck.Options, out string, ask bool, s streams) error {
	verdict := selfcheck.Pass
	faces := report.Report{Command: "selfcheck"}
	for _, name := range files {
		pieces, err := w.cubins(name)
		if err != nil {
			return err
		}
		if out != "" && len(pieces) != 1 {
			return badUsage("--out-sass takes one cubin: choose it with --arch or --member")
		}
		for _, p := range pieces {
			result, made, err := selfcheckCubin(p, opts, out != "")
			switch {
			case err != nil:
			case slices.Contains(report.Formats(), report.Format(style)) && style != "text" && style != "json":
				faces.Rows = append(faces.Rows, selfcheckRow(result))
			default:
				err = printReport(result, style, s)
			}
			if err == nil && made != nil {
				err = writeFiles([]outFile{{out, made}})
			}
			if err == nil && ask {
				err = askWitness(p, style, s)
			}
			if err != nil {
				return err
			}
			verdict = verdict.Worst(result.Verdict)
		}
	}
	if len(faces.Rows) > 0 {
		if err := writeReport(s, &faces, report.Format(style), ""); err != nil {
			return err
		}
	}
	return ended(verdict.ExitStatus())
}

func selfcheckCubin(p piece, opts selfcheck.Options, reconstitute bool) (*selfcheck.Report, []byte, error) {
	if reconstitute {
		return selfcheck.Reconstitute(p.name, p.data, opts)
	}
	return selfcheck.Check(p.name, p.data, opts), nil, nil
}

func printReport(r *selfcheck.Report, style string, s streams) error {
	switch style {
	case "json":
		return r.JSON(s.out)
	case "json-full":
		return r.FullJSON(s.out)
	}
	return r.Text(s.out)
}

// witnessReleases are the releases of nvlink that know capsules.
var witnessReleases = []string{"13.0", "13.5"}

// askWitness links an object alone and tells what became of its functions. With
// JSON the lines go to standard error.
func askWitness(p piece, style string, s streams) error {
	w := s.out
	if style != "text" {
		w = s.err
	}
	file, err := cubin.Open(p.name, p.data)
	if err != nil {
		return nil
	}
	if file.Header.Type != cuda.ETRel {
		fmt.Fprintf(w, "  nvlink: not asked, only relocatable objects are linked\n")
		return nil
	}
	ctx := context.Background()
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	object := capsule.Open(file)
	for _, release := range witnessReleases {
		res, err := set.Link(ctx, release, []string{fmt.Sprintf("-arch=sm_%d", file.Header.SM())}, []nvidia.File{{Name: "in.cubin", Data: p.data}})
		var none *nvidia.NotFoundError
		switch {
		case errors.As(err, &none):
			fmt.Fprintf(w, "  nvlink %s: not found\n", release)
			continue
		case err != nil:
			return err
		case res.Outcome != nvidia.Success:
			fmt.Fprintf(w, "  nvlink %s: %s: %s\n", release, res.Outcome, res.Message())
			continue
		}
		linked, err := cubin.Open("out.cubin", res.Output)
		if err != nil {
			return err
		}
		tally := map[selfcheck.Change]int{}
		list := selfcheck.CompareLinked(object, capsule.Open(linked))
		for _, c := range list {
			tally[c.Change]++
		}
		fmt.Fprintf(w, "  nvlink %s: %d functions, %d as they were, %d with other scheduling, %d dropped\n",
			release, len(list), tally[selfcheck.Same], tally[selfcheck.Scheduled], tally[selfcheck.Dropped])
		for _, c := range list {
			if c.Change == selfcheck.Other || c.Change == selfcheck.Resized {
				fmt.Fprintf(w, "    %s: %s at 0x%x\n", c.Name, c.Change, c.Offset)
			}
		}
	}
	return nil
}
