package definitions

import (
	_ "embed"
	"strings"
)

//go:embed known-differences
var knownText string

// Known returns the IDs of the questions that twinlink is known to answer
// otherwise than nvlink. The file says why.
func Known() map[string]bool {
	known := make(map[string]bool)
	for line := range strings.Lines(knownText) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			known[line] = true
		}
	}
	return known
}
