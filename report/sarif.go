package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// homepage is where rules are explained.
const homepage = "https://github.com/twinlink/twinlink"

// The part of SARIF 2.1.0 that a report needs. Tests hold what is written
// against the published schema.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Short sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		ByteOffset uint64 `json:"byteOffset"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// Rules of results that aren't findings.
const (
	ruleNotJudged = "not-judged"
	ruleRefused   = "refused"
	ruleDiffer    = "differ"
)

// WriteSARIF writes the findings as SARIF 2.1.0: a rule for each key, a result
// for each finding, with byte offsets where they are known. A part that could
// not be judged is a result of level "warning" under the rule "not-judged".
func WriteSARIF(w io.Writer, r *Report) error {
	run := sarifRun{Results: []sarifResult{}}
	for i := range r.Rows {
		run.Results = append(run.Results, resultsOf(&r.Rows[i])...)
	}
	run.Tool.Driver = sarifDriver{Name: "twinlink", InformationURI: homepage, Rules: rulesOf(run.Results)}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{
		Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

// rulesOf lists the rules that results name, sorted, and numbers the results'
// rules by that list.
func rulesOf(results []sarifResult) []sarifRule {
	var ids []string
	for i := range results {
		ids = append(ids, results[i].RuleID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rules := make([]sarifRule, len(ids))
	for i, id := range ids {
		rules[i] = sarifRule{id, sarifMessage{ruleText(id)}}
	}
	for i := range results {
		results[i].RuleIndex, _ = slices.BinarySearch(ids, results[i].RuleID)
	}
	return rules
}

func ruleText(id string) string {
	switch id {
	case ruleNotJudged:
		return "A part that could not be judged."
	case ruleRefused:
		return "A file that could not be read or checked."
	case ruleDiffer:
		return "Two sources gave different results."
	}
	return "Finding " + id + "."
}

func resultsOf(row *Row) []sarifResult {
	var list []sarifResult
	for i := range row.Findings {
		list = append(list, findingResult(row, &row.Findings[i]))
	}
	for _, u := range row.Unjudged {
		list = append(list, rowResult(row, ruleNotJudged, Suspect, u.Name+": "+u.Reason))
	}
	switch {
	case row.Verdict == Refusal:
		list = append(list, rowResult(row, ruleRefused, Wrong, summary(row)))
	case row.Verdict == Differ && len(row.Findings) == 0:
		list = append(list, rowResult(row, ruleDiffer, Wrong, summary(row)))
	}
	return list
}

func findingResult(row *Row, f *Finding) sarifResult {
	text := f.Meaning
	if text == "" {
		text = strings.TrimSpace(f.Key + " " + f.Place())
	}
	for _, v := range f.Values {
		text += fmt.Sprintf("\n%s: %s", plain(v.Of), plain(v.Text))
	}
	res := rowResult(row, plain(f.Key), f.Level, text)
	place := &res.Locations[0]
	if f.File != "" {
		place.Physical.Artifact.URI = uri(f.File)
	}
	if f.Offset != nil && f.Section == "" {
		place.Physical.Region = &sarifRegion{*f.Offset}
	}
	if f.Section != "" {
		place.Logical = append(place.Logical, sarifLogical{plain(f.Place()), "section"})
	}
	if f.Symbol != "" {
		place.Logical = append(place.Logical, sarifLogical{plain(f.Symbol), "function"})
	}
	return res
}

func rowResult(row *Row, rule string, level Level, text string) sarifResult {
	subject := row.Subject
	if subject == "" {
		subject = "unnamed"
	}
	return sarifResult{
		RuleID: rule, Level: level.String(), Message: sarifMessage{clean(text)},
		Locations: []sarifLocation{{Physical: sarifPhysical{Artifact: sarifArtifact{uri(subject)}}}},
	}
}

// uri makes a relative reference of a name, which may hold any byte.
func uri(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/+,", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
