package mercury

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Names of the image. Those of the Mercury group are appended to .shstrtab one
// for each section, equal ones too. Constants have other names on either side:
// .shstrtab gets the SASS one in the place of the Mercury one, filled up with
// NULs; .strtab keeps both.

// mercNames is what the two string tables hold besides interned names.
type mercNames struct {
	tail     []string // names of the Mercury group, behind .shstrtab's own
	tailSize uint32
	renamed  []renamed
}

// renamed is a name that is overwritten in .shstrtab.
type renamed struct {
	off       uint32
	old, name string
}

// addName appends a name to .shstrtab, whether it is there or not.
func (img *plan) addName(name string) uint32 {
	off := img.Shstr.Size + img.extra.tailSize
	img.extra.tail = append(img.extra.tail, name)
	img.extra.tailSize += uint32(len(name)) + 1
	return off
}

// renameBanks gives the sections of constants their SASS names.
func (l *Backend) renameBanks(img *plan) {
	img.bankName = make(map[model.SecID]uint32)
	for _, id := range img.Order {
		s := &l.Secs[id]
		old := l.Names.Str(s.Name)
		bank := id
		if s.Type == cuda.SHTRela || s.Type == cuda.SHTCudaResolvedRela {
			bank = s.Target
		}
		was := l.Names.Str(l.Secs[bank].Name)
		name, ok := input.SassBankName(was)
		if !ok {
			continue
		}
		if bank == id {
			img.extra.renamed = append(img.extra.renamed, renamed{s.NameOff, old, name})
			img.bankName[id] = img.Str.Add(l.Names.ID(name))
			img.gap += uint64(len(was) - len(name) - 1)
			continue
		}
		prefix, ok := strings.CutSuffix(old, was)
		if !ok {
			continue // records under a name of their own
		}
		rela := prefix + name
		img.extra.renamed = append(img.extra.renamed, renamed{s.NameOff, old, rela})
		if s.Type == cuda.SHTRela {
			img.gap += uint64(len(old))
		}
	}
}

// putNames writes .shstrtab.
func (img *plan) putNames(b []byte) {
	img.Shstr.Put(b)
	for _, r := range img.extra.renamed {
		clear(b[r.off : int(r.off)+len(r.old)])
		copy(b[r.off:], r.name)
	}
	at := int(img.Shstr.Size)
	for _, name := range img.extra.tail {
		at += copy(b[at:], name) + 1
	}
}
