package resources

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Tensor memory: a kernel gets the fragments that the functions it answers for want at its entry, and what
// says that they use tcgen05 (nvlink 13.0.88 to 13.5.37).

// fragmentsOf reads AT_ENTRY_FRAGEMENTS, a list of numbers.
func fragmentsOf(r *model.Attribute) (set uint64) {
	for _, n := range listedFragments(r) {
		set |= 1 << n
	}
	return set
}

func listedFragments(r *model.Attribute) (list []uint32) {
	for b := r.Data(); len(b) >= fragmentSize; b = b[fragmentSize:] {
		if n := binary.LittleEndian.Uint32(b); n < 64 {
			list = append(list, n)
		}
	}
	return list
}

const fragmentSize = 4

// attrCancels is the attribute of code with clusterlaunchcontrol.try_cancel; ptxas 13.5 writes it.
const attrCancels cuda.InfoAttr = 0x62

// setFragments adds those that a kernel lacks: in the order of their numbers, but of what some code has as that has them.
func (l *Usage) setFragments(k model.FunID, set uint64, code []model.FunID) {
	info := l.Funs[k].Info
	if info == model.Absent {
		return
	}
	own := l.Attribute(info, cuda.AttrAtEntryFragements)
	var list []byte
	if own != nil {
		list = append(list, own.Data()...)
		set &^= fragmentsOf(own)
	}
	add := func(n uint32) {
		if set&(1<<n) != 0 {
			set &^= 1 << n
			list = binary.LittleEndian.AppendUint32(list, n)
		}
	}
	for _, f := range code {
		if info := l.Funs[f].Info; info != model.Absent {
			if r := l.Attribute(info, cuda.AttrAtEntryFragements); r != nil {
				for _, n := range listedFragments(r) {
					add(n)
				}
			}
		}
	}
	for n := range uint32(64) {
		add(n)
	}
	if own != nil {
		own.SetData(list)
		return
	}
	r := model.Attribute{Format: cuda.FormatSized, Attr: cuda.AttrAtEntryFragements, Sym: model.Absent}
	r.SetData(list)
	l.AppendAttribute(info, r)
}

// dropFragments removes the fragments of functions, which their kernels have.
func (l *Usage) dropFragments() {
	for i := range l.Funs {
		if l.Funs[i].Info == model.Absent || l.IsEntry(model.FunID(i)) {
			continue
		}
		if r := l.Attribute(l.Funs[i].Info, cuda.AttrAtEntryFragements); r != nil {
			r.Gone = true
		}
	}
}

// setInits joins VRC_CTA_INIT_COUNT of what a kernel answers for.
func (l *Usage) setInits(k model.FunID, inits uint16) {
	if info := l.Funs[k].Info; info != model.Absent && inits != 0 {
		l.note(k, model.Attribute{Format: cuda.FormatByte, Attr: cuda.AttrVrcCtaInitCount, Value: inits, Sym: model.Absent})
	}
}

// checkGroups refuses a kernel that functions give tcgen05 of both granularities. One of 12.9 may have both
// itself (nvlink 13.4.92). The only kernel of a link may where it has none itself, up to 13.1; later it is told of twice.
func (l *Usage) checkGroups(k model.FunID, m mark, only bool) {
	const both = markSingle | markPair
	own := l.asks[k].marks & both
	if m&both != both || own == both {
		return
	}
	times := 1
	if only && own == 0 {
		times = l.Release.GroupsOfFunctions
	}
	name := l.SymName(l.Funs[k].Sym)
	for range times {
		l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.Tcgen05Groups, Symbol: name,
			Text: fmt.Sprintf("Function '%s' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.", name)})
	}
}
