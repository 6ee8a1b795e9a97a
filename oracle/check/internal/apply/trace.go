package apply

import (
	"fmt"

	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Trace keeps the account of the first field found wrong.
func (c *Applied) Trace(f *link.Field) {
	if c.Verdict.Trace != nil || f.Before == nil {
		return
	}
	if t, err := oracle.Trace(f.As, f.Before, f.In); err == nil {
		c.Verdict.Trace = &t
	}
}

// TargetName is the name of the symbol that a record is about.
func (c *Applied) TargetName(m *link.Module, r image.Record) string {
	if m == nil {
		return ""
	}
	return m.Symbols[r.Symbol].Name
}

// CodeFinding is a finding about a word of code.
func (c *Applied) CodeFinding(a *link.Area, at uint64, want, got []byte, detail string) verdict.Finding {
	f := verdict.Finding{Kind: verdict.CodeBytes, File: a.Parts0(), Section: a.Name, Symbol: a.Owner.Owner.String(), Offset: at, Detail: detail}
	if want != nil {
		f.Want = fmt.Sprintf("%x", want)
	}
	if got != nil {
		f.Got = fmt.Sprintf("%x", got)
	}
	return f
}
