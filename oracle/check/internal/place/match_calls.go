package place

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// followCalls lets the call graph of the output tell of static functions that several inputs name alike, where no record
// of code that is found does: position independent code (ptxas -pic) takes addresses from slots.
func (c *Places) followCalls(m *codeMatch) error {
	if !m.open() {
		return nil
	}
	callees := c.calleesInOutput()
	for taken := true; taken && m.open(); {
		var err error
		if taken, err = c.followCallsOnce(m, callees); err != nil {
			return err
		}
		if err := c.followRecords(m); err != nil {
			return err
		}
	}
	return nil
}

func (c *Places) followCallsOnce(m *codeMatch, callees map[callee]int) (taken bool, err error) {
	for _, a := range c.Areas {
		if !a.Code() || a.Out == nil {
			continue
		}
		for _, f := range a.Owner.Names {
			if err := c.Budget.Spend("output", 1+uint64(len(f.Calls.List))); err != nil {
				return false, err
			}
			for _, y := range f.Calls.List {
				if y = y.First(); !y.Local || y.Code == nil || y.Code.Area == nil || y.Code.Area.Out != nil {
					continue
				}
				if section := callees[callee{a.Out.Index, c.nameInOutput(y)}]; section > 0 && c.Out.Areas[section] == nil && link.IsCode(&c.Out.Sections[section]) && c.Out.Sections[section].Name == y.Code.Area.Name {
					c.takeCode(m, y.Code.Area, &c.Out.Sections[section])
					taken = true
				}
			}
		}
	}
	return taken, nil
}

// open reports whether some code has not been found.
func (m *codeMatch) open() bool {
	for name, list := range m.areas {
		if len(list) > 0 && len(m.sections[name]) > 0 {
			return true
		}
	}
	return false
}

// callee is a name that some code calls.
type callee struct {
	section int
	name    string
}

// severalCallees stands for more than one section.
const severalCallees = -1

// calleesInOutput are the sections of what code of the output calls, by its call graph.
func (c *Places) calleesInOutput() map[callee]int {
	list := map[callee]int{}
	for i := range c.Out.Sections {
		s := &c.Out.Sections[i]
		if s.Kind != cuda.SHTCudaCallgraph {
			continue
		}
		pairs, err := c.Out.ReadPairs(s, c.Budget)
		if err != nil {
			return nil // told where the table is judged
		}
		for _, p := range pairs {
			if p.Heading != cuda.CallgraphCalls || int(p.X) >= len(c.Out.Symbols) || int(p.Y) >= len(c.Out.Symbols) {
				continue
			}
			x, y := &c.Out.Symbols[p.X], &c.Out.Symbols[p.Y]
			if x.Special || y.Special {
				continue
			}
			key := callee{x.Shndx, c.withoutNumber(y.Name)}
			if was := list[key]; was != 0 && was != y.Shndx {
				list[key] = severalCallees
			} else {
				list[key] = y.Shndx
			}
		}
	}
	return list
}
