package engine

import (
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The image of a link for sm_100 and up is two groups of sections: those of
// SASS in the order of every image, then their Mercury clones. Beside the
// sections of the link stand parameter banks, which the finalizer makes.
//
// Two accidents leave bytes that no header describes. .shstrtab has room for
// names that are not there, and names of constants that are longer on the
// Mercury side leave the difference behind .strtab.

// mercImage is the plan of such an image.
type mercImage struct {
	*image
	parts  []part
	sassOf []int32 // by section of the link: its part, -1 for none
	mercOf []int32
	banks  []paramBank // those the finalizer makes
	gap    uint64      // bytes behind .strtab
	extra  mercNames
	// bankName is the SASS name of a section of constants, by section.
	bankName map[secID]uint32
	relas    map[secID][]cubin.Reloc // records of the SASS side, by section
	wide     wideIndex
	// .debug_frame's records on the SASS side: their places, and the addends
	// by place on the Mercury side.
	frameAt     map[uint64]uint64
	frameAddend map[uint64]int64
	firstSym    map[secID]symID // see first
}

// part is a section of the image.
type part struct {
	hdr    cubin.Section
	data   []byte  // content made or found as a whole
	chunks []chunk // else content of the inputs
	nobits bool
	copied bool // SASS data made of the Mercury section's bytes
	twin   int  // the part whose bytes it shares, -1 for none
}

// paramBank is a kernel's .nv.constant0.<k>.
type paramBank struct {
	kernel funID
	name   string
	size   uint64
	align  uint64
	index  uint32 // of its section symbol
}

// namesGap is what stays unused behind .shstrtab: room for the names of the
// tables that hold wide section numbers.
const namesGap = uint64(len(".symtab_shndx") + 1 + len(".nv.merc.symtab_shndx") + 1)

// finishMercury plans and writes the image.
func (l *linker) finishMercury() ([]byte, error) {
	img := &mercImage{image: &image{content: make([][]byte, len(l.secs))}}
	if err := l.openCode(); err != nil {
		return nil, err
	}
	l.countKept()
	l.countResolved()
	l.chooseSymbols(img.image)
	l.buildStrings(img.image)
	l.buildFacts(img.image)
	l.buildNotes(img.image, l.fastpathRecord())
	l.orderSections(img.image)
	l.planBanks(img)
	l.widen(img)
	l.numberSections(img.image)
	l.renameBanks(img)
	l.planSASS(img)
	l.planMercury(img)
	if err := l.fillParts(img); err != nil {
		return nil, err
	}
	if err := l.placeParts(img); err != nil {
		return nil, err
	}
	out, err := l.emitMercury(img)
	if err != nil {
		return nil, err
	}
	for _, fn := range l.order {
		if err := l.checkSized(fn); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// openCode decodes the code of every live function.
func (l *linker) openCode() error {
	for i := range l.secs {
		if s := &l.secs[i]; s.fun != absent && !s.deleted {
			fn, err := l.mercFunc(secID(i))
			if err != nil {
				return err
			}
			l.order = append(l.order, fn)
		}
	}
	return nil
}

// planBanks finds the parameter banks that the finalizer makes: one for each
// kernel but those whose bank holds image slots.
func (l *linker) planBanks(img *mercImage) {
	for _, fn := range l.order {
		f := l.secs[fn.text].fun
		k := fn.input.bank[fn.sassidx]
		if k == 0 || l.syms[l.funs[f].sym].other&cuda.STOEntry == 0 {
			continue
		}
		if _, ok := l.headers[fn.text]; ok {
			continue
		}
		s := fn.input.file.Section(int(k))
		img.banks = append(img.banks, paramBank{kernel: f, name: ".nv.constant0." + l.symName(l.funs[f].sym), size: s.Size, align: s.Align,
			index: uint32(len(img.symbols) + len(img.banks) + 1)})
	}
}

// planSASS makes the headers of the SASS group and of the finalizer's banks.
func (l *linker) planSASS(img *mercImage) {
	img.sassOf, img.mercOf = blank([]int32(nil), len(l.secs)), blank([]int32(nil), len(l.secs))
	img.parts = make([]part, 0, 2*len(img.order)+len(img.banks)+4)
	symtab := l.secs[l.symtab].index
	for _, id := range img.order {
		s := &l.secs[id]
		h := cubin.Section{NameOff: s.nameOff, Type: l.lowered(s.typ), Flags: s.flags, Size: s.size, Align: s.align}
		switch s.typ {
		case cuda.SHTMercImageHeaders:
			h.Type = cuda.SHTProgbits
		case cuda.SHTSymtabShndx:
			img.wide.sass = len(img.parts)
			h.Link, h.EntSize, h.Size = symtab, 4, uint64(img.wide.count)*4
		case cuda.SHTSymtab:
			h.Link, h.Info, h.EntSize = l.secs[l.strtab].index, uint32(img.locals+1), cubin.SymbolSize
		case cuda.SHTCudaInfo:
			h.Link = symtab
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			h.Link, h.EntSize = symtab, 8
		case cuda.SHTRela, cuda.SHTCudaResolvedRela:
			h.Link, h.EntSize, h.Info = symtab, cubin.RelaSize, l.secs[s.target].index
		}
		if s.owner != absent {
			h.Info = l.secs[s.owner].index
		}
		if s.fun != absent {
			h.Link, h.Info = symtab, l.syms[l.funs[s.fun].sym].index
		}
		l.noteHeader(id, &h)
		l.addReserve(id, &h)
		img.sassOf[id] = int32(len(img.parts))
		img.parts = append(img.parts, part{hdr: h, nobits: !l.hasBits(id), twin: -1})
	}
	if img.wide.late {
		img.wide.sass = len(img.parts)
		img.parts = append(img.parts, img.widePart(img.shstr.addAgain(l.names.id(".symtab_shndx")), 0, symtab))
	}
	for i := range img.banks {
		b := &img.banks[i]
		typ := cuda.SHTProgbits
		if l.isRelocatable() {
			typ = cuda.SHTCudaConstant0
		}
		img.parts = append(img.parts, part{twin: -1, data: make([]byte, b.size), hdr: cubin.Section{
			NameOff: img.shstr.add(l.names.id(b.name)), Type: typ, Flags: cuda.SHFAlloc | cuda.SHFInfoLink,
			Size: b.size, Align: b.align, Info: l.secs[l.funs[b.kernel].text].index}})
	}
}

// addReserve adds what the driver keeps of shared memory to the sizes of the
// SASS side.
func (l *linker) addReserve(id secID, h *cubin.Section) {
	if l.isRelocatable() {
		return
	}
	switch l.secs[id].typ {
	case cuda.SHTCudaShared:
		h.Size += driverReserve
	case cuda.SHTCudaSharedReserved:
		h.Size += reservedGrowth
	}
}

// reservedGrowth is how much the finalizer adds to .nv.shared.reserved.0.
const reservedGrowth = 0x40

// mercGroup is the order of the Mercury group: by bucket of the SASS side, but
// that code comes first.
func (l *linker) mercGroup(id secID) (place int, ok bool) {
	s := &l.secs[id]
	switch b := l.bucket(id); b {
	case 6:
		return 0, true
	case 1, 4, 5, 7:
		return b, true
	case 3:
		return b, s.typ != cuda.SHTCudaCallgraph && s.typ != cuda.SHTCudaPrototype && s.typ != cuda.SHTCudaCompat
	case 8:
		return b, s.typ == cuda.SHTCudaSharedReserved
	}
	return 0, false
}

// planMercury makes the headers of the Mercury group.
func (l *linker) planMercury(img *mercImage) {
	var group []secID
	for _, id := range img.order {
		if _, ok := l.mercGroup(id); ok {
			group = append(group, id)
		}
	}
	slices.SortStableFunc(group, func(a, b secID) int {
		x, _ := l.mercGroup(a)
		y, _ := l.mercGroup(b)
		return x - y
	})
	first := len(img.parts)
	shift := 0
	for i, id := range group {
		if img.wide.early && shift == 0 && l.secs[id].fun == absent {
			shift = 1 // .nv.merc.symtab_shndx stands behind the capsules
		}
		img.mercOf[id] = int32(first + i + shift)
	}
	if img.wide.late || img.wide.early && shift == 0 {
		shift = 1
	}
	symtab := uint32(first + len(group) + shift + 1)
	for i, id := range group {
		if img.wide.early && int(img.mercOf[id]) > first+i && len(img.parts) == first+i {
			img.addMercWide(symtab)
		}
		s := &l.secs[id]
		h := cubin.Section{Type: s.typ, Flags: cuda.SHFMercury | s.flags, Size: s.size, Align: s.align}
		name := mercPrefix + l.names.str(s.name)
		switch {
		case s.fun != absent:
			name = capmercPrefix + l.names.str(s.name)
			h.Type, h.Flags, h.Align = cuda.SHTCudaCapmerc, cuda.SHFMercury, 16
			h.Link, h.Info = symtab, l.syms[l.funs[s.fun].sym].index
		case s.typ == cuda.SHTCudaInfo:
			h.Type, h.Link = cuda.SHTMercInfo, symtab
		case s.typ == cuda.SHTRela, s.typ == cuda.SHTCudaResolvedRela:
			h.Type, h.Link, h.EntSize = cuda.SHTMercRela, symtab, cubin.RelaSize
			if s.typ == cuda.SHTCudaResolvedRela {
				h.Type = cuda.SHTMercResolvedRela
			}
			h.Info = uint32(img.mercOf[s.target] + 1)
		default:
			h.Type = mercBankType(s.typ)
		}
		if s.owner != absent {
			h.Info = uint32(img.mercOf[s.owner] + 1)
		}
		p := part{hdr: h, twin: -1}
		p.hdr.NameOff = img.addName(name)
		img.parts = append(img.parts, p)
	}
	if uint32(len(img.parts)+1) < symtab {
		img.addMercWide(symtab)
	}
	h := cubin.Section{Type: cuda.SHTMercSymtab, Flags: cuda.SHFMercury, Align: 8, EntSize: cubin.SymbolSize,
		Link: l.secs[l.strtab].index, Info: uint32(img.locals + 1), NameOff: img.addName(".nv.merc.symtab")}
	img.parts = append(img.parts, part{hdr: h, twin: -1})
}
