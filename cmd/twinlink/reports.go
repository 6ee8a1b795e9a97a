package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/outfile"
	"github.com/twinlink/twinlink/internal/terminal"
	"github.com/twinlink/twinlink/report"
)

// face is how a command prints its result: --format and --report.
type face struct {
	format *choice
	file   string // --report; "" for standard output
}

// chooseFace adds both flags. more are formats that the command has beside those
// of reports.
func chooseFace(c *cobra.Command, more ...string) *face {
	f := &face{format: choose(c, "format", "how to print", append(formatWords(), more...)...)}
	c.Flags().Var((*reportFile)(f), "report", "write the result to this `FILE` instead of standard output; its extension selects the format unless --format is given")
	_ = c.MarkFlagFilename("report")
	return f
}

// reportFile is the flag --report of a face.
type reportFile face

func (f *reportFile) String() string { return f.file }
func (f *reportFile) Type() string   { return "string" }

func (f *reportFile) Set(name string) error {
	f.file = name
	if !f.format.given {
		f.format.value = string(formatOf(name))
	}
	return nil
}

// formatOf returns the format that a file's name asks for.
func formatOf(name string) report.Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json":
		return report.JSON
	case ".html", ".htm":
		return report.HTML
	case ".sarif":
		return report.SARIF
	case ".xml":
		return report.JUnit
	case ".md":
		return report.Markdown
	}
	return report.Text
}

// text reports whether the command prints its own text.
func (f *face) text() bool { return f.format.value == string(report.Text) }

// report reports whether the result is printed as a report.
func (f *face) report() bool {
	return !f.text() && slices.Contains(report.Formats(), report.Format(f.format.value))
}

// write prints a report.
func (f *face) write(s streams, r *report.Report) error {
	return writeReport(s, r, report.Format(f.format.value), f.file)
}

// print prints text that the command made.
func (f *face) print(s streams, text []byte) error { return s.put(text, f.text(), f.file) }

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
	return s.put(b.Bytes(), format == report.Text, output)
}

// put writes a result into a file, the whole of it or nothing, or to standard
// output. Text for a person at a terminal is coloured.
func (s streams) put(result []byte, text bool, file string) error {
	if file != "" {
		return outfile.Write([]outfile.File{{Path: file, Data: result}})
	}
	if text && terminal.Colours(s.out) {
		result = terminal.Paint(result)
	}
	_, err := s.out.Write(result)
	return err
}
