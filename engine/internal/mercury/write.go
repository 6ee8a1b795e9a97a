package mercury

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/layout"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// placeParts gives sections and tables their offsets.
func (l *Backend) placeParts(img *plan) error {
	symtab := &img.parts[img.sassOf[l.Symtab]]
	symtab.hdr.Size = uint64(len(img.Symbols)+1+len(img.banks)+len(img.calls.names)) * cubin.SymbolSize
	merc := &img.parts[img.mercSymtab]
	merc.hdr.Size = uint64(len(img.Symbols)+1) * cubin.SymbolSize
	if len(img.banks) > 0 && !l.Release.FirstNotes {
		symtab.hdr.Info = l.lastLocal(img)
	}
	for i := range img.banks {
		b := &img.banks[i]
		b.nameOff = l.addBankName(img.Str, b)
	}
	if !l.Release.FreshNames {
		l.addCallNames(img)
	}
	strtab, shstrtab := &img.parts[img.sassOf[l.Strtab]], &img.parts[img.sassOf[l.Shstrtab]]
	strtab.hdr.Size = uint64(img.Str.Size)
	shstrtab.hdr.Size = uint64(img.Shstr.Size + img.extra.tailSize)
	gap, endAlign := namesGap, uint64(8)
	if l.Release.FreshNames {
		shstrtab.hdr.Size += namesGap
		gap, endAlign, img.gap = 0, 1, 0
	}
	at := uint64(cubin.HeaderSize)
	for i := range img.parts {
		p := &img.parts[i]
		if p.twin >= 0 {
			p.hdr.Off, p.hdr.Size = img.parts[p.twin].hdr.Off, img.parts[p.twin].hdr.Size
			continue
		}
		at = model.AlignUp(at, p.hdr.Align)
		p.hdr.Off = at
		if !p.nobits {
			at += p.hdr.Size
		}
		switch p {
		case shstrtab:
			if !img.wide.late {
				at += gap
			}
		case strtab:
			at += img.gap
		}
		if at > l.MaxOutput() {
			return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Budget, Text: "the image would be too large", Value: at}}}
		}
	}
	img.Shoff = model.AlignUp(at, endAlign)
	img.Size = img.Shoff + uint64(len(img.parts)+1)*cubin.SectionSize
	if !l.IsRelocatable() {
		l.placeMercuryProgs(img)
		img.Size += uint64(len(img.Progs)) * cubin.ProgSize
	}
	return nil
}

// lastLocal returns one more than the index of the last LOCAL symbol of the
// SASS side, which the section symbols of the finalizer's banks are.
func (l *Backend) lastLocal(img *plan) uint32 {
	return img.banks[len(img.banks)-1].index + 1
}

// placeMercuryProgs makes the program headers: the table, twice, and one for
// each run of loaded sections with equal permissions.
func (l *Backend) placeMercuryProgs(img *plan) {
	table := cubin.Prog{Type: cubin.PTPhdr, Flags: cubin.PFRead, Align: 8, Off: img.Size}
	img.Progs = append(img.Progs, table, table)
	img.Progs[1].Type = cubin.PTLoad
	var run *cubin.Prog
	extra := uint64(0)
	for i := range img.parts {
		h := &img.parts[i].hdr
		if h.Flags&cuda.SHFAlloc == 0 || h.Flags&cuda.SHFMercury != 0 {
			run = nil
			continue
		}
		flags := uint32(cubin.PFRead)
		if h.Flags&cuda.SHFWrite != 0 {
			flags |= cubin.PFWrite
		}
		if h.Flags&cuda.SHFExec != 0 {
			flags |= cubin.PFExec
		}
		if run == nil || run.Flags != flags {
			img.Progs = append(img.Progs, cubin.Prog{Type: cubin.PTLoad, Flags: flags, Off: h.Off, Align: 8})
			run = &img.Progs[len(img.Progs)-1]
			extra = 0
		}
		run.FileSz = h.Off - run.Off
		if img.parts[i].nobits {
			extra = model.AlignUp(extra, h.Align) + h.Size
		} else {
			run.FileSz += h.Size
		}
		run.MemSz = run.FileSz + extra
	}
	n := uint64(len(img.Progs)) * cubin.ProgSize
	for i := range img.Progs[:2] {
		img.Progs[i].FileSz, img.Progs[i].MemSz = n, n
	}
}

func (l *Backend) putMercuryHeader(out []byte, img *plan) {
	h := l.FileHeader(img.Plan, len(img.parts))
	if l.IsRelocatable() {
		h.PhEntSize = 0
	}
	h.Put((*[cubin.HeaderSize]byte)(out))
}

// putMercuryRelocs writes the records that stay, last read first.
func (l *Backend) putMercuryRelocs(body []byte, id model.SecID) {
	s := &l.Secs[id]
	put := func(r cubin.Reloc) {
		r.PutRela((*[cubin.RelaSize]byte)(body))
		body = body[cubin.RelaSize:]
	}
	if s.Type == cuda.SHTCudaResolvedRela {
		for _, p := range l.Resolved[id] {
			r := &l.Parts[p.Sec].Relocs[p.At]
			put(cubin.Reloc{Off: r.Off, Type: r.Type, Symbol: l.SymIndex(r.Sym), Addend: r.Addend + int64(r.Base)})
		}
	}
	relocs := l.Parts[id].Relocs
	for j := len(relocs) - 1; j >= 0; j-- {
		if r := &relocs[j]; r.Disposition == model.Kept {
			put(cubin.Reloc{Off: r.Off, Type: r.NewType, Symbol: l.SymIndex(r.Sym), Addend: r.Addend})
		}
	}
}

func putRelas(body []byte, list []cubin.Reloc) {
	for i := range list {
		list[i].PutRela((*[cubin.RelaSize]byte)(body[i*cubin.RelaSize:]))
	}
}

// mercEntry is a symbol as the Mercury side has it.
func (l *Backend) mercEntry(img *plan, id model.SymID) cubin.Symbol {
	s := &l.Syms[id]
	e := cubin.Symbol{NameOff: img.Names[id], Info: s.Info, Other: s.Other, Value: s.Value, Size: s.Size}
	if s.IsShared() && s.Is(model.SymDefined|model.SymLaid) && !l.IsRelocatable() {
		_, e.Other = l.SharedSymbol(s)
	}
	if s.Is(model.SymCommon) {
		e.Shndx = cuda.SHNCommon
	}
	switch t := s.Type(); {
	case s.Is(model.SymDefined|model.SymLaid) || t == cuda.STTFunc || t == cuda.STTSection || t == cuda.STTCudaObject && s.Space() != cuda.STOShared:
	case resolve.IsLocalUndefined(s):
		e.Info = uint8(cuda.STBLocal)<<4 | uint8(cuda.STTCudaObject)
	case s.Binding() == cuda.STBWeak && t == cuda.STTObject:
		e.Info = uint8(cuda.STBGlobal)<<4 | uint8(cuda.STTCudaObject)
		e.Other = 0
	case s.Binding() == cuda.STBWeak:
		e.Info = uint8(cuda.STBGlobal)<<4 | s.Info&0xf
	}
	return e
}

// putMercurySymbols writes .nv.merc.symtab.
func (l *Backend) putMercurySymbols(body []byte, img *plan, from int) {
	for k := range len(body) / cubin.SymbolSize {
		at := (*[cubin.SymbolSize]byte)(body[k*cubin.SymbolSize:])
		if from+k == 0 {
			null := cubin.Symbol{Value: l.NullValue}
			null.Put(at)
			continue
		}
		id := img.Symbols[from+k-1]
		e := l.mercEntry(img, id)
		if s := &l.Syms[id]; s.Sec >= 0 {
			e.Shndx, _ = img.number(img.mercNumber(s.Sec), 0)
		}
		e.Put(at)
	}
}

// putSASSSymbols writes .symtab.
func (l *Backend) putSASSSymbols(body []byte, img *plan, from int) {
	for k := range len(body) / cubin.SymbolSize {
		var e cubin.Symbol
		switch i := from + k - 1; {
		case i < 0:
			e.Value = l.NullValue
		case i < len(img.Symbols):
			e = l.sassEntry(img, img.Symbols[i])
		case uint32(i+1)-img.calls.first < uint32(len(img.calls.names)):
			e = img.calls.entry(i + 1 - int(img.calls.first))
		default:
			i -= int(img.banks[0].index) - 1
			e = cubin.Symbol{NameOff: img.banks[i].nameOff, Info: uint8(cuda.STTSection)}
			e.Shndx, _ = img.number(img.bankNumber(i), 0)
		}
		e.Put((*[cubin.SymbolSize]byte)(body[k*cubin.SymbolSize:]))
	}
}

// sassEntry is a symbol as the SASS side has it.
func (l *Backend) sassEntry(img *plan, id model.SymID) cubin.Symbol {
	s := &l.Syms[id]
	e := l.mercEntry(img, id)
	if s.Sec >= 0 {
		e.Shndx, _ = img.number(uint32(img.sassOf[s.Sec]+1), 0)
	}
	switch s.Type() {
	case cuda.STTFunc:
		e.Value, e.Size = l.sassExtent(img, id)
	case cuda.STTSection:
		if name, ok := img.bankName[s.Sec]; ok {
			e.NameOff = name
		}
	default:
		l.lowerObject(s, &e)
	}
	return e
}

// Values that the finalizer gives undefined symbols of the driver's shared
// memory, and of tensor memory.
var reservedValues = map[string]uint64{
	".nv.reservedSmem.offset0": 0x40,
	".nv.reservedSmem.cap":     layout.DriverReserve,
	model.TensorColumns:        0x200,
}

// lowerObject makes an object's entry that of the SASS side.
func (l *Backend) lowerObject(s *model.Symbol, e *cubin.Symbol) {
	if name := l.Names.Str(s.Name); isReservedName(name) && !s.Is(model.SymDefined) {
		e.Value = reservedValues[name]
		return
	}
	if l.IsRelocatable() {
		return
	}
	if s.Sec >= 0 && l.Secs[s.Sec].Type == cuda.SHTCudaSharedReserved {
		e.Value += reservedGrowth
	}
	if s.Is(model.SymDefined | model.SymLaid) {
		if s.IsShared() {
			e.Value, e.Other = l.SharedSymbol(s)
			if !l.Opt.NoReserved || !l.Release.PlacesWithoutReserve {
				e.Value += layout.DriverReserve
			}
		}
		if s.Type() == cuda.STTCudaObject {
			e.Info = e.Info&0xf0 | uint8(cuda.STTObject)
		}
		e.Other &= 0x1f
	} else if s.Type() == cuda.STTCudaObject && (s.Binding() == cuda.STBWeak && s.Space() != cuda.STOShared || l.Opt.AllowUndefined && s.Space() == cuda.STOGlobal) {
		e.Info = e.Info&0xf0 | uint8(cuda.STTObject)
		e.Other &= 0x1f
	}
}
