package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/resched"
)

// mercFunc is a function's code on both sides. The SASS of the image is the
// input's, patched at the words that a resolved relocation of the Mercury side
// names; the capsule is patched where it stores the same instruction.
type mercFunc struct {
	text    secID
	input   *mercInput
	capsec  cubin.Section // .nv.capmerc.text.<f> of the input
	sasssec cubin.Section // .text.<f> of the input
	sassidx uint32

	cap     *capsule.Capsule
	record  []byte // the capsule's bytes, of the input or made anew
	sass    []byte // the SASS likewise
	relocs  []cubin.Reloc
	words   []capsule.Node // the nodes as they stand in the input
	moves   []int          // by word of the input: its number now; nil where none moved
	places  []uint32       // by node: where its record stands, made when first asked for
	unknown bool           // some node's size in Mercury isn't known
}

// mercFunc returns the code of a function, decoded.
func (l *linker) mercFunc(text secID) (*mercFunc, error) {
	if fn := l.merc.funcs[text]; fn != nil {
		return fn, nil
	}
	src := l.merc.code[text]
	in := &l.merc.inputs[src.file]
	f := in.file
	fn := &mercFunc{text: text, input: in, capsec: f.Section(int(src.capsule)), sassidx: in.twin[src.capsule]}
	fn.sasssec = f.Section(int(fn.sassidx))
	fn.record, fn.sass = f.Content(&fn.capsec), f.Content(&fn.sasssec)
	c, fault := capsule.Decode(fn.record, uint64(len(fn.sass)))
	if fault != nil {
		return nil, fault.In(f.Name, f.SectionName(&fn.capsec))
	}
	fn.cap = c
	fn.unknown = len(c.Locate(fn.sass)) > 0
	if k := in.rela[fn.sassidx]; k != 0 {
		s := f.Section(int(k))
		table, err := f.Relocs(&s)
		if err != nil {
			return nil, err
		}
		fn.relocs = make([]cubin.Reloc, table.Len())
		for i := range fn.relocs {
			fn.relocs[i] = table.At(i)
		}
		slices.SortStableFunc(fn.relocs, func(a, b cubin.Reloc) int { return cmp.Compare(a.Off, b.Off) })
	}
	fn.words = c.Nodes
	l.merc.funcs[text] = fn
	l.reschedule(fn)
	return fn, nil
}

// reschedule changes a kernel as the tool does in a final link.
func (l *linker) reschedule(fn *mercFunc) {
	sym := l.funs[l.secs[fn.text].fun].sym
	if l.isRelocatable() || l.syms[sym].other&cuda.STOEntry == 0 {
		return
	}
	r := resched.Kernel(fn.sass, l.opt.Debug)
	if !r.Changed {
		return
	}
	if !r.Exact {
		l.say(Diagnostic{Severity: Warning, Kind: Rescheduled, Symbol: l.symName(sym),
			Text: fmt.Sprintf("Kernel '%s' is scheduled anew, perhaps not as nvlink does it", l.symName(sym))})
	}
	fn.sass = r.Text
	if r.Moves != nil {
		fn.move(r.Moves)
	}
}

// move gives the nodes their new places and makes the capsule anew.
func (fn *mercFunc) move(moves []int) {
	fn.moves = moves
	fn.cap.Nodes = slices.Clone(fn.words)
	at := 0
	for i := range fn.cap.Nodes {
		n := &fn.cap.Nodes[i]
		from := int(n.SASS / capsule.WordSize)
		span := 0
		for k := from; k < from+int(n.Span); k++ {
			if k < len(moves) && moves[k] >= 0 {
				span++
			}
		}
		n.SASS = uint32(at) * capsule.WordSize
		if i == len(fn.cap.Nodes)-1 {
			span = len(fn.sass)/capsule.WordSize - at
		}
		n.Span = uint16(span)
		n.Spanned = n.Kind != capsule.Skip && span != 1
		at += span
	}
	fn.record = fn.cap.Append(nil)
	for i := range fn.relocs {
		if k := int(fn.relocs[i].Off / capsule.WordSize); k < len(moves) && moves[k] >= 0 {
			fn.relocs[i].Off = uint64(moves[k])*capsule.WordSize + fn.relocs[i].Off%capsule.WordSize
		}
	}
}

// moved returns where the word at an offset of the input's SASS is now, or the
// one behind it if it went.
func (fn *mercFunc) moved(off uint32) uint32 {
	if fn.moves == nil {
		return off
	}
	for k := int(off / capsule.WordSize); k < len(fn.moves); k++ {
		if fn.moves[k] >= 0 {
			return uint32(fn.moves[k]) * capsule.WordSize
		}
	}
	return uint32(len(fn.sass))
}

// node returns the node that holds a Mercury offset, -1 where none does.
func (fn *mercFunc) node(off uint64) int {
	if off > 1<<32-1 {
		return -1
	}
	i := fn.cap.AtMerc(uint32(off))
	for i > 0 && fn.cap.Nodes[i].Kind == capsule.Skip {
		i-- // takes no room: the node before it holds the place
	}
	return i
}

// place returns where the record of node i stands in the capsule.
func (fn *mercFunc) place(i int) uint32 {
	if fn.places == nil {
		nodes := fn.cap.Nodes
		fn.places = make([]uint32, len(nodes))
		at := uint32(12 + (len(nodes)+31)/32*4)
		for k := range nodes {
			n := &nodes[k]
			if n.Kind == capsule.Skip || n.Spanned {
				at += 2
			}
			fn.places[k] = at
			at += uint32(len(fn.cap.Record(n)))
		}
	}
	return fn.places[i]
}

// sassOf translates the Mercury offset of a node's start, or of the end of the
// code; a place inside a node is the start of the next.
func (fn *mercFunc) sassOf(off uint64) uint64 {
	if off >= uint64(fn.cap.MercSize) {
		return uint64(fn.cap.SASSSize())
	}
	nodes := fn.cap.Nodes
	at, _ := slices.BinarySearchFunc(nodes, uint32(off), func(n capsule.Node, off uint32) int { return cmp.Compare(n.Merc, off) })
	for at < len(nodes) && nodes[at].Kind == capsule.Skip {
		at++
	}
	if at == len(nodes) {
		return uint64(fn.cap.SASSSize())
	}
	return uint64(nodes[at].SASS)
}

// partner returns the SASS relocation of a node that names a symbol of the
// input.
func (fn *mercFunc) partner(n *capsule.Node, symbol uint32) (cubin.Reloc, bool) {
	from, to := uint64(n.SASS), uint64(n.SASS)+uint64(n.Span)*capsule.WordSize
	at, _ := slices.BinarySearchFunc(fn.relocs, from, func(r cubin.Reloc, off uint64) int { return cmp.Compare(r.Off, off) })
	for ; at < len(fn.relocs) && fn.relocs[at].Off < to; at++ {
		if fn.relocs[at].Symbol == symbol {
			return fn.relocs[at], true
		}
	}
	return cubin.Reloc{}, false
}

// pairReloc finds the places of a Mercury relocation of code on both sides.
func (l *linker) pairReloc(in secID, r *reloc) error {
	fn, err := l.mercFunc(l.secs[in].target)
	if err != nil {
		return err
	}
	i := fn.node(r.off)
	if i < 0 {
		return l.relocFault(in, r, "reloc address not found")
	}
	n := &fn.cap.Nodes[i]
	r.sassOff = n.SASS
	if p, ok := fn.partner(n, r.from); ok {
		r.sassTyp = p.Type
		r.sassOff = uint32(p.Off)
	}
	if n.Kind == capsule.Full {
		r.capOff = fn.place(i) + uint32(r.off) - n.Merc
	}
	return nil
}

// setCode notes where the code of a section was read.
func (l *linker) setCode(id secID, m *module, shndx uint32) {
	if l.merc != nil {
		l.merc.code[id] = codeSource{m.num, shndx}
	}
}

// codeExtent returns how far relocations of an input section may reach: to the
// end of its bytes, or of the Mercury code, which a capsule doesn't tell.
func (l *linker) codeExtent(target secID, in *cubin.Section) uint64 {
	if l.merc != nil && l.secs[target].fun != absent {
		return 1 << 32
	}
	return in.Size
}

// sassExtent returns value and size of a function on the SASS side.
func (l *linker) sassExtent(img *mercImage, id symID) (value, size uint64) {
	s := &l.syms[id]
	if s.sec < 0 || l.secs[s.sec].fun == absent {
		return s.value, s.size
	}
	fn := l.merc.funcs[s.sec]
	if fn == nil {
		return s.value, s.size
	}
	if s.value == 0 && img.first(l)[s.sec] == id {
		return 0, uint64(fn.cap.SASSSize())
	}
	if s.value > 0 {
		value = fn.sassOf(s.value)
	}
	if s.size == 0 {
		return value, 0
	}
	return value, fn.sassOf(s.value+s.size) - value
}
