package engine

import "github.com/twinlink/twinlink/cuda"

// layoutHeaders gives every image of the link a slot in a section of its own
// for each kernel that reaches a use: its image header indices, which the
// finalizer puts behind the parameters.
func (l *linker) layoutHeaders() {
	images := l.imageOrder()
	if len(images) == 0 {
		return
	}
	l.imageOff = make(map[symID]uint64, len(images))
	for i, s := range images {
		l.imageOff[s] = uint64(i) * imageSlot // data may name it, used or not
	}
	uses := l.headerUses()
	if uses == nil {
		return
	}
	// Behind the longest parameter list of the link, also of kernels that use
	// none.
	longest := uint64(0)
	for _, k := range l.allKernels() {
		longest = max(longest, l.paramSize(l.funs[k].text))
	}
	for _, k := range l.liveKernels() {
		used := false
		l.answersFor(k, func(f funID) { used = used || uses[f] })
		if used {
			l.addHeaders(k, images)
		}
	}
	const bankAlign = 16
	l.slots = alignUp(longest, bankAlign)
}

// headerUses marks the functions whose code names an image; nil for none.
func (l *linker) headerUses() []bool {
	var uses []bool
	for f := range l.funs {
		if l.funs[f].text == absent {
			continue
		}
		for _, r := range l.secs[l.funs[f].text].rels {
			for i := range l.secs[r].relocs {
				if rec := &l.secs[r].relocs[i]; rec.sym != absent && l.syms[rec.sym].isImage() && l.isSlot(rec) {
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

// addHeaders makes a kernel's image header indices.
func (l *linker) addHeaders(k funID, images []symID) {
	text := l.funs[k].text
	name := ".nv.constant.entry_image_header_indices." + l.symName(l.funs[k].sym)
	id := l.newBareSection(l.names.id(name), cuda.SHTMercImageHeaders, cuda.SHFAlloc|cuda.SHFInfoLink, 4)
	l.own(text, id)
	rela := l.newRelocSection(l.names.id(".rela"+name), cuda.SHTRela, cuda.SHFInfoLink, id)
	l.newSectionSymbol(id)
	l.secs[id].size = uint64(len(images)) * imageSlot
	l.headers[text] = id
	for _, s := range images {
		typ := uint32(cuda.R_MERCURY_TEX_HEADER_INDEX)
		switch l.syms[s].typ() {
		case cuda.STTCudaSampler:
			typ = cuda.R_MERCURY_SAMP_HEADER_INDEX
		case cuda.STTCudaSurface:
			typ = cuda.R_MERCURY_SURF_HEADER_INDEX
		}
		l.secs[rela].relocs = append(l.secs[rela].relocs, reloc{off: l.imageOff[s], typ: typ, sym: s, fate: kept, newTyp: typ})
	}
}

// paramSize returns the size of a kernel's parameter bank.
func (l *linker) paramSize(text secID) uint64 {
	src, ok := l.codeOf(text)
	if !ok {
		return 0
	}
	in := &l.sides[src.file]
	if b := in.bank[in.twin[src.capsule]]; b != 0 {
		s := in.file.Section(int(b))
		return s.Size
	}
	return 0
}
