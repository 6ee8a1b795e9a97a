// Package fuzzlog reads what "go test -fuzz" and scripts/fuzz.sh print, so that a
// report can show it.
package fuzzlog

import (
	"bufio"
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Target is one run of a fuzz target.
type Target struct {
	Package, Name string
	Samples       []Sample // as the run went on
	Verdicts      []Verdict
	Failure       string // the file with the failing input, or the first line of the failure; "" for a run that passed
}

// Sample is one line of progress.
type Sample struct {
	Time        time.Duration
	Executions  uint64
	Interesting uint64 // inputs that reached new code, with those of before
}

// Verdict is how often a target came to a result: "agree" 120.
type Verdict struct {
	Name  string
	Count uint64
}

// ErrNone is the error of a text in which no target ran.
var ErrNone = errors.New("no run of a fuzz target")

var (
	begins   = lazily(`^fuzz: (\S+) (Fuzz\w+), `)
	progress = lazily(`^fuzz: elapsed: (\S+), execs: (\d+) .*total: (\d+)\)`)
	verdicts = lazily(`^fuzz: (Fuzz\w+): \d+ a second, (.*)$`)
	failed   = lazily(`^\s*--- FAIL: (Fuzz\w+)`)
	written  = lazily(`^\s*Failing input written to (\S+)`)
)

// lazily is a pattern that is compiled when it is first asked for, and not when the
// program starts.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Parse reads a log. Lines of other programs are passed over.
func Parse(log []byte) ([]Target, error) {
	var list []Target
	current := func() *Target {
		if len(list) == 0 {
			list = append(list, Target{})
		}
		return &list[len(list)-1]
	}
	lines := bufio.NewScanner(bytes.NewReader(log))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := begins().FindStringSubmatch(line); m != nil {
			list = append(list, Target{Package: m[1], Name: m[2]})
		} else if m := progress().FindStringSubmatch(line); m != nil {
			if s, ok := sample(m); ok {
				t := current()
				t.Samples = append(t.Samples, s)
			}
		} else if m := verdicts().FindStringSubmatch(line); m != nil {
			t := current()
			t.Name = m[1]
			t.Verdicts = counts(m[2])
		} else if m := failed().FindStringSubmatch(line); m != nil {
			t := current()
			t.Name, t.Failure = m[1], strings.TrimSpace(line)
		} else if m := written().FindStringSubmatch(line); m != nil {
			current().Failure = m[1]
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	for i := range list {
		if len(list[i].Samples) > 0 || list[i].Failure != "" {
			return list, nil
		}
	}
	return nil, ErrNone
}

func sample(m []string) (s Sample, ok bool) {
	var err [3]error
	s.Time, err[0] = time.ParseDuration(m[1])
	s.Executions, err[1] = strconv.ParseUint(m[2], 10, 64)
	s.Interesting, err[2] = strconv.ParseUint(m[3], 10, 64)
	return s, errors.Join(err[:]...) == nil
}

// counts reads "agree 120, both refuse 3".
func counts(text string) (list []Verdict) {
	for part := range strings.SplitSeq(text, ", ") {
		at := strings.LastIndexByte(part, ' ')
		n, err := strconv.ParseUint(part[at+1:], 10, 64)
		if at > 0 && err == nil {
			list = append(list, Verdict{part[:at], n})
		}
	}
	return list
}
