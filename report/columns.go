package report

import (
	"slices"
	"strings"
	"unicode"
)

// column is one source, or one release of it where the report has several.
type column struct {
	source  Source
	release string // "" where the source has one column
}

func (c column) title() string {
	return strings.ToUpper(strings.TrimSpace(string(c.source) + " " + c.release))
}

func (c column) of(row *Row) Answer {
	for _, a := range row.Answers {
		if a.Source == c.source && (c.release == "" || a.Release == c.release) {
			return a
		}
	}
	return Answer{Source: c.source, Release: c.release, Outcome: Absent}
}

// columns are the sources of a report: engine, oracle and nvlink first, then
// the others by name and release. A source gets a column a release only where
// one row has several.
func columns(r *Report) []column {
	releases := map[Source][]string{}
	several := map[Source]bool{}
	for i := range r.Rows {
		seen := map[Source]bool{}
		for _, a := range r.Rows[i].Answers {
			several[a.Source] = several[a.Source] || seen[a.Source]
			seen[a.Source] = true
			if !slices.Contains(releases[a.Source], a.Release) {
				releases[a.Source] = append(releases[a.Source], a.Release)
			}
		}
	}
	rank := func(s Source) int { return slices.Index([]Source{Engine, Oracle, Nvlink}, s) & 0xff }
	var sources []Source
	for s := range releases {
		sources = append(sources, s)
	}
	slices.SortFunc(sources, func(a, b Source) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	var list []column
	for _, s := range sources {
		if !several[s] {
			list = append(list, column{s, ""})
			continue
		}
		slices.Sort(releases[s])
		for _, v := range releases[s] {
			list = append(list, column{s, v})
		}
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
	return a.Outcome.String() + " " + firstLine(a.Detail)
}

// named reports whether a row has a target or a release: else they get no column.
func named(r *Report) bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Arch != "" || row.Release != "" })
}

// heads and cells are the table that text and Markdown share.
func heads(cols []column, named bool) []string {
	list := []string{"SUBJECT"}
	if named {
		list = append(list, "ARCH", "RELEASE")
	}
	for _, c := range cols {
		list = append(list, c.title())
	}
	return append(list, "VERDICT", "FIRST FINDING")
}

func cells(row *Row, cols []column, named bool) []string {
	list := []string{row.Subject}
	if named {
		list = append(list, row.Arch, row.Release)
	}
	for _, c := range cols {
		list = append(list, cell(c.of(row)))
	}
	last := row.Note
	if f := row.First(); f != nil {
		last = strings.TrimSpace(f.Key + " " + f.Place())
	}
	list = append(list, row.Verdict.String(), last)
	for i, s := range list {
		list[i] = plain(s)
	}
	return list
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// plain escapes what doesn't print.
func plain(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return quoted(s)
		}
	}
	return s
}
