package check

import (
	"slices"
	"strings"
)

// Verdicts on functions.
//
// A function is rejected where a finding is about its code, its banks, its
// attributes or its symbol; not judged where something about it could not be
// judged; else accepted.

// unjudged notes what could not be judged about a section.
func (c *check) unjudged(a *area, f Finding) {
	if f.Symbol == "" && a.owner != nil {
		f.Symbol = a.owner.owner.String()
	}
	if f.File == "" {
		f.File = a.parts0()
	}
	if c.toldUnjudged[f.Section+f.Detail] {
		return
	}
	if c.toldUnjudged == nil {
		c.toldUnjudged = map[string]bool{}
	}
	c.toldUnjudged[f.Section+f.Detail] = true
	c.verdict.Unjudged = append(c.verdict.Unjudged, f)
}

// judgeFunctions makes a verdict of the findings for every function.
func (c *check) judgeFunctions() {
	if c.out == nil || c.verdict.Refusal != nil {
		return
	}
	v := &c.verdict
	open := map[string]Finding{}
	for _, f := range v.Unjudged {
		if _, known := open[f.Symbol]; !known {
			open[f.Symbol] = f
		}
	}
	for _, id := range c.ids {
		if !id.function() || id.code == nil || !id.live {
			continue
		}
		j := FunctionVerdict{Name: id.name, File: id.file}
		if f, wrong := c.wrongAbout(id); wrong {
			j.Outcome, j.Why = Rejected, f.String()
		} else if f, left := open[id.name]; left {
			j.Outcome, j.Why = NotJudged, f.String()
		}
		v.Functions = append(v.Functions, j)
	}
	slices.SortStableFunc(v.Functions, func(a, b FunctionVerdict) int { return strings.Compare(a.Name, b.Name) })
}

// wrongAbout is the first finding about a function: about its symbol, its code, or
// a section that belongs to it.
func (c *check) wrongAbout(id *identity) (Finding, bool) {
	name := strings.TrimPrefix(id.code.section.name, ".text.")
	for _, about := range [...]string{id.name, ".text." + name, ".nv.info." + name, ".nv.constant0." + name, ".nv.constant2." + name,
		mercuryBank + name, imageBank + name, ".nv.shared." + name} {
		if f, wrong := c.verdict.about[about]; wrong {
			return f, true
		}
	}
	return Finding{}, false
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
