package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/linkcommand"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/progress"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

func verifyCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "verify [nvlink's options] [--output LINKED] FILE...",
		GroupID: groupLink,
		Short:   "Check a link, or a linked file, with engine, oracle and nvlink",
		Long: `Links the files as "twinlink link" would, judges the result with the oracle, and
compares it with nvlink and nvJitLink of the inputs' release if they are installed.
nvJitLink of other releases is run too, to show how those link the inputs.

  --output LINKED      judge this file, made by any linker, instead
  --registered FILE    judge this registration file too: every module once, no other
  --strict             report differences from nvlink as findings even if no
                       correct link depends on them
  --allow-unjudged     agree even if something could not be judged
  --no-nvlink          run neither nvlink nor, without --nvjitlink, nvJitLink
  --nvjitlink LIST     run these releases of nvJitLink: 12.9,13.0; all (default); none
  --format FORMAT      text, markdown, json, html, sarif or junit
  --report FILE        write the report to FILE; its extension selects the format
                       unless --format is given
  --progress MODE      auto, bar, json or none
  --repro FILE         if the result isn't agree, pack everything it needs into FILE

A finished program or shared object, given alone and without -arch, is judged by
itself: each module must be registered once, and each kernel, variable and constant
that host code refers to must be in the linked images of every architecture.

Exit status: 0 agree, 1 differ, 2 usage error, 3 all refuse the inputs, 4 not
everything could be judged.`,
		Example: `  twinlink verify -arch=sm_90 a.cubin b.cubin
  twinlink verify -arch=sm_90 --output linked.cubin a.cubin b.cubin
  twinlink verify ./program`,
		DisableFlagParsing: true,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if asksForHelp(args) {
			return c.Help()
		}
		return verifyFiles(c.Context(), args, s)
	}
	return c
}

// sources is how many are asked.
const sources = 4

// verifyRequest is a command line of verify, taken apart.
type verifyRequest struct {
	question   verify.Question
	format     report.Format
	report     string   // file, "" for standard output
	alone      bool     // without nvlink
	program    []byte   // a finished program alone, called question.Subject
	registered string   // registration file to judge, "" for none
	args       []string // nvlink's
	jit        string   // releases of nvJitLink, "all" or "none"; "" is all, with alone none
	progress   progress.Mode
}

// libraries are the nvJitLinks to ask. One that is named and not there is an error: a link that it never saw would
// be called agreed.
func (req *verifyRequest) libraries() ([]nvjitlink.SharedObject, error) {
	found := nvjitlink.Find(nvjitlink.Options{})
	switch {
	case req.jit == "none" || req.jit == "" && req.alone:
		return nil, nil
	case req.jit == "all" || req.jit == "" || len(found) == 1 && found[0].Release == "": // the one that TWINLINK_NVJITLINK names says its release when asked
		return found, nil
	}
	var list []nvjitlink.SharedObject
	for _, release := range strings.Split(req.jit, ",") {
		l, err := nvjitlink.Release(nvjitlink.Options{}, release)
		if err != nil {
			return nil, badUsage("--nvjitlink: %s", err)
		}
		list = append(list, l)
	}
	return list, nil
}

func verifyFiles(ctx context.Context, args []string, s streams) error {
	req, err := parseVerify(args)
	if err != nil {
		return badUsage("%s", err)
	}
	if req.program != nil {
		row, err := verifyProgram(req.question.Subject, req.program)
		if err != nil {
			return err
		}
		r := report.Report{Command: "verify", Rows: []report.Row{row}}
		if err := writeReport(s, &r, req.format, req.report); err != nil {
			return err
		}
		return ended(r.ExitStatus())
	}
	var tools *nvidia.Toolset
	if !req.alone {
		if tools, err = nvidia.Find(ctx, nvidia.Options{}); err != nil {
			return err
		}
	}
	libraries, err := req.libraries()
	if err != nil {
		return err
	}
	req.question.WithNvJitLink(libraries, nvjitlink.Options{})
	var judged []byte
	if req.format == report.HTML { // the page draws the file
		req.question.Judged = func(file []byte) { judged = file }
	}
	shown := progress.New(s.err, req.progress, "verify", sources)
	req.question.Step = func(source string) { shown.Add(1, source) }
	r := report.Report{Command: "verify", Rows: []report.Row{verify.Ask(ctx, &req.question, tools)}}
	shown.End()
	if req.registered != "" {
		faults, err := checkRegistered(req.registered, req.args, req.question.Toolkit())
		if err != nil {
			return err
		}
		if row := &r.Rows[0]; len(faults) > 0 {
			row.Findings, row.Verdict = append(row.Findings, faults...), report.Differ
		}
	}
	if judged != nil {
		r.Rows[0].Link = linkShape(judged)
	}
	if err := writeReport(s, &r, req.format, req.report); err != nil {
		return err
	}
	return ended(r.ExitStatus())
}

// parseVerify takes verify's own options out; the rest is nvlink's.
func parseVerify(args []string) (*verifyRequest, error) {
	req := &verifyRequest{}
	q := &req.question
	q.ReadFile = linkcommand.ReadOptions
	var rest []string
	for i := 0; i < len(args); i++ {
		name, value, hasValue := strings.Cut(args[i], "=")
		switch name {
		case "--output", "--registered", "--format", "--report", "--nvjitlink", "--progress":
			if !hasValue {
				if i++; i == len(args) {
					return nil, fmt.Errorf("%s needs a value", name)
				}
				value = args[i]
			}
			if err := req.set(name, value); err != nil {
				return nil, err
			}
		case "--strict":
			q.Strict = true
		case "--allow-unjudged":
			q.AllowUnjudged = true
		case "--no-nvlink":
			req.alone = true
		default:
			rest = append(rest, args[i])
		}
	}
	if req.format == "" {
		req.format = formatOf(req.report)
	}
	preview := cmdline.Scan(rest, linkcommand.ReadOptions)
	q.Release = preview.Toolkit
	if len(preview.Inputs) == 0 {
		return nil, fmt.Errorf("no input files")
	}
	if name, data, ok := finished(rest); ok {
		q.Subject, req.program = name, data
		return req, nil
	}
	if preview.Arch == "" {
		return nil, fmt.Errorf("-arch is missing: name the target of the link, as in -arch=sm_90")
	}
	complete := append(slices.Clone(rest), "-o", "out")
	for _, name := range preview.Inputs {
		data, err := os.ReadFile(name)
		if err != nil {
			// It may be the value of an option that there isn't.
			if _, wrong := cmdline.Parse(q.Toolkit(), complete, linkcommand.ReadOptions); wrong != nil {
				err = wrong
			}
			return nil, err
		}
		q.Inputs = append(q.Inputs, verify.File{Name: name, Data: data})
	}
	req.args = rest
	q.Subject = subject(preview.Inputs)
	q.Args = withoutToolkit(withoutFiles(rest, q.Inputs))
	_, err := cmdline.Parse(q.Toolkit(), complete, linkcommand.ReadOptions)
	return req, err
}

func (req *verifyRequest) set(name, value string) (err error) {
	switch name {
	case "--output":
		req.question.Output, err = os.ReadFile(value)
		return err
	case "--registered":
		req.registered = value
		return nil
	case "--report":
		req.report = value
		return nil
	case "--nvjitlink":
		req.jit = value
		return nil
	case "--progress":
		if req.progress = progress.Mode(value); !slices.Contains(progress.Modes(), req.progress) {
			return fmt.Errorf("no progress %q; there are auto, bar, json, none", value)
		}
		return nil
	}
	if req.format = report.Format(value); !slices.Contains(report.Formats(), req.format) {
		return fmt.Errorf("no format %q; there are %s", value, strings.Join(formatWords(), ", "))
	}
	return nil
}

// withoutToolkit takes out the option that names the release to behave as, which
// is twinlink's own: nvlink knows none.
func withoutToolkit(args []string) []string {
	var list []string
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if strings.HasPrefix(args[i], "-") && name == "toolkit" {
			if !hasValue {
				i++
			}
			continue
		}
		list = append(list, args[i])
	}
	return list
}

// shownInputs is how many inputs the name of a row holds.
const shownInputs = 8

// subject names a link by its inputs.
func subject(inputs []string) string {
	if len(inputs) <= shownInputs {
		return strings.Join(inputs, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(inputs[:shownInputs-1], " "), len(inputs)-shownInputs+1)
}
