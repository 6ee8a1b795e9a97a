package check

import (
	"github.com/twinlink/twinlink/cuda"
)

// What a kernel owes to the code it may reach: the most registers, the most
// barriers, the deepest stack.

// attribute returns the value of the first record of an attribute in the list
// of a body.
func (b *body) attribute(attr cuda.InfoAttr) ([]byte, bool) {
	for _, a := range b.mod.infoOf(b) {
		if a.attr == attr {
			return a.value, true
		}
	}
	return nil, false
}

// moduleFact returns the number that the module's .nv.info gives for a
// function: its frame, stack or registers.
func (b *body) moduleFact(attr cuda.InfoAttr) (uint32, bool) {
	for i, list := range b.mod.infos {
		if b.mod.sections[i].info != 0 {
			continue
		}
		for _, a := range list {
			if a.attr == attr && len(a.value) >= 8 && b.mod.refs[min(int(word(a.value, 0)), len(b.mod.refs)-1)].id == b.owner {
				return word(a.value, 4), true
			}
		}
	}
	return 0, false
}

// barriers is the number of barriers in the flags of code: for a kernel the
// most of what it reaches.
func (c *check) barriers(b *body) uint64 {
	own := func(b *body) uint64 { return uint64(b.section.flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift) }
	most := own(b)
	if !b.kernel() || b.owner == nil {
		return most
	}
	for _, f := range c.reach(b.owner) {
		if f.code != nil {
			most = max(most, own(f.code))
		}
	}
	return most
}

// registerByte is the register count in the sh_info of code. 11.8 writes there
// what a kernel owes to others, the later releases leave its own.
func (c *check) registerByte(b *body) uint32 {
	own := registersOf(b.section.info)
	if c.release >= 119 || b.owner == nil || !b.kernel() {
		return own
	}
	if most, mine := c.registers(b.owner), c.ownRegisters(b.owner); most > mine {
		return most
	}
	return own
}

// ownRegisters is the count that a function's attribute gives.
func (c *check) ownRegisters(f *identity) uint32 {
	n, _ := f.code.moduleFact(cuda.AttrRegcount)
	return n
}

// registers is the most registers of what a kernel reaches.
func (c *check) registers(k *identity) uint32 {
	most := uint32(0)
	for _, f := range c.reach(k) {
		if f.code != nil {
			most = max(most, c.ownRegisters(f))
		}
	}
	return most
}
