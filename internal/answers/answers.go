// Package answers reads what is kept of nvlink's answers to thousands of links: sums of the files that went in, of the
// image that came out and of what was said. cmd/twinlink's tests hold the command line against them and write them;
// package enginetest puts them to the engine.
package answers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/fuzz"
)

// Outcome is what nvlink did.
type Outcome struct {
	Exit  int    // -1: a signal ended it
	Image string // sum
	Text  string // sum of what it said
	Key   string // how the command line differs, "" where it doesn't
}

// Answer is that to a question that package fuzz makes of a number.
type Answer struct {
	Kind   string
	Number uint64
	Was    fuzz.Question // release, options and what of the corpus went in
	Inputs string        // sum
	Outcome
}

// FirstAdded is the number from which on questions were added one by one.
const FirstAdded = 1500

// Line is the answer as it is in the file.
func (a *Answer) Line() string {
	options := strings.Join(a.Was.Args, " ")
	if a.Was.Final != nil {
		options += " ; " + strings.Join(a.Was.Final, " ")
	}
	return fmt.Sprintf("%s\t%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", a.Kind, a.Number, a.Was.Release, options, strings.Join(a.Was.From, " "), a.Inputs, a.Exit, a.Image, a.Text, a.Key)
}

// Read reads a file of answers, of which lines that begin with # are none.
func Read(name string) ([]Answer, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []Answer
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 10 {
			return nil, fmt.Errorf("%s: %q has %d fields, want 10", name, line, len(f))
		}
		a := Answer{Kind: f[0], Inputs: f[5], Outcome: Outcome{Image: f[7], Text: f[8], Key: f[9]}}
		options, final, two := strings.Cut(f[3], " ; ")
		a.Was = fuzz.Question{Release: f[2], Args: strings.Fields(options), From: strings.Fields(f[4])}
		if two {
			a.Was.Final = strings.Fields(final)
		}
		var errs [2]error
		a.Number, errs[0] = strconv.ParseUint(f[1], 10, 64)
		a.Exit, errs[1] = strconv.Atoi(f[6])
		if errs[0] != nil || errs[1] != nil {
			return nil, fmt.Errorf("%s: %q", name, line)
		}
		list = append(list, a)
	}
	return list, nil
}

// Sum is the sum of a file or text that is kept, "-" of none.
func Sum(b []byte) string {
	if b == nil {
		return "-"
	}
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:8])
}
