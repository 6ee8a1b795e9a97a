package selfcheck

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// .debug_frame. An FDE of the SASS side is made from the Mercury FDE of the
// same function:
//
//   - The initial location and the length go through the node map.
//   - Instructions are at addresses. A Mercury program may go back, and what
//     comes later at an address replaces what was there, also where nothing
//     comes: a program that ends with an advance takes back what was at that
//     place. SASS has the rest in order of address.
//   - The finalizer adds instructions of its own inside macros that use more
//     registers than the record names.
//
// The order is that of the Mercury section, less the functions that a link has
// removed, whose entries stay there without a relocation. A CIE is equal but for
// the code alignment, 4 for 1.

const (
	cieSASS = 4
	cieMerc = 1
)

// frames compares .debug_frame.
func (c *checker) frames() {
	for i := range c.m.Sections {
		if s := &c.m.Sections[i]; s.Name == ".debug_frame" && !s.Mercury() && c.m.Counterpart(i) != 0 {
			c.frameSection(i, c.m.Counterpart(i))
		}
	}
}

// moves says where the places of relocations in a Mercury section are in its SASS counterpart.
type moves struct {
	list   []move
	sorted bool
}

type move struct{ from, to uint64 }

func (m *moves) add(from, to uint64) { m.list, m.sorted = append(m.list, move{from, to}), false }

// of returns where a place is: what was added last.
func (m *moves) of(from uint64) (to uint64, ok bool) {
	if !m.sorted {
		slices.SortStableFunc(m.list, func(a, b move) int { return cmp.Compare(a.from, b.from) })
		m.sorted = true
	}
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].from > from })
	if i == 0 || m.list[i-1].from != from {
		return 0, false
	}
	return m.list[i-1].to, true
}

// frameSide is one of the two sections, decoded.
type frameSide struct {
	section int
	list    []dwarf.Frame
	relocs  []cubin.Reloc
	rela    int
	at      []int32 // relocations in order of their offsets
	near    int     // in at, where the last question led
}

func (c *checker) frameSide(section int) (*frameSide, bool) {
	s := &c.m.Sections[section]
	list, f := dwarf.DecodeFrames(s.Content)
	if f != nil {
		c.fault(f.In(c.m.File.Name, s.Name))
		return nil, false
	}
	side := &frameSide{section: section, list: list, rela: c.relaOf[section]}
	if side.rela != 0 {
		var ok bool
		if side.relocs, ok = c.relocs(side.rela); !ok {
			return nil, false
		}
	}
	side.at = make([]int32, len(side.relocs))
	for i := range side.at {
		side.at[i] = int32(i)
	}
	if n := len(side.relocs); n > 1 && side.relocs[0].Off > side.relocs[n-1].Off {
		slices.Reverse(side.at) // ptxas has them from the last to the first
	}
	slices.SortFunc(side.at, func(a, b int32) int {
		return cmp.Or(cmp.Compare(side.relocs[a].Off, side.relocs[b].Off), cmp.Compare(a, b))
	})
	return side, true
}

// reloc returns the last relocation at an offset, nil for none.
func (s *frameSide) reloc(off uint64) *cubin.Reloc {
	if list := s.within(off, off+1); len(list) > 0 {
		return &s.relocs[list[len(list)-1]]
	}
	return nil
}

// first returns the first relocation in at from an offset on. Most questions are about the same
// frame as the last.
func (s *frameSide) first(from uint64) int {
	reaches := func(i int) bool { return i >= len(s.at) || s.relocs[s.at[i]].Off >= from }
	for i := s.near; i <= min(s.near+2, len(s.at)); i++ {
		if reaches(i) && (i == 0 || !reaches(i-1)) {
			s.near = i
			return i
		}
	}
	s.near = sort.Search(len(s.at), reaches)
	return s.near
}

// within returns the relocations from one offset to another, which is excluded.
func (s *frameSide) within(from, to uint64) []int32 {
	if from >= to {
		return nil
	}
	first := s.first(from)
	last := first
	for last < len(s.at) && s.relocs[s.at[last]].Off < to {
		last++
	}
	return s.at[first:last]
}

// cie returns the CIE of FDE i: the one that is at its pointer or, where a
// relocation fills that, the last before it.
func (s *frameSide) cie(i int) *dwarf.Frame {
	f := &s.list[i]
	filled := s.reloc(f.CIEPointer()) != nil
	for k := i - 1; k >= 0; k-- {
		if x := &s.list[k]; x.IsCIE() && (filled || x.At == f.CIE) {
			return x
		}
	}
	return nil
}

// fdes returns the indices of the FDEs that a relocation names.
func (s *frameSide) fdes() (list []int) {
	for i := range s.list {
		if f := &s.list[i]; !f.IsCIE() && s.reloc(f.Location()) != nil {
			list = append(list, i)
		}
	}
	return list
}

func (c *checker) frameSection(section, clone int) {
	sass, ok := c.frameSide(section)
	if !ok {
		return
	}
	merc, ok := c.frameSide(clone)
	if !ok {
		return
	}
	a, b := sass.fdes(), merc.fdes()
	if len(a) != len(b) {
		c.add(Debug, Count, section, 0, "number of frames", fmt.Sprint(len(b)), fmt.Sprint(len(a)))
	}
	places := &moves{list: make([]move, 0, 4*len(b))}
	n := 0
	for i := range sass.list {
		if !sass.list[i].IsCIE() {
			n++
		}
	}
	if n != len(a) {
		c.add(Debug, Count, section, 0, "number of frames without a function", "0", fmt.Sprint(n-len(a)))
	}
	frames := map[uint32]int{} // of functions that are no part of another, by section
	owner := func(k int) uint32 {
		r := merc.reloc(merc.list[k].Location())
		if s := c.m.Merc.At(r.Symbol); s != nil && r.Addend == 0 {
			return s.Section
		}
		return 0
	}
	for _, k := range b {
		frames[owner(k)]++
	}
	clean := map[uint32]bool{} // functions one of whose frames agrees
	untranslated := map[uint32]bool{}
	for k := range min(len(a), len(b)) {
		o := owner(b[k])
		if o == 0 || frames[o] < 2 {
			continue
		}
		clean[o] = clean[o] || !c.staleFrame(sass, merc, a[k], b[k], places)
		untranslated[o] = untranslated[o] || inMercuryForm(sass, a[k], &merc.list[b[k]])
	}
	for k := range min(len(a), len(b)) {
		o := owner(b[k])
		if o != 0 && frames[o] > 1 && (clean[o] || untranslated[o]) && c.staleFrame(sass, merc, a[k], b[k], places) {
			c.leave(exStaleDebug)
			c.cieLeft(sass, merc, a[k], b[k])
			continue
		}
		c.frame(sass, merc, a[k], b[k], places)
	}
	c.frameRelocs(sass, merc, places)
}

// staleFrame reports whether one of several frames of a function differs: a link
// that replaces a weak function keeps the frame of the loser, on which the
// winner's node map is used.
func (c *checker) staleFrame(sass, merc *frameSide, i, k int, places *moves) bool {
	found := c.try(func() { c.frame(sass, merc, i, k, places) })
	return len(found) > 0
}

// inMercuryForm reports whether a frame of SASS is its Mercury counterpart, untranslated:
// where nvlink replaces a weak function by one of a later module, the winner's
// frame stays so, and the loser's gets the winner's length.
func inMercuryForm(sass *frameSide, i int, g *dwarf.Frame) bool {
	x := sass.cie(i)
	return x != nil && x.CodeAlignment() == cieMerc && sass.list[i].Length == g.Length
}

// frame compares FDE i of SASS with FDE k of Mercury and notes where the
// relocations of the one are in the other.
func (c *checker) frame(sass, merc *frameSide, i, k int, places *moves) {
	f, g := &sass.list[i], &merc.list[k]
	places.add(g.CIEPointer(), f.CIEPointer())
	places.add(g.Location(), f.Location())
	places.add(g.Location()+8, f.Location()+8)
	if x := sass.cie(i); x != nil && x.CodeAlignment() == cieMerc && f.Length == g.Length && c.aliased(merc.reloc(g.Location()).Symbol) {
		c.leave(exUntranslated)
		c.cieLeft(sass, merc, i, k)
		return
	}
	c.cie(sass, merc, i, k, places)
	r, t := sass.reloc(f.Location()), merc.reloc(g.Location())
	symbol := c.m.Merc.At(t.Symbol)
	if symbol == nil || r.Symbol != t.Symbol {
		return // frameRelocs tells
	}
	fn := c.m.FuncOf(symbol.Section)
	if fn == nil || fn.Cap == nil {
		c.add(Debug, Content, merc.rela, 0, "symbol of a frame", "a function", symbol.Name)
		return
	}
	if len(fn.Unsized) > 0 {
		c.leave(exUnsized)
		return
	}
	start, ok := sassBoundary(fn.Cap, uint64(t.Addend))
	end, ok2 := sassBoundary(fn.Cap, uint64(t.Addend)+g.Length)
	if !ok || !ok2 {
		c.add(Debug, Content, merc.section, g.At, "range of the frame of "+symbol.Name, "nodes", hex(uint64(t.Addend)+g.Length))
		return
	}
	if c.stub(fn) {
		c.leave(exUniformStub)
		return
	}
	if end-start != f.Length {
		c.number(Debug, Content, sass.section, f.Location()+8, "length of the frame of "+symbol.Name, end-start, f.Length)
	}
	// ptxas fills the field of a function inside a kernel besides relocating it,
	// 13.5 with the Mercury address on both sides.
	if g.Start != 0 {
		c.number(Debug, Content, merc.section, g.Location(), "initial location of the frame of "+symbol.Name, uint64(t.Addend), g.Start)
	}
	if g.Start == 0 || f.Start != g.Start && f.Start != start {
		location := start
		if g.Start == 0 {
			location = 0
		}
		if location != f.Start {
			c.number(Debug, Content, sass.section, f.Location(), "initial location of the frame of "+symbol.Name, location, f.Start)
		}
	}
	c.rules(sass, merc, f, g, fn, int64(start), t.Addend)
}

// cie compares the CIEs of two FDEs.
func (c *checker) cie(sass, merc *frameSide, i, k int, places *moves) {
	f, g := sass.cie(i), merc.cie(k)
	if f == nil || g == nil {
		c.add(Debug, Content, sass.section, sass.list[i].CIEPointer(), "CIE of a frame", "one on each side", "not both")
		return
	}
	if len(f.Head) != len(g.Head) || f.CodeAlignment() != cieSASS || g.CodeAlignment() != cieMerc {
		c.add(Debug, Content, sass.section, f.At, "code alignment", fmt.Sprint(cieSASS), fmt.Sprint(f.CodeAlignment()))
		return
	}
	a, b := slices.Clone(f.Head), g.Head
	for n := range a {
		if a[n] == cieSASS && b[n] == cieMerc {
			a[n] = cieMerc
			break
		}
	}
	if string(a) != string(b) {
		c.add(Debug, Content, sass.section, f.At, "CIE", fmt.Sprintf("%x", b), fmt.Sprintf("%x", a))
	}
	if !bytes.Equal(f.Program, g.Program) {
		c.add(Debug, Content, sass.section, f.At, "instructions of a CIE", fmt.Sprintf("%x", g.Program), fmt.Sprintf("%x", f.Program))
		return
	}
	size := f.Location() - f.At + uint64(len(f.Head)+len(f.Program))
	for _, n := range merc.within(g.At, g.At+size) {
		off := merc.relocs[n].Off - g.At
		places.add(g.At+off, f.At+off)
	}
	if !knownCIE(b, g.Program) {
		c.leave(exCIE)
	}
}

// cieLeft compares the CIEs of two FDEs that are left alone. That of SASS may be the Mercury one.
func (c *checker) cieLeft(sass, merc *frameSide, i, k int) {
	f, g := sass.cie(i), merc.cie(k)
	if f != nil && g != nil && f.CodeAlignment() == cieMerc && bytes.Equal(f.Head, g.Head) && bytes.Equal(f.Program, g.Program) && knownCIE(g.Head, g.Program) {
		return
	}
	c.cie(sass, merc, i, k, &moves{})
}

// knownCIE reports whether a CIE of the Mercury side says what all do: version 3, no augmentation,
// alignments, no return register or one; where the frame begins, and a register that keeps its
// value. What it says of others isn't looked at.
func knownCIE(head, ops []byte) bool {
	register, ok := bytes.CutPrefix(head, []byte{3, 0, cieMerc, 0x7c})
	n := len(register)
	none := n == 5 && string(register) == "\xff\xff\xff\xff\x0f"
	return ok && (none || n == 4 && register[3] == 0x28) && bytes.HasPrefix(ops, cieRules)
}

var cieRules = append(bytes.Clone(initialCFA), "\x08\xff\x81\x80\x28"...)

// entry is what a frame program says at an address.
type entry struct {
	addr int64 // in SASS, from the function's start
	ops  []dwarf.Rule
}

// inOrder sorts entries by address; of several at one address the last remains.
func inOrder(list []entry) []entry {
	rising := true
	for i := 1; i < len(list); i++ {
		rising = rising && list[i-1].addr < list[i].addr
	}
	if rising {
		return list
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.addr, b.addr) })
	kept := list[:0]
	for i := range list {
		if i+1 == len(list) || list[i+1].addr != list[i].addr {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// wantedRules makes the SASS program of a Mercury one.
func (c *checker) wantedRules(g *dwarf.Frame, fn *capsule.Func, start, base int64) (list []entry, ok bool) {
	rules, last, steps := g.Rules(c.rulesOf[0][:0])
	c.rulesOf[0], list = rules, c.entries[:0]
	step, ok := 0, true
	place := func(merc int64, ops []dwarf.Rule) {
		sass, fits := frameAddress(fn.Cap, base+merc)
		ok = ok && fits
		list = append(list, entry{sass - start, ops})
	}
	for first := 0; first < len(rules); {
		end := first + 1
		for end < len(rules) && rules[end].Step == rules[first].Step {
			end++
		}
		step = rules[first].Step
		place(rules[first].Addr, rules[first:end])
		first = end
	}
	if steps != step {
		place(last, nil)
	}
	c.entries = list
	return inOrder(list), ok
}

// frameAddress returns the SASS offset of a Mercury offset in a frame: after
// the instruction that ends there, before any padding.
func frameAddress(p *capsule.Capsule, merc int64) (int64, bool) {
	if merc < 0 || merc > int64(p.MercSize) {
		return 0, false
	}
	return int64(p.SASSFrom(uint32(merc))), true
}

// rules compares the programs of two FDEs.
func (c *checker) rules(sass, merc *frameSide, f, g *dwarf.Frame, fn *capsule.Func, start, base int64) {
	if fn.Cap.Len() == 0 {
		return
	}
	entries, ok := c.wantedRules(g, fn, start, base)
	if !ok {
		c.add(Debug, Content, merc.section, g.At, "addresses of the frame of "+fn.Name, "offsets in the function", "others")
		return
	}
	want := c.rulesOf[1][:0]
	for i := range entries {
		for _, r := range entries[i].ops {
			r.Addr = entries[i].addr
			want = append(want, r)
		}
	}
	got, _, _ := f.Rules(c.rulesOf[2][:0])
	c.rulesOf[1], c.rulesOf[2] = want, got
	only := len(got) == 0 && len(want) == 1
	if only && (start != 0 && len(entries) == 2 && want[0].Addr == 0 || bytes.Equal(want[0].Op, initialCFA)) {
		c.leave(exShortFrame)
		return
	}
	n := 0
	for i := range got {
		r := &got[i]
		if n < len(want) && bytes.Equal(want[n].Op, r.Op) && (want[n].Addr == r.Addr || c.insideMacro(fn, start+want[n].Addr, start+r.Addr)) {
			n++
			continue
		}
		if c.macroRule(fn, start+r.Addr, r.Op) {
			c.leave(exMacroFrame)
			continue
		}
		expected := "none"
		if n < len(want) {
			expected = ruleText(&want[n])
		}
		c.add(Debug, Content, sass.section, r.At, "frame of "+fn.Name, expected, ruleText(r))
		return
	}
	if n < len(want) {
		c.add(Debug, Count, sass.section, f.At, "frame of "+fn.Name, ruleText(&want[n]), "none")
	}
}

// initialCFA is DW_CFA_def_cfa as every CIE has it first. Where it is all that a frame says, 13.4 may
// leave it out.
var initialCFA = []byte{0x0c, 0x81, 0x80, 0x80, 0x28, 0x00}

func ruleText(r *dwarf.Rule) string { return fmt.Sprintf("%x at 0x%x", r.Op, r.Addr) }

// insideMacro reports whether an instruction that should be after a macro
// is inside it, before the fence that ends it.
func (c *checker) insideMacro(fn *capsule.Func, want, got int64) bool {
	if got < 0 || got >= want {
		return false
	}
	k := fn.Cap.AtSASS(uint32(got))
	if k < 0 {
		return false
	}
	n := fn.Cap.Node(k)
	if n.Kind != capsule.Full || n.Span == 1 || int64(n.SASS)+int64(n.Span)*capsule.WordSize != want {
		return false
	}
	c.leave(exMacroFrame)
	return true
}

// macroRule reports whether a frame instruction is one that the finalizer adds
// inside or after a stored node: undefined, same value, register.
func (c *checker) macroRule(fn *capsule.Func, addr int64, op []byte) bool {
	if addr < 0 || op[0] < 0x07 || op[0] > 0x09 {
		return false
	}
	k := fn.Cap.AtSASS(uint32(addr))
	return k >= 0 && fn.Cap.Node(k).Kind == capsule.Full
}

// frameRelocs compares the relocations.
func (c *checker) frameRelocs(sass, merc *frameSide, places *moves) {
	if sass.rela == 0 || merc.rela == 0 {
		return
	}
	want := make([]wanted, 0, len(merc.relocs))
	for i := range merc.relocs {
		r := &merc.relocs[i]
		at := uint64(i) * cubin.RelaSize
		symbol := c.m.Merc.At(r.Symbol)
		typ, known := dataTypes()[r.Type]
		off, placed := places.of(r.Off)
		if symbol == nil || !known || !placed {
			c.add(Debug, Content, merc.rela, at, "relocation of a frame", "offset and type of a frame", relocText(r))
			continue
		}
		w := wanted{Reloc: cubin.Reloc{Off: off, Type: typ, Symbol: r.Symbol, Addend: r.Addend}, at: at}
		if r.Type == cuda.R_MERCURY_ABS_PROG_REL64 {
			if !c.codeAddend(merc.rela, &w, symbol) {
				continue
			}
		}
		want = append(want, w)
	}
	c.matchRelocs(sass.rela, merc.rela, want, sass.relocs, nil)
}
