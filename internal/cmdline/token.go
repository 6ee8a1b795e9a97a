package cmdline

import "strings"

// Two tokenizers, and their rules differ.
//
// A list value is cut at commas outside double quotes. A quote that a
// backslash precedes is an ordinary character inside quotes, and only there;
// the backslash stays. Quotes go; blanks and tabs at an item's ends go, even
// those that were quoted; empty items are dropped.
//
// An options file is cut at blanks, tabs and line ends outside double quotes.
// A backslash makes the next character ordinary, a quote or a separator too,
// and goes. Blanks and tabs at an argument's ends go, then the quotes, even
// one that a backslash had made ordinary: unless another backslash stands
// before it.

// stray is the fault of a tokenizer: a quote, or a backslash, nothing follows.
type stray struct{ char string }

func (e *stray) Error() string { return "Stray '" + e.char + "' character" }

// splitList cuts a list value.
func splitList(s string) ([]string, error) {
	var items []string
	var item []byte
	flush := func() {
		if t := strings.Trim(string(item), " \t"); t != "" {
			items = append(items, t)
		}
		item = item[:0]
	}
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			if i+1 == len(s) {
				return nil, &stray{""}
			}
			item = append(item, c)
			if s[i+1] == '"' {
				item = append(item, '"')
				i++
			}
		case c == ',' && !quoted:
			flush()
		default:
			item = append(item, c)
		}
	}
	if quoted {
		return nil, &stray{`"`}
	}
	flush()
	return items, nil
}

// splitFile cuts the content of an options file, which ends at a NUL.
func splitFile(content []byte) ([]string, error) {
	s := string(content)
	if end := strings.IndexByte(s, 0); end >= 0 {
		s = s[:end]
	}
	var args []string
	var arg []byte
	started, quoted := false, false
	flush := func() {
		if started {
			args = append(args, unquote(strings.Trim(string(arg), " \t")))
		}
		arg, started = arg[:0], false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			flush()
			continue
		}
		started = true
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			if i++; i == len(s) {
				return nil, &stray{""}
			}
			c = s[i]
		}
		arg = append(arg, c)
	}
	if quoted {
		return nil, &stray{`"`}
	}
	flush()
	return args, nil
}

// unquote removes the quotes no backslash is before.
func unquote(s string) string {
	if !strings.Contains(s, `"`) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '"' && (i == 0 || s[i-1] != '\\') {
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}
