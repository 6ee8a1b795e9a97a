package selfcheck

import (
	"encoding/json"
	"io"
)

type jsonFinding struct {
	Code    int    `json:"code"`
	Kind    string `json:"kind"`
	Aspect  string `json:"aspect"`
	Section string `json:"section"`
	Offset  uint64 `json:"offset"`
	Detail  string `json:"detail"`
}

type jsonNodes struct {
	Total         int `json:"total"`
	Plain         int `json:"plain"`
	TagOnly       int `json:"mini"`
	Stored        int `json:"stored"`
	Skip          int `json:"skip"`
	Reconstituted int `json:"reconstituted"`
	Unknown       int `json:"unknown"`
}

type jsonReport struct {
	File     string        `json:"file"`
	Verdict  string        `json:"verdict"`
	Findings []jsonFinding `json:"findings"`
	Nodes    jsonNodes     `json:"nodes"`
}

func (r *Report) plain() jsonReport {
	out := jsonReport{File: r.File, Verdict: r.Verdict.String(), Findings: []jsonFinding{}, Nodes: jsonNodes(r.Nodes)}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.Findings = append(out.Findings, jsonFinding{f.Code, f.Kind.String(), f.Aspect.String(), f.Section, f.Offset, f.Detail()})
	}
	return out
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// JSON writes the report as one JSON object on one line: file, verdict,
// findings, nodes.
func (r *Report) JSON(w io.Writer) error { return encode(w, r.plain()) }

type jsonShare struct {
	Bytes int    `json:"bytes"`
	Depth string `json:"depth"`
	What  string `json:"what"`
}

func shares(list []Share) []jsonShare {
	out := []jsonShare{}
	for _, s := range list {
		out = append(out, jsonShare{s.Bytes, s.Depth.String(), s.What})
	}
	return out
}

// FullJSON writes the same object with what was not checked besides: the
// findings beyond the limit, the forms of unknown nodes, the exceptions met.
func (r *Report) FullJSON(w io.Writer) error {
	return encode(w, struct {
		jsonReport
		Code      int            `json:"code"`
		More      int            `json:"more"`
		Forms     map[string]int `json:"unknownForms"`
		Unknown   map[string]int `json:"unknown"`
		Unchecked map[string]int `json:"unchecked"`
		Coverage  []jsonShare    `json:"coverage"`
	}{r.plain(), r.Code(), r.More, r.Forms, r.Unknown, r.Unchecked, shares(r.Coverage)})
}
