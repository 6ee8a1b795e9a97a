package engine

import (
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// image is the plan of the output: which sections and symbols, in which order,
// with which contents. Nothing is written until it is complete.
type image struct {
	order   []secID  // sections by index - 1
	symbols []symID  // symbols by index - 1
	locals  int      // symbols of the local list
	content [][]byte // by section: bytes the link made itself, nil for merged ones
	names   []uint32 // by symbol: offset in .strtab
	str     *strtab
	shstr   *strtab
	progs   []cubin.Prog
	shoff   uint64
	size    uint64
}

// finish plans the image.
func (l *linker) finish() (*image, error) {
	img := &image{content: make([][]byte, len(l.secs))}
	l.countKept()
	l.countResolved()
	l.chooseSymbols(img)
	l.extendIndices(img)
	l.buildStrings(img)
	l.buildFacts(img)
	l.buildNotes(img, nil)
	l.orderSections(img)
	l.numberSections(img)
	if err := l.placeSections(img); err != nil {
		return nil, err
	}
	return img, nil
}

// countKept gives relocation sections the size of what stays in them.
func (l *linker) countKept() {
	for i := range l.secs {
		s := &l.secs[i]
		if s.target == absent || s.typ == cuda.SHTCudaResolvedRela {
			continue
		}
		n := uint64(0)
		for j := range s.relocs {
			if s.relocs[j].fate == kept {
				n++
			}
		}
		s.size = n * relocSize(s.typ)
	}
}

func relocSize(t cuda.SectionType) uint64 {
	if t == cuda.SHTRel {
		return cubin.RelSize
	}
	return cubin.RelaSize
}

// isPresent reports whether a section is in the image.
func (l *linker) isPresent(id secID) bool {
	s := &l.secs[id]
	if s.deleted {
		return false
	}
	if s.made {
		return true
	}
	switch s.typ {
	case cuda.SHTCudaInfo:
		if s.owner != absent {
			return true
		}
	case cuda.SHTCudaShared:
		return s.present || l.isRelocatable() && s.size > 0
	}
	if s.typ == cuda.SHTProgbits && s.fun == absent {
		return true // also an empty one that only a debugger reads
	}
	return s.size > 0 || s.present
}

// sectionSymbolStays reports whether sections of a type keep their symbol.
func sectionSymbolStays(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaInfo,
		cuda.SHTCudaResolvedRela, cuda.SHTCudaCompat:
		return false
	}
	return true
}

// symbolStays reports whether a symbol is in the image's table.
func (l *linker) symbolStays(id symID) bool {
	s := &l.syms[id]
	if s.is(symDead) || s.sec >= 0 && l.secs[s.sec].deleted {
		return false
	}
	switch s.typ() {
	case cuda.STTSection:
		sec := &l.secs[s.sec]
		if sec.mute {
			return false
		}
		return sectionSymbolStays(sec.typ) && (sec.size > 0 || sec.made) && l.isPresent(s.sec)
	case cuda.STTFunc:
		return !s.is(symNameless) || l.showNameless()
	}
	return l.isShown(id) && (l.isRelocatable() || !l.isUnified(id))
}

// showNameless reports whether the nameless symbols are in the image.
func (l *linker) showNameless() bool { return l.opt.Debug || l.opt.PreserveReloc }

// isShown reports whether an object is in the tables of the image. Parameters
// and compiler constants aren't unless relocations are preserved; what lives
// in shared memory isn't unless somebody will look for it.
func (l *linker) isShown(id symID) bool {
	s := &l.syms[id]
	if s.isShared() {
		return l.showShared(s)
	}
	return s.other&cuda.STOVisibility != cuda.STOInternal || (l.opt.PreserveReloc || l.isRelocatable()) && s.is(symDefined)
}

// showShared reports whether a variable in shared memory is in the tables.
func (l *linker) showShared(s *symbol) bool {
	if l.isRelocatable() {
		return true
	}
	if !s.is(symLaid | symDynamic) {
		return false
	}
	return l.opt.PreserveReloc || l.debugShows(s)
}

// chooseSymbols lists the image's symbols: the local list, then the global
// one, each in the order of creation.
func (l *linker) chooseSymbols(img *image) {
	for _, flag := range []symFlags{0, symGlobal} {
		for i := range l.syms {
			if l.syms[i].flags&symGlobal != flag || !l.symbolStays(symID(i)) {
				continue
			}
			img.symbols = append(img.symbols, symID(i))
			l.syms[i].index = uint32(len(img.symbols))
		}
		if flag == 0 {
			img.locals = len(img.symbols)
		}
	}
}

// buildStrings makes the two string tables.
func (l *linker) buildStrings(img *image) {
	img.names = make([]uint32, len(l.syms))
	if l.prof.earlyStrings {
		img.str, img.shstr = l.str, l.shstr
		for i := range l.syms {
			if img.names[i] = img.str.add(l.syms[i].name); l.syms[i].is(symNameless) {
				img.names[i] = img.str.empty
			}
		}
		return
	}
	img.str, img.shstr = newStrtab(l.names, len(l.syms)), newStrtab(l.names, len(l.secs))
	for _, p := range l.protos {
		img.str.addPrototype(p)
	}
	for _, flag := range []symFlags{0, symGlobal} {
		for i := range l.syms {
			s := &l.syms[i]
			if s.flags&symGlobal != flag || !l.nameStays(symID(i)) {
				continue
			}
			if s.is(symNameless) {
				img.names[i] = img.str.addEmpty()
				continue
			}
			img.names[i] = img.str.add(s.name)
		}
	}
	for i := range l.secs {
		if !l.secs[i].deleted {
			img.shstr.add(l.secs[i].name)
		}
	}
}

// nameStays reports whether a symbol's name is in .strtab: that of every
// symbol in the table, of every section and of the synthetic ones.
func (l *linker) nameStays(id symID) bool {
	s := &l.syms[id]
	if s.is(symDead) || s.sec >= 0 && l.secs[s.sec].deleted {
		return false
	}
	if s.typ() == cuda.STTFunc {
		return !s.is(symNameless) || l.showNameless()
	}
	return s.typ() == cuda.STTSection || l.isShown(id)
}

// numberSections gives sections their index and name.
func (l *linker) numberSections(img *image) {
	for i, id := range img.order {
		l.secs[id].index = uint32(i + 1)
		l.secs[id].nameOff = img.shstr.add(l.secs[id].name)
	}
}

// bucket is a section's place in the file: sections are sorted by it, and by
// creation inside one.
func (l *linker) bucket(id secID) int {
	s := &l.secs[id]
	switch {
	case s.typ == cuda.SHTStrtab || s.typ == cuda.SHTSymtab || s.typ == cuda.SHTSymtabShndx:
		return 0
	case s.typ == cuda.SHTRel || s.typ == cuda.SHTRela || s.typ == cuda.SHTCudaResolvedRela:
		return 4
	case s.typ == cuda.SHTNote:
		return 2
	case s.flags&cuda.SHFAlloc == 0 && s.typ == cuda.SHTProgbits:
		return 1
	case s.flags&cuda.SHFAlloc == 0:
		return 3
	case s.flags&cuda.SHFExec != 0:
		return 6
	case s.flags&cuda.SHFWrite == 0:
		return 5
	case cubin.NoBitsSpace(s.typ) || s.typ == cuda.SHTNobits:
		return 8
	}
	return 7
}

// maxBucket is the last of the buckets.
const maxBucket = 8

func (l *linker) orderSections(img *image) {
	var buckets [maxBucket + 1][]secID
	n := 0
	for i := range l.secs {
		if id := secID(i); l.isPresent(id) {
			b := l.bucket(id)
			buckets[b] = append(buckets[b], id)
			n++
		}
	}
	img.order = slices.Grow(img.order, n)
	for _, list := range buckets {
		img.order = append(img.order, list...)
	}
}

// lowered returns the type a section has in the image: a final one knows no
// memory spaces.
// maxBanks bounds the numbers of constant banks: the next types are Mercury's.
const maxBanks = 24

func (l *linker) lowered(t cuda.SectionType) cuda.SectionType {
	if l.isRelocatable() {
		return t
	}
	if t >= cuda.SHTCudaConstant0 && t < cuda.SHTCudaConstant0+maxBanks || t == cuda.SHTCudaGlobalInit {
		return cuda.SHTProgbits
	}
	if cubin.NoBitsSpace(t) {
		return cuda.SHTNobits
	}
	return t
}

// hasBits reports whether a section has bytes in the image.
func (l *linker) hasBits(id secID) bool {
	t := l.secs[id].typ
	return t != cuda.SHTNobits && !cubin.NoBitsSpace(t)
}

// placeSections gives sections and tables their offsets.
func (l *linker) placeSections(img *image) error {
	l.secs[l.symtab].size = uint64(len(img.symbols)+1) * cubin.SymbolSize
	l.secs[l.strtab].size = uint64(img.str.size)
	l.secs[l.shstrtab].size = uint64(img.shstr.size)
	at := uint64(cubin.HeaderSize)
	for _, id := range img.order {
		s := &l.secs[id]
		at = alignUp(at, s.align)
		s.off = at
		if l.hasBits(id) {
			at += s.size
		}
		if at > l.maxOutput() {
			return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: Budget,
				Text: "the image would be too large", Section: l.names.str(s.name), Value: at}}}
		}
	}
	img.shoff = alignUp(at, 8)
	l.placeProgs(img)
	img.size = img.shoff + uint64(len(img.order)+1)*cubin.SectionSize + uint64(len(img.progs))*cubin.ProgSize
	return nil
}

// placeProgs makes the program headers of a final image: the table itself,
// code and constants, data, the table again.
func (l *linker) placeProgs(img *image) {
	if l.isRelocatable() {
		return
	}
	read, write := l.segment(img, 5, 6), l.segment(img, 7, 8)
	n := 2
	for _, p := range []*cubin.Prog{read, write} {
		if p != nil {
			n++
		}
	}
	table := cubin.Prog{Type: cubin.PTPhdr, Flags: cubin.PFRead | cubin.PFExec, Align: 8,
		Off:    img.shoff + uint64(len(img.order)+1)*cubin.SectionSize,
		FileSz: uint64(n) * cubin.ProgSize, MemSz: uint64(n) * cubin.ProgSize}
	img.progs = append(img.progs, table)
	if read != nil {
		read.Flags = cubin.PFRead | cubin.PFExec
		img.progs = append(img.progs, *read)
	}
	if write != nil {
		write.Flags = cubin.PFRead | cubin.PFWrite
		img.progs = append(img.progs, *write)
	}
	table.Type = cubin.PTLoad
	img.progs = append(img.progs, table)
}

// segment covers the sections of two buckets; nil where there are none. What
// a segment adds in memory is counted from 0, not from its start.
func (l *linker) segment(img *image, from, to int) *cubin.Prog {
	var p *cubin.Prog
	extra := uint64(0)
	for _, id := range img.order {
		if b := l.bucket(id); b < from || b > to {
			continue
		}
		s := &l.secs[id]
		if p == nil {
			p = &cubin.Prog{Type: cubin.PTLoad, Off: s.off, Align: 8}
		}
		p.FileSz = s.off - p.Off
		if l.hasBits(id) {
			p.FileSz += s.size
		} else {
			extra = alignUp(extra, s.align) + s.size
		}
	}
	if p != nil {
		p.MemSz = p.FileSz + extra
	}
	return p
}
