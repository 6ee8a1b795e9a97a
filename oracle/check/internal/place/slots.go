package place

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Bindless images.
//
// A texture, sampler or surface that code names directly is reached through a
// slot in constant bank 0, after the kernel's parameters. The driver fills it;
// a record stays and says which slot is whose. A function has one code for all
// kernels, so what it names has the same slot in all that reach it.
//
// Source: 44 links of texture programs by nvlink 11.8.89 to 13.0.88.

// SlotSize is how many bytes an image slot has.
const SlotSize = 4

func (c *Places) placeSlots() error {
	c.slots = map[*link.Area]map[*link.Identity]uint64{}
	first := uint64(1<<64 - 1)
	for _, l := range c.Out.Lists {
		a := c.Out.Areas[l.Target]
		if a == nil || l.Section.Kind == cuda.SHTCudaResolvedRela || a.Owner == nil || a.Code() {
			continue
		}
		if err := c.Budget.Spend("output", uint64(len(l.List))); err != nil {
			return err
		}
		for _, r := range l.List {
			id := c.OutRef(r.Symbol).ID
			if id == nil || !id.Image() || r.Offset < a.Size {
				continue
			}
			if want := slotTypes[id.Kind()][c.Out.Side]; want != r.Kind {
				if fillsSlot(r.Kind) && c.Out.Side != image.Whole {
					c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationType, Section: a.Name, Symbol: id.Name, Offset: r.Offset, Want: image.RelocationName(want), Got: image.RelocationName(r.Kind)})
				}
				continue
			}
			if c.slots[a] == nil {
				c.slots[a] = map[*link.Identity]uint64{}
			}
			if _, twice := c.slots[a][id]; !twice {
				c.slots[a][id] = r.Offset
				first = min(first, r.Offset)
				a.Slots = true
				a.Keep(link.Kept{Offset: r.Offset, Kind: r.Kind, Ref: link.Ref{ID: id}, Rela: r.Rela})
			}
			if r.Offset%SlotSize != 0 || a.Out.Size < SlotSize || r.Offset > a.Out.Size-SlotSize {
				c.Verdict.Add(verdict.Finding{Kind: verdict.SectionSize, Section: a.Name, Symbol: id.Name, Offset: r.Offset, Relocation: image.RelocationName(r.Kind), Detail: "a slot for an image outside the bank"})
			}
		}
	}
	if first != 1<<64-1 {
		c.SlotBase = first
	}
	if c.Relocatable {
		return nil
	}
	return c.requireSlots()
}

// requireSlots wants a slot for every image in every kernel that reaches a use,
// the same in all for what a function names.
func (c *Places) requireSlots() error {
	for _, id := range c.IDs {
		u := c.Uses[id]
		if !id.Image() || u == nil {
			continue
		}
		for _, code := range u.Functions {
			if !c.takesSlot(id, code) {
				continue
			}
			users, err := c.Users(code)
			if err != nil {
				return err
			}
			slot, seen := uint64(0), false
			for _, k := range users {
				bank := c.SlotBank(k)
				at, has := c.slots[bank][id]
				switch {
				case bank == nil || !has:
					c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationMissing, File: id.File, Section: c.slotBankName(k), Symbol: id.Name, Relocation: image.RelocationName(slotTypes[id.Kind()][c.Out.Side]),
						Detail: "a slot for an image that the kernel's code refers to"})
				case seen && at != slot:
					c.Verdict.Add(verdict.Finding{Kind: verdict.RelocationField, File: id.File, Section: bank.Name, Symbol: id.Name, Offset: at, Want: verdict.Hex(slot), Got: verdict.Hex(at),
						Detail: "the slot of an image that a common function refers to differs between kernels"})
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
func (c *Places) takesSlot(id *link.Identity, code *link.Body) bool {
	for _, l := range code.RelocLists() {
		for _, r := range l.List {
			if code.Mod.Refs[r.Symbol].ID == id && oracle.TakesBindlessSlot(r.Kind) {
				return true
			}
		}
	}
	return false
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

// FirstSlot is where slots begin in a relocatable file: after the largest
// parameter bank.
func (c *Places) FirstSlot() uint64 {
	align := uint64(4)
	switch c.Out.Side {
	case image.MercurySide:
		return 0
	case image.SassSide:
		align = 16
	}
	base := uint64(0)
	for _, k := range c.Kernels {
		if a := c.ByKey[link.AreaKey{Base: ".nv.constant0.", Owner: k.Code}]; a != nil {
			base = max(base, image.RoundUp(a.Size, align))
		}
	}
	return base
}

// SlotOf is the slot of an image as code sees it.
func (c *Places) SlotOf(id *link.Identity, code *link.Body) uint64 {
	if code == nil {
		return 0
	}
	users, err := c.Users(code)
	if err != nil {
		c.Exhausted = err
	}
	for _, k := range users {
		if at, known := c.slots[c.SlotBank(k)][id]; known {
			return at
		}
	}
	// Code that no kernel reaches: any kernel's will do.
	for _, k := range c.Kernels {
		if at, known := c.slots[c.SlotBank(k)][id]; known {
			return at
		}
	}
	return 0
}

// HasSlot reports whether an image has a slot that the code may use.
func (c *Places) HasSlot(id *link.Identity, code *link.Body) bool {
	users, err := c.Users(code)
	if err != nil {
		c.Exhausted = err
	}
	if len(users) > 0 {
		return true
	}
	for _, k := range c.Kernels {
		if _, known := c.slots[c.SlotBank(k)][id]; known {
			return true
		}
	}
	return false
}

// SlotBank is the section with a kernel's slots; the Mercury side has one of
// its own.
func (c *Places) SlotBank(k *link.Identity) *link.Area {
	if c.Out.Side != image.MercurySide {
		return c.ByKey[link.AreaKey{Base: ".nv.constant0.", Owner: k.Code}]
	}
	return c.ByKey[link.AreaKey{Base: link.ImageBank, Owner: k.Code}]
}

func (c *Places) slotBankName(k *link.Identity) string {
	if c.Out.Side != image.MercurySide {
		return ".nv.constant0." + k.Name
	}
	return link.ImageBank + k.Name
}

// adoptImageBanks takes the sections that hold the slots of the Mercury side,
// which no input has.
func (c *Places) adoptImageBanks() {
	if c.Out.Side != image.MercurySide {
		return
	}
	for i := range c.Out.Sections {
		s := &c.Out.Sections[i]
		if s.Kind != cuda.SHTMercImageHeaders || c.Out.Areas[i] != nil || int(s.Info) >= len(c.Out.Bodies) || c.Out.Bodies[s.Info] == nil {
			continue
		}
		owner := c.Out.Bodies[s.Info]
		a := c.Area(link.ImageBank, s.Name, owner)
		if a.Out == nil && slices.ContainsFunc(owner.Names, func(f *link.Identity) bool { return link.ImageBank+f.Name == s.Name }) {
			a.Kind, a.Flags, a.Align, a.Optional = cuda.SHTMercImageHeaders, cuda.SHFAlloc|cuda.SHFInfoLink, SlotSize, true
			a.Out, c.Out.Areas[i] = s, a
		}
	}
}

const (
	offsets = 1<<16 - 1 // bits 38 to 53 of LDC: the offset in the bank
)

// RebaseSlots writes the start of the slots into the LDCs that read one by a register:
// from sm_100 on a MOV has the slot's number, and the LDC after it the place of the
// first. ptxas puts the start of the parameters there, and no record says so.
//
// Source: code of ptxas 13.0.88 and 13.5 with -g for sm_110, linked by nvlink.
func (c *Places) RebaseSlots(a *link.Area) {
	base := c.SlotBase
	if base == 0 {
		base = c.FirstSlot() // no kernel reaches a use
	}
	for _, l := range a.Owner.RelocLists() {
		for _, r := range l.List {
			if id := a.Owner.Mod.Refs[r.Symbol].ID; id == nil || !id.Image() || r.Kind != cuda.R_CUDA_ABS16_32 {
				continue
			}
			if at, ok := a.Owner.LdcBehind(r.Offset); ok && at+8 <= uint64(len(a.Want)) {
				low := image.Number(a.Want, at, 8)
				low = low&^(offsets<<38) | base%(offsets+1)<<38
				binary.LittleEndian.PutUint64(a.Want[at:], low)
			}
		}
	}
}
