package resolve

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// takeSecondNames lets code have the second name by which the output knows it. A link
// with -r may list a second name of a function before its first, and where an earlier
// file names the second one too, nvlink calls the section by it, and all that belongs to
// it; its relocation sections keep the name. The bytes, the places and what is said of
// stacks and registers are the same.
//
// Source: such links by nvlink 13.0.88 and 13.5.37; those before refuse to link what their
// -r made of second names.
func (c *Resolved) takeSecondNames() {
	if c.Out.Side != image.Whole {
		return
	}
	there := map[string]int{}
	for i := range c.Out.Sections {
		if s := &c.Out.Sections[i]; link.IsCode(s) {
			there[s.Name]++
		}
	}
	for _, m := range c.Modules {
		for _, code := range m.Bodies {
			if code == nil || code.Mod != m || code.Owner == nil || code.Owner.Code != code || there[code.Section.Name] > 0 {
				continue
			}
			for _, id := range code.Names {
				if id.Code == code && !id.Local && id.Def.Index < code.Owner.Def.Index && id.Mentioned+1 < id.Defined && there[".text."+id.Name] == 1 {
					rename(m, code, id)
					break
				}
			}
		}
	}
}

// rename calls code and the sections that belong to it after another of its names.
func rename(m *link.Module, code *link.Body, id *link.Identity) {
	code.Formerly = code.Section.Name
	for i := range m.Sections {
		if s := &m.Sections[i]; s != code.Section && m.OwnerOf(s) == code {
			s.Name = link.BaseName(s, code) + id.Name
		}
	}
	code.Section.Name = ".text." + id.Name
	code.Owner = id
}
