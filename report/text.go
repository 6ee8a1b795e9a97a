package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// WriteText writes a table with a row for each question, the sums, and then for
// every row that differs what the witnesses have, their traces, and the command
// that shows it again.
//
//	SUBJECT      ARCH   RELEASE  ENGINE              ORACLE    NVLINK              VERDICT  FIRST DIFFERENCE
//	links/alias  sm_50  11.8     linked 6,120 bytes  accepted  linked 6,120 bytes  agree
func WriteText(w io.Writer, r *Report) error {
	var b strings.Builder
	if r.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", plain(r.Title))
	}
	if err := table(&b, r); err != nil {
		return err
	}
	for i := range r.Rows {
		details(&b, &r.Rows[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func table(b *strings.Builder, r *Report) error {
	if len(r.Rows) > 0 {
		// The library would make "R CUDA 32" of "R_CUDA_32" and break long
		// cells; both are told not to.
		off := tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off}
		left := tw.CellAlignment{Global: tw.AlignLeft}
		t := tablewriter.NewTable(b,
			tablewriter.WithEastAsian(tw.Off), // else it asks the environment
			tablewriter.WithConfig(tablewriter.Config{
				Header: tw.CellConfig{Formatting: off, Alignment: left, Padding: gap},
				Row:    tw.CellConfig{Formatting: off, Alignment: left, Padding: gap},
			}),
			tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
				Borders:  tw.BorderNone,
				Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
			})),
		)
		t.Header("SUBJECT", "ARCH", "RELEASE", "ENGINE", "ORACLE", "NVLINK", "VERDICT", "FIRST DIFFERENCE")
		for i := range r.Rows {
			if err := t.Append(cells(&r.Rows[i])); err != nil {
				return fmt.Errorf("report: %w", err)
			}
		}
		if err := t.Render(); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		text := trimLines(b.String())
		b.Reset()
		b.WriteString(text + "\n")
	}
	c := r.Count()
	fmt.Fprintf(b, "%d agree, %d differ, %d refused alike, %d skipped\n", c.Agree, c.Differ, c.RefusedAlike, c.Skipped)
	return nil
}

// gap is two blanks behind a cell and none before it.
var gap = tw.CellPadding{Global: tw.Padding{Right: "  ", Overwrite: true}}

func cells(row *Row) []string {
	list := []string{row.Subject, row.Arch, row.Release}
	for _, w := range [...]Witness{Engine, Oracle, Nvlink} {
		list = append(list, cell(row.Answer(w)))
	}
	list = append(list, row.Verdict.String())
	last := row.Note
	if row.First != nil {
		last = strings.TrimSpace(row.First.Key + " " + row.First.Place)
	}
	list = append(list, last)
	for i, s := range list {
		list[i] = plain(s)
	}
	return list
}

// cell is an answer in a few words. A refusal's text is too long for a column.
func cell(a Answer) string {
	if a.Outcome == Absent {
		return "-"
	}
	if a.Detail == "" || a.Outcome == Refused || a.Outcome == Rejected {
		return a.Outcome.String()
	}
	return a.Outcome.String() + " " + a.Detail
}

// details writes what the table has no room for.
func details(b *strings.Builder, row *Row) {
	if row.Verdict != Differ {
		return
	}
	fmt.Fprintf(b, "\n%s differs", plain(strings.Join(nonEmpty(row.Subject, row.Arch, row.Release), " ")))
	if d := row.First; d != nil {
		fmt.Fprintf(b, " first at %s", plain(strings.TrimSpace(d.Key+" "+d.Place)))
		if d.More > 0 {
			fmt.Fprintf(b, ", and at %d more", d.More)
		}
	}
	b.WriteString("\n")
	if row.First != nil {
		for _, s := range row.First.Sides {
			value := plain(s.Value)
			if value == "" {
				value = "(nothing)"
			}
			fmt.Fprintf(b, "  %-7s %s\n", s.Witness, value)
		}
	}
	for _, a := range row.Answers {
		if a.Detail != "" && (a.Outcome == Refused || a.Outcome == Rejected) {
			for line := range strings.Lines(a.Detail) {
				fmt.Fprintf(b, "  %s %s: %s\n", a.Witness, a.Outcome, plain(strings.TrimRight(line, "\n")))
			}
		}
		for i, line := range a.Trace {
			if i == 0 {
				fmt.Fprintf(b, "  trace of %s:\n", a.Witness)
			}
			fmt.Fprintf(b, "    %s\n", plain(line))
		}
	}
	if row.Repeat != "" {
		fmt.Fprintf(b, "  again: %s\n", plain(row.Repeat))
	}
}

func nonEmpty(list ...string) []string {
	var kept []string
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// plain escapes what doesn't print.
func plain(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			q := strconv.Quote(s)
			return q[1 : len(q)-1]
		}
	}
	return s
}

func trimLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
