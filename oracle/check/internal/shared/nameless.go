package shared

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/place"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Memory that has no name. Where a kernel alone uses a variable ptxas gives it a place itself: the code
// says it in numbers, and nothing is left but the length of .nv.shared.k. No linker can move that.
//
// Source: objects of ptxas 13.0 to 13.5: STS [RZ] for sm_86, UMOV UR4, 0x400 before STS [UR4] for sm_90a, no record, no symbol.

// addNameless adds for each kernel what its input's section has without a name, as if it were a variable.
func (c *check) addNameless(own map[int32][]place.SharedUse) {
	for i, k := range c.Kernels {
		if k.Code == nil || k.First() != k {
			continue
		}
		m := k.Code.Mod
		for j := range m.Sections {
			s := &m.Sections[j]
			if s.Kind != cuda.SHTCudaShared || s.Size == 0 || m.OwnerOf(s) != k.Code || named(m, s) {
				continue
			}
			id := &link.Identity{Name: s.Name, File: m.Name, Order: len(c.IDs) + i, Size: s.Size}
			group := c.Graph.Group[k.Node]
			own[group] = append(own[group], place.SharedUse{ID: id, End: s.Size})
		}
	}
}

// named reports whether some symbol is in a section, or a stand-in for arrays of unknown length in its input, for which
// an earlier link leaves room.
func named(m *link.Module, s *image.Section) bool {
	return slices.ContainsFunc(m.Symbols, func(y image.Symbol) bool {
		return y.Name == link.ExternInstance || !y.Special && y.Shndx == s.Index && y.Kind() != cuda.STTSection
	})
}

// compareSizes wants no kernel to ask for more than all that there is, one after the other, nor for an alignment that
// there is not.
func (c *check) compareSizes() {
	const slack = 4096
	most := c.Reserved + slack
	for _, id := range c.Shared {
		most += id.Size + max(id.Align, externAlign)
	}
	for _, m := range c.Modules {
		for i := range m.Sections {
			if s := &m.Sections[i]; s.Kind == cuda.SHTCudaShared {
				most += s.Size + s.Align
			}
		}
	}
	for _, a := range c.Areas {
		if a.Base == ".nv.shared." && a.Owner != nil && a.Out != nil && a.Out.Align&(a.Out.Align-1) != 0 {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionHeader, Section: a.Out.Name, Symbol: a.Owner.Owner.String(), Want: "a power of two", Got: verdict.Hex(a.Out.Align), Detail: "alignment"})
		}
		if a.Base == ".nv.shared." && a.Owner != nil && a.Out != nil && a.Out.Size > most {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SharedSize, File: a.Owner.Mod.Name, Section: a.Out.Name, Symbol: a.Owner.Owner.String(), Want: "at most " + verdict.Hex(most), Got: verdict.Hex(a.Out.Size)})
		}
	}
}
