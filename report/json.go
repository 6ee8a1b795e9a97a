package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// Schema names the version of the JSON form; docs/schema/report.json describes
// it. A field that is added keeps the version, any other change raises it.
const Schema = "twinlink.report/2"

// document is the JSON form: the report between its version and its sums.
type document struct {
	Schema string `json:"schema"`
	Report
	Count Count `json:"count"`
}

// WriteJSON writes the whole report and its sums as one indented object.
func WriteJSON(w io.Writer, r *Report) error {
	doc := document{Schema, *r, r.Count()}
	if doc.Rows == nil {
		doc.Rows = []Row{} // "rows" is a list even where it is empty
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// ReadJSON reads what WriteJSON wrote. It refuses another schema, unknown fields
// and sums that aren't the rows'.
func ReadJSON(rd io.Reader) (*Report, error) {
	d := json.NewDecoder(rd)
	d.DisallowUnknownFields()
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if doc.Schema != Schema {
		return nil, fmt.Errorf("report: schema %q, want %q", doc.Schema, Schema)
	}
	if sum := doc.Report.Count(); sum != doc.Count {
		return nil, fmt.Errorf("report: counts %+v, the rows give %+v", doc.Count, sum)
	}
	return &doc.Report, nil
}
