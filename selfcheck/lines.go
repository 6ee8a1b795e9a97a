package selfcheck

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// .debug_line and .nv_debug_line_sass. The finalizer turns a Mercury table into
// lines of instructions and writes a new table of these, so that rows come and
// go: what has to agree is the line of every instruction, with the places it
// was inlined at. Units are in the same order; a unit's sequences may not,
// and are paired by the function that a relocation names.

func (c *checker) lines() {
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		if t := c.m.Counterpart(i); !s.Mercury() && t != 0 && (s.Name == ".debug_line" || s.Name == ".nv_debug_line_sass") {
			c.lineSection(i, t)
		}
	}
}

// lineSide is one of the two sections, decoded.
type lineSide struct {
	section, rela int
	units         []dwarf.LineUnit
	relocs        []cubin.Reloc
	at            map[uint64]int // relocation by offset, plus 1
	functions     map[uint32]int // sequences by the section of their function
}

// count counts the sequences of each function.
func (s *lineSide) count(c *checker) {
	s.functions = map[uint32]int{}
	for u := range s.units {
		for _, q := range s.sequences(u) {
			if symbol := c.m.Merc.At(s.symbol(&q)); symbol != nil {
				s.functions[symbol.Section]++
			}
		}
	}
}

func (c *checker) lineSide(section int) (*lineSide, bool) {
	s := &c.m.Sections[section]
	units, f := dwarf.DecodeLines(s.Content)
	if f != nil {
		c.fault(f.In(c.m.File.Name, s.Name))
		return nil, false
	}
	side := &lineSide{section: section, rela: c.relaOf[section], units: units, at: map[uint64]int{}}
	if side.rela != 0 {
		var ok bool
		if side.relocs, ok = c.relocs(side.rela); !ok {
			return nil, false
		}
	}
	for i := range side.relocs {
		side.at[side.relocs[i].Off] = i + 1
	}
	return side, true
}

// sequences returns those sequences of a unit that are a function's.
func (s *lineSide) sequences(u int) (list []dwarf.Sequence) {
	for _, q := range s.units[u].Sequences() {
		if q.Operand != 0 {
			list = append(list, q)
		}
	}
	return list
}

// symbol returns the symbol of a sequence, 0 for none.
func (s *lineSide) symbol(q *dwarf.Sequence) uint32 {
	if i := s.at[q.Operand]; i != 0 {
		return s.relocs[i-1].Symbol
	}
	return 0
}

func (c *checker) lineSection(section, clone int) {
	sass, ok := c.lineSide(section)
	if !ok {
		return
	}
	merc, ok := c.lineSide(clone)
	if !ok {
		return
	}
	if len(sass.units) != len(merc.units) {
		c.add(Debug, Count, section, 0, "number of units", fmt.Sprint(len(merc.units)), fmt.Sprint(len(sass.units)))
		return
	}
	merc.count(c)
	if c.m.Sections[section].Name == ".debug_line" {
		for u := range sass.units {
			c.unitAt[merc.units[u].At] = sass.units[u].At
		}
	}
	for u := range sass.units {
		a, b := &sass.units[u], &merc.units[u]
		if !bytes.Equal(a.Header, b.Header) {
			k := firstDifference(a.Header, b.Header)
			c.add(Debug, Content, section, a.At+4+uint64(k), "header of a unit", fmt.Sprintf("%x", b.Header[k:min(k+8, len(b.Header))]), fmt.Sprintf("%x", a.Header[k:min(k+8, len(a.Header))]))
		}
		c.lineUnit(sass, merc, u)
	}
	c.lineRelocs(sass, merc)
}

// lineUnit pairs the sequences of a unit: the k-th of a function with the k-th.
func (c *checker) lineUnit(sass, merc *lineSide, u int) {
	byName := map[uint32][]dwarf.Sequence{}
	var order []uint32
	for _, q := range merc.sequences(u) {
		name := merc.symbol(&q)
		if byName[name] == nil {
			order = append(order, name)
		}
		byName[name] = append(byName[name], q)
	}
	for _, q := range sass.sequences(u) {
		name := sass.symbol(&q)
		if len(byName[name]) == 0 {
			c.add(Debug, Count, sass.section, q.Operand, "sequence of "+c.symbolName(name), "none", "one")
			continue
		}
		counterpart := byName[name][0]
		byName[name] = byName[name][1:]
		c.sequence(sass, merc, &q, &counterpart, name)
	}
	for _, name := range order {
		for range byName[name] {
			// A link leaves the sequences of removed functions in Mercury, without a relocation.
			if name != 0 {
				c.add(Debug, Count, sass.section, sass.units[u].At, "sequence of "+c.symbolName(name), "one", "none")
			}
		}
	}
}

func (c *checker) symbolName(i uint32) string {
	if s := c.m.SASS.At(i); s != nil {
		return s.Name
	}
	return fmt.Sprint("symbol ", i)
}

// sequence compares the lines of a function's instructions.
func (c *checker) sequence(sass, merc *lineSide, q, counterpart *dwarf.Sequence, name uint32) {
	if name == 0 {
		return
	}
	symbol := c.m.Merc.At(name)
	var fn *capsule.Func
	if symbol != nil {
		fn = c.m.FuncOf(symbol.Section)
	}
	if fn == nil || fn.Cap == nil {
		c.add(Debug, Content, merc.rela, 0, "symbol of a sequence", "a function", c.symbolName(name))
		return
	}
	if len(fn.Unsized) > 0 {
		c.leave(exUnsized)
		return
	}
	c.number(Debug, Content, sass.section, q.Operand, "address of a sequence", counterpart.Base, q.Base)
	p := fn.Cap
	a, b := newCursor(q.Rows), newCursor(counterpart.Rows)
	before := -1 // the row of the node before
	for i := range p.Len() {
		n := p.Node(i)
		if n.Kind == capsule.Skip || n.Span == 0 {
			continue
		}
		x, y := a.at(uint64(n.SASS)), b.at(uint64(n.Merc))
		same, guess := sameLine(q.Rows, x, counterpart.Rows, y)
		if !same {
			same = takenFor(q.Rows, x, counterpart.Rows, y, x == before)
			guess = same
		}
		if same && guess {
			c.leave(exInlinedFile)
		}
		if before = x; same {
			continue
		}
		if c.lineless(fn, &n) {
			c.leave(exLostLine)
			continue
		}
		if c.aliased(name) {
			c.leave(exUntranslated)
			return
		}
		if merc.functions[symbol.Section] > 1 {
			c.leave(exStaleDebug)
			return
		}
		where := q.Operand
		if x >= 0 {
			where = q.Rows[x].At
		}
		c.add(Debug, Content, sass.section, where, fmt.Sprintf("line of the instruction at 0x%x of %s", n.SASS, fn.Name), lineText(counterpart.Rows, y), lineText(q.Rows, x))
		return
	}
	for i := range q.Rows {
		if r := &q.Rows[i]; r.Addr%capsule.WordSize != 0 || r.Addr > uint64(p.SASSSize()) || r.End && r.Addr != uint64(p.SASSSize()) {
			c.add(Debug, Content, sass.section, r.At, "address of a row of "+fn.Name, "an instruction", hex(r.Addr))
			return
		}
	}
}

// opIMNMX is the low byte of IMNMX in all its forms.
const opIMNMX = 0x17

// lineless reports whether the finalizer gives a node the line of another: the
// VIMNMX that sm_110 writes as IMNMX.
func (c *checker) lineless(fn *capsule.Func, n *capsule.Node) bool {
	return n.Kind == capsule.Full && (c.sm == 110 || c.sm == 101) && fn.Code[n.SASS] == opIMNMX
}

// cursor finds the row of rising addresses.
type cursor struct {
	rows  []dwarf.Row
	order []int // rows in order of address
	next  int
	last  int
}

func newCursor(rows []dwarf.Row) *cursor {
	c := &cursor{rows: rows, last: -1}
	for i := range rows {
		if !rows[i].End {
			c.order = append(c.order, i)
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		switch {
		case rows[a].Addr < rows[b].Addr:
			return -1
		case rows[a].Addr > rows[b].Addr:
			return 1
		}
		return 0
	})
	return c
}

// at returns the last row at or before an address, -1 for none.
func (c *cursor) at(addr uint64) int {
	for c.next < len(c.order) && c.rows[c.order[c.next]].Addr <= addr {
		c.last = c.order[c.next]
		c.next++
	}
	return c.last
}

// maxInline bounds the depth of inlined calls: a context names a row by number,
// and a hostile one may name itself.
const maxInline = 64

// sameLine compares two rows and the rows that they are inlined at. These the tools look up by
// their line: of several of one line at an address they name the first, whatever file, function
// and place it was inlined at. otherCaller says that it was so.
func sameLine(a []dwarf.Row, x int, b []dwarf.Row, y int) (same, otherCaller bool) {
	guess := false // a caller above was one of several that are taken for each other
	for depth := range maxInline {
		if x < 0 || y < 0 {
			return x == y || guess, guess
		}
		r, s := &a[x], &b[y]
		switch {
		case r.Line != s.Line || r.Column != s.Column || r.Stmt != s.Stmt:
			return guess, guess
		case r.Function != s.Function && keepsFunction(a, x):
			guess = true
		case r.File != s.File && r.Function == s.Function && r.Context != 0 && x > 0 && a[x-1].File == r.File:
			guess = true // a change of file that the tools omitted
		case r.File != s.File || r.Function != s.Function:
			return depth > 0 && (guess || firstOfLine(a, x)), true
		}
		guess = guess || depth > 0 && firstOfLine(a, x) && !onlyOfLine(a, x)
		x, y = caller(a, r), caller(b, s)
	}
	return true, false
}

// takenFor reports whether a row stands for another of its line number, in another file or at another
// place: the tools write no second row of one number, neither for what is inlined there, nor at the
// same address, nor, where continued is set, for the next instruction.
func takenFor(a []dwarf.Row, x int, b []dwarf.Row, y int, continued bool) bool {
	if x < 0 || y < 0 || a[x].Line != b[y].Line || a[x].Column != b[y].Column {
		return false
	}
	if continued && (a[x].Context != 0 || b[y].Context != 0) {
		return true
	}
	line, addr := b[y].Line, b[y].Addr
	for k := y - 1; k >= 0 && y-k <= maxInline && b[k].Addr == addr; k-- {
		if same, _ := sameLine(a, x, b, k); same && b[k].Line == line {
			return true
		}
	}
	for range maxInline {
		if y = caller(b, &b[y]); y < 0 {
			return false
		}
		if same, _ := sameLine(a, x, b, y); same && b[y].Line == line {
			return true
		}
	}
	return false
}

// keepsFunction reports whether a row has the place it is inlined at from the row before it:
// then it has its function too, whose name the tools write with the place alone.
func keepsFunction(rows []dwarf.Row, x int) bool {
	return x > 0 && rows[x-1].Context == rows[x].Context && rows[x-1].Function == rows[x].Function
}

// sameSpot reports whether two rows are of one line at one address.
func sameSpot(r, s *dwarf.Row) bool {
	return r.Addr == s.Addr && r.Line == s.Line && r.Column == s.Column
}

// firstOfLine reports whether no row before x is of its line at its address.
func firstOfLine(rows []dwarf.Row, x int) bool {
	for i := x - 1; i >= 0 && rows[i].Addr == rows[x].Addr; i-- {
		if sameSpot(&rows[i], &rows[x]) {
			return false
		}
	}
	return true
}

// onlyOfLine reports whether no row after x is of its line at its address.
func onlyOfLine(rows []dwarf.Row, x int) bool {
	for i := x + 1; i < len(rows) && rows[i].Addr == rows[x].Addr; i++ {
		if sameSpot(&rows[i], &rows[x]) {
			return false
		}
	}
	return true
}

// caller returns the row that a row is inlined at, -1 for none.
func caller(rows []dwarf.Row, r *dwarf.Row) int {
	if r.Context == 0 || r.Context > uint64(len(rows)) {
		return -1
	}
	return int(r.Context) - 1
}

func lineText(rows []dwarf.Row, x int) string {
	if x < 0 {
		return "none"
	}
	r := &rows[x]
	return fmt.Sprintf("file %d line %d column %d context %d", r.File, r.Line, r.Column, r.Context)
}

// lineRelocs compares the relocations: one on each set_address, ordered by
// offset, and in Mercury one on each name of an inlined function.
func (c *checker) lineRelocs(sass, merc *lineSide) {
	for _, side := range [...]*lineSide{sass, merc} {
		operands := map[uint64]bool{}
		for u := range side.units {
			for _, q := range side.units[u].Sequences() {
				operands[q.Operand] = true
			}
		}
		typ := uint32(cuda.R_CUDA_64)
		if side == merc {
			typ = cuda.R_MERCURY_ABS64
		}
		for i := range side.relocs {
			r := &side.relocs[i]
			at := uint64(i) * cubin.RelaSize
			if side == merc && r.Type == cuda.R_MERCURY_ABS32 {
				continue // against .debug_str
			}
			if side == sass && r.Type == cuda.R_CUDA_32 {
				continue
			}
			if r.Type != typ || !operands[r.Off] {
				c.add(Reloc, Content, side.rela, at, "relocation of a sequence", relocName(typ)+" on a set_address", relocText(r))
			}
			if r.Addend != 0 {
				c.number(Reloc, Metadata, side.rela, at+16, "addend of a relocation", 0, uint64(r.Addend))
			}
		}
	}
}
