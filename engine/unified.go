package engine

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The unified function and data tables (UFT, UDT): .nv.uft.entry and
// .nv.udt.entry list what has one address on host and device.
//
//	 0        4        8              16              32
//	+--------+--------+---------------+---------------+
//	| symbol | flags  | 0             | uuid          |
//	+--------+--------+---------------+---------------+
//
// ptxas 13.0 writes flags 1, nvlink -r 7. A final link takes the places from an
// index file (-uidx), without which it is refused.

const (
	unifiedSize   = 32
	unifiedLinked = 6 // flags that a relocatable link adds
)

// unifiedEntry is one record, and the symbol it names.
type unifiedEntry struct {
	sym  symID
	data []byte
}

// readUnified reads the entries of an input's section.
func (l *linker) readUnified(m *module, i int, s *cubin.Section) error {
	if err := l.mergeSection(m, i, s); err != nil {
		return err
	}
	data := m.file.Content(s)
	for off := uint64(0); ; off += unifiedSize {
		b, ok := cubin.Window(data, off, unifiedSize)
		if !ok {
			return nil
		}
		index := binary.LittleEndian.Uint32(b)
		if int64(index) >= int64(len(m.sym)) || m.sym[index] == absent {
			return m.fault(cubin.BadIndex, s, off, uint64(index), "a unified entry of no symbol")
		}
		if l.unifiedEntries == nil {
			l.unifiedEntries = make(map[secID][]unifiedEntry)
		}
		id := m.sec[i]
		l.unifiedEntries[id] = append(l.unifiedEntries[id], unifiedEntry{sym: m.sym[index], data: b})
	}
}

// buildUnified writes the entries with the image's symbols.
func (l *linker) buildUnified(img *image) {
	for id, list := range l.unifiedEntries {
		var b []byte
		for _, e := range list {
			at := len(b)
			b = append(b, e.data...)
			binary.LittleEndian.PutUint32(b[at:], l.syms[e.sym].index)
			b[at+4] |= unifiedLinked
		}
		l.setContent(img, id, b)
	}
}

// unifiedHeader is what headers of unified sections have of their own.
func unifiedHeader(h *cubin.Section, symtab uint32) {
	switch h.Type {
	case cuda.SHTCudaUFTEntry, cuda.SHTCudaUDTEntry:
		h.Link, h.EntSize = symtab, unifiedSize
	case cuda.SHTCudaUFT:
		h.EntSize = 128
	}
}
