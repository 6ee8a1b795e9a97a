package mercury

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// Names of the image. Those of the Mercury group are appended to .shstrtab one
// for each section, equal ones too. Constants have other names on either side:
// .shstrtab gets the SASS one in the place of the Mercury one, filled up with
// NULs; .strtab keeps both.

// mercNames is what the two string tables hold besides interned names.
type mercNames struct {
	tail     []tailName // names of the Mercury group, behind .shstrtab's own
	tailSize uint32
	renamed  []renamed
}

// tailName is a name in two parts.
type tailName struct {
	prefix prefix
	name   names.ID
}

// prefix is what stands before a name of the Mercury group.
type prefix int32

const (
	bare prefix = iota
	ofMercury
	ofCapsule
)

var prefixes = [...]string{bare: "", ofMercury: input.MercPrefix, ofCapsule: input.CapmercPrefix}

// renamed is a name that is overwritten in .shstrtab.
type renamed struct {
	off       uint32
	old, name string
}

// addName appends a name to .shstrtab, whether it is there or not.
func (l *Backend) addName(img *plan, before prefix, name names.ID) uint32 {
	off := img.Shstr.Size + img.extra.tailSize
	img.extra.tail = append(img.extra.tail, tailName{before, name})
	img.extra.tailSize += uint32(len(prefixes[before])+len(l.Names.Str(name))) + 1
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
func (l *Backend) putNames(img *plan, b []byte) {
	img.Shstr.Put(b)
	for _, r := range img.extra.renamed {
		clear(b[r.off : int(r.off)+len(r.old)])
		copy(b[r.off:], r.name)
	}
	at := int(img.Shstr.Size)
	for _, name := range img.extra.tail {
		at += copy(b[at:], prefixes[name.prefix])
		at += copy(b[at:], l.Names.Str(name.name)) + 1
	}
}
