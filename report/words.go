package report

import (
	"fmt"
	"strconv"
)

// Source is one of those that are asked about a link.
type Source string

// Sources that reports know; others may be named too.
const (
	Engine    Source = "engine"    // package engine
	Oracle    Source = "oracle"    // packages oracle and oracle/check
	Nvlink    Source = "nvlink"    // NVIDIA's linker
	NvJitLink Source = "nvJitLink" // NVIDIA's linker as a library
	Selfcheck Source = "selfcheck" // package selfcheck
)

// Level is how grave a finding is.
type Level uint8

const (
	Wrong   Level = iota + 1 // the program that runs is another one, or may not run
	Suspect                  // a tool may be misled, the program that runs is the same
	Remark                   // not as nvlink does it, and correct
)

var levelWords = words{"error", "warning", "note"}

// String returns the word that text, JSON and SARIF use.
func (l Level) String() string { return levelWords.of(uint8(l)) }

// MarshalText writes the word.
func (l Level) MarshalText() ([]byte, error) { return levelWords.marshal(uint8(l), "level") }

// UnmarshalText reads the word.
func (l *Level) UnmarshalText(text []byte) error {
	return levelWords.unmarshal((*uint8)(l), "level", text)
}

// Outcome is what a source did.
type Outcome uint8

const (
	Absent   Outcome = iota + 1 // not asked: not installed, or the question can't be put to it
	Linked                      // made an output
	Accepted                    // found the output it was shown correct
	Rejected                    // found the output it was shown wrong
	Refused                     // would not have the inputs
	Crashed                     // died of a signal
	Hung                        // gave no answer in its time
	Unsure                      // could not judge everything it was shown
)

var outcomeWords = words{"absent", "linked", "accepted", "rejected", "refused", "crashed", "hung", "not judged"}

// String returns the word that text and JSON use.
func (o Outcome) String() string { return outcomeWords.of(uint8(o)) }

// MarshalText writes the word.
func (o Outcome) MarshalText() ([]byte, error) { return outcomeWords.marshal(uint8(o), "outcome") }

// UnmarshalText reads the word.
func (o *Outcome) UnmarshalText(text []byte) error {
	return outcomeWords.unmarshal((*uint8)(o), "outcome", text)
}

// Verdict is what the answers of a row come to.
type Verdict uint8

const (
	Agree        Verdict = iota + 1 // all who were asked say the same, or the file passes
	Differ                          // two of them don't, or there are findings
	RefusedAlike                    // none would have the inputs, for the same reason
	Skipped                         // too few were asked to say anything
	NotJudged                       // nothing differs, and something could not be judged
	Refusal                         // the file can't be read or checked at all
)

var verdictWords = words{"agree", "differ", "refused alike", "skipped", "not judged", "refused"}

// String returns the word that text and JSON use.
func (v Verdict) String() string { return verdictWords.of(uint8(v)) }

// MarshalText writes the word.
func (v Verdict) MarshalText() ([]byte, error) { return verdictWords.marshal(uint8(v), "verdict") }

// UnmarshalText reads the word.
func (v *Verdict) UnmarshalText(text []byte) error {
	return verdictWords.unmarshal((*uint8)(v), "verdict", text)
}

// words are the names of an enumeration that begins at 1.
type words []string

func (w words) of(n uint8) string {
	if n < 1 || int(n) > len(w) {
		return fmt.Sprintf("?%d", n)
	}
	return w[n-1]
}

func (w words) marshal(n uint8, kind string) ([]byte, error) {
	if n < 1 || int(n) > len(w) {
		return nil, fmt.Errorf("report: no %s has number %d", kind, n)
	}
	return []byte(w[n-1]), nil
}

func (w words) unmarshal(n *uint8, kind string, text []byte) error {
	for i, word := range w {
		if word == string(text) {
			*n = uint8(i + 1)
			return nil
		}
	}
	return fmt.Errorf("report: no %s is called %q", kind, text)
}

func hex(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
