package mercury

import (
	"io"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// The image of a link for sm_100 and up is two groups of sections: those of
// SASS in the order of every image, then their Mercury clones. Beside the
// sections of the link stand parameter banks, which the finalizer makes.
//
// Two accidents leave bytes that no header describes. .shstrtab has room for
// names that are not there, and names of constants that are longer on the
// Mercury side leave the difference behind .strtab.

// plan is the plan of such an image.
type plan struct {
	*output.Plan
	parts  []part
	sassOf []int32 // by section of the link: its part, -1 for none
	mercOf []int32
	// mercSymtab is the part of the Mercury side's symbol table.
	mercSymtab int
	banks      []paramBank            // those the finalizer makes
	bankOf     map[model.SecID]uint32 // by section of code: the index of its bank's symbol
	gap        uint64                 // bytes after .strtab
	// plainStrings is the size of .strtab before the SASS side's names are added.
	plainStrings uint64
	ownCompat    uint64 // bytes that the finalizer puts after .nv.compat
	extra        mercNames
	calls        driverCalls
	// bankName is the SASS name of a section of constants, by section.
	bankName map[model.SecID]uint32
	wide     wideIndex
	frames   frameRecords
	firstSym []model.SymID // see first
}

// part is a section of the image.
type part struct {
	hdr    cubin.Section
	data   []byte        // content made or found as a whole
	chunks []model.Chunk // else content of the inputs
	nobits bool
	copied bool // SASS data made of the Mercury section's bytes
	final  bool // data is as it is written
	twin   int  // the part whose bytes it shares, -1 for none
}

// paramBank is a kernel's .nv.constant0.<k>.
type paramBank struct {
	kernel  model.FunID
	name    string
	size    uint64
	align   uint64
	index   uint32 // of its section symbol
	nameOff uint32 // in .strtab
}

// namesGap is what stays unused behind .shstrtab: room for the names of the
// tables that hold wide section numbers.
const namesGap = uint64(len(".symtab_shndx") + 1 + len(".nv.merc.symtab_shndx") + 1)

// Write plans the output and writes it to to; with nil it is returned.
func (l *Backend) Write(to io.WriterAt) ([]byte, error) {
	img := &plan{Plan: output.NewPlan(len(l.Secs), len(l.Funs))}
	if err := l.openCode(); err != nil {
		return nil, err
	}
	l.CountResolved()
	l.ChooseSymbols(img.Plan)
	l.BuildStrings(img.Plan)
	img.plainStrings = uint64(img.Str.Size)
	l.planCalls(img)
	l.planBanks(img)
	if l.Release.FreshNames {
		l.addFreshNames(img)
	}
	l.BuildAttributes(img.Plan)
	own := l.finishCompat()
	img.ownCompat = uint64(len(own))
	l.BuildNotes(img.Plan, own)
	l.OrderSections(img.Plan)
	l.widen(img)
	if l.Release.FreshNames && (img.wide.early || img.wide.late) {
		return nil, diag.Refuse(diag.Unsupported, "", "how nvlink %s numbers so many sections is not known", l.Release.Name)
	}
	if l.Release.FreshNames {
		l.numberFresh(img)
	} else {
		l.NumberSections(img.Plan)
		l.renameBanks(img)
	}
	l.planSASS(img)
	l.planMercury(img)
	l.planCallRecords(img)
	if err := l.linkEntries(img); err != nil {
		return nil, err
	}
	if err := l.fillParts(img); err != nil {
		return nil, err
	}
	if err := l.placeParts(img); err != nil {
		return nil, err
	}
	out, err := l.emit(img, to)
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
func (l *Backend) openCode() error {
	for i := range l.Secs {
		if s := &l.Secs[i]; s.Fun != model.Absent && !s.Deleted {
			fn, err := l.code(model.SecID(i))
			if err != nil {
				return err
			}
			if len(fn.bent) > 0 {
				l.SayYield(fn.text, fn.input.File.Name, fn.bent[0])
			}
			l.order = append(l.order, fn)
		}
	}
	return nil
}

// planBanks finds the parameter banks that the finalizer makes: one for each
// kernel but those whose bank holds image slots.
func (l *Backend) planBanks(img *plan) {
	img.bankOf = make(map[model.SecID]uint32)
	first := len(img.Symbols) + 1
	if l.Release.FreshNames {
		first += len(img.calls.names)
	}
	for _, fn := range l.order {
		f := l.Secs[fn.text].Fun
		k := fn.input.Bank[fn.sassidx]
		if k == 0 || l.Syms[l.Funs[f].Sym].Other&cuda.STOEntry == 0 {
			continue
		}
		if _, ok := l.Headers[fn.text]; ok {
			continue
		}
		s := fn.input.File.Section(int(k))
		img.banks = append(img.banks, paramBank{kernel: f, name: ".nv.constant0." + l.SymName(l.Funs[f].Sym), size: s.Size, align: s.Align,
			index: uint32(first + len(img.banks))})
		img.bankOf[fn.text] = img.banks[len(img.banks)-1].index
	}
	if !l.Release.FreshNames {
		img.calls.first += uint32(len(img.banks))
	}
}

// planSASS makes the headers of the SASS group and of the finalizer's banks.
func (l *Backend) planSASS(img *plan) {
	img.sassOf, img.mercOf = model.Blank([]int32(nil), len(l.Secs)), model.Blank([]int32(nil), len(l.Secs))
	img.parts = make([]part, 0, 2*len(img.Order)+len(img.banks)+4)
	symtab := l.Secs[l.Symtab].Index
	for i, id := range img.Order {
		s := &l.Secs[id]
		h := cubin.Section{NameOff: img.NameOff[i], Type: l.Lowered(s.Type), Flags: s.Flags, Size: s.Size, Align: s.Align}
		switch s.Type {
		case cuda.SHTMercImageHeaders:
			h.Type = cuda.SHTProgbits
		case cuda.SHTSymtabShndx:
			img.wide.sass = len(img.parts)
			h.Link, h.EntSize, h.Size = symtab, 4, uint64(img.wide.count)*4
		case cuda.SHTSymtab:
			h.Link, h.Info, h.EntSize = l.Secs[l.Strtab].Index, uint32(img.Locals+1), cubin.SymbolSize
		case cuda.SHTCudaInfo:
			h.Link = symtab
		case cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype:
			h.Link, h.EntSize = symtab, 8
		case cuda.SHTRela, cuda.SHTCudaResolvedRela:
			h.Link, h.EntSize, h.Info = symtab, cubin.RelaSize, l.Secs[s.Target].Index
		}
		if s.Owner != model.Absent {
			h.Info = l.Secs[s.Owner].Index
		}
		if s.Fun != model.Absent {
			h.Link, h.Info = symtab, l.Syms[l.Funs[s.Fun].Sym].Index
		}
		output.UnifiedHeader(&h, s.Type, symtab)
		l.NoteHeader(id, &h)
		l.addReserve(id, &h)
		img.sassOf[id] = int32(len(img.parts))
		img.parts = append(img.parts, part{hdr: h, nobits: !l.HasBits(id), twin: -1})
	}
	if img.wide.late {
		img.wide.sass = len(img.parts)
		img.parts = append(img.parts, img.widePart(img.Shstr.AddAgain(l.Names.ID(".symtab_shndx")), 0, symtab, img.wide.count))
	}
	for i := range img.banks {
		b := &img.banks[i]
		typ := cuda.SHTProgbits
		if l.IsRelocatable() {
			typ = cuda.SHTCudaConstant0
		}
		img.parts = append(img.parts, part{twin: -1, data: make([]byte, b.size), hdr: cubin.Section{
			NameOff: l.addBankName(img.Shstr, b), Type: typ, Flags: cuda.SHFAlloc | cuda.SHFInfoLink,
			Size: b.size, Align: b.align, Info: l.Secs[l.Funs[b.kernel].Text].Index}})
	}
}

// addReserve adds what the driver keeps of shared memory to the sizes of the
// SASS side.
func (l *Backend) addReserve(id model.SecID, h *cubin.Section) {
	if l.IsRelocatable() {
		return
	}
	switch l.Secs[id].Type {
	case cuda.SHTCudaShared:
		if !l.Opt.NoReserved {
			h.Size += layout.DriverReserve
		}
	case cuda.SHTCudaSharedReserved:
		h.Size += reservedGrowth
	}
}

// reservedGrowth is how much the finalizer adds to .nv.shared.reserved.0.
const reservedGrowth = 0x40

// mercGroup is the order of the Mercury group: by bucket of the SASS side, but
// that code comes first.
func (l *Backend) mercGroup(id model.SecID) (place int, ok bool) {
	s := &l.Secs[id]
	switch b := l.Bucket(id); b {
	case 6:
		return 0, true
	case 1, 4, 5, 7:
		return b, true
	case 3:
		isCalls := s.Type == cuda.SHTCudaCallgraph || s.Type == cuda.SHTCudaPrototype
		return b, s.Type != cuda.SHTCudaCompat && (l.Release.ClonesCalls || !isCalls)
	case 8:
		return b, s.Type == cuda.SHTCudaSharedReserved
	}
	return 0, false
}

// planMercury makes the headers of the Mercury group.
func (l *Backend) planMercury(img *plan) {
	group := l.mercOrder(img)
	img.extra.tail = make([]tailName, 0, len(group)+2)
	if l.Release.FreshNames {
		l.addMercSymbols(img)
	}
	first := len(img.parts)
	shift := img.numberMercury(l.Program, group)
	symtab := uint32(first + len(group) + shift + 1)
	if l.Release.FreshNames {
		symtab = uint32(first)
	}
	for i, id := range group {
		if img.wide.early && int(img.mercOf[id]) > first+i && len(img.parts) == first+i {
			l.addMercWide(img, symtab)
		}
		h, before := l.mercHeader(img, id, symtab)
		h.NameOff = l.addName(img, before, l.Secs[id].Name)
		img.parts = append(img.parts, part{hdr: h, twin: -1})
	}
	if uint32(len(img.parts)+1) < symtab {
		l.addMercWide(img, symtab)
	}
	if !l.Release.FreshNames {
		l.addMercSymbols(img)
	}
}

// mercOrder returns the sections that have a clone, in the order of the clones.
func (l *Backend) mercOrder(img *plan) []model.SecID {
	group := make([]model.SecID, 0, len(img.Order))
	for _, id := range img.Order {
		if _, ok := l.mercGroup(id); ok {
			group = append(group, id)
		}
	}
	if !l.Release.FreshNames {
		slices.SortStableFunc(group, func(a, b model.SecID) int {
			x, _ := l.mercGroup(a)
			y, _ := l.mercGroup(b)
			return x - y
		})
	}
	return group
}

// numberMercury gives the clones their parts. The result is how many parts stand among
// them that are none: .nv.merc.symtab_shndx, where there is one, after the capsules.
func (img *plan) numberMercury(l *model.Program, group []model.SecID) (shift int) {
	first := len(img.parts)
	for i, id := range group {
		if img.wide.early && shift == 0 && l.Secs[id].Fun == model.Absent {
			shift = 1
		}
		img.mercOf[id] = int32(first + i + shift)
	}
	if img.wide.late || img.wide.early && shift == 0 {
		shift = 1
	}
	return shift
}

// mercHeader is the header of a section's clone but for its name, and what its name
// begins with.
func (l *Backend) mercHeader(img *plan, id model.SecID, symtab uint32) (h cubin.Section, before prefix) {
	s := &l.Secs[id]
	h = cubin.Section{Type: s.Type, Flags: cuda.SHFMercury | s.Flags, Size: s.Size, Align: s.Align}
	before = ofMercury
	switch {
	case s.Fun != model.Absent:
		before = ofCapsule
		h.Type, h.Flags, h.Align = cuda.SHTCudaCapmerc, cuda.SHFMercury, 16
		h.Link, h.Info = symtab, l.Syms[l.Funs[s.Fun].Sym].Index
	case s.Type == cuda.SHTCudaInfo:
		h.Type, h.Link = cuda.SHTMercInfo, symtab
	case s.Type == cuda.SHTCudaCallgraph:
		h.Type, h.Link, h.EntSize = cuda.SHTMercCallgraph, symtab, 8
	case s.Type == cuda.SHTCudaPrototype:
		h.Type, h.Link, h.EntSize = cuda.SHTMercPrototype, symtab, 8
	case s.Type == cuda.SHTRela, s.Type == cuda.SHTCudaResolvedRela:
		h.Type, h.Link, h.EntSize = cuda.SHTMercRela, symtab, cubin.RelaSize
		if s.Type == cuda.SHTCudaResolvedRela {
			h.Type = cuda.SHTMercResolvedRela
		}
		h.Info = uint32(img.mercOf[s.Target] + 1)
	default:
		h.Type = input.MercBankType(s.Type)
	}
	if s.Owner != model.Absent {
		h.Info = uint32(img.mercOf[s.Owner] + 1)
	}
	if s.Fun == model.Absent || !l.Release.FreshNames {
		output.UnifiedHeader(&h, s.Type, symtab)
	}
	return h, before
}

// addMercSymbols adds the Mercury side's symbol table.
func (l *Backend) addMercSymbols(img *plan) {
	img.mercSymtab = len(img.parts)
	h := cubin.Section{Type: cuda.SHTMercSymtab, Flags: cuda.SHFMercury, Align: 8, EntSize: cubin.SymbolSize,
		Link: l.Secs[l.Strtab].Index, Info: uint32(img.Locals + 1), NameOff: l.addName(img, bare, l.Names.ID(".nv.merc.symtab"))}
	img.parts = append(img.parts, part{hdr: h, twin: -1})
}
