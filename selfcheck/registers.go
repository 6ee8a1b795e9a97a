package selfcheck

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// .nv_debug_info_reg_sass has the entries of its Mercury counterpart, block by block,
// with their ranges taken through the node map and sorted by machine register
// and start; Mercury has them in order of start. .nv_debug_info_reg_type has a
// byte for each entry in the same order. A link leaves the blocks of functions
// that it removes, with all ranges 0. One that replaces a weak function keeps the
// block of the loser and uses the winner's node map on it; after that map's end
// nvlink reads whatever memory holds.

const (
	regSASS = ".nv_debug_info_reg_sass"
	regType = ".nv_debug_info_reg_type"
)

func (c *checker) registers() {
	sass, types := 0, 0
	for i := range c.m.Sections {
		if s := &c.m.Sections[i]; !s.Mercury() && c.m.Counterpart(i) != 0 {
			switch s.Name {
			case regSASS:
				sass = i
			case regType:
				types = i
			}
		}
	}
	if sass == 0 {
		return
	}
	a, ok := c.registerBlocks(sass)
	if !ok {
		return
	}
	b, ok := c.registerBlocks(c.m.Counterpart(sass))
	if !ok {
		return
	}
	if len(a) != len(b) {
		c.add(Debug, Count, sass, 0, "number of functions", fmt.Sprint(len(b)), fmt.Sprint(len(a)))
		return
	}
	byName := map[string][]*capsule.Func{}
	for i := range c.m.Funcs {
		fn := &c.m.Funcs[i]
		byName[fn.Name] = append(byName[fn.Name], fn)
	}
	blocks := map[string]int{}
	for k := range b {
		blocks[b[k].Name]++
	}
	orders := make([][]int, len(a))
	for k := range a {
		if a[k].Name != b[k].Name {
			c.add(Debug, Content, sass, a[k].At, "function", b[k].Name, a[k].Name)
			return
		}
		fn := c.ownerOf(byName[a[k].Name], sass, &a[k], &b[k])
		if blocks[b[k].Name] > 1 && len(c.try(func() { c.registerBlock(sass, fn, &a[k], &b[k]) })) > 0 {
			c.leave(exStaleDebug)
			continue
		}
		orders[k] = c.registerBlock(sass, fn, &a[k], &b[k])
	}
	if types != 0 {
		c.registerTypes(types, orders)
	}
}

// ownerOf returns the function that a block is of, nil for none. Static functions
// of several modules may share a name: it is the one that the block agrees with.
func (c *checker) ownerOf(list []*capsule.Func, section int, a, b *dwarf.RegisterBlock) *capsule.Func {
	for _, fn := range list[:max(len(list)-1, 0)] {
		if len(c.try(func() { c.registerBlock(section, fn, a, b) })) == 0 {
			return fn
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

func (c *checker) registerBlocks(section int) ([]dwarf.RegisterBlock, bool) {
	s := &c.m.Sections[section]
	list, f := dwarf.DecodeRegisters(s.Content)
	if f != nil {
		c.fault(f.In(c.m.File.Name, s.Name))
		return nil, false
	}
	return list, true
}

// registerBlock compares two blocks and returns the order that the Mercury
// entries have in SASS, nil where it isn't known.
func (c *checker) registerBlock(section int, fn *capsule.Func, a, b *dwarf.RegisterBlock) []int {
	if zeroed(a) && (fn == nil || !zeroed(b)) {
		c.leave(exZeroedRegisters)
		return nil
	}
	if fn == nil || fn.Cap == nil {
		c.add(Debug, Content, section, a.At, "registers of "+a.Name, "ranges of 0 for a missing function", "others")
		return nil
	}
	if len(fn.Unsized) > 0 {
		c.leave(exUnsized)
		return nil
	}
	want := make([]dwarf.RegisterRange, len(b.Entries))
	order := make([]int, len(want))
	for i := range want {
		order[i] = i
		want[i] = b.Entries[i]
		want[i].Start = rangeEdge(fn.Cap, want[i].Start, true)
		want[i].End = rangeEdge(fn.Cap, want[i].End, false)
	}
	right, moves := followed(fn, a.Entries, want)
	if right {
		return nil
	}
	if moves > 1 && !c.old {
		c.leave(exMacroRegisters)
		return nil
	}
	if len(a.Entries) != len(b.Entries) {
		if clobbers(fn) {
			c.leave(exMacroRegisters)
			return nil
		}
		c.add(Debug, Count, section, a.At, "registers of "+a.Name, fmt.Sprint(len(b.Entries)), fmt.Sprint(len(a.Entries)))
		return nil
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(want[i].Machine, want[j].Machine), cmp.Compare(want[i].Start, want[j].Start))
	})
	for i := range a.Entries {
		x, y := &a.Entries[i], &want[order[i]]
		if x.Flag == y.Flag && x.Register == y.Register && x.Machine == y.Machine && (rangeFits(fn.Cap, x, y) || edgeFits(fn.Cap, y.End, x.End) && c.startsLate(fn, y.Start, x.Start) || edgeFits(fn.Cap, y.Start, x.Start) && c.endsLate(fn, y.End, x.End) || x.Start > x.End && y.Start == y.End) {
			continue
		}
		if x.Flag == y.Flag && x.Register == y.Register && x.Machine == y.Machine &&
			(movedByMacro(fn.Cap, x, y) || x.Start > x.End || ofMacro(x, y)) {
			c.leave(exMacroRegisters)
			continue
		}
		c.add(Debug, Content, section, x.At, "registers of "+a.Name, rangeText(y), rangeText(x))
		return nil
	}
	return order
}

func rangeText(r *dwarf.RegisterRange) string {
	return fmt.Sprintf("%s in 0x%x from 0x%x to 0x%x", r.Register, r.Machine, r.Start, r.End)
}

func zeroed(b *dwarf.RegisterBlock) bool {
	for i := range b.Entries {
		if b.Entries[i].Start != 0 || b.Entries[i].End != 0 {
			return false
		}
	}
	return true
}

// rangeEdge returns the SASS offset where a range starts or ends: of an
// instruction, or after one and before any padding.
func rangeEdge(p *capsule.Capsule, merc uint32, start bool) uint32 {
	k := p.FromMerc(merc)
	if k == p.Len() {
		return p.SASSSize()
	}
	for start && k+1 < p.Len() && p.Node(k).Kind == capsule.Skip {
		k++
	}
	return p.Node(k).SASS
}

// startsLate reports whether a range of code of 12.8 or 12.9 starts a word after the instruction before a
// WARPSYNC with a NOP after it, or of a fence of several words. Most that start there do, some start at the instruction.
func (c *checker) startsLate(fn *capsule.Func, want, got uint32) bool {
	k := fn.Cap.AtSASS(want)
	if !c.old || k < 0 || k+1 >= fn.Cap.Len() {
		return false
	}
	next := fn.Cap.Node(k + 1)
	if next.SASS != got || next.Kind != capsule.Full || next.Span < 2 || got+2*capsule.WordSize > uint32(len(fn.Code)) {
		return false
	}
	first, second := wordAt(fn.Code, got).Lo&opcodeMask, wordAt(fn.Code, got+capsule.WordSize).Lo&opcodeMask
	return (first == opWARPSYNC || first == opWARPSYNCR) && second == opNOP && next.Span == 2 || first == opMEMBAR
}

// endsLate reports whether a range of code of 12.8 or 12.9 ends after the B2R.RESULT that the finalizer put after a barrier.
func (c *checker) endsLate(fn *capsule.Func, want, got uint32) bool {
	k := fn.Cap.AtSASS(want)
	return c.old && k >= 0 && fn.Cap.Node(k).Kind == capsule.Skip && got == want+capsule.WordSize && got <= uint32(len(fn.Code)) && isResult(wordAt(fn.Code, want))
}

func rangeFits(p *capsule.Capsule, got, want *dwarf.RegisterRange) bool {
	return edgeFits(p, want.Start, got.Start) && edgeFits(p, want.End, got.End)
}

// edgeFits reports whether a range's edge is where it should be; in a node of
// several words it may be at any of them.
func edgeFits(p *capsule.Capsule, want, got uint32) bool {
	if want == got {
		return true
	}
	k := p.AtSASS(want)
	return k >= 0 && p.Node(k).Kind == capsule.Full && got > want && got < want+uint32(p.Node(k).Span)*capsule.WordSize
}

// movedByMacro reports whether a range was cut by a macro that takes registers:
// an edge that differs is at a word of such a macro or at its end.
func movedByMacro(p *capsule.Capsule, got, want *dwarf.RegisterRange) bool {
	macro := func(k int) bool { return k >= 0 && p.Node(k).Kind == capsule.Full && p.Node(k).Span > macroSpan }
	at := func(off uint32) bool {
		if off%capsule.WordSize != 0 || off == 0 {
			return off == 0 && macro(p.AtSASS(0))
		}
		return macro(p.AtSASS(off)) || macro(p.AtSASS(off-1))
	}
	return (edgeFits(p, want.Start, got.Start) || at(got.Start)) && (edgeFits(p, want.End, got.End) || at(got.End))
}

// ofMacro reports whether a range belongs to a routine that ptxas put in and
// which the SASS side has as a whole at another place.
func ofMacro(x, y *dwarf.RegisterRange) bool {
	return strings.HasPrefix(x.Register, "%__cuda_") && x.Start-y.Start == x.End-y.End
}

// macroSpan is the size that macros go beyond which take registers of their own.
const macroSpan = 4

// clobbers reports whether a function has a macro that takes registers of its
// own: the finalizer moves what they held.
func clobbers(fn *capsule.Func) bool {
	return slices.ContainsFunc(fn.Cap.Wide(), func(w capsule.Wide) bool { return w.Kind == capsule.Full && w.Span > macroSpan })
}

// registerTypes compares .nv_debug_info_reg_type: the name of a function, the
// number of its entries and a byte for each.
func (c *checker) registerTypes(section int, orders [][]int) {
	a := typeBlocks{data: c.m.Sections[section].Content}
	b := typeBlocks{data: c.m.Sections[c.m.Counterpart(section)].Content}
	for _, order := range orders {
		at := a.pos
		if !a.next() || !b.next() {
			c.add(Debug, Content, section, at, "types of registers", "a block", "the end")
			return
		}
		if a.name != b.name || order != nil && (len(a.types) != len(order) || len(b.types) != len(order)) {
			c.add(Debug, Content, section, at, "types of registers", fmt.Sprint(b.name, " ", len(b.types)), fmt.Sprint(a.name, " ", len(a.types)))
			return
		}
		for i := range order {
			if a.types[i] != b.types[order[i]] {
				c.number(Debug, Content, section, a.pos-uint64(len(order)-i), "type of a register", uint64(b.types[order[i]]), uint64(a.types[i]))
				break
			}
		}
	}
	c.number(Debug, Metadata, section, 0, "section size", a.pos, uint64(len(a.data)))
}

// typeBlocks walks .nv_debug_info_reg_type.
type typeBlocks struct {
	data  []byte
	pos   uint64
	name  string
	types []byte
}

func (b *typeBlocks) next() bool {
	rest, ok := cubin.Window(b.data, b.pos, uint64(len(b.data))-min(b.pos, uint64(len(b.data))))
	end := bytes.IndexByte(rest, 0)
	if !ok || end < 0 {
		return false
	}
	head, ok := cubin.Window(rest, uint64(end)+1, 4)
	if !ok {
		return false
	}
	if b.types, ok = cubin.Window(rest, uint64(end)+5, number(head)); !ok {
		return false
	}
	b.name = string(rest[:end])
	b.pos += uint64(end) + 5 + number(head)
	return true
}
