package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// WriteText writes a table with a row for each question, the sums, and then for
// every row that is not as it should be what was found, what could not be
// judged, the traces, and the command that shows it again.
//
//	SUBJECT      ARCH   RELEASE  ENGINE              ORACLE    NVLINK              VERDICT  FIRST FINDING
//	links/alias  sm_50  11.8     linked 6,120 bytes  accepted  linked 6,120 bytes  agree
func WriteText(w io.Writer, r *Report) error {
	var b strings.Builder
	if r.Title != "" {
		fmt.Fprintf(&b, "%s\n\n", plain(r.Title))
	}
	if err := table(&b, r); err != nil {
		return err
	}
	figures(&b, "", r.Figures)
	for i := range r.Rows {
		details(&b, &r.Rows[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func table(b *strings.Builder, r *Report) error {
	if len(r.Rows) > 0 {
		var rows strings.Builder
		// The library would make "R CUDA 32" of "R_CUDA_32" and break long
		// cells; both are told not to.
		off := tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off}
		left := tw.CellAlignment{Global: tw.AlignLeft}
		t := tablewriter.NewTable(&rows,
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
		cols := columns(r)
		t.Header(heads(cols, named(r)))
		for i := range r.Rows {
			if err := t.Append(cells(&r.Rows[i], cols, named(r))); err != nil {
				return fmt.Errorf("report: %w", err)
			}
		}
		if err := t.Render(); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		b.WriteString(trimLines(rows.String()) + "\n")
	}
	b.WriteString(sums(r.Count()) + "\n")
	return nil
}

// sums are the counts in words. What is rare is omitted where it is 0.
func sums(c Count) string {
	text := fmt.Sprintf("%d agree, %d differ", c.Agree, c.Differ)
	if c.NotJudged > 0 {
		text += fmt.Sprintf(", %d not judged", c.NotJudged)
	}
	text += fmt.Sprintf(", %d refused alike", c.RefusedAlike)
	if c.Refused > 0 {
		text += fmt.Sprintf(", %d refused", c.Refused)
	}
	return text + fmt.Sprintf(", %d skipped", c.Skipped)
}

// gap is two blanks after a cell and none before it.
var gap = tw.CellPadding{Global: tw.Padding{Right: "  ", Overwrite: true}}

// details writes what the table has no room for.
func details(b *strings.Builder, row *Row) {
	if row.Verdict == Agree && len(row.Findings) == 0 && len(row.Unjudged) == 0 && len(row.Figures) == 0 || row.Verdict == RefusedAlike || row.Verdict == Skipped {
		return
	}
	fmt.Fprintf(b, "\n%s: %s", plain(strings.Join(nonEmpty(row.Subject, row.Arch, row.Release), " ")), row.Verdict)
	if n := row.Total(); n > 0 {
		fmt.Fprintf(b, ", %s", plural(n, "finding"))
	}
	b.WriteString("\n")
	if f := row.Functions; f != nil {
		fmt.Fprintf(b, "  functions: %d accepted, %d rejected, %d not judged\n", f.Accepted, f.Rejected, f.NotJudged)
	}
	for i := range row.Findings {
		finding(b, &row.Findings[i])
	}
	if row.More > 0 {
		fmt.Fprintf(b, "  and %d more\n", row.More)
	}
	for _, u := range row.Unjudged {
		fmt.Fprintf(b, "  not judged: %s: %s\n", plain(u.Name), plain(u.Reason))
	}
	for _, a := range row.Answers {
		answerDetails(b, a)
	}
	figures(b, "  ", row.Figures)
	if row.Repeat != "" {
		fmt.Fprintf(b, "  repeat: %s\n", plain(row.Repeat))
	}
}

func finding(b *strings.Builder, f *Finding) {
	fmt.Fprintf(b, "  %s: %s", f.Level, plain(f.Key))
	if f.Code != 0 {
		fmt.Fprintf(b, " (%d)", f.Code)
	}
	if place := f.Place(); place != "" {
		fmt.Fprintf(b, " at %s", plain(place))
	}
	if f.Symbol != "" && f.Symbol != f.Place() {
		fmt.Fprintf(b, " (%s)", plain(f.Symbol))
	}
	if f.File != "" {
		fmt.Fprintf(b, " in %s", plain(f.File))
	}
	b.WriteString("\n")
	if f.Meaning != "" {
		fmt.Fprintf(b, "    %s\n", plain(f.Meaning))
	}
	for _, v := range f.Values {
		text := plain(v.Text)
		if text == "" {
			text = "(nothing)"
		}
		fmt.Fprintf(b, "    %-8s  %s\n", plain(v.Of), text)
	}
	for _, w := range textWords(f) {
		fmt.Fprintf(b, "    %-8s  %s\n", plain(w.Of), plain(w.Bytes))
	}
}

func answerDetails(b *strings.Builder, a Answer) {
	name := strings.TrimSpace(string(a.Source) + " " + a.Release)
	if a.Detail != "" && (a.Outcome == Refused || a.Outcome == Rejected) {
		for line := range strings.Lines(a.Detail) {
			fmt.Fprintf(b, "  %s %s: %s\n", plain(name), a.Outcome, plain(strings.TrimRight(line, "\n")))
		}
	}
	for i, line := range a.Trace {
		if i == 0 {
			fmt.Fprintf(b, "  trace of %s:\n", plain(name))
		}
		fmt.Fprintf(b, "    %s\n", plain(line))
	}
}

func figures(b *strings.Builder, indent string, list []Figure) {
	for _, f := range list {
		fmt.Fprintf(b, "%s%s: %s\n", indent, plain(f.Name), f)
	}
}

// String prints the value and its unit.
func (f Figure) String() string {
	return strings.TrimSpace(strconv.FormatFloat(f.Value, 'g', -1, 64) + " " + plain(f.Unit))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
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

func quoted(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

func trimLines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// textWords are a finding's words, but for those that its values say shorter.
func textWords(f *Finding) []Word {
	if len(f.Words) > 0 && slices.ContainsFunc(f.Values, func(v Value) bool { return v.Of == f.Words[0].Of }) {
		return nil
	}
	return f.Words
}
