package check

import "slices"

// Which code names which object. The records of code that stays and of code
// that goes are told apart: a variable that only dead code names is laid out
// all the same.
//
// Where a link has one kernel nvlink takes every use of an image for that
// kernel's, even in code that it leaves out.

// use is what is known of an object that code names.
type use struct {
	functions []*body     // live code with a record that names it, in order
	kernels   []*identity // those that reach such code
	dead      bool        // dead code names it
}

// findUses looks through the records of all code.
func (c *check) findUses() error {
	c.uses, c.lostUses = map[*identity]*use{}, map[*identity]bool{}
	for _, m := range c.modules {
		for _, list := range m.relocs {
			code := m.bodies[list.target]
			if code == nil {
				continue
			}
			for _, r := range list.list {
				id := m.refs[r.symbol].id
				if id == nil || id.function() {
					continue
				}
				if code.fate != won {
					c.lostUses[id] = true
					continue
				}
				u := c.uses[id]
				if u == nil {
					u = new(use)
					c.uses[id] = u
				}
				if !code.live {
					u.dead = true
				} else if !slices.Contains(u.functions, code) {
					u.functions = append(u.functions, code)
				}
			}
			if err := c.budget.spend(m.name, uint64(len(list.list))); err != nil {
				return err
			}
		}
	}
	for _, id := range c.ids {
		u := c.uses[id]
		if u == nil {
			continue
		}
		reached := map[*identity]bool{}
		for _, code := range u.functions {
			for _, f := range code.names {
				for _, k := range f.users {
					reached[k] = true
				}
				if err := c.budget.spend("", uint64(len(f.users))); err != nil {
					return err
				}
			}
		}
		for _, k := range c.kernels {
			if reached[k] || len(c.kernels) == 1 && id.image() {
				u.kernels = append(u.kernels, k)
			}
		}
	}
	return nil
}
