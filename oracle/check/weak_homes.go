package check

import (
	"github.com/twinlink/twinlink/cuda"
)

// Of weak definitions that are alike to the byte, the records tell which one the output
// has: each names static variables of its own input, strings of the compiler most of
// all, which have one name in all inputs. Where the variables of an input are is told by
// code of which there is one definition; where there is none, by what was chosen before.
//
// Source: C++ programs of two files with inline functions that print, in both orders, by
// nvlink 13.0.88 and 13.5.37.

// homes are the places of the inputs' data as far as records tell them.
type homes struct {
	at    map[placeOf]home
	taken map[int][]span // by section of the output
}

// home is a place in a section of the output, counted from where the input's section
// would begin.
type home struct {
	section int
	base    uint64
}

func (h *homes) note(p placeOf, at home, size uint64) {
	if _, known := h.at[p]; !known {
		h.at[p] = at
		h.taken[at.section] = append(h.taken[at.section], span{at.base, at.base + size})
	}
}

// findHomes asks the code that has one definition.
func (c *check) findHomes() error {
	c.homes = &homes{map[placeOf]home{}, map[int][]span{}}
	sections, count := map[string][]*section{}, map[string]int{}
	for i := range c.out.sections {
		if s := &c.out.sections[i]; isCode(s) {
			sections[s.name] = append(sections[s.name], s)
		}
	}
	for _, m := range c.modules {
		for i := range m.sections {
			if s := &m.sections[i]; isCode(s) {
				count[s.name]++
			}
		}
	}
	for _, m := range c.modules {
		for _, list := range m.relocs {
			b := m.bodies[list.target]
			if b == nil || count[b.section.name] != 1 || len(sections[b.section.name]) != 1 || !namesLocals(m, list) {
				continue
			}
			if err := c.strangers(b, sections[b.section.name][0], nil, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesLocals reports whether a list of records names a static variable.
func namesLocals(m *module, list relocs) bool {
	for _, r := range list.list {
		if localObject(&m.symbols[r.symbol]) {
			return true
		}
	}
	return false
}

func localObject(s *symbol) bool {
	return s.bind() == cuda.STBLocal && s.defined() && !s.special && (s.kind() == cuda.STTObject || s.kind() == cuda.STTCudaObject) && s.other&cuda.STOSpace != cuda.STOShared
}

// strangers counts the records of a definition that can't name what the output's name
// there. settle takes the places for sure.
func (c *check) strangers(b *body, to *section, unlike *int, settle bool) error {
	names := c.out.namesAt(to.index)
	for _, i := range b.mod.relocsOf[b.section.index] {
		list := b.mod.relocs[i].list
		if err := c.budget.spend(b.mod.name, uint64(len(list))); err != nil {
			return err
		}
		for _, r := range list {
			said, there := names[r.offset]
			s := &b.mod.symbols[r.symbol]
			if !there || int(said.index) >= len(c.out.symbols) {
				continue
			}
			strange := said.symbol != s.name
			if o := &c.out.symbols[said.index]; !strange && localObject(s) && !o.special && o.defined() {
				at := home{o.shndx, o.value - s.value}
				if err := c.budget.spend(b.mod.name, b.mod.sections[s.shndx].size/64+uint64(len(c.homes.taken[o.shndx]))/8); err != nil {
					return err
				}
				strange = o.value < s.value || !c.mayLive(placeOf{b.mod, s.shndx}, at)
				if settle && !strange {
					c.homes.note(placeOf{b.mod, s.shndx}, at, b.mod.sections[s.shndx].size)
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
func (c *check) mayLive(p placeOf, at home) bool {
	if was, known := c.homes.at[p]; known {
		return was == at
	}
	from, to := &p.mod.sections[p.section], &c.out.sections[at.section]
	if at.base > to.size || from.size > to.size-at.base || from.align > 1 && at.base%from.align != 0 {
		return false
	}
	for _, s := range c.homes.taken[at.section] {
		if at.base < s.to && s.from < at.base+from.size {
			return false
		}
	}
	return from.body == nil || p.mod.alike(from, 0, from.size, to.body, at.base)
}
