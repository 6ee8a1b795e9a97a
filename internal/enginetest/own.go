package enginetest

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/answers"
)

// read returns a file of cmd/twinlink's testdata.
func read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join("..", "..", "..", "cmd", "twinlink", "testdata", name))
}

// ownOfAnswers are sums of the lines that nvlink doesn't have, by kind and number of the answer; a link that isn't
// there has none.
func ownOfAnswers() (map[string]string, error) {
	text, err := read("answers-own.tsv")
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, sum, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		sums[name] = sum
	}
	return sums, err
}

// ownOfCases are those lines of the corpus' links, none for one that is quiet; a link that isn't there isn't listed yet.
func ownOfCases() (map[string][]string, error) {
	text, err := read("ownlines.txt")
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
