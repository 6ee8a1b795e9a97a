package sass

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// More sections than a symbol's sixteen bits can number.
//
// Where st_shndx has no room for a section's number it is 0xffff, and the number
// is in .symtab_shndx, a word for each symbol; e_shnum is 0 then and sh_size
// of section 0 has the count. That is plain ELF. What isn't:
//
//   - Section 0xfff2 is written into st_shndx as it is, where that number means a
//     tentative definition.
//   - nvlink writes .symtab_shndx as soon as it has made so many sections, those
//     included that don't get into the image: relocations without records, banks
//     without constants. A function makes four, so this begins at some 16,000.
//   - For a symbol that doesn't need its word, the word is the number that its
//     section had when it was made.
//
// Source: links of 253, 254 and 300 modules of internal/biglink with nvlink
// 11.8.89, 12.4.131 and 13.0.88.

// wordSize is the size of an entry of .symtab_shndx.
const wordSize = 4

// extendIndices brings .symtab_shndx into the image where it is needed.
func (l *Backend) extendIndices(img *output.Plan) {
	if l.madeAs(model.SecID(len(l.Secs)+l.Besides-1)) < cuda.SHNLoReserve {
		return
	}
	l.WillMake(l.Shndx)
	l.Secs[l.Shndx].Size = uint64(len(img.Symbols)+1) * wordSize
}

// madeAs returns the number that the section with so many before it had when it was
// made. In a final link from 12 on, the number after those of the first sections goes
// to nothing that is in the image.
func (l *Backend) madeAs(before model.SecID) uint32 {
	n := uint32(before) + 1
	if l.Release.Toolkit >= 120 && !l.IsRelocatable() && before > max(l.Info, l.Compatsec) {
		n++
	}
	return n
}

// madeNumbers returns the number of each section when it was made.
func (l *Backend) madeNumbers() []uint32 {
	made := make([]uint32, len(l.Secs))
	before := model.SecID(0)
	for i := range l.Secs {
		made[i] = l.madeAs(before)
		if before++; l.Secs[i].Beside != 0 {
			before++
		}
	}
	return made
}

// shndx is what st_shndx has for a section.
func shndx(index uint32) uint16 {
	if isWide(index) {
		return cuda.SHNXindex
	}
	return uint16(index)
}

// isWide reports whether a section's number is in .symtab_shndx.
func isWide(index uint32) bool { return index >= cuda.SHNLoReserve && index != cuda.SHNCommon }

// putShndx writes .symtab_shndx.
func (l *Backend) putShndx(b []byte, img *output.Plan) {
	made := l.madeNumbers()
	for i, id := range img.Symbols {
		sec := l.Syms[id].Sec
		if sec < 0 {
			continue
		}
		word := made[sec]
		if index := l.Secs[sec].Index; isWide(index) {
			word = index
		}
		binary.LittleEndian.PutUint32(b[(i+1)*wordSize:], word)
	}
}

// putSectionCount writes what stands for e_shnum where that has no room for it:
// the size of section 0.
func putSectionCount(b []byte, count int) {
	if count >= cuda.SHNLoReserve {
		null := cubin.Section{Size: uint64(count)}
		null.Put((*[cubin.SectionSize]byte)(b))
	}
}
