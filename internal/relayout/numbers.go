package relayout

import (
	"bytes"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// numbers are the new numbers of sections and symbols.
type numbers struct {
	section []int
	symbol  map[*section][]int // by symbol table
}

// sameNumbers are those that a file has.
func (f *file) sameNumbers() numbers {
	n := numbers{section: count(len(f.sections)), symbol: map[*section][]int{}}
	for _, t := range f.symtabs {
		n.symbol[t] = count(len(t.body) / symbolSize)
	}
	return n
}

func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// shuffleSections numbers sections again. That of the note whose number e_flags has in a byte stays below 256.
func (f *file) shuffleSections(n numbers) {
	to := f.r.Perm(len(f.sections) - 1)
	for i := range to {
		n.section[i+1] = to[i] + 1
	}
	if note := int(f.header[51]); note > 0 && n.section[note] > 255 {
		other := slices.Index(n.section, 1)
		n.section[note], n.section[other] = 1, n.section[note]
	}
}

// shuffleSymbols numbers symbols again, local ones first.
func (f *file) shuffleSymbols(n numbers) {
	for _, t := range f.symtabs {
		next := 1
		for _, local := range []bool{true, false} {
			t.info = uint32(next) // the first symbol that is not local
			for _, i := range f.r.Perm(len(t.body) / symbolSize) {
				if i > 0 && (t.body[symbolSize*i+4]>>4 == 0) == local {
					n.symbol[t][i] = next
					next++
				}
			}
		}
	}
}

// renumber puts new numbers where the old ones were.
func (f *file) renumber(n numbers) {
	rows := make([]*section, len(f.sections))
	for _, s := range f.sections {
		f.renumberSection(s, n)
		rows[n.section[s.number]] = s
	}
	for _, s := range f.sections {
		s.number = n.section[s.number]
	}
	f.header[51] = byte(n.section[f.header[51]]) // of the note that is about the rest of e_flags; 0 in older files
	little.PutUint16(f.header[62:], uint16(n.section[little.Uint16(f.header[62:])]))
	f.sections = rows
	for _, t := range f.symtabs {
		f.renumberSymbols(t, n)
	}
}

func (f *file) renumberSection(s *section, n numbers) {
	f.eachSymbol(s, func(t *section, at []byte) {
		if i := little.Uint32(at); int(i) < len(n.symbol[t]) {
			little.PutUint32(at, uint32(n.symbol[t][i]))
		}
	})
	switch {
	case s.kind == cuda.SHTSymtab, s.kind == cuda.SHTMercSymtab:
	case s.code(), s.kind == cuda.SHTCudaCapmerc:
		if t := f.tableOf(s); t != nil {
			if i := s.info & 0xffffff; int(i) < len(n.symbol[t]) {
				s.info = s.info&0xff000000 | uint32(n.symbol[t][i])
			}
		}
		if s.kind == cuda.SHTCudaCapmerc && len(s.body) >= 4 {
			if code := little.Uint32(s.body); int(code) < len(n.section) {
				little.PutUint32(s.body, uint32(n.section[code]))
			}
		}
	case int(s.info) < len(n.section):
		s.info = uint32(n.section[s.info])
	}
	s.link = uint32(n.section[s.link])
}

// renumberSymbols writes a symbol table in its new order.
func (f *file) renumberSymbols(t *section, n numbers) {
	old := bytes.Clone(t.body)
	for i, to := range n.symbol[t] {
		y := t.body[symbolSize*to:][:symbolSize]
		copy(y, old[symbolSize*i:])
		if s := sectionOf(y); s > 0 && s < len(n.section) {
			little.PutUint16(y[6:], uint16(n.section[s]))
		}
	}
}

// attributesWithSymbol begin with the number of a symbol: IMAGE_SLOT, IMAGE_OFFSET, IMAGE_SIZE, TEXTURE_NORMALIZED,
// SAMPLER_INIT, PARAM_CBANK, FRAME_SIZE, MIN_STACK_SIZE, SAMPLER_FORCE_UNNORMALIZED, BINDLESS_IMAGE_OFFSETS,
// MAX_STACK_SIZE, LOAD_CACHE_REQUEST, REGCOUNT.
var attributesWithSymbol = []byte{0x02, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11, 0x12, 0x13, 0x14, 0x23, 0x26, 0x2f}

const externs = 0x0f // is a list of them

// eachSymbol visits the numbers of symbols in a section's bytes.
func (f *file) eachSymbol(s *section, visit func(t *section, at []byte)) {
	t := f.tableOf(s)
	if t == nil {
		return
	}
	width, records := s.records()
	switch {
	case records:
		for r := range slices.Chunk(s.body, width) {
			visit(t, r[12:])
		}
	case s.attributes():
		places := attributesOf(s.body)
		for i, at := range places[:len(places)-1] {
			a := s.body[at:places[i+1]]
			switch {
			case a[0] != 4:
			case slices.Contains(attributesWithSymbol, a[1]) && len(a) >= 8:
				visit(t, a[4:])
			case a[1] == externs:
				for n := 4; n+4 <= len(a); n += 4 {
					visit(t, a[n:])
				}
			}
		}
	case s.calls():
		under := uint32(0)
		for pair := range slices.Chunk(s.body, 8) {
			if h, ok := heading(pair); ok {
				under = h
				continue
			}
			visit(t, pair)
			if under == cuda.CallgraphCalls || under == cuda.CallgraphEdges {
				visit(t, pair[4:])
			}
		}
	case s.prototypes():
		for pair := range slices.Chunk(s.body, 8) {
			visit(t, pair)
		}
	}
}
