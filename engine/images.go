package engine

import (
	"github.com/twinlink/twinlink/cuda"
)

// Textures, samplers and surfaces that code names by a bindless offset. If any
// kernel reaches a use, every image of the link gets a slot behind the
// parameters in bank 0 of each such kernel, and a relocation there asks the
// driver for its header index. The slots begin behind the longest parameter
// list of the link, also of kernels that use none.

const imageSlot = 4 // bytes of a slot

// layoutImages places the slots.
func (l *linker) layoutImages() {
	images := l.imageOrder()
	if len(images) == 0 {
		return
	}
	uses := l.imageUses()
	if uses == nil {
		return
	}
	var users []funID
	base := uint64(0)
	for _, k := range l.allKernels() {
		if bank := l.paramBank(k); bank != absent {
			base = max(base, l.secs[bank].size)
		}
	}
	for _, k := range l.liveKernels() {
		used := false
		l.answersFor(k, func(f funID) { used = used || uses[f] })
		if used {
			users = append(users, k)
		}
	}
	base = alignUp(base, imageSlot)
	l.imageOff = make(map[symID]uint64, len(images))
	for i, s := range images {
		l.imageOff[s] = base + uint64(i)*imageSlot
	}
	for _, k := range users {
		l.addImageSlots(k, images)
	}
}

// bindless names the types by which code asks for an image's slot. Other types
// that the linker carries out get 0 of an image.
var bindless = map[uint32]bool{
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

// imageUses marks the functions whose code asks for an image's slot; nil for
// none.
func (l *linker) imageUses() []bool {
	var uses []bool
	for f := range l.funs {
		t := l.funs[f].text
		if t == absent {
			continue
		}
		for _, r := range l.secs[t].rels {
			for i := range l.secs[r].relocs {
				rec := &l.secs[r].relocs[i]
				if rec.sym != absent && l.syms[rec.sym].isImage() && bindless[rec.typ] && rec.typ < l.prof.relocCount {
					if uses == nil {
						uses = make([]bool, len(l.funs))
					}
					uses[f] = true
				}
			}
		}
	}
	return uses
}

// imageOrder returns every image of the link in slot order: textures, then
// samplers, then surfaces, each the last created first, permuted by the list
// sort.
func (l *linker) imageOrder() []symID {
	var textures, samplers, surfaces []symID
	for i := len(l.syms) - 1; i >= 0; i-- {
		switch l.syms[i].typ() {
		case cuda.STTCudaTexture:
			textures = append(textures, symID(i))
		case cuda.STTCudaSampler:
			samplers = append(samplers, symID(i))
		case cuda.STTCudaSurface:
			surfaces = append(surfaces, symID(i))
		}
	}
	all := append(append(textures, samplers...), surfaces...)
	l.bindlessNames(all)
	return listSort(all, func(a, b symID) bool { return false }, false)
}

// paramBank returns .nv.constant0.<k>.
func (l *linker) paramBank(k funID) secID {
	for _, id := range l.secs[l.funs[k].text].owned {
		if l.secs[id].typ == cuda.SHTCudaConstant0 {
			return id
		}
	}
	return absent
}

func (l *linker) addImageSlots(k funID, images []symID) {
	bank := l.paramBank(k)
	if bank == absent {
		return
	}
	sec := &l.secs[bank]
	sec.size = l.imageOff[images[len(images)-1]] + imageSlot
	if len(sec.rels) == 0 {
		return
	}
	rel := &l.secs[sec.rels[0]]
	for _, s := range images {
		typ := uint32(cuda.R_CUDA_TEX_HEADER_INDEX)
		switch l.syms[s].typ() {
		case cuda.STTCudaSampler:
			typ = cuda.R_CUDA_SAMP_HEADER_INDEX
		case cuda.STTCudaSurface:
			typ = cuda.R_CUDA_SURF_HEADER_INDEX
		}
		rel.relocs = append(rel.relocs, reloc{off: l.imageOff[s], typ: typ, sym: s, fate: kept, newTyp: typ})
	}
}

// bindlessNames leaves the names 11.8 gives the slots in the string tables.
func (l *linker) bindlessNames(images []symID) {
	if !l.prof.earlyStrings || len(images) == 0 {
		return
	}
	bank := l.names.id(".nv.constant0")
	l.shstr.add(bank)
	l.str.add(bank)
	for _, s := range images {
		l.str.add(l.names.id("$NVLINKBINDLESSOFF_" + l.names.str(l.syms[s].name)))
	}
}
