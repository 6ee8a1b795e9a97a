package apply

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// writeDown writes a record down that was applied.
func (c *Applied) writeDown(m *link.Module, a *link.Area, r image.Record, d decision, out oracle.Outcome) {
	k := link.Kept{Offset: r.Offset, Kind: r.Kind, Ref: c.RefOf(m, r.Symbol), Addend: r.Addend, Rela: true, Mod: m, Optional: d.optional}
	if !r.Rela {
		k.Addend = int64(out.Implicit)
	}
	id := k.Ref.ID
	if id != nil && (id.Image() && oracle.TakesBindlessSlot(r.Kind) || id.ExternShared() || id.ConstantSize() || id.At != nil && id.At.Moved) {
		return
	}
	if c.Out.Side != image.Whole && (k.Ref.ID == nil || k.Ref.ID.Space() != cuda.STOShared) {
		return
	}
	if c.Out.Side != image.Whole && verdict.IsDebug(a.Name) {
		k.Optional = true // 13.0 and 13.5 write down there what is in code
	}
	if k.Ref.Area != nil {
		if p := m.Places[m.Symbols[r.Symbol].Shndx].Part; p != nil {
			k.Addend += int64(p.Base)
			if verdict.IsDebug(a.Name) {
				k.Addend += int64(d.in.S - p.Base) // see sameInDebug
			}
		}
	}
	a.Resolved = append(a.Resolved, k)
}
