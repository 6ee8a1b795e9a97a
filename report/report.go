package report

// Report is the rows of one run, in the order in which they were asked.
type Report struct {
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`
}

// Row is one question and its answers.
type Row struct {
	Subject string   `json:"subject"` // what was looked at: "corpus/links/alias", a vector's id
	Arch    string   `json:"arch,omitempty"`
	Release string   `json:"release,omitempty"`
	Answers []Answer `json:"answers"` // at most one of a witness; who is missing is absent
	Verdict Verdict  `json:"verdict"`

	First *Difference `json:"first,omitempty"` // where Verdict is Differ

	// Repeat is the command line that shows this row's difference again.
	Repeat string `json:"repeat,omitempty"`

	// Note is one line about the row: why it was skipped, what is known of it.
	Note string `json:"note,omitempty"`
}

// Answer is what one witness said.
type Answer struct {
	Witness Witness `json:"witness"`
	Outcome Outcome `json:"outcome"`

	// Detail is what the table shows behind the outcome ("6,120 bytes"), or
	// the text of a refusal, which the table leaves to the details.
	Detail string `json:"detail,omitempty"`

	// Trace is the steps up to and with the first that diverges, one a line.
	Trace []string `json:"trace,omitempty"`
}

// Difference is the first place at which two witnesses part.
type Difference struct {
	Key   string `json:"key"`             // dotted: "reloc.R_CUDA_ABS32_LO_32.field", "file.bytes"
	Place string `json:"place,omitempty"` // ".text.kernel+0x40"
	Sides []Side `json:"sides,omitempty"`
	More  int    `json:"more,omitempty"` // differences behind this one
}

// Side is what one witness has at that place; "" is nothing there.
type Side struct {
	Witness Witness `json:"witness"`
	Value   string  `json:"value"`
}

// Count is how many rows ended how.
type Count struct {
	Agree        int `json:"agree"`
	Differ       int `json:"differ"`
	RefusedAlike int `json:"refused_alike"`
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
		case RefusedAlike:
			c.RefusedAlike++
		case Skipped:
			c.Skipped++
		}
	}
	return c
}

// Answer returns what a witness said; a witness that is missing is Absent.
func (r *Row) Answer(w Witness) Answer {
	for _, a := range r.Answers {
		if a.Witness == w {
			return a
		}
	}
	return Answer{Witness: w, Outcome: Absent}
}
