package mercury

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// Names of the image. Those of the Mercury group are appended to .shstrtab one
// for each section, equal ones too. Constants have other names on either side:
// .shstrtab gets the SASS one in the place of the Mercury one, filled up with
// NULs; .strtab keeps both.

// mercNames is what the two string tables hold besides interned names.
type mercNames struct {
	tail     []tailName // names of the Mercury group, after .shstrtab's own
	marks    []tailMark // by block of the tail: where its first byte belongs
	tailSize uint32
	renamed  []renamed
}

// tailName is a name in two parts.
type tailName struct {
	prefix prefix
	name   names.ID
}

// tailMark is a name of the tail and where it begins there.
type tailMark struct{ at, off uint32 }

// prefix is what is before a name of the Mercury group.
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

// addName appends a name to .shstrtab, whether it is there or not; in a table that
// is begun again it occurs once.
func (l *Backend) addName(img *plan, before prefix, name names.ID) uint32 {
	if l.Release.FreshNames {
		return img.Shstr.Add(l.Names.ID(prefixes[before] + l.Names.Str(name)))
	}
	return img.Shstr.Size + img.extra.add(before, name, l.Names)
}

// addBankName appends the name of a bank that the finalizer makes, whether it is there or not: static
// kernels of one name have a bank each. In a table that is begun again it occurs once.
func (l *Backend) addBankName(t *names.Strtab, b *paramBank) uint32 {
	name := l.Names.ID(b.name)
	if l.Release.FreshNames {
		return t.Add(name)
	}
	return t.AddAgain(name)
}

// add appends a name to the tail, and returns where it begins there.
func (x *mercNames) add(before prefix, name names.ID, table *names.Table) uint32 {
	off := x.tailSize
	x.tail = append(x.tail, tailName{before, name})
	x.tailSize += uint32(len(prefixes[before])+len(table.Str(name))) + 1
	for uint64(len(x.marks))*names.Block < uint64(x.tailSize) {
		x.marks = append(x.marks, tailMark{uint32(len(x.tail) - 1), off})
	}
	return off
}

// sassName is the name that a section has on the SASS side.
func (l *Backend) sassName(id model.SecID) (name string, ok bool) {
	s := &l.Secs[id]
	own := l.Names.Str(s.Name)
	if s.Type != cuda.SHTRela && s.Type != cuda.SHTCudaResolvedRela {
		return input.SassBankName(own)
	}
	bank := l.Names.Str(l.Secs[s.Target].Name)
	if name, ok = input.SassBankName(bank); !ok {
		return "", false
	}
	prefix, ok := strings.CutSuffix(own, bank)
	return prefix + name, ok // else records under a name of their own
}

// addFreshNames fills .strtab as releases do that begin it again: names of the SASS
// side's symbols, of the finalizer's banks, and what the Mercury side has besides.
// Prototypes follow. Compiler constants have one name on both sides.
func (l *Backend) addFreshNames(img *plan) {
	img.bankName = make(map[model.SecID]uint32)
	for _, id := range img.Symbols {
		s := &l.Syms[id]
		if s.Type() == cuda.STTSection && l.Secs[s.Sec].Type != cuda.SHTCudaConstant0+2 {
			if name, ok := l.sassName(s.Sec); ok {
				img.bankName[s.Sec] = img.Str.Add(l.Names.ID(name))
				continue
			}
		}
		img.Names[id] = img.Str.Add(s.Name)
	}
	l.addCallNames(img)
	for i := range img.banks {
		img.Str.Add(l.Names.ID(img.banks[i].name))
	}
	for _, id := range img.Symbols {
		img.Names[id] = img.Str.Add(l.Syms[id].Name)
	}
}

// numberFresh gives sections their index and the names that they have on the SASS
// side.
func (l *Backend) numberFresh(img *plan) {
	img.NameOff = make([]uint32, len(img.Order))
	for i, id := range img.Order {
		s := &l.Secs[id]
		s.Index = uint32(i + 1)
		name := s.Name
		if sass, ok := l.sassName(id); ok {
			name = l.Names.ID(sass)
		}
		img.NameOff[i] = img.Shstr.Add(name)
	}
}

// renameBanks gives the sections of constants their SASS names.
func (l *Backend) renameBanks(img *plan) {
	img.bankName = make(map[model.SecID]uint32)
	times := make(map[uint32]int) // by place in .shstrtab
	for i, id := range img.Order {
		s := &l.Secs[id]
		old := l.Names.Str(s.Name)
		name, ok := l.sassName(id)
		if !ok {
			continue
		}
		img.extra.renamed = append(img.extra.renamed, renamed{img.NameOff[i], old, l.renamedAgain(id, name, (len(old)-len(name))*times[img.NameOff[i]])})
		times[img.NameOff[i]]++
		switch s.Type {
		case cuda.SHTRela:
			img.gap += uint64(len(old))
		case cuda.SHTCudaResolvedRela:
		default:
			img.bankName[id] = img.Str.AddAgain(l.Names.ID(name))
			img.gap += uint64(len(old) - len(name) - 1)
		}
	}
}

// renamedAgain returns the SASS name of a bank, or of its records, of whose function's name the first letters are gone:
// banks of static functions of one name have one name, and nvlink renames that in its place for each of them. It takes
// the function's name from where it was before.
func (l *Backend) renamedAgain(id model.SecID, name string, gone int) string {
	if at := l.Secs[id].Target; at != model.Absent {
		id = at
	}
	owner := l.Secs[id].Owner
	if gone == 0 || owner == model.Absent || l.Secs[owner].Fun == model.Absent {
		return name
	}
	of := l.SymName(l.Funs[l.Secs[owner].Fun].Sym)
	prefix, ok := strings.CutSuffix(name, of)
	if !ok {
		return name
	}
	return prefix + of[min(gone, len(of)):]
}

// namesExtent returns where a piece of .shstrtab lies, which has size bytes: first the
// blocks of its own names, then those of the tail.
func (img *plan) namesExtent(part int, size uint64) (from, n uint64) {
	own := uint64(img.Shstr.Size)
	blocks := output.PartsOf(own, names.Block)
	if part < blocks {
		return output.Piece{Part: int32(part)}.Extent(0, own, names.Block)
	}
	return output.Piece{Part: int32(part - blocks)}.Extent(own, size-own, names.Block)
}

// putAllNames writes .shstrtab.
func (l *Backend) putAllNames(img *plan, b []byte) {
	own, tail := output.PartsOf(uint64(img.Shstr.Size), names.Block), len(img.extra.marks)
	for part := range own + tail {
		from, n := img.namesExtent(part, uint64(len(b)))
		l.putNames(img, b[from:from+n], part)
	}
}

// putNames writes a piece of it.
func (l *Backend) putNames(img *plan, b []byte, part int) {
	own := output.PartsOf(uint64(img.Shstr.Size), names.Block)
	if part >= own {
		if part -= own; part < len(img.extra.marks) {
			l.putTail(img, b, part)
		}
		return
	}
	img.Shstr.Put(b, part)
	from := part * names.Block
	for _, r := range img.extra.renamed {
		for i := range len(r.old) {
			if at := int(r.off) + i - from; at >= 0 && at < len(b) {
				b[at] = 0
				if i < len(r.name) {
					b[at] = r.name[i]
				}
			}
		}
	}
}

// putTail writes a block of the names of the Mercury group to b, which is zero.
func (l *Backend) putTail(img *plan, b []byte, block int) {
	m := img.extra.marks[block]
	at := int(m.off) - block*names.Block // may be before b
	for _, n := range img.extra.tail[m.at:] {
		for _, s := range [...]string{prefixes[n.prefix], l.Names.Str(n.name)} {
			if at >= len(b) {
				return
			}
			if skip := min(max(-at, 0), len(s)); at+len(s) > 0 {
				copy(b[at+skip:], s[skip:])
			}
			at += len(s)
		}
		at++
	}
}
