package check

import "strings"

// takeSecondNames lets code have the second name by which the output knows it. A link
// with -r may list a second name of a function in front of its first, and where an earlier
// file names the second one too, nvlink calls the section by it, and all that belongs to
// it; its relocation sections keep the name. The bytes, the places and what is said of
// stacks and registers are the same.
//
// Source: such links by nvlink 13.0.88 and 13.5.37; those before refuse to link what their
// -r made of second names.
func (c *check) takeSecondNames() {
	if c.out.side != whole {
		return
	}
	there := map[string]int{}
	for i := range c.out.sections {
		if s := &c.out.sections[i]; isCode(s) {
			there[s.name]++
		}
	}
	for _, m := range c.modules {
		for _, code := range m.bodies {
			if code == nil || code.mod != m || code.owner == nil || code.owner.code != code || there[code.section.name] > 0 {
				continue
			}
			for _, id := range code.names {
				if id.code == code && !id.local && id.def.index < code.owner.def.index && id.mentioned+1 < id.defined && there[".text."+id.name] == 1 {
					m.rename(code, id)
					break
				}
			}
		}
	}
}

// rename calls code and the sections that belong to it after another of its names.
func (m *module) rename(code *body, id *identity) {
	code.formerly = code.section.name
	for i := range m.sections {
		if s := &m.sections[i]; s != code.section && m.ownerOf(s) == code {
			s.name = baseName(s, code) + id.name
		}
	}
	code.section.name = ".text." + id.name
	code.owner = id
}

// isRelName reports whether a relocation section is named after its target.
func (c *check) isRelName(prefix string, s *section) bool {
	if s.name == prefix+c.out.sections[s.info].name {
		return true
	}
	code := c.out.bodies[s.info]
	return code != nil && code.formerly != "" && strings.TrimPrefix(s.name, prefix) == code.formerly
}
