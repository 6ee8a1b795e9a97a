package selfcheck

import (
	"errors"
	"slices"

	"github.com/twinlink/twinlink/cubin"
)

// Verdict is the outcome of a check.
type Verdict uint8

const (
	Refused    Verdict = iota // no device object with capsules, or malformed beyond checking
	Fail                      // there are findings
	Incomplete                // none, but something is not known well enough to be checked
	Pass                      // neither
)

func (v Verdict) String() string {
	return [...]string{"refused", "findings", "incomplete", "pass"}[v]
}

// ExitStatus returns the status of a command that checked one file.
func (v Verdict) ExitStatus() int {
	return [...]int{Refused: 3, Fail: 1, Incomplete: 4, Pass: 0}[v]
}

// Worst returns the graver of two verdicts: that of a command that checked
// several files.
func (v Verdict) Worst(w Verdict) Verdict { return min(v, w) }

// Nodes counts the nodes of all capsules. Stored are the explicit records of 16 and
// 32 bytes; of these Reconstituted gave the SASS words that are there, and
// Unknown have a form that no rule covers. The rest of Stored are findings.
type Nodes struct {
	Total, Plain, TagOnly, Stored, Skip int
	Reconstituted, Unknown              int
}

// Report is the result of checking one file.
type Report struct {
	File     string
	Verdict  Verdict
	Findings []Finding
	More     int // findings beyond Options.Limit, which are only counted
	Nodes    Nodes
	// Forms counts unknown stored nodes by form: a tag and the reason.
	Forms map[string]int
	// Unknown counts by reason what this package doesn't know enough of, or what
	// contradicts the known form of its like. If there is any, the verdict is
	// Incomplete at best.
	Unknown map[string]int
	// Unchecked counts by reason what the Mercury side doesn't tell.
	Unchecked map[string]int
	// Coverage accounts for every byte of the file.
	Coverage []Share
	Err      error // why the file was refused

	covered wordCount
}

func newReport(name string) *Report {
	return &Report{File: name, Forms: map[string]int{}, Unknown: map[string]int{}, Unchecked: map[string]int{}}
}

// Code returns the number of the gravest finding, 0 where there is none: of a
// section that is missing, then of content, of something that lacks inside a section,
// of metadata. It is that of the report's table of codes.
func (r *Report) Code() int {
	code, gravest := 0, -1
	for i := range r.Findings {
		f := &r.Findings[i]
		if g := f.gravity(); g > gravest {
			code, gravest = f.Code, g
		}
	}
	return code
}

// refuse makes the report one of a file that can't be checked. The reason is
// its only finding.
func (r *Report) refuse(err error) {
	r.Verdict, r.Err = Refused, err
	f := Finding{Code: refusedCode, Kind: Text, Aspect: Metadata, What: err.Error()}
	var e *cubin.Error
	if errors.As(err, &e) {
		f.Section, f.Offset = e.Section, e.Offset
	}
	r.Findings = []Finding{f}
}

// refusedCode is the finalizer's number for a fault that is no difference.
const refusedCode = 6

// sort puts the findings in the order of the comparator: texts, relocations,
// debug sections, each in the order they were found.
func (r *Report) sort() {
	order := [...]int{Text: 0, Reloc: 1, Debug: 2}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return order[a.Kind] - order[b.Kind] })
}
