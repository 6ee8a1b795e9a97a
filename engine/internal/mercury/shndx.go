package mercury

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// More sections than 16 bits can number. From 0xff00 on the number of sections
// is in the null header and a symbol's section in a table of its own,
// .symtab_shndx, to which st_shndx points with 0xffff.
//
// Who notices first writes the table. If the link has made as many sections,
// those included that don't get into the output, the table follows .symtab
// and holds for each symbol the number its section had then, which nothing needs.
// If only the finalizer has, with the second side, it follows the code, and
// holds what doesn't fit. The Mercury table follows the capsules or comes last.
//
// Numbers of the link count as those of SASS do (package sass), and the name of a
// REL section beside a RELA section takes two. The table of the link has no words
// for the finalizer's banks on the Mercury side, and the names of the tables leave
// their room after .shstrtab unused.
//
// Source: links of 192 and 256 modules of 64 functions, and of 300 modules of 64
// kernels, by nvlink 13.0.88.

// wideIndex is the plan of the two tables.
type wideIndex struct {
	early, late bool
	sass, merc  int // their parts
	count       int // words of the SASS side's
	mercCount   int
	made        []uint32 // by section: its number in the link
}

// widen decides whether the image needs the tables.
func (l *Backend) widen(img *plan) {
	mercury := 1
	for _, id := range img.Order {
		if _, ok := l.mercGroup(id); ok {
			mercury++
		}
	}
	w := &img.wide
	w.count = len(img.Symbols) + 1 + len(img.banks)
	w.mercCount = w.count
	var last uint32
	w.made, last = l.madeNumbers()
	switch {
	case last >= cuda.SHNLoReserve:
		w.early = true
		w.mercCount = len(img.Symbols) + 1
		id := l.Unowned(l.Names.ID(".symtab_shndx"))
		l.Secs[id].Made = true
		at := 0
		for i, o := range img.Order {
			if o == l.Symtab {
				at = i + 1
			}
		}
		img.Order = append(img.Order[:at], append([]model.SecID{id}, img.Order[at:]...)...)
	case len(img.Order)+mercury+len(img.banks)+1 >= cuda.SHNLoReserve:
		w.late = true
	}
}

// madeNumbers returns the numbers that sections had when they were made, and the last.
func (l *Backend) madeNumbers() (made []uint32, n uint32) {
	made = make([]uint32, len(l.Secs))
	for i := range l.Secs {
		n++
		if i == int(max(l.Info, l.Compatsec))+1 && !l.IsRelocatable() {
			n++
		}
		if l.Secs[i].Type == cuda.SHTRel {
			n++
		}
		made[i] = n
		if l.Secs[i].Beside != 0 {
			n += 2
		}
	}
	return made, n
}

// widePart is one of the tables.
func (img *plan) widePart(name uint32, flags cuda.SectionFlags, symtab uint32, count int) part {
	return part{twin: -1, hdr: cubin.Section{NameOff: name, Type: cuda.SHTSymtabShndx, Flags: flags, Link: symtab,
		Size: uint64(count) * 4, Align: 4, EntSize: 4}}
}

func (l *Backend) addMercWide(img *plan, symtab uint32) {
	img.wide.merc = len(img.parts)
	img.parts = append(img.parts, img.widePart(l.addName(img, bare, l.Names.ID(".nv.merc.symtab_shndx")), cuda.SHFMercury, symtab, img.wide.mercCount))
}

// number returns what st_shndx and the table beside it have for section index,
// which had the number stale in the link.
func (img *plan) number(index, stale uint32) (shndx uint16, word uint32) {
	if img.wide.early {
		word = stale
	}
	if index > cuda.SHNLoReserve {
		return cuda.SHNXindex, index
	}
	return uint16(index), word
}

// mercNumber is the number of a section for the symbols of the Mercury side.
func (img *plan) mercNumber(id model.SecID) uint32 {
	if k := img.mercOf[id]; k >= 0 {
		return uint32(k + 1)
	}
	return uint32(img.sassOf[id] + 1)
}

// bankNumber is the number of a bank that the finalizer makes.
func (img *plan) bankNumber(i int) uint32 {
	first := len(img.Order)
	if img.wide.late {
		first++
	}
	return uint32(first + i + 1)
}

// putWide writes one of the tables.
func (l *Backend) putWide(table []byte, img *plan, merc bool) {
	put := func(symbol int, index, stale uint32) {
		if b, ok := cubin.Window(table, uint64(symbol)*4, 4); ok {
			_, word := img.number(index, stale)
			binary.LittleEndian.PutUint32(b, word)
		}
	}
	for i, id := range img.Symbols {
		sec := l.Syms[id].Sec
		switch {
		case sec < 0:
		case merc:
			put(i+1, img.mercNumber(sec), img.wide.made[sec])
		default:
			put(i+1, uint32(img.sassOf[sec]+1), img.wide.made[sec])
		}
	}
	for i := range img.banks {
		if !merc {
			put(int(img.banks[i].index), img.bankNumber(i), 0)
		}
	}
}
