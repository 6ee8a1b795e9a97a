package resolve

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Of weak definitions that are alike to the byte, the records say which one the output
// has: each names static variables of its own input, strings of the compiler most of
// all, which have one name in all inputs. Where the variables of an input are is identified by
// code of which there is one definition; where there is none, by what was chosen before.
//
// Source: C++ programs of two files with inline functions that print, in both orders, by
// nvlink 13.0.88 and 13.5.37.

// homes are the places of the inputs' data as far as records tell them.
type homes struct {
	at    map[link.PlaceOf]home
	taken map[int][]link.Span // by section of the output
}

// home is a place in a section of the output, counted from where the input's section
// would begin.
type home struct {
	section int
	base    uint64
}

func (h *homes) note(p link.PlaceOf, at home, size uint64) {
	if _, known := h.at[p]; !known {
		h.at[p] = at
		h.taken[at.section] = append(h.taken[at.section], link.Span{From: at.base, To: at.base + size})
	}
}

// findHomes asks the code that has one definition.
func (c *Resolved) findHomes() error {
	c.homes = &homes{map[link.PlaceOf]home{}, map[int][]link.Span{}}
	sections, count := map[string][]*image.Section{}, map[string]int{}
	for i := range c.Out.Sections {
		if s := &c.Out.Sections[i]; link.IsCode(s) {
			sections[s.Name] = append(sections[s.Name], s)
		}
	}
	for _, m := range c.Modules {
		for i := range m.Sections {
			if s := &m.Sections[i]; link.IsCode(s) {
				count[s.Name]++
			}
		}
	}
	for _, m := range c.Modules {
		for _, list := range m.Relocs {
			b := m.Bodies[list.Target]
			if b == nil || count[b.Section.Name] != 1 || len(sections[b.Section.Name]) != 1 || !namesLocals(m, list) {
				continue
			}
			if err := c.strangers(b, sections[b.Section.Name][0], nil, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesLocals reports whether a list of records names a static variable.
func namesLocals(m *link.Module, list link.Relocs) bool {
	for _, r := range list.List {
		if localObject(&m.Symbols[r.Symbol]) {
			return true
		}
	}
	return false
}

func localObject(s *image.Symbol) bool {
	return s.Bind() == cuda.STBLocal && s.Defined() && !s.Special && (s.Kind() == cuda.STTObject || s.Kind() == cuda.STTCudaObject) && s.Other&cuda.STOSpace != cuda.STOShared
}

// strangers counts the records of a definition that can't name what the output's name
// there. settle takes the places for sure.
func (c *Resolved) strangers(b *link.Body, to *image.Section, unlike *int, settle bool) error {
	names := c.Out.NamesAt(to.Index)
	for _, i := range b.Mod.RelocsOf[b.Section.Index] {
		list := b.Mod.Relocs[i].List
		if err := c.Budget.Spend(b.Mod.Name, uint64(len(list))); err != nil {
			return err
		}
		for _, r := range list {
			said, there := names[r.Offset]
			s := &b.Mod.Symbols[r.Symbol]
			if !there || int(said.Index) >= len(c.Out.Symbols) {
				continue
			}
			strange := said.Symbol != s.Name
			if o := &c.Out.Symbols[said.Index]; !strange && localObject(s) && !o.Special && o.Defined() {
				at := home{o.Shndx, o.Value - s.Value}
				if err := c.Budget.Spend(b.Mod.Name, b.Mod.Sections[s.Shndx].Size/64+uint64(len(c.homes.taken[o.Shndx]))/8); err != nil {
					return err
				}
				strange = o.Value < s.Value || !c.mayLive(link.PlaceOf{Mod: b.Mod, Section: s.Shndx}, at)
				if settle && !strange {
					c.homes.note(link.PlaceOf{Mod: b.Mod, Section: s.Shndx}, at, b.Mod.Sections[s.Shndx].Size)
				}
			}
			if strange && unlike != nil {
				*unlike++
			}
		}
	}
	return nil
}

// mayLive reports whether a section of an input may be at a place.
func (c *Resolved) mayLive(p link.PlaceOf, at home) bool {
	if was, known := c.homes.at[p]; known {
		return was == at
	}
	from, to := &p.Mod.Sections[p.Section], &c.Out.Sections[at.section]
	if at.base > to.Size || from.Size > to.Size-at.base || from.Align > 1 && at.base%from.Align != 0 {
		return false
	}
	for _, s := range c.homes.taken[at.section] {
		if at.base < s.To && s.From < at.base+from.Size {
			return false
		}
	}
	return from.Body == nil || p.Mod.Alike(from, 0, from.Size, to.Body, at.base)
}
