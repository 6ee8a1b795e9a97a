package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/fuzzlog"
	"github.com/twinlink/twinlink/report"
)

func reportCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "report FILE...",
		GroupID: groupLook,
		Short:   "Print saved reports in another format",
		Long: `Reads reports that a command wrote with --format json, merges their rows into one
report in the order given, and prints it. A build can save JSON, and the page or
the SARIF file can be made later. The output of "make fuzz" is accepted too: it
gives a row for each target, with executions and coverage over time.

Exit status: that of the command that made the rows; 2 a file that can't be
opened, 3 a file that is no report.`,
		Example: "  twinlink report --format html --report page.html a.json b.json\n  twinlink report --format html --report page.html fuzz.log",
		Args:    atLeast(1, "no report"),
	}
	out := chooseFace(c)
	c.RunE = func(_ *cobra.Command, files []string) error {
		r, err := joinReports(files)
		if err != nil {
			return err
		}
		if err := out.write(s, r); err != nil {
			return err
		}
		return ended(r.ExitStatus())
	}
	return c
}

// joinReports reads reports and puts their rows into one. Title, command and
// relocation types are the first file's, where there are any.
func joinReports(files []string) (*report.Report, error) {
	var all report.Report
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r, err := readReport(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if i == 0 {
			all.Title, all.Command, all.Relocations = r.Title, r.Command, r.Relocations
		}
		if r.Command != all.Command {
			all.Command = ""
		}
		all.Rows = append(all.Rows, r.Rows...)
		all.Figures = append(all.Figures, r.Figures...)
	}
	return &all, nil
}

// readReport reads a report, or makes one of what fuzzing printed.
func readReport(data []byte) (*report.Report, error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return report.ReadJSON(bytes.NewReader(data))
	}
	targets, err := fuzzlog.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("neither a report nor output of fuzzing: %w", err)
	}
	return fuzzReport(targets), nil
}
