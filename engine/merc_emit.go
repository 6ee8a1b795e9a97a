package engine

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// placeParts gives sections and tables their offsets.
func (l *linker) placeParts(img *mercImage) error {
	symtab := &img.parts[img.sassOf[l.symtab]]
	symtab.hdr.Size = uint64(len(img.symbols)+1+len(img.banks)) * cubin.SymbolSize
	merc := &img.parts[len(img.parts)-1]
	merc.hdr.Size = uint64(len(img.symbols)+1) * cubin.SymbolSize
	if len(img.banks) > 0 {
		symtab.hdr.Info = l.lastLocal(img)
	}
	for i := range img.banks {
		img.str.add(l.names.id(img.banks[i].name))
	}
	strtab, shstrtab := &img.parts[img.sassOf[l.strtab]], &img.parts[img.sassOf[l.shstrtab]]
	strtab.hdr.Size = uint64(img.str.size)
	shstrtab.hdr.Size = uint64(img.shstr.size + img.extra.tailSize)
	at := uint64(cubin.HeaderSize)
	for i := range img.parts {
		p := &img.parts[i]
		if p.twin >= 0 {
			p.hdr.Off, p.hdr.Size = img.parts[p.twin].hdr.Off, img.parts[p.twin].hdr.Size
			continue
		}
		at = alignUp(at, p.hdr.Align)
		p.hdr.Off = at
		if !p.nobits {
			at += p.hdr.Size
		}
		switch p {
		case shstrtab:
			if !img.wide.early && !img.wide.late {
				at += namesGap
			}
		case strtab:
			at += img.gap
		}
		if at > l.maxOutput() {
			return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: Budget, Text: "the image would be too large", Value: at}}}
		}
	}
	img.shoff = alignUp(at, 8)
	img.size = img.shoff + uint64(len(img.parts)+1)*cubin.SectionSize
	if !l.isRelocatable() {
		l.placeMercuryProgs(img)
		img.size += uint64(len(img.progs)) * cubin.ProgSize
	}
	return nil
}

// lastLocal returns one more than the index of the last LOCAL symbol of the
// SASS side, which the section symbols of the finalizer's banks are.
func (l *linker) lastLocal(img *mercImage) uint32 {
	return uint32(len(img.symbols) + len(img.banks) + 1)
}

// placeMercuryProgs makes the program headers: the table, twice, and one for
// each run of loaded sections with equal permissions.
func (l *linker) placeMercuryProgs(img *mercImage) {
	table := cubin.Prog{Type: cubin.PTPhdr, Flags: cubin.PFRead, Align: 8, Off: img.size}
	img.progs = append(img.progs, table, table)
	img.progs[1].Type = cubin.PTLoad
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
			img.progs = append(img.progs, cubin.Prog{Type: cubin.PTLoad, Flags: flags, Off: h.Off, Align: 8})
			run = &img.progs[len(img.progs)-1]
			extra = 0
		}
		run.FileSz = h.Off - run.Off
		if img.parts[i].nobits {
			extra = alignUp(extra, h.Align) + h.Size
		} else {
			run.FileSz += h.Size
		}
		run.MemSz = run.FileSz + extra
	}
	n := uint64(len(img.progs)) * cubin.ProgSize
	for i := range img.progs[:2] {
		img.progs[i].FileSz, img.progs[i].MemSz = n, n
	}
}

// mercBody returns the bytes of a section's Mercury clone in the image.
func (img *mercImage) mercBody(out []byte, id secID) []byte { return img.body(out, img.mercOf[id]) }

// sassBody returns the bytes of a section on the SASS side.
func (img *mercImage) sassBody(out []byte, id secID) []byte { return img.body(out, img.sassOf[id]) }

func (img *mercImage) body(out []byte, i int32) []byte {
	if i < 0 || img.parts[i].nobits {
		return nil
	}
	h := &img.parts[i].hdr
	return out[h.Off : h.Off+h.Size : h.Off+h.Size]
}

// emitMercury writes the planned image.
func (l *linker) emitMercury(img *mercImage) ([]byte, error) {
	out := l.newImage(img.size)
	l.putMercuryHeader(out, img)
	img.putNames(img.sassBody(out, l.shstrtab))
	img.str.put(img.sassBody(out, l.strtab))
	for i := range img.parts {
		p := &img.parts[i]
		if p.nobits || p.twin >= 0 || p.data == nil && p.chunks == nil {
			continue
		}
		body := img.body(out, int32(i))
		copy(body, p.data)
		for _, c := range p.chunks {
			copy(body[c.off:], c.data)
		}
	}
	for _, fn := range l.order {
		if i := img.sassOf[fn.text]; i >= 0 {
			binary.LittleEndian.PutUint32(img.mercBody(out, fn.text), uint32(i+1))
		}
	}
	l.putSASSSymbols(out, img)
	l.putMercurySymbols(out, img)
	if err := l.applyMercury(out, img); err != nil {
		return nil, err
	}
	if err := l.finalize(out, img); err != nil {
		return nil, err
	}
	for _, id := range img.order {
		if l.secs[id].target == absent {
			continue
		}
		l.putMercuryRelocs(img.mercBody(out, id), id)
		putRelas(img.sassBody(out, id), img.relas[id])
	}
	if n := len(img.parts) + 1; n >= cuda.SHNLoReserve {
		null := cubin.Section{Size: uint64(n)}
		null.Put((*[cubin.SectionSize]byte)(out[img.shoff:]))
	}
	for i := range img.parts {
		img.parts[i].hdr.Put((*[cubin.SectionSize]byte)(out[img.shoff+uint64(i+1)*cubin.SectionSize:]))
	}
	return out, nil
}

func (l *linker) putMercuryHeader(out []byte, img *mercImage) {
	h := cubin.Header{
		Ident:     [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, l.prof.osabi, l.prof.abi},
		Type:      cuda.ETExec,
		Machine:   cuda.EMCuda,
		Version:   l.prof.eversion,
		ShOff:     img.shoff,
		Flags:     l.headerFlags(),
		EhSize:    cubin.HeaderSize,
		PhEntSize: cubin.ProgSize,
		PhNum:     uint16(len(img.progs)),
		ShEntSize: cubin.SectionSize,
		ShNum:     uint16(len(img.parts) + 1),
		ShStrNdx:  uint16(l.secs[l.shstrtab].index),
	}
	if len(img.parts)+1 >= cuda.SHNLoReserve {
		h.ShNum = 0
	}
	if l.isRelocatable() {
		h.Type, h.PhEntSize = cuda.ETRel, 0
	}
	if len(img.progs) > 0 {
		h.PhOff = img.progs[0].Off
	}
	h.Put((*[cubin.HeaderSize]byte)(out))
	for i := range img.progs {
		img.progs[i].Put((*[cubin.ProgSize]byte)(out[h.PhOff+uint64(i)*cubin.ProgSize:]))
	}
}

// putMercuryRelocs writes the records that stay, last read first.
func (l *linker) putMercuryRelocs(body []byte, id secID) {
	s := &l.secs[id]
	list := make([]cubin.Reloc, 0, len(body)/cubin.RelaSize)
	if s.typ == cuda.SHTCudaResolvedRela {
		for _, p := range l.resolved[id] {
			r := &l.secs[p.sec].relocs[p.at]
			list = append(list, cubin.Reloc{Off: r.off, Type: r.typ, Symbol: l.symIndex(r.sym), Addend: r.addend + int64(r.base)})
		}
	}
	for j := len(s.relocs) - 1; j >= 0; j-- {
		if r := &s.relocs[j]; r.fate == kept {
			list = append(list, cubin.Reloc{Off: r.off, Type: r.newTyp, Symbol: l.symIndex(r.sym), Addend: r.addend})
		}
	}
	putRelas(body, list)
}

func putRelas(body []byte, list []cubin.Reloc) {
	for i := range list {
		list[i].PutRela((*[cubin.RelaSize]byte)(body[i*cubin.RelaSize:]))
	}
}

// mercEntry is a symbol as the Mercury side has it.
func (l *linker) mercEntry(img *mercImage, id symID) cubin.Symbol {
	s := &l.syms[id]
	e := cubin.Symbol{NameOff: img.names[id], Info: s.info, Other: s.other, Value: s.value, Size: s.size}
	if s.isShared() && s.is(symDefined|symLaid) && !l.isRelocatable() {
		_, e.Other = l.sharedSymbol(s)
	}
	switch t := s.typ(); {
	case s.is(symDefined|symLaid) || t == cuda.STTFunc || t == cuda.STTSection || t == cuda.STTCudaObject && s.space() != cuda.STOShared:
	case s.binding() == cuda.STBWeak && t == cuda.STTObject:
		e.Info = uint8(cuda.STBGlobal)<<4 | uint8(cuda.STTCudaObject)
		e.Other = 0
	case s.binding() == cuda.STBWeak:
		e.Info = uint8(cuda.STBGlobal)<<4 | s.info&0xf
	}
	return e
}

// putMercurySymbols writes .nv.merc.symtab.
func (l *linker) putMercurySymbols(out []byte, img *mercImage) {
	body := img.body(out, int32(len(img.parts)-1))
	table := img.wideTable(out, img.wide.merc)
	null := cubin.Symbol{Value: l.nullValue}
	null.Put((*[cubin.SymbolSize]byte)(body))
	for i, id := range img.symbols {
		e := l.mercEntry(img, id)
		if s := &l.syms[id]; s.sec >= 0 {
			k := img.mercOf[s.sec]
			if k < 0 {
				k = img.sassOf[s.sec]
			}
			img.putShndx(table, i+1, &e, uint32(k+1), uint32(s.sec+1))
		}
		e.Put((*[cubin.SymbolSize]byte)(body[(i+1)*cubin.SymbolSize:]))
	}
}

// putSASSSymbols writes .symtab.
func (l *linker) putSASSSymbols(out []byte, img *mercImage) {
	body := img.sassBody(out, l.symtab)
	table := img.wideTable(out, img.wide.sass)
	null := cubin.Symbol{Value: l.nullValue}
	null.Put((*[cubin.SymbolSize]byte)(body))
	for i, id := range img.symbols {
		s := &l.syms[id]
		e := l.mercEntry(img, id)
		if s.sec >= 0 {
			img.putShndx(table, i+1, &e, uint32(img.sassOf[s.sec]+1), uint32(s.sec+1))
		}
		switch s.typ() {
		case cuda.STTFunc:
			e.Value, e.Size = l.sassExtent(img, id)
		case cuda.STTSection:
			if name, ok := img.bankName[s.sec]; ok {
				e.NameOff = name
			}
		default:
			l.lowerObject(s, &e)
		}
		e.Put((*[cubin.SymbolSize]byte)(body[(i+1)*cubin.SymbolSize:]))
	}
	for i := range img.banks {
		b := &img.banks[i]
		e := cubin.Symbol{NameOff: img.str.add(l.names.id(b.name)), Info: uint8(cuda.STTSection)}
		first := len(img.order)
		if img.wide.late {
			first++
		}
		img.putShndx(table, int(b.index), &e, uint32(first+i+1), 0)
		e.Put((*[cubin.SymbolSize]byte)(body[int(b.index)*cubin.SymbolSize:]))
	}
}

// Values that the finalizer gives undefined symbols of the driver's shared
// memory.
var reservedValues = map[string]uint64{
	".nv.reservedSmem.offset0": 0x40,
	".nv.reservedSmem.cap":     driverReserve,
}

// lowerObject makes an object's entry that of the SASS side.
func (l *linker) lowerObject(s *symbol, e *cubin.Symbol) {
	if name := l.names.str(s.name); strings.HasPrefix(name, ".nv.reservedSmem.") && !s.is(symDefined) {
		e.Value = reservedValues[name]
		return
	}
	if l.isRelocatable() {
		return
	}
	if s.sec >= 0 && l.secs[s.sec].typ == cuda.SHTCudaSharedReserved {
		e.Value += reservedGrowth
	}
	if s.is(symDefined | symLaid) {
		if s.isShared() {
			e.Value, e.Other = l.sharedSymbol(s)
			e.Value += driverReserve
		}
		if s.typ() == cuda.STTCudaObject {
			e.Info = e.Info&0xf0 | uint8(cuda.STTObject)
		}
		e.Other &= 0x1f
	} else if s.binding() == cuda.STBWeak && s.typ() == cuda.STTCudaObject && s.space() != cuda.STOShared {
		e.Info = e.Info&0xf0 | uint8(cuda.STTObject)
		e.Other &= 0x1f
	}
}
