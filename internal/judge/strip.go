package main

import (
	"errors"
	"slices"
	"strings"
)

// strip makes of a link what a stripper would that knows cubins: debug information and the
// symbols of sections that nothing names are gone, and the numbers in all tables closed up.
// On the Mercury side only the numbers of sections change.
func strip(data []byte) ([]byte, error) {
	f := open(data, nil)
	s := stripper{f: f, section: make([]uint64, len(f.sections))}
	if len(f.symtabs) == 0 || f.sections[f.symtabs[0]].kind != kindSymtab {
		return nil, errors.New("strip: no table of symbols")
	}
	next := uint64(1)
	for i := 1; i < len(f.sections); i++ {
		if !droppable(f.sections[i].name) {
			s.section[i] = next
			next++
		}
	}
	s.keepSymbols()
	for i := 1; i < len(f.sections); i++ {
		if s.section[i] != 0 {
			s.rewrite(&f.sections[i])
		}
	}
	f.put(51, 1, s.section[f.get(51, 1)]) // e_flags has the number of .note.nv.cuinfo
	f.put(62, 2, s.section[f.get(62, 2)])
	var headers [][]byte
	for i := range f.sections {
		at := f.sections[i].at
		headers = append(headers, slices.Clone(f.bytes[at:at+64]))
		clear(f.bytes[at : at+64])
	}
	for i, h := range headers {
		if i == 0 || s.section[i] != 0 {
			copy(f.bytes[f.shoff+64*s.section[i]:], h)
		}
	}
	f.put(60, 2, next)
	return f.bytes, nil
}

type stripper struct {
	f       *file
	section []uint64 // new numbers; 0: gone
	symbol  []uint64
	used    map[uint64]bool

	left, locals uint64 // symbols, and those of them that are local
}

func droppable(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, ".nv.resolvedrela"), ".rela"), ".rel")
	return strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, ".nv_debug_") && name != ".nv_debug.shared"
}

// eachSymbol visits the places of symbol numbers in a table.
func (s *stripper) eachSymbol(h *header, visit func(at uint64)) {
	f := s.f
	switch h.kind {
	case kindRela, kindRel, 0x70000003:
		if f.sections[h.link].kind == kindMercSymtab {
			return // symbols of the Mercury side keep their numbers
		}
		width := uint64(24)
		if h.kind == kindRel {
			width = 16
		}
		for _, at := range f.entries(h, width) {
			visit(at + 12)
		}
	case kindInfo:
		for at := h.off; at < h.off+h.size; {
			size := uint64(0)
			if f.get(at, 1) == 4 {
				size = f.get(at+2, 2)
				switch f.get(at+1, 1) {
				// IMAGE_SLOT, IMAGE_OFFSET, IMAGE_SIZE, TEXTURE_NORMALIZED, SAMPLER_INIT, PARAM_CBANK, FRAME_SIZE, MIN_STACK_SIZE,
				// SAMPLER_FORCE_UNNORMALIZED, BINDLESS_IMAGE_OFFSETS, MAX_STACK_SIZE, LOAD_CACHE_REQUEST, REGCOUNT
				case 0x02, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11, 0x12, 0x13, 0x14, 0x23, 0x26, 0x2f:
					visit(at + 4)
				case 0x0f: // EXTERNS
					for n := uint64(0); n+4 <= size; n += 4 {
						visit(at + 4 + n)
					}
				}
			}
			at += 4 + size
		}
	case kindCallgraph:
		heading := uint64(0)
		for _, at := range f.entries(h, 8) {
			if x, y := f.get(at, 4), f.get(at+4, 4); x == 0 && y >= 0xfffffffc {
				heading = y
				continue
			}
			visit(at)
			if heading == 0xffffffff || heading == 0xfffffffc {
				visit(at + 4)
			}
		}
	case kindPrototype:
		for _, at := range f.entries(h, 8) {
			visit(at)
		}
	}
}

// keepSymbols gives new numbers to the symbols that stay.
func (s *stripper) keepSymbols() {
	s.used = map[uint64]bool{}
	for i := range s.f.sections {
		if s.section[i] != 0 {
			s.eachSymbol(&s.f.sections[i], func(at uint64) { s.used[s.f.get(at, 4)] = true })
		}
	}
	list := s.f.symbols(&s.f.sections[s.f.symtabs[0]])
	s.symbol = make([]uint64, len(list))
	s.left, s.locals = 1, 1
	for _, local := range []bool{true, false} {
		for _, y := range list[1:] {
			gone := y.shndx > 0 && y.shndx < 0xff00 && s.section[y.shndx] == 0
			if (y.bind == 0) != local || y.kind == 3 && !s.used[uint64(y.index)] || gone {
				continue
			}
			s.symbol[y.index] = s.left
			s.left++
		}
		if local {
			s.locals = s.left
		}
	}
}

// rewrite puts the new numbers into a section and its header.
func (s *stripper) rewrite(h *header) {
	f := s.f
	s.eachSymbol(h, func(at uint64) { f.put(at, 4, s.symbol[f.get(at, 4)]) })
	info := uint64(h.info)
	switch {
	case h.kind == kindSymtab:
		s.symbols(h)
		info = s.locals
	case h.kind == kindMercSymtab:
		for _, at := range f.entries(h, sizeOfSymbol) {
			s.place(at)
		}
	case h.kind == kindCapsule: // sh_info is a symbol of the Mercury side
		f.put(h.off, 4, s.section[f.get(h.off, 4)])
	case h.code():
		info = info&0xff000000 | s.symbol[info&0xffffff]
	case info < uint64(len(s.section)):
		info = s.section[info]
	}
	f.put(h.at+44, 4, info)
	f.put(h.at+40, 4, s.section[h.link])
}

func (s *stripper) symbols(h *header) {
	f := s.f
	old := slices.Clone(f.bytes[h.off : h.off+h.size])
	clear(f.bytes[h.off : h.off+h.size])
	for i, to := range s.symbol {
		if i > 0 && to == 0 {
			continue
		}
		at := h.off + sizeOfSymbol*to
		copy(f.bytes[at:at+sizeOfSymbol], old[sizeOfSymbol*i:])
		s.place(at)
	}
	f.put(h.at+32, 8, sizeOfSymbol*s.left)
}

// place puts the new number of its section into a symbol.
func (s *stripper) place(at uint64) {
	if n := s.f.get(at+6, 2); n > 0 && n < 0xff00 {
		s.f.put(at+6, 2, s.section[n])
	}
}
