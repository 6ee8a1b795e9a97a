package place

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// recordsTell takes a symbol for an object that several inputs name alike.
func (c *Places) recordsTell(id *link.Identity, index int) {
	if id.Out == 0 && c.Out.Refs[index].ID == nil {
		id.Out, c.Out.Refs[index] = index, link.Ref{ID: id}
	}
}

// compareProgram tells an output of another program from a bad one: nothing
// that the inputs define has its name there.
func (c *Places) compareProgram() {
	defined, found := 0, 0
	for _, id := range c.IDs {
		if id.Def == nil && !id.Common || !c.Required(id) {
			continue
		}
		defined++
		if id.Out != 0 {
			found++
		}
	}
	if defined > 0 && found == 0 {
		c.Verdict.Add(verdict.Finding{Kind: verdict.OtherProgram, File: "output", Want: fmt.Sprintf("some of %d names", defined), Got: "none"})
	}
}

// matchUnique matches names that inputs and output have once.
func (c *Places) matchUnique() {
	c.IDsByName = image.SameKeys[string, *link.Identity](c.OutByName, len(c.IDs))
	for _, id := range c.IDs {
		if c.allowed(id) {
			c.IDsByName.Add(c.nameInOutput(id), id)
		}
	}
	c.IDsByName.Done()
	for n := range int32(len(c.OutByName.Numbers)) {
		if ids, symbols := c.IDsByName.At(n), c.OutByName.At(n); len(ids) == 1 && len(symbols) == 1 {
			c.recordsTell(ids[0], symbols[0])
		}
	}
	for i := range c.Out.Symbols {
		if s := &c.Out.Symbols[i]; s.Kind() == cuda.STTSection && !s.Special {
			c.Out.Refs[i] = link.Ref{Area: c.Out.Areas[s.Shndx]}
		}
	}
}

// matchContents matches static variables of one name whose sections, sizes or bytes tell them apart.
func (c *Places) matchContents() error {
	for n := range int32(len(c.OutByName.Numbers)) {
		ids, symbols := c.IDsByName.At(n), c.OutByName.At(n)
		if len(ids) < 2 || len(symbols) < 2 || len(ids)*len(symbols) > manyAlike {
			continue
		}
		fit, fits := map[*link.Identity]int{}, map[int]int{} // how many of the others each may be
		type pair struct {
			id *link.Identity
			at int
		}
		var pairs []pair
		for _, id := range ids {
			if err := c.Budget.Spend("output", uint64(len(symbols))*(1+id.Size/64)); err != nil {
				return err
			}
			for _, i := range symbols {
				if c.mayBe(id, i) {
					fit[id]++
					fits[i]++
					pairs = append(pairs, pair{id, i})
				}
			}
		}
		for _, p := range pairs {
			if fit[p.id] == 1 && fits[p.at] == 1 {
				c.recordsTell(p.id, p.at)
			}
		}
	}
	return nil
}

// mayBe reports whether a symbol that nothing tells of may be a static variable's: of its size, in its section, where its
// bytes are.
func (c *Places) mayBe(id *link.Identity, index int) bool {
	s := &c.Out.Symbols[index]
	return id.Out == 0 && c.Out.Refs[index].ID == nil && id.Local && id.Def != nil && !id.Def.Special && !id.Function() && id.Size == s.Size && id.Size > 0 &&
		id.At != nil && id.At.Out != nil && id.At.Out.Index == s.Shndx && c.mayLieAt(id.At, id, s.Value)
}

// matchRest matches what is left by place, and by order among equals.
func (c *Places) matchRest() error {
	for i := range c.Out.Symbols {
		s := &c.Out.Symbols[i]
		if s.Kind() == cuda.STTSection || c.Out.Refs[i].ID != nil {
			continue
		}
		list := c.IDsByName.Of(c.withoutNumber(s.Name))
		if err := c.Budget.Spend("output", uint64(len(list))); err != nil {
			return err
		}
		if j := c.likest(list, s); j >= 0 {
			id := list[j]
			c.Out.Refs[i] = link.Ref{ID: id}
			if id != c.Instance {
				id.Out = i
			} else if id.Out == 0 {
				id.Out = i
			}
		}
	}
	return nil
}

// nameInOutput is the name by which an identity is looked for. The finalizer
// numbers the compiler constants of a function, "f.const_opt.0.16" and so on, in
// an order of its own; the inputs of a second link have such numbers already.
func (c *Places) nameInOutput(id *link.Identity) string { return c.withoutNumber(id.Name) }

// withoutNumber is a symbol's name as nameInOutput has it. With -r and
// --preserve-relocs nvlink 13.5 leaves the names of constants as they are.
func (c *Places) withoutNumber(name string) string {
	if f, _, constant := strings.Cut(name, ".const_opt."); constant && c.Out.Side != image.Whole {
		return numbered + f
	}
	if dot := strings.LastIndexByte(name, '.'); strings.HasPrefix(name, numbered) && dot > len(numbered) {
		name = name[:dot]
	}
	return name
}

const numbered = ".nv.constant.optimizer."

// likest chooses among the identities of one name that have no symbol yet: of the
// same section and place, else of the same section and size, else of the same
// sort; the first of equals. -1: none.
func (c *Places) likest(list []*link.Identity, s *image.Symbol) int {
	best, most := -1, 0
	for j, id := range list {
		if id.Out != 0 && id != c.Instance {
			continue
		}
		if len(list) == 1 {
			return 0
		}
		if id.Function() != (s.Kind() == cuda.STTFunc) || id.Local != (s.Bind() == cuda.STBLocal) {
			continue
		}
		score := 2
		at := id.At
		if id.Function() && id.Code != nil {
			at = id.Code.Area
		}
		inside := !s.Special && at != nil && at.Out != nil && at.Out.Index == s.Shndx
		if !inside && at != nil && at.Out != nil {
			score = 1 // one whose definition lost may have its symbol anywhere
		}
		switch told, known := c.Observed[link.ObservedKey{ID: id}]; {
		case inside && id.Function():
			score += 8
		case inside && id.Placed && id.Value == s.Value:
			score += 8
		case id.Space() == cuda.STOShared && known && told+c.Reserved == s.Value:
			score += 8
		case inside:
			score += 2
		}
		if id.Size == s.Size {
			score += 4
		}
		if score > most {
			best, most = j, score
		}
	}
	return best
}

// Required reports whether an identity has a symbol in a correct output that
// was not stripped.
func (c *Places) Required(id *link.Identity) bool {
	switch {
	case id.Function():
		return id.Live && (id.Def != nil || id.Named || id.Reached)
	case id.Image():
		return id.Named
	case id.Space() == cuda.STOShared:
		return false
	case id.Def == nil && !id.Common:
		return id.Named && !id.Local && (c.Relocatable || !link.Unified(id.Name))
	case id.Other&cuda.STOVisibility == cuda.STOInternal:
		return false
	}
	return !c.LostWithCode(id)
}

// allowed reports whether an identity may have a symbol.
func (c *Places) allowed(id *link.Identity) bool {
	if id.Function() {
		return id.Live || id.Def == nil || id.Code != nil && id.Code.Live
	}
	return true
}

// LostWithCode reports whether an object belongs to code that is not there.
func (c *Places) LostWithCode(id *link.Identity) bool {
	if id.Def == nil || id.Def.Special {
		return false
	}
	owner := id.Mod.OwnerOf(&id.Mod.Sections[id.Def.Shndx])
	return owner != nil && (owner.Disposition != link.Won || !owner.Live)
}
