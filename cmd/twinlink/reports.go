package main

import (
	"bytes"

	"github.com/twinlink/twinlink/report"
)

func formatWords() []string {
	var words []string
	for _, f := range report.Formats() {
		words = append(words, string(f))
	}
	return words
}

// writeReport prints a report, or puts it into a file: the whole of it or
// nothing.
func writeReport(s streams, r *report.Report, format report.Format, output string) error {
	var b bytes.Buffer
	if err := report.Write(&b, r, format); err != nil {
		return err
	}
	if output != "" {
		return writeFiles([]outFile{{output, b.Bytes()}})
	}
	_, err := s.out.Write(b.Bytes())
	return err
}
