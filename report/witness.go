package report

import "fmt"

// Witness is one of the three that are asked.
type Witness uint8

const (
	Engine Witness = iota + 1 // package engine
	Oracle                    // packages oracle and oracle/check
	Nvlink                    // NVIDIA's linker
)

var witnessWords = words{"engine", "oracle", "nvlink"}

// String returns the word that text and JSON use.
func (w Witness) String() string { return witnessWords.of(uint8(w)) }

// MarshalText writes the word.
func (w Witness) MarshalText() ([]byte, error) { return witnessWords.marshal(uint8(w), "witness") }

// UnmarshalText reads the word.
func (w *Witness) UnmarshalText(text []byte) error {
	return witnessWords.unmarshal((*uint8)(w), "witness", text)
}

// Outcome is what a witness did.
type Outcome uint8

const (
	Absent   Outcome = iota + 1 // not asked: not installed, or the question can't be put to it
	Linked                      // made an output
	Accepted                    // found the output it was shown correct
	Rejected                    // found the output it was shown wrong
	Refused                     // would not have the inputs
	Crashed                     // died of a signal
	Hung                        // gave no answer in its time
)

var outcomeWords = words{"absent", "linked", "accepted", "rejected", "refused", "crashed", "hung"}

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
	Agree        Verdict = iota + 1 // all who were asked say the same
	Differ                          // two of them don't
	RefusedAlike                    // none would have the inputs, for the same reason
	Skipped                         // too few were asked to say anything
)

var verdictWords = words{"agree", "differ", "refused alike", "skipped"}

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
