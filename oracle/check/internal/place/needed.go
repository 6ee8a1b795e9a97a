package place

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// NeededPart reports whether something that runs may read or write a part of an area.
func (c *Places) NeededPart(a *link.Area, p *link.Part) bool {
	for _, id := range c.ObjectsIn.Of(link.PlaceOf{Mod: p.Mod, Section: p.Section.Index}) {
		if id.Named || !id.Local && id.Other&cuda.STOVisibility != cuda.STOInternal {
			return true
		}
		if u := c.Uses[id]; u != nil && len(u.Functions) > 0 {
			return true
		}
	}
	_, named := c.Observed[link.ObservedKey{Sec: link.PlaceOf{Mod: p.Mod, Section: p.Section.Index}}]
	return named
}

// Harmless reports whether a section that no input has does nothing to a
// program: debug information and tables of tools.
func (c *Places) Harmless(s *image.Section) bool {
	if s.Flags&cuda.SHFAlloc == 0 {
		return s.Kind == cuda.SHTProgbits
	}
	// Compiler constants that stayed with a function, of a definition that lost:
	// no code has a bank but a kernel's.
	bank := strings.HasPrefix(s.Name, link.CompilerBank) || strings.HasPrefix(s.Name, link.MercuryBank)
	return bank && int(s.Info) < len(c.Out.Bodies) && c.Out.Bodies[s.Info] != nil && !c.Out.Bodies[s.Info].Kernel()
}

// SymbolAt names the object or function that holds a byte of an area.
func (c *Places) SymbolAt(a *link.Area, offset uint64) string {
	if a.Code() && a.Owner.Owner != nil {
		return a.Owner.Owner.Name
	}
	for _, id := range c.IDs {
		if id.At == a && offset >= id.Value && offset-id.Value < id.Size {
			return id.Name
		}
	}
	return ""
}
