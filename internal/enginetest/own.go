package enginetest

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/answers"
)

// listed is the path of a file of cmd/twinlink's testdata.
func listed(name string) string {
	return filepath.Join("..", "..", "..", "cmd", "twinlink", "testdata", name)
}

// ownOfCases are the lines that nvlink doesn't have of the corpus' links, none for one that is quiet; a link that isn't there isn't listed yet.
func ownOfCases() (map[string][]string, error) {
	text, err := os.ReadFile(listed("ownlines.txt"))
	lines := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		id, said, _ := strings.Cut(line, ": ")
		if said == "quiet\n" {
			lines[id] = nil
			continue
		}
		lines[id] = append(lines[id], said)
	}
	return lines, err
}

// ownSum is the sum of a reply's lines that nvlink doesn't have, "" without any.
func (a *reply) ownSum() string {
	if len(a.own) == 0 {
		return ""
	}
	return answers.Sum([]byte(strings.Join(a.own, "")))
}
