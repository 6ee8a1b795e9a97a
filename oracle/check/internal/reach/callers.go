package reach

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Users lists the kernels that reach a body. It is asked once for each component of
// the call graph.
func (c *Reach) Users(b *link.Body) ([]*link.Identity, error) {
	group := c.Graph.Group[b.Names[0].Node]
	for _, f := range b.Names {
		if c.Graph.Group[f.Node] != group {
			return c.kernelsReaching(b.Names)
		}
	}
	if list, known := c.UsersOfGroup[group]; known {
		return list, nil
	}
	list, err := c.kernelsReaching(b.Names)
	if c.UsersOfGroup == nil {
		c.UsersOfGroup = map[int32][]*link.Identity{}
	}
	c.UsersOfGroup[group] = list
	return list, err
}

// NeverCalled reports whether a call may be gone: of a static function, by code that stays
// though no kernel reaches it, as a function in a table that nothing calls through. The one
// that is there may be another input's.
//
// Source: a link by nvlink 13.0.88, in which the table's function stays and what it calls
// goes, in both orders of the inputs.
func (c *Reach) NeverCalled(code *link.Body, y *link.Identity) bool {
	if c.Relocatable || code == nil || y == nil || !y.Local || !y.Function() || y.Reached || y.Out > 0 && !y.Duplicate {
		return false
	}
	return !slices.ContainsFunc(code.Names, func(f *link.Identity) bool { return f.Reached })
}

// AboutLoser reports whether a record goes with a definition that another one
// stands for, so that it may be applied or left. In data that is a record inside
// a weak object that lost; in debug information one that names code of which there
// are several definitions: which of equal ones stayed shows nowhere else. A record
// in data that is there to stay names the definition that won, wherever it lies.
func (c *Reach) AboutLoser(m *link.Module, section int, r image.Record) bool {
	for _, s := range m.Losers[section] {
		if r.Offset >= s.Value && r.Offset-s.Value < s.Size {
			return true
		}
	}
	s := &m.Symbols[r.Symbol]
	if s.Kind() != cuda.STTFunc || !verdict.IsDebug(m.Sections[section].Name) {
		return false
	}
	code := m.Bodies[s.Shndx]
	id := m.Refs[r.Symbol].ID
	return code != nil && (code.Disposition != link.Won || id != nil && (id.Several || id.Duplicate))
}
