package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the table and the details as GitHub shows them: a
// comment on a change, the summary of a CI job.
func WriteMarkdown(w io.Writer, r *Report) error {
	var b strings.Builder
	if r.Title != "" {
		fmt.Fprintf(&b, "## %s\n\n", inline(r.Title))
	}
	if len(r.Rows) > 0 {
		cols := columns(r)
		head := heads(cols, named(r))
		for i, h := range head {
			head[i] = h[:1] + strings.ToLower(h[1:])
		}
		line(&b, head)
		rule := make([]string, len(head))
		for i := range rule {
			rule[i] = "---"
		}
		line(&b, rule)
		for i := range r.Rows {
			list := cells(&r.Rows[i], cols, named(r))
			for k, s := range list {
				list[k] = inline(s)
			}
			line(&b, list)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s\n", sums(r.Count()))
	for i := range r.Rows {
		var text strings.Builder
		details(&text, &r.Rows[i])
		if text.Len() == 0 {
			continue
		}
		title, body, _ := strings.Cut(strings.TrimLeft(text.String(), "\n"), "\n")
		fence := fenceFor(body)
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n%s%s\n\n</details>\n", escapeHTML(title), fence, body, fence)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func line(b *strings.Builder, list []string) {
	b.WriteString("|")
	for _, s := range list {
		fmt.Fprintf(b, " %s |", s)
	}
	b.WriteString("\n")
}

// inline escapes what Markdown would read as its own: a name may hold a bar,
// an underscore or a tag.
func inline(s string) string {
	var b strings.Builder
	for _, r := range plain(s) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|>#~", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func escapeHTML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// fenceFor is a fence that no run of backquotes in the text ends.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
