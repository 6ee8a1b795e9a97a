package verdict

import (
	"sort"
	"strings"

	"github.com/twinlink/twinlink/oracle"
)

// Verdict is the answer of [Check].
type Verdict struct {
	// Refusal tells why no answer could be given: an input that can't be
	// read, or a budget used up. nil where Findings is the answer.
	Refusal *Refusal

	// Findings are what is wrong, most telling first; none: the output is a
	// correct link. At most MaxFindings are kept, and Total counts them all.
	Findings []Finding
	Total    int

	// Remarks are what a correct link need not be but this one is; they
	// don't count against it.
	Remarks []Finding

	// Trace is the oracle's account of the first relocation whose field is
	// wrong, step by step; nil where there is none.
	Trace *oracle.Traced

	// What was held against the inputs.
	Sections, Symbols                int
	Applied, Kept, Attributes, Calls int

	// Functions has a verdict for every function of the output, by name.
	Functions []FunctionVerdict
	// Unjudged says what could not be judged.
	Unjudged []Finding
}

// Book is a verdict in the making.
type Book struct {
	Verdict
	Strict bool               // habits are findings
	About  map[string]Finding // first finding about a section or symbol
}

// MaxFindings bounds [Verdict.Findings].
const MaxFindings = 256

// Agrees reports whether the output is a correct link, and nothing of it is left
// unjudged.
func (v Verdict) Agrees() bool { return v.Outcome() == Accepted }

// Outcome is the verdict in a word.
func (v Verdict) Outcome() Outcome {
	switch {
	case v.Refusal != nil:
		return Refused
	case v.Total > 0:
		return Rejected
	case len(v.Unjudged) > 0:
		return NotJudged
	}
	return Accepted
}

// Outcome is a verdict on a link or on one function.
type Outcome uint8

const (
	Accepted  Outcome = iota // everything that was looked for holds
	Rejected                 // something is wrong
	NotJudged                // nothing is wrong, but something could not be judged
	Refused                  // of a link: no answer could be given
)

// String returns the outcome in words.
func (o Outcome) String() string {
	return [...]string{"accepted", "rejected", "not judged", "refused"}[o]
}

// FunctionVerdict is the verdict on one function of the output.
type FunctionVerdict struct {
	Name    string
	File    string // the input that defines it
	Outcome Outcome
	Why     string // the first finding, or what could not be judged
}

// String prints the verdict, one line a finding.
func (v Verdict) String() string {
	if v.Refusal != nil {
		return "refused: " + v.Refusal.Error() + "\n"
	}
	if v.Total == 0 && len(v.Unjudged) == 0 {
		return "agrees\n"
	}
	var b strings.Builder
	for _, f := range v.Findings {
		b.WriteString(f.String())
		b.WriteByte('\n')
	}
	for _, f := range v.Unjudged {
		b.WriteString("not judged: " + f.String())
		b.WriteByte('\n')
	}
	return b.String()
}

func (v *Book) Add(f Finding) {
	if f.Unneeded && !v.Strict {
		v.Remark(f)
		return
	}
	v.Total++
	if len(v.Findings) < MaxFindings {
		v.Findings = append(v.Findings, f)
	}
	v.wrong(f)
}

// wrong notes which sections and symbols a finding is about: the list of findings
// is bounded, the verdicts on functions are not.
func (v *Book) wrong(f Finding) {
	if v.About == nil {
		v.About = map[string]Finding{}
	}
	for _, name := range [...]string{f.Section, f.Symbol} {
		if _, known := v.About[name]; !known && name != "" {
			v.About[name] = f
		}
	}
}

// Habit notes what nvlink does another way: a finding under [Options].Strict,
// else a remark.
func (v *Book) Habit(f Finding) {
	if v.Strict {
		v.Add(f)
		return
	}
	v.Remark(f)
}

// Join takes the verdict on the other side over, whose sections have other names in the file.
func (v *Book) Join(o *Book, fileName func(string) string) {
	if v.Refusal == nil {
		v.Refusal = o.Refusal
	}
	v.Total += o.Total
	for _, f := range o.Findings {
		if f.Section = fileName(f.Section); len(v.Findings) < MaxFindings {
			v.Findings = append(v.Findings, f)
		}
	}
	for name, f := range o.About {
		if v.About == nil {
			v.About = map[string]Finding{}
		}
		if _, known := v.About[name]; !known {
			v.About[name] = f
		}
	}
	for _, f := range o.Unjudged {
		f.Section = fileName(f.Section)
		v.Unjudged = append(v.Unjudged, f)
	}
	for _, f := range o.Remarks {
		f.Section = fileName(f.Section)
		v.Remark(f)
	}
	if v.Trace == nil {
		v.Trace = o.Trace
	}
	v.Sections, v.Symbols = v.Sections+o.Sections, v.Symbols+o.Symbols
	v.Applied, v.Kept, v.Attributes, v.Calls = v.Applied+o.Applied, v.Kept+o.Kept, v.Attributes+o.Attributes, v.Calls+o.Calls
}

func (v *Book) Remark(f Finding) {
	if len(v.Remarks) < MaxFindings {
		v.Remarks = append(v.Remarks, f)
	}
}

// weight puts the gravest findings first, and those that name a cause before
// those that follow from it.
func weight(f Finding) int {
	n := 10 * int(f.Gravity())
	switch f.Kind {
	case Unreadable, OtherProgram, InputConflict:
		return 0
	case SharedPlace, SharedOverlap, CodeBytes, CodeSchedule, FunctionMissing, PointerMissing:
		return n
	case SectionHeader, SectionOverlap, SegmentCover, SymbolOrder, SectionStray, HeaderField:
		return n + 2
	}
	return n + 1
}

func (v *Book) Sort() {
	sort.SliceStable(v.Findings, func(i, j int) bool { return weight(v.Findings[i]) < weight(v.Findings[j]) })
}

// Count returns how many functions were accepted, rejected and not judged.
func (v Verdict) Count() (accepted, rejected, notJudged int) {
	for _, f := range v.Functions {
		switch f.Outcome {
		case Accepted:
			accepted++
		case Rejected:
			rejected++
		default:
			notJudged++
		}
	}
	return accepted, rejected, notJudged
}
