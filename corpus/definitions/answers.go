package definitions

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Answer is what nvlink said to a question.
type Answer struct {
	Exit   int    // negative: it ended by that signal
	Stands string // the side whose definition is in the output: a, b, c; "" where the output doesn't show it
	Hash   string // first 16 hexadecimal digits of the output's SHA-256, "" for none, and where it ended by a signal
	Stderr string
}

//go:embed answers.gz
var answersGz []byte

//go:embed objects.tar.gz
var objectsGz []byte

// Answers returns the recorded answers by the ID of their question. Questions
// without an answer are those for which ptxas or a first link makes no object.
var Answers = sync.OnceValues(func() (map[string]Answer, error) {
	r, err := gzip.NewReader(bytes.NewReader(answersGz))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return ParseAnswers(string(text))
})

// Objects returns the bytes of all objects by key.
var Objects = sync.OnceValues(func() (map[string][]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(objectsGz))
	if err != nil {
		return nil, err
	}
	list := make(map[string][]byte)
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if list[h.Name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
})

// Format writes answers as text: a line for each question in the order of
// Questions, with its ID, exit status, side, hash and messages.
func Format(answers map[string]Answer) string {
	var b strings.Builder
	for _, q := range Questions() {
		if a, ok := answers[q.ID()]; ok {
			fmt.Fprintf(&b, "%s\t%d\t%s\t%s\t%q\n", q.ID(), a.Exit, a.Stands, a.Hash, a.Stderr)
		}
	}
	return b.String()
}

// ParseAnswers reads what Format wrote.
func ParseAnswers(text string) (map[string]Answer, error) {
	list := make(map[string]Answer)
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 8 {
			return nil, fmt.Errorf("answers: %d fields in %q", len(f), line)
		}
		exit, err := strconv.Atoi(f[4])
		if err != nil {
			return nil, err
		}
		stderr, err := strconv.Unquote(f[7])
		if err != nil {
			return nil, err
		}
		list[strings.Join(f[:4], "\t")] = Answer{Exit: exit, Stands: f[5], Hash: f[6], Stderr: stderr}
	}
	return list, nil
}
