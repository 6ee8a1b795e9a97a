package check

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Which definition a name stands for.
//
// Functions first, then everything else, module by module. Strong beats weak, and
// two strong ones can't be linked. Of several weak ones any is right: the one that
// the output has counts, see weak.go.
//
// Source: links of weak and common symbols by nvlink 11.8.89, 12.4.131 and
// 13.0.88.

func (c *check) resolve() error {
	if err := c.chooseWeak(); err != nil {
		return err
	}
	c.names = make(map[string]*identity, len(c.out.symbols))
	for _, m := range c.modules {
		for i := range m.symbols {
			if s := &m.symbols[i]; s.kind() == cuda.STTFunc {
				c.function(m, s)
			}
		}
		for i := range m.symbols {
			s := &m.symbols[i]
			switch s.kind() {
			case cuda.STTFunc, cuda.STTSection, cuda.STTNotype, cuda.STTFile:
			default:
				c.object(m, s)
			}
		}
	}
	c.findTwins()
	c.takeSecondNames()
	for _, m := range c.modules {
		m.holes = nil // they depend on which definitions won
	}
	return c.budget.spend("", uint64(len(c.ids)))
}

// findTwins marks the static functions that have the name and the code of one of another
// input, so that which of them stayed shows in debug information alone.
func (c *check) findTwins() {
	first := map[[2]string]*identity{}
	for _, id := range c.ids {
		if !id.function() || !id.local || id.code == nil {
			continue
		}
		key := [2]string{id.name, string(id.code.bare())}
		if other := first[key]; other != nil {
			id.twin, other.twin = true, true
		} else {
			first[key] = id
		}
	}
}

// mention returns the identity of a symbol's name, a new one where the name is
// new or local.
func (c *check) mention(m *module, s *symbol) *identity {
	local := s.bind() == cuda.STBLocal
	if !local {
		if id := c.names[s.name]; id != nil {
			m.refs[s.index] = ref{id: id}
			return id
		}
	}
	id := c.newIdentity()
	*id = identity{name: s.name, order: len(c.ids), local: local, info: s.info, other: s.other, size: s.size, file: m.name, mentioned: c.moment,
		early: local || s.bind() == cuda.STBWeak && s.defined()}
	if !s.defined() {
		id.foreign = s.value
		if c.release < 119 && strings.HasPrefix(s.name, ".nv.reservedSmem.") && s.kind() == cuda.STTObject {
			// 11.8 makes a symbol of its own.
			id.info, id.early = 16*byte(cuda.STBWeak)+byte(cuda.STTCudaObject), true
		}
	}
	c.ids = append(c.ids, id)
	m.refs[s.index] = ref{id: id}
	if !local {
		c.names[s.name] = id
	}
	return id
}

// newIdentity takes one of a block: one by one they cost more than what is in them.
func (c *check) newIdentity() *identity {
	if len(c.block) == 0 {
		c.block = make([]identity, 64)
	}
	id := &c.block[0]
	c.block = c.block[1:]
	return id
}

// define lets a symbol be the definition.
func (c *check) define(id *identity, m *module, s *symbol) {
	if id.def == nil {
		id.defined = c.moment
		c.moment++
	}
	id.def, id.mod, id.info, id.other, id.size, id.file = s, m, s.info, s.other, s.size, m.name
	id.common = false
	m.accepted[s.shndx] = true
}

func (c *check) function(m *module, s *symbol) {
	if s.name == "" && !s.defined() {
		return // stands for nothing; 12.x writes them with -g
	}
	if !s.defined() && c.names[s.name] == nil && !m.nameless {
		m.nameless = true
		c.nameless++
	}
	id := c.mention(m, s)
	c.moment++
	if !s.defined() {
		return
	}
	code := m.bodies[s.shndx]
	if code == nil {
		c.conflict(m, s, "a function outside code")
		return
	}
	if symbolOf(code.section.info) == uint32(s.index) {
		code.owner = id
	}
	if id.def == nil {
		c.define(id, m, s)
		id.code = code
		code.names = append(code.names, id)
		return
	}
	id.several = true
	switch oldWeak, newWeak := id.def.bind() == cuda.STBWeak, s.bind() == cuda.STBWeak; {
	case !oldWeak && !newWeak:
		c.twice(id, m, s)
		code.disposition = lost
		m.silent[id] = true
	case oldWeak && !newWeak, oldWeak && newWeak && c.chosen[id.name] == m:
		id.code.disposition, code.took = replaced, id.code
		c.define(id, m, s)
		id.code = code
		code.names = append(code.names, id)
	default:
		code.disposition, code.beaten = lost, oldWeak
		m.silent[id] = true
	}
}

func (c *check) object(m *module, s *symbol) {
	id := c.mention(m, s)
	c.moment++
	switch {
	case !s.defined():
	case s.common():
		if id.def == nil {
			id.common = true
			id.size, id.align = max(id.size, s.size), max(id.align, s.value)
			if id.firstAlign == 0 {
				id.firstAlign = s.value
				c.commons = append(c.commons, id)
			}
		}
	case id.def == nil:
		if id.common && !s.special && m.sections[s.shndx].kind == cuda.SHTCudaGlobal {
			// The common keeps its own room.
			m.accepted[s.shndx] = true
			m.losers[s.shndx] = append(m.losers[s.shndx], s)
			return
		}
		c.define(id, m, s)
	default:
		id.several = true
		oldWeak, newWeak := id.def.bind() == cuda.STBWeak, s.bind() == cuda.STBWeak
		switch {
		case !oldWeak && !newWeak:
			c.twice(id, m, s)
			m.losers[s.shndx] = append(m.losers[s.shndx], s)
		case id.size != s.size:
			c.conflict(m, s, fmt.Sprintf("%d bytes long, in %s %d", s.size, id.mod.name, id.size))
		case oldWeak && (!newWeak || c.chosen[id.name] == m):
			id.mod.losers[id.def.shndx] = append(id.mod.losers[id.def.shndx], id.def)
			c.define(id, m, s)
		default:
			m.losers[s.shndx] = append(m.losers[s.shndx], s)
		}
	}
}

func (c *check) conflict(m *module, s *symbol, detail string) {
	c.verdict.add(Finding{Kind: InputConflict, File: m.name, Symbol: s.name, Detail: detail})
}

// twice tells of two strong definitions: whichever the output has, the other is
// dropped.
func (c *check) twice(id *identity, m *module, s *symbol) {
	what := "variable"
	if id.function() {
		what = "function"
	}
	c.verdict.add(Finding{Kind: InputConflict, File: m.name, Symbol: s.name,
		Detail: fmt.Sprintf("the %s is defined in %s as well: an output has one of the two and drops the other", what, id.mod.name)})
}
