package link

import "github.com/twinlink/twinlink/oracle/check/verdict"

// Verdicts on functions.
//
// A function is rejected where a finding is about its code, its banks, its
// attributes or its symbol; not judged where something about it could not be
// judged; else accepted.

// Unjudged notes what could not be judged about a section.
func (c *Link) Unjudged(a *Area, f verdict.Finding) {
	if f.Symbol == "" && a.Owner != nil {
		f.Symbol = a.Owner.Owner.String()
	}
	if f.File == "" {
		f.File = a.Parts0()
	}
	if c.reportedUnjudged[f.Section+f.Detail] {
		return
	}
	if c.reportedUnjudged == nil {
		c.reportedUnjudged = map[string]bool{}
	}
	c.reportedUnjudged[f.Section+f.Detail] = true
	c.Verdict.Unjudged = append(c.Verdict.Unjudged, f)
}
