package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/links"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

// demoPrograms are programs of corpus/links that together meet most of what a
// linker does: calls over modules, data of every alignment, C++ with virtual
// functions, textures, shared memory of several kernels, and a link that must
// be refused.
var demoPrograms = []string{"calls", "globals", "cxx_shapes", "textures", "shared_groups", "err_signature"}

// demo links real programs that are in the repository and checks each result
// three ways. nvlink is run where it is installed; else what it did when the
// corpus was made counts.
func demo(args []string, s streams) int {
	if len(args) > 0 {
		fmt.Fprintln(s.err, "twinlink: demo takes no argument")
		return exitUsage
	}
	ctx := context.Background()
	tools, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		fmt.Fprintf(s.err, "twinlink: %v\n", err)
		return exitFailed
	}
	programs, err := links.Programs()
	if err != nil {
		fmt.Fprintf(s.err, "twinlink: %v\n", err)
		return exitFailed
	}
	r := report.Report{Title: "Real programs, linked and checked three ways"}
	for i := range programs {
		if !slices.Contains(demoPrograms, programs[i].Name) {
			continue
		}
		for _, c := range programs[i].Cases {
			if strings.Count(c.Name, "-") == 1 && c.Complete() {
				r.Rows = append(r.Rows, verify.Ask(ctx, demoQuestion(&c), tools))
			}
		}
	}
	if err := report.WriteText(s.out, &r); err != nil {
		fmt.Fprintf(s.err, "twinlink: %v\n", err)
		return exitFailed
	}
	if releases := tools.Releases(); len(releases) == 0 {
		fmt.Fprintln(s.out, "\nnvlink is not installed here: its side is what it did when the corpus was made (make witness fetches it).")
	}
	if r.Count().Differ > 0 {
		return exitFailed
	}
	return exitOK
}

// demoQuestion makes a recorded run a question.
func demoQuestion(c *links.Case) *verify.Question {
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
