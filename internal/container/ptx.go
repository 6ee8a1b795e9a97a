package container

import (
	"bytes"
	"strings"
)

// ptxLead is how far into a file its first directives are looked for: comments
// may be before them.
const ptxLead = 1 << 16

// IsPTX reports whether data is PTX text: its first directive is .version.
func IsPTX(data []byte) bool {
	directive, _ := ptxDirective(data, ".version")
	return directive
}

// PTXTarget returns the architecture of a PTX text's .target.
func PTXTarget(data []byte) (Arch, bool) {
	if !IsPTX(data) {
		return Arch{}, false
	}
	found, value := ptxDirective(data, ".target")
	if !found {
		return Arch{}, false
	}
	name, _, _ := strings.Cut(value, ",")
	return ParseArch(strings.TrimSpace(name))
}

// ptxDirective looks for a line that begins with a directive. The first
// directive of a PTX text is .version: anything else but comments before it
// ends the search.
func ptxDirective(data []byte, name string) (found bool, value string) {
	text := data[:min(len(data), ptxLead)]
	for len(text) > 0 {
		text = bytes.TrimLeft(text, " \t\r\n")
		if bytes.HasPrefix(text, []byte("/*")) {
			_, rest, closed := bytes.Cut(text[2:], []byte("*/"))
			if !closed {
				return false, ""
			}
			text = rest
			continue
		}
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) {
			continue
		}
		after, ok := bytes.CutPrefix(line, []byte(name))
		if ok && len(after) > 0 && (after[0] == ' ' || after[0] == '\t') {
			value, _, _ := strings.Cut(string(after), "//")
			return true, strings.TrimSpace(value)
		}
		if !bytes.HasPrefix(line, []byte(".")) {
			return false, ""
		}
	}
	return false, ""
}
