package check

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
	Sections, Symbols, Functions     int
	Applied, Kept, Attributes, Calls int

	loose bool
}

// MaxFindings bounds [Verdict.Findings].
const MaxFindings = 256

// Agrees reports whether the output is a correct link.
func (v Verdict) Agrees() bool { return v.Refusal == nil && v.Total == 0 }

// String prints the verdict, one line a finding.
func (v Verdict) String() string {
	if v.Refusal != nil {
		return "refused: " + v.Refusal.Error() + "\n"
	}
	if v.Total == 0 {
		return "agrees\n"
	}
	var b strings.Builder
	for _, f := range v.Findings {
		b.WriteString(f.String())
		b.WriteByte('\n')
	}
	return b.String()
}

func (v *Verdict) add(f Finding) {
	if v.loose && f.tolerable() {
		v.remark(f)
		return
	}
	v.Total++
	if len(v.Findings) < MaxFindings {
		v.Findings = append(v.Findings, f)
	}
}

// join takes the verdict on the other side over.
func (v *Verdict) join(o Verdict) {
	if v.Refusal == nil {
		v.Refusal = o.Refusal
	}
	v.Total += o.Total
	for _, f := range o.Findings {
		if f.Section = mercurySide.fileName(f.Section); len(v.Findings) < MaxFindings {
			v.Findings = append(v.Findings, f)
		}
	}
	for _, f := range o.Remarks {
		f.Section = mercurySide.fileName(f.Section)
		v.remark(f)
	}
	if v.Trace == nil {
		v.Trace = o.Trace
	}
	v.Sections, v.Symbols, v.Functions = v.Sections+o.Sections, v.Symbols+o.Symbols, v.Functions+o.Functions
	v.Applied, v.Kept, v.Attributes, v.Calls = v.Applied+o.Applied, v.Kept+o.Kept, v.Attributes+o.Attributes, v.Calls+o.Calls
}

func (v *Verdict) remark(f Finding) {
	if len(v.Remarks) < MaxFindings {
		v.Remarks = append(v.Remarks, f)
	}
}

// tolerable reports whether an image that was edited may be this way: the
// program that runs is the same.
func (f Finding) tolerable() bool {
	switch f.Kind {
	case NoteValue, SymbolOrder:
		return true
	case SectionMissing:
		return strings.HasPrefix(f.Section, ".debug_") || strings.HasPrefix(f.Section, ".nv_debug_") || strings.HasPrefix(f.Section, ".note.")
	case SymbolMissing, SymbolStray, SymbolType, SectionHeader:
		return f.unneeded
	case RelocationField:
		return isFunctionSize(f.number)
	}
	return false
}

// weight puts the findings that name a cause before those that follow from it.
func weight(k Kind) int {
	switch k {
	case Unreadable, OtherProgram, InputConflict:
		return 0
	case SectionHeader, SectionOverlap, SegmentCover, SymbolOrder, SectionStray:
		return 2
	}
	return 1
}

func (v *Verdict) sort() {
	sort.SliceStable(v.Findings, func(i, j int) bool { return weight(v.Findings[i].Kind) < weight(v.Findings[j].Kind) })
}
