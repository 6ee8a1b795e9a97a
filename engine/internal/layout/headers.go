package layout

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// CodeOf returns where the code of a section was read.
func (l *Layout) CodeOf(id model.SecID) (src codeSource, ok bool) {
	for _, c := range l.Parts[id].Chunks {
		return codeSource{c.File, c.From}, true
	}
	return codeSource{}, false
}

// layoutHeaders gives every image of the link a slot in a section of its own
// for each kernel that reaches a use: its image header indices, which the
// finalizer puts after the parameters.
func (l *Layout) layoutHeaders() {
	images := l.textureOrder()
	if len(images) == 0 {
		return
	}
	l.Spare++
	l.SlotOff = make(map[model.SymID]uint64, len(images))
	for i, s := range images {
		l.SlotOff[s] = uint64(i) * slotSize // data may name it, used or not
	}
	uses := l.imageUses(l.IsSlot)
	kernels := l.LiveKernels()
	if uses == nil {
		l.Spare += unusedHeaders * len(kernels)
		return
	}
	reached := uses.reachedBy(l)
	if len(kernels) == 0 {
		kernels, reached = l.AllKernels(), func(f model.FunID) imageUse { return uses[f] } // by their own code alone (nvlink 13.4.92, 13.5.37)
	}
	for i, home := range l.homesOf(kernels) {
		if i != home {
			continue // of static kernels of one name nvlink asks the first alone
		}
		if use := reached(kernels[i]); use != noImage {
			l.Slotted = append(l.Slotted, SlotUser{kernels[i], use == anyImage})
			l.addHeaders(kernels[i], images, use)
		} else {
			l.Spare += unusedHeaders
		}
	}
	l.placeSlots()
}

// unusedHeaders is how many sections nvlink makes of the header indices of a kernel that uses no image:
// the indices and their relocations.
const unusedHeaders = 2

// placeSlots says where the slots begin: after the longest parameter list of the
// link, also of kernels that use none. Where a filter leaves no kernel it is where
// parameters begin (nvlink 13.0.88 for sm_100a, 13.1.115 for sm_100 and sm_103).
func (l *Layout) placeSlots() {
	longest := uint64(paramsBegin)
	for _, k := range l.AllKernels() {
		longest = max(longest, l.paramSize(l.Funs[k].Text))
	}
	l.Slots = model.AlignUp(longest, bankAlign)
}

const (
	paramsBegin = 0x380 // in the bank of a kernel for sm_100 and up
	bankAlign   = 16
)

// addHeaders makes a kernel's image header indices.
func (l *Layout) addHeaders(k model.FunID, images []model.SymID, use imageUse) {
	text := l.Funs[k].Text
	name := ".nv.constant.entry_image_header_indices." + l.SymName(l.Funs[k].Sym)
	id := l.NewBareSection(l.Names.ID(name), cuda.SHTMercImageHeaders, cuda.SHFAlloc|cuda.SHFInfoLink, 4)
	l.Own(text, id)
	rela := l.NewRelocSection(l.Names.ID(".rela"+name), cuda.SHTRela, cuda.SHFInfoLink, id)
	l.NewSectionSymbol(id)
	l.Secs[id].Size = uint64(len(images)) * slotSize
	l.Headers[text] = id
	l.indexSlots(rela, images, use, indexTypes{cuda.R_MERCURY_TEX_HEADER_INDEX, cuda.R_MERCURY_SAMP_HEADER_INDEX, cuda.R_MERCURY_SURF_HEADER_INDEX})
}

// paramSize returns the size of a kernel's parameter bank.
func (l *Layout) paramSize(text model.SecID) uint64 {
	src, ok := l.CodeOf(text)
	if !ok {
		return 0
	}
	in := &l.Sides[src.File]
	if b := in.Bank[in.Counterpart[src.Capsule]]; b != 0 {
		s := in.File.Section(int(b))
		return s.Size
	}
	return 0
}

// codeSource is where a function's code was read.
type codeSource struct {
	File    int32
	Capsule uint32
}
