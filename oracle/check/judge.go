package check

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// judgeFunctions makes a verdict of the findings for every function.
func (c *check) judgeFunctions() {
	if c.Out == nil || c.Verdict.Refusal != nil {
		return
	}
	v := &c.Verdict
	open := map[string]Finding{}
	for _, f := range v.Unjudged {
		if _, known := open[f.Symbol]; !known {
			open[f.Symbol] = f
		}
	}
	for _, id := range c.IDs {
		if !id.Function() || id.Code == nil || !id.Live {
			continue
		}
		j := FunctionVerdict{Name: id.Name, File: id.File}
		if f, wrong := c.wrongAbout(id); wrong {
			j.Outcome, j.Why = Rejected, f.String()
		} else if f, left := open[id.Name]; left {
			j.Outcome, j.Why = NotJudged, f.String()
		}
		v.Functions = append(v.Functions, j)
	}
	slices.SortStableFunc(v.Functions, func(a, b FunctionVerdict) int { return strings.Compare(a.Name, b.Name) })
}

// wrongAbout is the first finding about a function: about its symbol, its code, or
// a section that belongs to it.
func (c *check) wrongAbout(id *link.Identity) (Finding, bool) {
	name := strings.TrimPrefix(id.Code.Section.Name, ".text.")
	for _, about := range [...]string{id.Name, ".text." + name, ".nv.info." + name, ".nv.constant0." + name, ".nv.constant2." + name,
		link.MercuryBank + name, link.ImageBank + name, ".nv.shared." + name} {
		if f, wrong := c.Verdict.About[about]; wrong {
			return f, true
		}
	}
	return Finding{}, false
}
