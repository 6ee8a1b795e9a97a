package answers

import (
	"os"
	"strings"
)

// Sums reads a list of links that say lines which nvlink doesn't have, and of each the sum of those lines.
func Sums(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, sum, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		sums[name] = sum
	}
	return sums, err
}
