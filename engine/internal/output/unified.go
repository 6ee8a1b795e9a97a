package output

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// buildUnified writes the entries with the image's symbols.
func (l *Planner) buildUnified(img *Plan) {
	for id, list := range l.UnifiedEntries {
		var b []byte
		for _, e := range list {
			at := len(b)
			b = append(b, e.Data...)
			binary.LittleEndian.PutUint32(b[at:], l.Syms[e.Sym].Index)
			b[at+4] |= model.UnifiedLinked
			if l.Secs[id].Type == cuda.SHTCudaUDTEntry {
				binary.LittleEndian.PutUint64(b[at+8:], l.Syms[e.Sym].Value)
			}
		}
		l.setContent(img, id, b)
	}
}

// UnifiedHeader is what headers of unified sections of a type have of their own, those
// of their clones too.
func UnifiedHeader(h *cubin.Section, t cuda.SectionType, symtab uint32) {
	switch t {
	case cuda.SHTCudaUFTEntry, cuda.SHTCudaUDTEntry:
		h.Link, h.EntSize = symtab, model.UnifiedSize
	case cuda.SHTCudaUFT:
		h.EntSize = 128
	}
}
