package report

// Report is what one run compared, in the order in which it was asked.
type Report struct {
	Title   string   `json:"title"`
	Command string   `json:"command,omitempty"` // which command of twinlink made it: "verify"
	Rows    []Row    `json:"rows"`
	Figures []Figure `json:"figures,omitempty"` // of the whole run

	// Relocations is the reference of relocation types with the results of
	// every source; only reports on the corpus have it.
	Relocations []RelocationType `json:"relocations,omitempty"`
}

// Row is one question and its answers.
type Row struct {
	Subject string   `json:"subject"` // what was looked at: the inputs, a vector's id
	Arch    string   `json:"arch,omitempty"`
	Release string   `json:"release,omitempty"`
	Answers []Answer `json:"answers"` // at most one of a source and release; who wasn't asked is absent
	Verdict Verdict  `json:"verdict"`

	// Findings are what is wrong or differs, gravest first. More counts those
	// that were found and not kept.
	Findings []Finding `json:"findings,omitempty"`
	More     int       `json:"more,omitempty"`

	// Functions counts functions by what became of them; nil where functions
	// were not judged one by one. Unjudged names those that could not be.
	Functions *Functions `json:"functions,omitempty"`
	Unjudged  []Unjudged `json:"unjudged,omitempty"`

	Figures []Figure `json:"figures,omitempty"` // of this row: times, sizes, shares
	Series  []Series `json:"series,omitempty"`  // of this row: what grew as the run went on

	Link     *Link     `json:"link,omitempty"`     // what the linked file is made of
	Capsules []Capsule `json:"capsules,omitempty"` // both sides of functions, node by node

	// Repeat is the command line that shows this row again.
	Repeat string `json:"repeat,omitempty"`

	// Note is one line about the row: why it was skipped, what is known of it.
	Note string `json:"note,omitempty"`
}

// Answer is what one source said.
type Answer struct {
	Source  Source  `json:"source"`
	Release string  `json:"release,omitempty"` // of the tool, where there are several
	Outcome Outcome `json:"outcome"`

	// Detail is what the table shows after the outcome ("6,120 bytes"), or
	// the text of a refusal, which the table leaves to the details.
	Detail string `json:"detail,omitempty"`

	// Trace is the steps up to and with the first that diverges, one a line.
	Trace []string `json:"trace,omitempty"`
}

// Finding is one thing that is wrong, or one difference between two sources.
type Finding struct {
	Key   string `json:"key"`   // dotted: "relocation.field.R_CUDA_ABS32_LO_32"
	Level Level  `json:"level"` // how grave it is

	File    string  `json:"file,omitempty"` // the file that is wrong
	Section string  `json:"section,omitempty"`
	Symbol  string  `json:"symbol,omitempty"`
	Offset  *uint64 `json:"offset,omitempty"` // in bytes, in Section, or in File where Section is ""

	// Code is a number that a tool gives to such findings; 0: none.
	Code int `json:"code,omitempty"`

	Values []Value `json:"values,omitempty"` // what is expected and what is there, or each source's
	Words  []Word  `json:"words,omitempty"`  // the bytes around the field, for a drawing

	// Meaning is one sentence for a reader who doesn't know the format.
	Meaning string `json:"meaning,omitempty"`
}

// Value is what one source has at a place; "" is nothing there.
type Value struct {
	Of   string `json:"of"` // a source ("engine"), or "expected" and "found"
	Text string `json:"text"`
}

// Word is an instruction or data word as one source has it.
type Word struct {
	Of    string `json:"of"`    // "before", "engine", "oracle", "nvlink"
	Bytes string `json:"bytes"` // hexadecimal, in file order
}

// Functions counts functions.
type Functions struct {
	Accepted  int `json:"accepted"`
	Rejected  int `json:"rejected"`
	NotJudged int `json:"not_judged"`
}

// Unjudged is a function, or another part, that could not be judged.
type Unjudged struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Figure is a number and what it counts.
type Figure struct {
	Name  string  `json:"name"` // "cpu", "stored nodes", "checked bytes"
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"` // "s", "MiB", "%"
}

// Series is how a number grew as a run went on.
type Series struct {
	Name   string       `json:"name"`   // "executions"
	Points [][2]float64 `json:"points"` // seconds since the beginning, and the number
}

// Count is how many rows ended how.
type Count struct {
	Agree        int `json:"agree"`
	Differ       int `json:"differ"`
	NotJudged    int `json:"not_judged"`
	RefusedAlike int `json:"refused_alike"`
	Refused      int `json:"refused"`
	Skipped      int `json:"skipped"`
}

// Count counts the rows by verdict.
func (r *Report) Count() Count {
	var c Count
	for i := range r.Rows {
		switch r.Rows[i].Verdict {
		case Agree:
			c.Agree++
		case Differ:
			c.Differ++
		case NotJudged:
			c.NotJudged++
		case RefusedAlike:
			c.RefusedAlike++
		case Refusal:
			c.Refused++
		case Skipped:
			c.Skipped++
		}
	}
	return c
}

// ExitStatus is the status of a command that made the report: 1 where anything
// differs, else 3 where a subject was refused, else 4 where something was not
// judged, else 2 where nothing was asked at all, else 0.
func (r *Report) ExitStatus() int {
	c := r.Count()
	switch {
	case c.Differ > 0:
		return 1
	case c.Refused > 0 || c.RefusedAlike > 0 && c.Agree+c.NotJudged == 0:
		return 3
	case c.NotJudged > 0:
		return 4
	case c.Agree+c.RefusedAlike == 0:
		return 2
	}
	return 0
}

// Answer returns what a source said; a source that wasn't asked is Absent.
func (r *Row) Answer(s Source) Answer {
	for _, a := range r.Answers {
		if a.Source == s {
			return a
		}
	}
	return Answer{Source: s, Outcome: Absent}
}

// First is the gravest finding, or nil.
func (r *Row) First() *Finding {
	if len(r.Findings) == 0 {
		return nil
	}
	return &r.Findings[0]
}

// Total counts the findings, kept or not.
func (r *Row) Total() int { return len(r.Findings) + r.More }

// Place is where a finding is: ".text.k+0x20", "f", "" where it is of the
// whole file.
func (f *Finding) Place() string {
	switch {
	case f.Section != "" && f.Offset != nil:
		return f.Section + "+" + hex(*f.Offset)
	case f.Section != "":
		return f.Section
	case f.Offset != nil:
		return "file+" + hex(*f.Offset)
	}
	return f.Symbol
}
