package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/report"
)

func diffCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "diff A B",
		GroupID: groupLook,
		Short:   "Print how two cubins differ",
		Long: `Prints how two cubins differ, one line for each difference with a dotted key.
--only and --ignore take a key, in which * matches any characters, and may be
repeated. An --ignore that matches no difference is reported. --ignore note
ignores the note that records the linker's command line, and the offsets that
depend on its size, so that links made in different folders compare equal.

Exit status: 0 same, 1 different or an unused --ignore, 2 a file that can't be
opened, 3 a file that is no cubin.`,
		Example: "  twinlink diff a.cubin b.cubin\n  twinlink diff --ignore note a.cubin b.cubin\n  twinlink diff --arch sm_90 old/libx.a new/libx.a",
		Args:    exactly(2, "diff takes two files"),
	}
	var filter diff.Filter
	c.Flags().StringArrayVar(&filter.Only, "only", nil, "show only differences with this key")
	c.Flags().StringArrayVar(&filter.Ignore, "ignore", nil, "ignore differences with this key")
	out := chooseFace(c)
	pick := chooseMembers(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		different, err := pick.compare(args[0], args[1], filter, out, s)
		if err == nil && different {
			return exitStatus(exitDiffer)
		}
		return err
	}
	return c
}

func printDifferences(a, b diff.Input, list []diff.Difference, out *face, s streams) error {
	if !out.text() {
		row := diffRow(a.Name, b.Name, list)
		if out.format.value == string(report.HTML) {
			row.Link = sectionsOf(a, b)
		}
		return out.write(s, &report.Report{Command: "diff", Rows: []report.Row{row}})
	}
	var text bytes.Buffer
	if err := diff.Text(&text, list); err != nil {
		return err
	}
	return out.print(s, text.Bytes())
}

// diffRow makes of differences a row of a report.
func diffRow(a, b string, list []diff.Difference) report.Row {
	row := report.Row{Subject: a + " " + b, Verdict: report.Agree}
	if len(list) > 0 {
		row.Verdict = report.Differ
	}
	for i := range list {
		d := &list[i]
		row.Findings = append(row.Findings, report.Finding{Key: d.Key, Level: report.Suspect, File: b,
			Values: []report.Value{{Of: a, Text: deref(d.A)}, {Of: b, Text: deref(d.B)}}})
	}
	return row
}

// deref is what a file has: "" for nothing, and two quotes for a name of no bytes.
func deref(s *string) string {
	switch {
	case s == nil:
		return ""
	case *s == "":
		return `""`
	}
	return *s
}

// noteKeys are what the note of the linker's command line changes: itself, and
// where everything after it stands.
var noteKeys = []string{"note.*", "section.note.nv.tkinfo.*", "section.*.offset", "program.*.offset", "program.*.filesz", "program.*.memsz",
	"header.phoff", "header.shoff", "file.size"}

// expandNote makes noteKeys of "note".
func expandNote(f diff.Filter) (diff.Filter, bool) {
	i := slices.Index(f.Ignore, "note")
	if i < 0 {
		return f, false
	}
	f.Ignore = append(slices.Delete(slices.Clone(f.Ignore), i, i+1), noteKeys...)
	return f, true
}

// compare prints differences and reports whether there are any.
func (w *choosing) compare(a, b string, filter diff.Filter, out *face, s streams) (bool, error) {
	var in [2]diff.Input
	for i, name := range [...]string{a, b} {
		p, err := w.one(name)
		if err != nil {
			return false, err
		}
		in[i] = diff.Input{Name: p.name, Data: p.data}
	}
	filter, withoutNote := expandNote(filter)
	all, err := diff.Compare(in[0], in[1])
	if err != nil {
		return false, err
	}
	list, useless := filter.Apply(all)
	if err := printDifferences(in[0], in[1], list, out, s); err != nil {
		return false, err
	}
	useless = slices.DeleteFunc(useless, func(p string) bool { return withoutNote && slices.Contains(noteKeys, p) })
	for _, p := range useless {
		fmt.Fprintf(s.err, "twinlink: --ignore %s matches no difference\n", p)
	}
	return len(list) > 0 || len(useless) > 0, nil
}
