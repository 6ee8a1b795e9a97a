package resolve

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Which definition a name stands for.
//
// Functions first, then everything else, module by module. Strong beats weak, and
// two strong ones can't be linked. Of several weak ones any is right: the one that
// the output has counts, see weak.go.
//
// Source: links of weak and common symbols by nvlink 11.8.89, 12.4.131 and
// 13.0.88.

// Resolve gives every symbol of the inputs its identity.
func (c *Resolved) Resolve() error {
	if err := c.chooseWeak(); err != nil {
		return err
	}
	c.Names = make(map[string]*link.Identity, len(c.Out.Symbols))
	for _, m := range c.Modules {
		for i := range m.Symbols {
			if s := &m.Symbols[i]; s.Kind() == cuda.STTFunc {
				c.function(m, s)
			}
		}
		for i := range m.Symbols {
			s := &m.Symbols[i]
			switch s.Kind() {
			case cuda.STTFunc, cuda.STTSection, cuda.STTNotype, cuda.STTFile:
			default:
				c.object(m, s)
			}
		}
	}
	c.findDuplicates()
	c.takeSecondNames()
	for _, m := range c.Modules {
		m.Holes = nil // they depend on which definitions won
	}
	return c.Budget.Spend("", uint64(len(c.IDs)))
}

// findDuplicates marks the static functions that have the name and the code of one of another
// input, so that which of them stayed shows in debug information alone.
func (c *Resolved) findDuplicates() {
	first := map[[2]string]*link.Identity{}
	for _, id := range c.IDs {
		if !id.Function() || !id.Local || id.Code == nil {
			continue
		}
		key := [2]string{id.Name, string(id.Code.Bare())}
		if other := first[key]; other != nil {
			id.Duplicate, other.Duplicate = true, true
		} else {
			first[key] = id
		}
	}
}

// mention returns the identity of a symbol's name, a new one where the name is
// new or local.
func (c *Resolved) mention(m *link.Module, s *image.Symbol) *link.Identity {
	local := s.Bind() == cuda.STBLocal
	if !local {
		if id := c.Names[s.Name]; id != nil {
			m.Refs[s.Index] = link.Ref{ID: id}
			return id
		}
	}
	id := c.newIdentity()
	*id = link.Identity{Name: s.Name, Order: len(c.IDs), Local: local, Info: s.Info, Other: s.Other, Size: s.Size, File: m.Name, Mentioned: c.moment,
		Early: local || s.Bind() == cuda.STBWeak && s.Defined()}
	if !s.Defined() {
		id.Foreign = s.Value
		if c.Release < 119 && (strings.HasPrefix(s.Name, ".nv.reservedSmem.") || describesImages(s.Name)) && s.Kind() == cuda.STTObject {
			// 11.8 makes a symbol of its own.
			id.Info, id.Early = 16*byte(cuda.STBWeak)+byte(cuda.STTCudaObject), true
		}
	}
	c.IDs = append(c.IDs, id)
	m.Refs[s.Index] = link.Ref{ID: id}
	if !local {
		c.Names[s.Name] = id
	}
	return id
}

// describesImages reports whether a name is of the driver's symbols for how long the description of a texture or a
// surface is, which code for sm_90 names (nvlink 11.8.89).
func describesImages(name string) bool {
	return name == ".nv.unified.texrefDescSize" || name == ".nv.surfrefDescSize"
}

// newIdentity takes one of a block: one by one they cost more than what is in them.
func (c *Resolved) newIdentity() *link.Identity {
	if len(c.block) == 0 {
		c.block = make([]link.Identity, 64)
	}
	id := &c.block[0]
	c.block = c.block[1:]
	return id
}

// define lets a symbol be the definition.
func (c *Resolved) define(id *link.Identity, m *link.Module, s *image.Symbol) {
	if id.Def == nil {
		id.Defined = c.moment
		c.moment++
	}
	id.Def, id.Mod, id.Info, id.Other, id.Size, id.File = s, m, s.Info, s.Other, s.Size, m.Name
	id.Common = false
	m.Accepted[s.Shndx] = true
}

func (c *Resolved) function(m *link.Module, s *image.Symbol) {
	if s.Name == "" && !s.Defined() {
		return // stands for nothing; 12.x writes them with -g
	}
	if !s.Defined() && c.Names[s.Name] == nil && !m.Nameless {
		m.Nameless = true
		c.nameless++
	}
	id := c.mention(m, s)
	c.moment++
	if !s.Defined() {
		return
	}
	code := m.Bodies[s.Shndx]
	if code == nil {
		c.conflict(m, s, "a function outside code")
		return
	}
	if link.SymbolOf(code.Section.Info) == uint32(s.Index) {
		code.Owner = id
	}
	if id.Def == nil {
		c.define(id, m, s)
		id.Code, id.Definitions = code, append(id.Definitions, code)
		code.Names = append(code.Names, id)
		return
	}
	id.Several = true
	id.Definitions = append(id.Definitions, code)
	switch oldWeak, newWeak := id.Def.Bind() == cuda.STBWeak, s.Bind() == cuda.STBWeak; {
	case !oldWeak && !newWeak:
		c.twice(id, m, s)
		code.Disposition = link.Lost
		m.Silent[id] = true
	case oldWeak && !newWeak, oldWeak && newWeak && c.Chosen[id.Name] == m:
		id.Code.Disposition, code.Took = link.Replaced, id.Code
		c.define(id, m, s)
		id.Code = code
		code.Names = append(code.Names, id)
	default:
		code.Disposition, code.Beaten = link.Lost, oldWeak
		m.Silent[id] = true
	}
}

func (c *Resolved) object(m *link.Module, s *image.Symbol) {
	id := c.mention(m, s)
	c.moment++
	switch {
	case !s.Defined():
	case s.Common():
		if id.Def == nil {
			id.Common = true
			id.Size, id.Align = max(id.Size, s.Size), max(id.Align, s.Value)
			if id.FirstAlign == 0 {
				id.FirstAlign = s.Value
				c.Commons = append(c.Commons, id)
			}
		}
	case id.Def == nil:
		if id.Common && !s.Special && m.Sections[s.Shndx].Kind == cuda.SHTCudaGlobal {
			// The common keeps its own room.
			m.Accepted[s.Shndx] = true
			m.Losers[s.Shndx] = append(m.Losers[s.Shndx], s)
			return
		}
		c.define(id, m, s)
	default:
		id.Several = true
		oldWeak, newWeak := id.Def.Bind() == cuda.STBWeak, s.Bind() == cuda.STBWeak
		switch {
		case !oldWeak && !newWeak:
			c.twice(id, m, s)
			m.Losers[s.Shndx] = append(m.Losers[s.Shndx], s)
		case id.Size != s.Size:
			c.conflict(m, s, fmt.Sprintf("%d bytes long, in %s %d", s.Size, id.Mod.Name, id.Size))
		case oldWeak && (!newWeak || c.Chosen[id.Name] == m):
			id.Mod.Losers[id.Def.Shndx] = append(id.Mod.Losers[id.Def.Shndx], id.Def)
			c.define(id, m, s)
		default:
			m.Losers[s.Shndx] = append(m.Losers[s.Shndx], s)
		}
	}
}

func (c *Resolved) conflict(m *link.Module, s *image.Symbol, detail string) {
	c.Verdict.Add(verdict.Finding{Kind: verdict.InputConflict, File: m.Name, Symbol: s.Name, Detail: detail})
}

// twice tells of two strong definitions: whichever the output has, the other is
// dropped.
func (c *Resolved) twice(id *link.Identity, m *link.Module, s *image.Symbol) {
	what := "variable"
	if id.Function() {
		what = "function"
	}
	c.Verdict.Add(verdict.Finding{Kind: verdict.InputConflict, File: m.Name, Symbol: s.Name,
		Detail: fmt.Sprintf("the %s is defined in %s as well: an output has one of the two and drops the other", what, id.Mod.Name)})
}
