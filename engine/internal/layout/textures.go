package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Textures, samplers and surfaces that code names by a bindless offset. If any
// kernel reaches a use, every image of the link gets a slot after the
// parameters in bank 0 of each such kernel, and a relocation there asks the
// driver for its header index. The slots begin after the longest parameter
// list of the link, also of kernels that use none.

const slotSize = 4 // bytes of a slot

// layoutTextures places the slots.
func (l *Layout) layoutTextures() {
	images := l.textureOrder()
	if len(images) == 0 {
		return
	}
	l.Spare++
	uses := l.imageUses(func(r *model.Reloc) bool { return Bindless[r.Type] && r.Type < l.Release.RelocCount })
	if uses == nil {
		return
	}
	base := uint64(0)
	for _, k := range l.AllKernels() {
		if bank := l.paramBank(k); bank != model.Absent {
			base = max(base, l.Secs[bank].Size)
		}
	}
	base = model.AlignUp(base, slotSize)
	l.SlotOff = make(map[model.SymID]uint64, len(images))
	for i, s := range images {
		l.SlotOff[s] = base + uint64(i)*slotSize
	}
	// Those that reach a use get slots, also where a filter hides one but its address is taken, and of those that
	// something else keeps the ones whose own code asks for a slot.
	reached := uses.reachedBy(l)
	for _, k := range l.AllKernels() {
		use := uses[k]
		if l.IsEntry(k) {
			use = reached(k)
		}
		if use != noImage {
			l.Slotted = append(l.Slotted, SlotUser{k, use == anyImage})
			l.addSlots(k, images, use)
		}
	}
}

// SlotUser is a kernel that has a slot for every texture and surface of the link, and perhaps for every sampler.
type SlotUser struct {
	Kernel   model.FunID
	Samplers bool
}

// imageUse is what code asks for: where a kernel reaches textures alone, no sampler's header is filled in (nvlink 11.8 to 13.5).
type imageUse uint8

const (
	noImage imageUse = iota
	textureAlone
	anyImage
)

// imageUses has what each function's own code asks for.
type imageUses []imageUse

// reachedBy returns what a kernel has to provide for.
func (u imageUses) reachedBy(l *Layout) func(k model.FunID) imageUse {
	some := l.AnswersForAny(func(f model.FunID) bool { return u[f] != noImage })
	more := l.AnswersForAny(func(f model.FunID) bool { return u[f] == anyImage })
	return func(k model.FunID) imageUse {
		switch {
		case more(k):
			return anyImage
		case some(k):
			return textureAlone
		}
		return noImage
	}
}

// Bindless names the types by which code asks for an image's slot. Other types
// that the linker applies get 0 of an image.
var Bindless = map[uint32]bool{
	cuda.R_CUDA_ABS32_20: true, cuda.R_CUDA_ABS32_23: true, cuda.R_CUDA_ABS32_26: true, cuda.R_CUDA_ABS32_32: true,
	cuda.R_CUDA_ABS16_20: true, cuda.R_CUDA_ABS16_23: true, cuda.R_CUDA_ABS16_26: true, cuda.R_CUDA_ABS16_32: true,
	cuda.R_CUDA_TEX_BINDLESSOFF13_32: true, cuda.R_CUDA_TEX_BINDLESSOFF13_41: true,
	cuda.R_CUDA_TEX_BINDLESSOFF13_45: true, cuda.R_CUDA_TEX_BINDLESSOFF13_47: true,
	cuda.R_CUDA_BINDLESSOFF13_36: true, cuda.R_CUDA_BINDLESSOFF14_40: true,
	cuda.R_CUDA_CONST_FIELD19_20: true, cuda.R_CUDA_CONST_FIELD19_23: true, cuda.R_CUDA_CONST_FIELD19_26: true,
	cuda.R_CUDA_CONST_FIELD19_28: true, cuda.R_CUDA_CONST_FIELD19_40: true,
	cuda.R_CUDA_CONST_FIELD21_20: true, cuda.R_CUDA_CONST_FIELD21_23: true, cuda.R_CUDA_CONST_FIELD21_38: true,
	cuda.R_CUDA_CONST_FIELD22_37: true,
}

// imageUses looks for records of code by which it asks for a slot; nil for none.
func (l *Layout) imageUses(asks func(*model.Reloc) bool) imageUses {
	var uses imageUses
	for f := range l.Funs {
		if l.Funs[f].Text == model.Absent {
			continue
		}
		for r := l.Parts[l.Funs[f].Text].FirstRel; r != model.Absent; r = l.Parts[r].NextRel {
			for i := range l.Parts[r].Relocs {
				rec := &l.Parts[r].Relocs[i]
				if rec.Sym == model.Absent || !l.Syms[rec.Sym].IsTexture() || !asks(rec) {
					continue
				}
				if uses == nil {
					uses = make(imageUses, len(l.Funs))
				}
				use := anyImage
				if l.Syms[rec.Sym].Type() == cuda.STTCudaTexture {
					use = textureAlone
				}
				uses[f] = max(uses[f], use)
			}
		}
	}
	return uses
}

// textureOrder returns every image of the link in slot order: textures, then
// samplers, then surfaces, each the last created first, permuted by the list
// sort.
func (l *Layout) textureOrder() []model.SymID {
	var textures, samplers, surfaces []model.SymID
	for i := len(l.Syms) - 1; i >= 0; i-- {
		switch l.Syms[i].Type() {
		case cuda.STTCudaTexture:
			textures = append(textures, model.SymID(i))
		case cuda.STTCudaSampler:
			samplers = append(samplers, model.SymID(i))
		case cuda.STTCudaSurface:
			surfaces = append(surfaces, model.SymID(i))
		}
	}
	all := append(append(textures, samplers...), surfaces...)
	l.bindlessNames(all)
	return listSort(all, func(a, b model.SymID) bool { return false }, false)
}

// paramBank returns .nv.constant0.<k>.
func (l *Layout) paramBank(k model.FunID) model.SecID {
	for id := l.Parts[l.Funs[k].Text].FirstOwned; id != model.Absent; id = l.Parts[id].NextOwned {
		if l.Secs[id].Type == cuda.SHTCudaConstant0 {
			return id
		}
	}
	return model.Absent
}

func (l *Layout) addSlots(k model.FunID, images []model.SymID, use imageUse) {
	bank := l.paramBank(k)
	if bank == model.Absent {
		return
	}
	l.Secs[bank].Size = l.SlotOff[images[len(images)-1]] + slotSize
	rel := l.Parts[bank].FirstRel
	if rel == model.Absent {
		return
	}
	l.indexSlots(rel, images, use, indexTypes{cuda.R_CUDA_TEX_HEADER_INDEX, cuda.R_CUDA_SAMP_HEADER_INDEX, cuda.R_CUDA_SURF_HEADER_INDEX})
}

// indexTypes are the relocation types that ask the driver for a header's index.
type indexTypes struct{ texture, sampler, surface uint32 }

// indexSlots asks the driver for what the slots of some images hold.
func (l *Layout) indexSlots(rel model.SecID, images []model.SymID, use imageUse, types indexTypes) {
	for _, s := range images {
		typ := types.texture
		switch l.Syms[s].Type() {
		case cuda.STTCudaSampler:
			if use == textureAlone {
				continue
			}
			typ = types.sampler
		case cuda.STTCudaSurface:
			typ = types.surface
		}
		l.Parts[rel].Relocs = append(l.Parts[rel].Relocs, model.Reloc{Off: l.SlotOff[s], Type: typ, Sym: s, Disposition: model.Kept, NewType: typ})
	}
}

// bindlessNames leaves the names 11.8 gives the slots in the string tables.
func (l *Layout) bindlessNames(images []model.SymID) {
	if !l.Release.EarlyStrings || len(images) == 0 {
		return
	}
	bank := l.Names.ID(".nv.constant0")
	l.Shstr.Add(bank)
	l.Str.Add(bank)
	for _, s := range images {
		l.Str.Add(l.Names.ID("$NVLINKBINDLESSOFF_" + l.Names.Str(l.Syms[s].Name)))
	}
}

// MercuryClass is the class of a type. After R_MERCURY's table lies that of R_CUDA.
func MercuryClass(typ uint32) cuda.Resolver {
	if typ >= PastMercury {
		typ -= PastMercury
	}
	info, _ := cuda.LookupReloc(typ)
	return info.Resolver
}

// IsSlot reports whether a record to a texture, sampler or surface is carried
// out: those by which code asks for a slot, not their unified kin.
func (l *Layout) IsSlot(r *model.Reloc) bool {
	switch {
	case r.Type == cuda.R_MERCURY_ABS32 || r.Type == cuda.R_MERCURY_ABS16:
		return true
	case r.Type >= PastMercury:
		return MercuryClass(r.Type) == cuda.ResolverLinker || Bindless[r.Type-PastMercury]
	}
	return false
}

// PastMercury is the number after the last type: the tool goes on with R_CUDA's.
const PastMercury = cuda.MercuryBase + cuda.MercuryRelocCount
