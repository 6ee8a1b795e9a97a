package fuzz

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Divergence is a case on which two witnesses part, or one breaks its word.
type Divergence struct {
	Key    string // what the case is about, fit for a file name: "R_CUDA_32-rela"
	What   string // what is wrong, one line
	Traces []Trace
}

// Trace is how one witness got where it is.
type Trace struct {
	Witness string
	Text    string
}

// Error returns the whole story.
func (d *Divergence) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", d.Key, d.What)
	for _, t := range d.Traces {
		fmt.Fprintf(&b, "--- %s\n%s\n", t.Witness, strings.TrimRight(t.Text, "\n"))
	}
	return b.String()
}

// Save writes the input of a target to dir/fuzz/TARGET/KEY, where go test takes
// it for a seed, and the story with the command that repeats it to
// dir/divergences/TARGET-KEY.txt. It returns that file's name.
//
// Both go by the key and not by the input: while the fuzzer shrinks an input it
// fails many times over, and the last is the one to read.
func (d *Divergence) Save(dir, target string, input []byte) (string, error) {
	key := fileName(d.Key)
	story := filepath.Join(dir, "divergences", target+"-"+key+".txt")
	for _, f := range []struct{ name, text string }{
		{filepath.Join(dir, "fuzz", target, key), fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", input)},
		{story, fmt.Sprintf("%s\nagain: go test ./fuzz -run '^%s$/^%s$'\n", d.Error(), target, key)},
	} {
		if err := os.MkdirAll(filepath.Dir(f.name), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(f.name, []byte(f.text), 0o644); err != nil {
			return "", err
		}
	}
	return story, nil
}

// fileName keeps what is safe in a file's name.
func fileName(key string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, key)
}
