package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/filemap"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/outfile"
	"github.com/twinlink/twinlink/internal/progress"
	"github.com/twinlink/twinlink/report"
	"github.com/twinlink/twinlink/selfcheck"
)

func selfcheckCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "selfcheck FILE...",
		GroupID: groupLink,
		Short:   "Check that both sides of a file for sm_100 and up agree",
		Long: `Regenerates the SASS side of objects and linked files for sm_100 and up from
their Mercury side and compares: code, then relocations, then debug sections.

Numbers of findings: with --codes document 17 is content, 18 count, 19 metadata;
with --codes section 17 is text, 18 debug, 19 relocation.

The result for a file is pass; findings, with the code of the most severe one;
incomplete, if it contains something that is unknown or differs from everything
known of its kind; or refused, if it can't be read. The numbers of bytes that were
compared, checked only for their form, and not checked are printed too.

Exit status: 0 all pass, 1 findings, 2 usage error, 3 a file was refused,
4 incomplete. Of several files the worst counts: refused, findings, incomplete.`,
		Example: "  twinlink selfcheck out.cubin\n  twinlink selfcheck --format json *.cubin",
		Args:    atLeast(1, "no file to check"),
	}
	face, meter := chooseFace(c, "json-full"), chooseProgress(c)
	codes := choose(c, "codes", "numbers of findings", "document", "section")
	codes.formerly = map[string]string{"seed": "document"}
	out := c.Flags().String("out-sass", "", "write the file with the SASS side regenerated from Mercury; one input only")
	allow := c.Flags().Bool("allow-unknown", false, "treat unknown forms as correct instead of incomplete")
	ask := c.Flags().Bool("witness", false, "also link each object with nvlink and report which functions are unchanged (does not affect the result)")
	pick := chooseMembers(c)
	pick.mercury = true
	c.RunE = func(_ *cobra.Command, files []string) error {
		if *out != "" && len(files) != 1 {
			return badUsage("--out-sass takes one file")
		}
		opts := selfcheck.Options{Codes: selfcheck.LookupCodes(codes.value), AllowUnknown: *allow}
		shown := progress.New(s.err, progress.Mode(meter.value), "selfcheck", int64(len(files)))
		defer shown.End()
		return pick.selfcheck(files, face, opts, *out, *ask, shown, s)
	}
	return c
}

// selfcheck checks the files in order; the verdict is the worst of theirs.
func (w *choosing) selfcheck(files []string, face *face, opts selfcheck.Options, out string, ask bool, shown *progress.Meter, s streams) error {
	w.mapLarge = !ask
	c := checking{choosing: w, face: face, opts: opts, out: out, ask: ask, streams: s, verdict: selfcheck.Pass, rows: report.Report{Command: "selfcheck"}}
	if face.format.value == string(report.HTML) {
		c.disassembly = disassembler("", s)
	}
	for _, name := range files {
		shown.Add(1, name)
		list, err := c.check(name)
		if err != nil {
			return err
		}
		for _, p := range list {
			if err := c.show(p); err != nil {
				return err
			}
		}
	}
	if len(c.rows.Rows) > 0 {
		if err := face.write(s, &c.rows); err != nil {
			return err
		}
	} else if err := face.print(s, c.text.Bytes()); err != nil {
		return err
	}
	return ended(c.verdict.ExitStatus())
}

// checking is one selfcheck command.
type checking struct {
	*choosing
	face        *face
	opts        selfcheck.Options
	out         string
	ask         bool
	streams     streams
	disassembly disassembly // for html

	verdict selfcheck.Verdict // the worst so far
	rows    report.Report     // for the formats of reports
	text    bytes.Buffer      // for the others: what isn't printed yet
}

// check checks one file. A file that changes meanwhile is an error.
func (c *checking) check(name string) (list []selfchecked, err error) {
	c.mapped = filemap.Set{}
	err = c.mapped.Watch(func() (err error) {
		list, err = c.selfcheckFile(name, c.opts, c.out != "")
		if err == nil && c.face.format.value == string(report.HTML) {
			for i := range list {
				list[i].capsules = drawCapsules(list[i].piece, list[i].report, c.disassembly)
			}
		}
		return err
	})
	if changed := c.mapped.Changed(); changed != "" {
		err = &filemap.ChangedError{Path: changed}
	}
	return list, err
}

// show adds a result to the rows or the text, and writes what was made.
func (c *checking) show(p selfchecked) error {
	if c.face.report() && c.face.format.value != string(report.JSON) {
		row := selfcheckRow(p.report)
		row.Capsules = p.capsules
		c.rows.Rows = append(c.rows.Rows, row)
	} else if err := printReport(p.report, c.face.format.value, &c.text); err != nil {
		return err
	}
	if p.made != nil {
		if err := outfile.Write([]outfile.File{{Path: c.out, Data: p.made}}); err != nil {
			return err
		}
	}
	if c.ask {
		if err := askWitness(p.piece, c.face.text(), &c.text, c.streams); err != nil {
			return err
		}
	}
	if c.face.file == "" {
		if err := c.face.print(c.streams, c.text.Bytes()); err != nil {
			return err
		}
		c.text.Reset()
	}
	c.verdict = c.verdict.Worst(p.report.Verdict)
	return nil
}

// selfchecked is a cubin and what came of its check.
type selfchecked struct {
	piece
	report *selfcheck.Report
	made   []byte // the file with the SASS that Mercury has

	capsules []report.Capsule // for a page
}

// selfcheckFile checks the cubins in a file.
func (w *choosing) selfcheckFile(name string, opts selfcheck.Options, reconstitute bool) ([]selfchecked, error) {
	pieces, err := w.cubins(name)
	if err != nil {
		return nil, err
	}
	if reconstitute && len(pieces) != 1 {
		return nil, badUsage("--out-sass takes one cubin: choose it with --arch or --member")
	}
	list := make([]selfchecked, len(pieces))
	for i, p := range pieces {
		list[i].piece = p
		if !reconstitute {
			list[i].report = selfcheck.Check(p.name, p.data, opts)
		} else if list[i].report, list[i].made, err = selfcheck.Reconstitute(p.name, p.data, opts); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func printReport(r *selfcheck.Report, style string, w io.Writer) error {
	switch style {
	case "json":
		return r.JSON(w)
	case "json-full":
		return r.FullJSON(w)
	}
	return r.Text(w)
}

// witnessReleases are the releases of nvlink that know capsules.
var witnessReleases = []string{"13.0", "13.5"}

// askWitness links an object alone and says what became of its functions. With
// JSON the lines go to standard error.
func askWitness(p piece, asText bool, w io.Writer, s streams) error {
	if !asText {
		w = s.err
	}
	file, err := cubin.Open(p.name, p.data)
	if err != nil {
		return nil
	}
	if file.Header.Type != cuda.ETRel {
		fmt.Fprintf(w, "  nvlink: not run, only relocatable objects are linked\n")
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
		fmt.Fprintf(w, "  nvlink %s: %d functions, %d unchanged, %d rescheduled, %d dropped\n",
			release, len(list), tally[selfcheck.Same], tally[selfcheck.Scheduled], tally[selfcheck.Dropped])
		for _, c := range list {
			if c.Change == selfcheck.Other || c.Change == selfcheck.Resized {
				fmt.Fprintf(w, "    %s: %s at 0x%x\n", c.Name, c.Change, c.Offset)
			}
		}
	}
	return nil
}
