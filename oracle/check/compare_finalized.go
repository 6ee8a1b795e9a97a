package check

import (
	"bytes"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// What the finalizer may do to SASS.
//
// nvlink links the Mercury side and writes the SASS from it. For a function the
// result is the input's SASS with its relocations. A kernel that calls nothing
// is scheduled anew in a final link: a kernel needs no stack pointer kept for
// its caller, so where the load of R1 sets a scoreboard and nothing reads R1,
// scoreboards are dealt out again; and a MEMBAR that another one covers is
// dropped, with the dummy loads before it. With nvlink's own -g every kernel of
// an optimised object is made anew, capsule and all. So barriers and wait masks
// of the words of such a kernel may differ, and words may be missing, provided
// that its capsule is the input's.
//
//	105..108 stall   109 yield   110..112 write barrier   113..115 read barrier
//	116..121 wait mask           122..125 reuse
//
// Source: 2,736 kernels through nvlink 13.0.88 (sm_100, sm_120): 1,528 changed,
// all of them of this kind; 698 device functions, none changed.

const instruction = 16

// finalizedArea is code of the SASS side that differs in what the finalizer may
// change, for which the Mercury side has the last word.
type finalizedArea struct {
	area  *area
	words int
	short bool // words are missing
	anew  bool // it is another code

	moved map[uint64]uint64 // where words went, by their place in the input
}

// differsAsFinalized reports whether code differs from the input's in nothing
// but what the finalizer may change.
func (c *check) differsAsFinalized(a *area) bool {
	if c.out.side != sassSide || !a.code() || !a.owner.kernel() || c.relocatable && !c.options.Debug || a.out == nil {
		return false
	}
	if c.options.Debug && len(a.out.body)%instruction == 0 {
		c.reworked = append(c.reworked, finalizedArea{area: a, anew: true})
		return true
	}
	if !c.options.Debug && (callsOut(a.want) || !loadsStack(a.want) && !hasBarrier(a.want)) {
		return false
	}
	words, ok := scheduledAlike(a.want, a.out.body)
	var moved map[uint64]uint64
	if !ok && hasBarrier(a.want) && len(a.out.body) <= len(a.want) {
		words, moved = dropped(a.want, a.out.body)
		ok = moved != nil
	}
	if ok {
		c.reworked = append(c.reworked, finalizedArea{area: a, words: words, short: moved != nil, moved: moved})
	}
	return ok
}

// opcode is bits 0 to 11 of a word.
func opcode(word []byte) uint64 { return number(word, 0, 2) % 4096 }

// unscheduled is a word without its barriers and wait mask, bits 110 to 121.
func unscheduled(word []byte) string {
	b := bytes.Clone(word)
	blank(b, 110, 121)
	return string(b)
}

// scheduledAlike compares code but for scheduling and counts the words that
// differ in it.
func scheduledAlike(want, got []byte) (int, bool) {
	if len(want) != len(got) || len(want)%instruction != 0 {
		return 0, false
	}
	differ := 0
	for at := uint64(0); at < uint64(len(want)); at += instruction {
		w, _ := cut(want, at, instruction)
		g, _ := cut(got, at, instruction)
		if bytes.Equal(w, g) {
			continue
		}
		if unscheduled(w) != unscheduled(g) {
			return 0, false
		}
		differ++
	}
	return differ, true
}

// callsOut reports whether code has a CALL.
func callsOut(code []byte) bool { return hasOpcode(code, 0x343, 0x344, 0x943, 0x944) }

// hasBarrier reports whether code has a MEMBAR.
func hasBarrier(code []byte) bool { return hasOpcode(code, opMembar) }

const (
	opMembar = 0x992
	opLds    = 0x984
	opNop    = 0x918
	opBra    = 0x947
	opBraU   = 0x547
	opBraDiv = 0x948
	opBssy   = 0x945
	opLdc    = 0xb82
)

func hasOpcode(code []byte, opcodes ...uint64) bool {
	for at := uint64(0); at+instruction <= uint64(len(code)); at += instruction {
		w, _ := cut(code, at, instruction)
		for _, op := range opcodes {
			if opcode(w) == op {
				return true
			}
		}
	}
	return false
}

// loadsStack reports whether the first word is an LDC whose result is waited
// for by a scoreboard: bits 110 to 112 are not all set.
func loadsStack(code []byte) bool {
	w, ok := cut(code, 0, instruction)
	return ok && opcode(w) == opLdc && number(w, 13, 2)/64%8 != 7
}

// dropped finds where the words of code went of which some MEMBAR, dummy loads
// before them and padding at the end are gone; nil if anything else is. Branches
// over a dropped word have other distances.
func dropped(want, got []byte) (missing int, moved map[uint64]uint64) {
	w, g := uint64(0), uint64(0)
	moved = map[uint64]uint64{}
	for ; w+instruction <= uint64(len(want)); w += instruction {
		a, _ := cut(want, w, instruction)
		b, ok := cut(got, g, instruction)
		if ok && alike(a, b) {
			moved[w] = g
			g += instruction
			continue
		}
		switch opcode(a) {
		case opMembar, opLds, opNop:
			missing++
		default:
			return 0, nil
		}
	}
	for ; g+instruction <= uint64(len(got)); g += instruction {
		b, _ := cut(got, g, instruction)
		if opcode(b) != opNop && opcode(b) != opBra {
			return 0, nil
		}
	}
	if g != uint64(len(got)) {
		return 0, nil
	}
	return missing, moved
}

// movedTo is where a place of the input's code is in the output's.
func (c *check) movedTo(a *area, offset uint64) uint64 {
	for _, r := range c.reworked {
		if r.area == a && r.moved != nil {
			if at, ok := r.moved[offset-offset%instruction]; ok {
				return at + offset%instruction
			}
		}
	}
	return offset
}

// alike compares words but for scheduling and for the distances of branches,
// which stand in bits 16 to 23 and 34 to 81, of a BSSY in 34 to 63.
func alike(a, b []byte) bool {
	if opcode(a) != opcode(b) {
		return false
	}
	x, y := []byte(unscheduled(a)), []byte(unscheduled(b))
	switch opcode(a) {
	case opBra, opBraU, opBraDiv:
		for _, word := range [...][]byte{x, y} {
			blank(word, 16, 23)
			blank(word, 34, 81)
		}
	case opBssy:
		blank(x, 34, 63)
		blank(y, 34, 63)
	}
	return bytes.Equal(x, y)
}

// blank clears the bits from first to last.
func blank(word []byte, first, last uint) {
	for at := first; at <= last; at++ {
		word[at/8] &^= 1 << (at % 8)
	}
}

// capsuleReworked reports whether a capsule is the input's but for the spans of
// its nodes, as it is where words of a kernel were dropped.
func (c *check) capsuleReworked(a *area) bool {
	if c.side != mercurySide || c.out.side == whole || !a.code() || !a.owner.kernel() || c.relocatable || bytes.Equal(a.want, a.out.body) {
		return false
	}
	if c.options.Debug {
		read, err := capsule.Read(a.out.body, c.out.sassOf(a.out))
		if err != nil || read.SASS != uint64(len(c.out.sassOf(a.out))) {
			return false
		}
		c.reworked = append(c.reworked, finalizedArea{area: a, anew: true})
		return true
	}
	if !hasBarrier(a.owner.mod.sassOf(a.owner.section)) {
		return false
	}
	want, got := c.capsuleOf(a.owner), (*capsule.Capsule)(nil)
	if read, err := capsule.Read(a.out.body, c.out.sassOf(a.out)); err == nil {
		got = read
	}
	if want == nil || got == nil || len(want.Nodes) != len(got.Nodes) {
		return false
	}
	for i, w := range want.Nodes {
		g := got.Nodes[i]
		x, _ := cut(a.want, w.At, w.Length)
		y, _ := cut(a.out.body, g.At, g.Length)
		// A record may change with its span.
		if w.Kind != g.Kind || w.Span < g.Span && w.Kind != capsule.Skip || w.Span == g.Span && !bytes.Equal(x, y) {
			return false
		}
	}
	c.reworked = append(c.reworked, finalizedArea{area: a, short: true})
	return true
}

// countsWords reports whether an attribute holds offsets of instructions.
func countsWords(attr cuda.InfoAttr) bool {
	switch attr {
	case cuda.AttrExitInstrOffsets, cuda.AttrS2rctaidInstrOffsets, cuda.AttrCoopGroupInstrOffsets, cuda.AttrIntWarpWideInstrOffsets, cuda.AttrAtom16EmulInstrRegMap,
		cuda.AttrIndirectBranchTargets, cuda.AttrMbarrierInstrOffsets, cuda.AttrInstrRegMap, cuda.AttrUnusedLoadByteOffset, cuda.AttrSyscallOffsets,
		cuda.AttrSwWarMembarSysInstrOffsets, cuda.AttrAnnotations, cuda.AttrStackCanaryTrapOffsets:
		return true
	}
	return false
}

// finalized lets the Mercury side decide over code that the finalizer may have
// changed: where its capsule is right, it is a remark. Code that is shorter or
// made anew has another capsule as well, and the other way round.
func (c *check) finalized(m *check) {
	wrong, changed := map[string]bool{}, map[string]bool{}
	for _, f := range m.verdict.Findings {
		wrong[f.Section] = true
	}
	for _, r := range m.reworked {
		changed[r.area.name] = true
	}
	for _, r := range c.reworked {
		f := Finding{Kind: CodeBytes, File: r.area.parts0(), Section: r.area.name, Symbol: r.area.owner.owner.String(),
			Detail: plural(r.words, "word") + " scheduled otherwise than in the input"}
		if r.short {
			f.Detail = plural(r.words, "word") + " dropped: barriers that others cover"
		}
		if r.anew {
			f.Detail = "made anew for -g, not compared"
		}
		if wrong[r.area.name] || m.verdict.Refusal != nil || (r.short || r.anew) != changed[r.area.name] {
			c.verdict.add(f)
		} else {
			c.verdict.remark(f)
		}
		delete(changed, r.area.name)
	}
	for _, r := range m.reworked {
		if changed[r.area.name] {
			c.verdict.add(Finding{Kind: CodeBytes, File: r.area.parts0(), Section: mercurySide.fileName(r.area.name), Symbol: r.area.owner.owner.String(),
				Detail: "another capsule, though the SASS is the input's"})
		}
	}
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strings.Join([]string{hex(uint64(n)), what}, " ")
}

// rewritten reports whether a section of the SASS side is one that the
// finalizer makes anew, so that its bytes are no input's.
func (c *check) rewritten(a *area) bool {
	return c.out.side == sassSide && a.owner == nil && a.kind == cuda.SHTProgbits && rewrites(a.name)
}

// leftBehind reports whether bytes of a section are compiler constants of a
// definition that lost, which nothing refers to: the finalizer does not fill in
// the jump tables among them.
func (c *check) leftBehind(a *area, offset uint64) bool {
	if _, constant := bankOf(a.kind); c.out.side == whole || !constant || a.owner == nil || a.kind == cuda.SHTCudaConstant0 {
		return false
	}
	for _, p := range a.parts {
		if offset >= p.base && offset-p.base < p.section.size {
			owner := p.mod.ownerOf(p.section)
			return owner != nil && owner.fate != won
		}
	}
	return false
}

// trust takes over from the output what is left behind, and the jump tables of
// code whose words moved: a word that told a place tells the new one.
func (c *check) trust(a *area) {
	if a.owner != nil && !a.code() && a.owner.area != nil {
		for at := uint64(0); at+4 <= uint64(len(a.want)) && at+4 <= uint64(len(a.out.body)); at += 4 {
			old, told := uint64(word(a.want, at)), uint64(word(a.out.body, at))
			if old != told && c.movedTo(a.owner.area, old) == told {
				part, _ := cut(a.out.body, at, 4)
				copy(a.want[at:], part)
			}
		}
	}
	for i := range a.want {
		if c.leftBehind(a, uint64(i)) && i < len(a.out.body) {
			a.want[i] = a.out.body[i]
		}
	}
}

func rewrites(name string) bool {
	switch name {
	case ".debug_frame", ".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_sass":
		return true
	}
	return false
}
