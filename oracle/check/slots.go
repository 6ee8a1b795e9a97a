package check

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Bindless images.
//
// A texture, sampler or surface that code names directly is reached through a
// slot in constant bank 0, behind the kernel's parameters. The driver fills it;
// a record stays and tells which slot is whose. A function has one code for all
// kernels, so what it names has the same slot in all that reach it.
//
// Source: 44 links of texture programs by nvlink 11.8.89 to 13.0.88.

const slotSize = 4

func (c *check) placeSlots() error {
	c.slots = map[*area]map[*identity]uint64{}
	first := uint64(1<<64 - 1)
	for _, l := range c.out.lists {
		a := c.out.areas[l.target]
		if a == nil || l.section.kind == cuda.SHTCudaResolvedRela || a.owner == nil || a.code() {
			continue
		}
		if err := c.budget.spend("output", uint64(len(l.list))); err != nil {
			return err
		}
		for _, r := range l.list {
			id := c.outRef(r.symbol).id
			if id == nil || !id.image() || r.offset < a.size {
				continue
			}
			if want := slotTypes[id.kind()][c.out.side]; want != r.kind {
				if fillsSlot(r.kind) && c.out.side != whole {
					c.verdict.add(Finding{Kind: RelocationType, Section: a.name, Symbol: id.name, Offset: r.offset, Want: relocationName(want), Got: relocationName(r.kind)})
				}
				continue
			}
			if c.slots[a] == nil {
				c.slots[a] = map[*identity]uint64{}
			}
			if _, twice := c.slots[a][id]; !twice {
				c.slots[a][id] = r.offset
				first = min(first, r.offset)
				a.slots = true
				a.keep(kept{offset: r.offset, kind: r.kind, ref: ref{id: id}, rela: r.rela})
			}
			if r.offset%slotSize != 0 || a.out.size < slotSize || r.offset > a.out.size-slotSize {
				c.verdict.add(Finding{Kind: SectionSize, Section: a.name, Symbol: id.name, Offset: r.offset, Relocation: relocationName(r.kind), Detail: "a slot for an image that doesn't lie in the bank"})
			}
		}
	}
	if first != 1<<64-1 {
		c.slotBase = first
	}
	if c.relocatable {
		return nil
	}
	return c.requireSlots()
}

// requireSlots wants a slot for every image in every kernel that reaches a use,
// the same in all for what a function names.
func (c *check) requireSlots() error {
	for _, id := range c.ids {
		u := c.uses[id]
		if !id.image() || u == nil {
			continue
		}
		for _, code := range u.functions {
			if !c.takesSlot(id, code) {
				continue
			}
			users, err := c.users(code)
			if err != nil {
				return err
			}
			slot, seen := uint64(0), false
			for _, k := range users {
				bank := c.slotBank(k)
				at, has := c.slots[bank][id]
				switch {
				case bank == nil || !has:
					c.verdict.add(Finding{Kind: RelocationMissing, File: id.file, Section: c.slotBankName(k), Symbol: id.name, Relocation: relocationName(slotTypes[id.kind()][c.out.side]),
						Detail: "a slot for an image that the kernel's code names"})
				case seen && at != slot:
					c.verdict.add(Finding{Kind: RelocationField, File: id.file, Section: bank.name, Symbol: id.name, Offset: at, Want: hex(slot), Got: hex(at),
						Detail: "the slot of an image that a common function names differs between kernels"})
				}
				if has && !seen {
					slot, seen = at, true
				}
			}
		}
	}
	return nil
}

// takesSlot reports whether some record of the code reaches the image by a slot.
func (c *check) takesSlot(id *identity, code *body) bool {
	for _, l := range code.relocLists() {
		for _, r := range l.list {
			if code.mod.refs[r.symbol].id == id && oracle.TakesBindlessSlot(r.kind) {
				return true
			}
		}
	}
	return false
}

// relocLists are the relocation sections of code.
func (b *body) relocLists() []relocs {
	var list []relocs
	for _, i := range b.mod.relocsOf[b.section.index] {
		list = append(list, b.mod.relocs[i])
	}
	return list
}

// slotTypes are the types of the records that stay for the driver, by side.
var slotTypes = map[cuda.SymbolType][3]uint32{
	cuda.STTCudaTexture: {cuda.R_CUDA_TEX_HEADER_INDEX, cuda.R_CUDA_TEX_HEADER_INDEX, cuda.R_MERCURY_TEX_HEADER_INDEX},
	cuda.STTCudaSampler: {cuda.R_CUDA_SAMP_HEADER_INDEX, cuda.R_CUDA_SAMP_HEADER_INDEX_0, cuda.R_MERCURY_SAMP_HEADER_INDEX},
	cuda.STTCudaSurface: {cuda.R_CUDA_SURF_HEADER_INDEX, cuda.R_CUDA_SURF_HEADER_INDEX, cuda.R_MERCURY_SURF_HEADER_INDEX},
}

// fillsSlot reports whether a record asks the driver to fill a slot.
func fillsSlot(kind uint32) bool {
	for _, types := range slotTypes {
		if slices.Contains(types[:], kind) {
			return true
		}
	}
	return false
}

// firstSlot is where slots begin in a relocatable file: behind the largest
// parameter bank.
func (c *check) firstSlot() uint64 {
	align := uint64(4)
	switch c.out.side {
	case mercurySide:
		return 0
	case sassSide:
		align = 16
	}
	base := uint64(0)
	for _, k := range c.kernels {
		if a := c.byKey[areaKey{".nv.constant0.", k.code}]; a != nil {
			base = max(base, roundUp(a.size, align))
		}
	}
	return base
}

// slotOf is the slot of an image as code sees it.
func (c *check) slotOf(id *identity, code *body) uint64 {
	if code == nil {
		return 0
	}
	users, err := c.users(code)
	if err != nil {
		c.exhausted = err
	}
	for _, k := range users {
		if at, known := c.slots[c.slotBank(k)][id]; known {
			return at
		}
	}
	// Code that no kernel reaches: any kernel's will do.
	for _, k := range c.kernels {
		if at, known := c.slots[c.slotBank(k)][id]; known {
			return at
		}
	}
	return 0
}

// hasSlot reports whether an image has a slot that the code may use.
func (c *check) hasSlot(id *identity, code *body) bool {
	users, err := c.users(code)
	if err != nil {
		c.exhausted = err
	}
	if len(users) > 0 {
		return true
	}
	for _, k := range c.kernels {
		if _, known := c.slots[c.slotBank(k)][id]; known {
			return true
		}
	}
	return false
}

// slotBank is the section with a kernel's slots; the Mercury side has one of
// its own.
func (c *check) slotBank(k *identity) *area {
	if c.out.side != mercurySide {
		return c.byKey[areaKey{".nv.constant0.", k.code}]
	}
	return c.byKey[areaKey{imageBank, k.code}]
}

func (c *check) slotBankName(k *identity) string {
	if c.out.side != mercurySide {
		return ".nv.constant0." + k.name
	}
	return imageBank + k.name
}

// adoptImageBanks takes the sections that hold the slots of the Mercury side,
// which no input has.
func (c *check) adoptImageBanks() {
	if c.out.side != mercurySide {
		return
	}
	for i := range c.out.sections {
		s := &c.out.sections[i]
		if s.kind != cuda.SHTMercImageHeaders || c.out.areas[i] != nil || int(s.info) >= len(c.out.bodies) || c.out.bodies[s.info] == nil {
			continue
		}
		owner := c.out.bodies[s.info]
		a := c.area(imageBank, s.name, owner)
		if a.out == nil && slices.ContainsFunc(owner.names, func(f *identity) bool { return imageBank+f.name == s.name }) {
			a.kind, a.flags, a.align, a.optional = cuda.SHTMercImageHeaders, cuda.SHFAlloc|cuda.SHFInfoLink, slotSize, true
			a.out, c.out.areas[i] = s, a
		}
	}
}

const imageBank = ".nv.constant.entry_image_header_indices."

const (
	opLdc   = 0xb82
	offsets = 1<<16 - 1 // bits 38 to 53 of LDC: the offset in the bank
)

// rebaseSlots writes the start of the slots into the LDCs that read one by a register:
// from sm_100 on a MOV has the slot's number, and the LDC behind it the place of the
// first. ptxas puts the start of the parameters there, and no record says so.
//
// Source: code of ptxas 13.0.88 and 13.5 with -g for sm_110, linked by nvlink.
func (c *check) rebaseSlots(a *area) {
	base := c.slotBase
	if base == 0 {
		base = c.firstSlot() // no kernel reaches a use
	}
	for _, l := range a.owner.relocLists() {
		for _, r := range l.list {
			if id := a.owner.mod.refs[r.symbol].id; id == nil || !id.image() || r.kind != cuda.R_CUDA_ABS16_32 {
				continue
			}
			if at, ok := a.owner.ldcBehind(r.offset); ok && at+8 <= uint64(len(a.want)) {
				low := number(a.want, at, 8)
				low = low&^(offsets<<38) | base%(offsets+1)<<38
				binary.LittleEndian.PutUint64(a.want[at:], low)
			}
		}
	}
}

// ldcBehind finds the LDC from bank 0 that takes its address from the register which a
// word writes.
func (b *body) ldcBehind(offset uint64) (uint64, bool) {
	word, ok := cut(b.section.body, offset, instruction)
	if !ok {
		return 0, false
	}
	register := word[2]
	for at := offset + instruction; at < offset+32*instruction; at += instruction {
		word, ok := cut(b.section.body, at, instruction)
		if !ok {
			return 0, false
		}
		if opcode(word) == opLdc && word[3] == register && number(word, 0, 8)>>54%32 == 0 {
			return at, true
		}
		if ops := operandsOf(word); ops.known && ops.writes[register/64]>>(register%64)&1 != 0 || branches(word) {
			return 0, false
		}
	}
	return 0, false
}
