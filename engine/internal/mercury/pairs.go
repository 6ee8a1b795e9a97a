package mercury

import (
	"sort"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// partner returns the SASS relocation of a node that names a symbol of the
// input.
func (fn *code) partner(n *capsule.Node, symbol uint32) (cubin.Reloc, bool) {
	from, to := uint64(n.SASS), uint64(n.SASS)+uint64(n.Span)*capsule.WordSize
	at := sort.Search(len(fn.relocs), func(i int) bool { return fn.relocs[i].Off >= from })
	for ; at < len(fn.relocs) && fn.relocs[at].Off < to; at++ {
		if fn.relocs[at].Symbol == symbol {
			return fn.relocs[at], true
		}
	}
	return cubin.Reloc{}, false
}

// pairReloc finds the places of a Mercury relocation of code on both sides.
func (l *Backend) pairReloc(in model.SecID, r *model.Reloc) error {
	fn, err := l.code(l.Secs[in].Target)
	if err != nil {
		return err
	}
	if r.More == 0 {
		r.More = int32(len(l.More))
		l.More = append(l.More, model.RelocMore{})
	}
	found := fn.pair(r, l.MoreOf(r))
	if err := l.checkSized(fn); err != nil {
		return err
	}
	if !found {
		return l.RelocFault(in, r, "reloc address not found")
	}
	return nil
}

// pair finds the places of a relocation of this code; false where no node has it.
func (fn *code) pair(r *model.Reloc, more *model.RelocMore) bool {
	i := fn.node(r.Off)
	if i < 0 {
		return false
	}
	n := &fn.cap.Nodes[i]
	more.SASSOff = n.SASS
	more.AtField = (r.Off-uint64(n.Merc))%16 == 12
	if p, ok := fn.partner(n, more.From); ok {
		more.SASSType = p.Type
		more.SASSOff = uint32(p.Off)
	}
	if n.Kind == capsule.Full {
		more.CapOff = fn.place(i) + uint32(r.Off) - n.Merc
	}
	return true
}

// sassExtent returns value and size of a function on the SASS side.
func (l *Backend) sassExtent(img *plan, id model.SymID) (value, size uint64) {
	s := &l.Syms[id]
	if s.Sec < 0 || l.Secs[s.Sec].Fun == model.Absent {
		return s.Value, s.Size
	}
	fn := l.opened(s.Sec)
	if fn == nil {
		return s.Value, s.Size
	}
	if s.Value == 0 && img.first(l)[s.Sec] == id {
		return 0, uint64(fn.cap.SASSSize())
	}
	if s.Value > 0 {
		value = fn.sassOf(s.Value)
	}
	if s.Size == 0 {
		return value, 0
	}
	return value, fn.sassOf(s.Value+s.Size) - value
}
