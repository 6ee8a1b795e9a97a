package debug

import (
	"slices"

	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Rows of a line table's sequence, for code whose words moved: what the finalizer writes says
// the same of the same words.
//
// Source: DWARF 3, 6.2; the extended opcodes 0x90 and 0x91, of inlined calls, as ptxas 13.0.88
// writes them.

// lineRow is what a sequence says from a place of the code on.
type lineRow struct {
	at    uint64
	state lineState
}

// lineState are the registers of a line table's program but for the address.
type lineState struct {
	file, line, column, context, name uint64
	statement, block, end             bool
}

// lineProgram are the numbers of a unit's header that its program is read with.
type lineProgram struct {
	unit, base, span, first uint64
	statement               bool
	operands                string // how many each standard opcode has
}

// programOf reads the header of a unit: version, length of the rest, and then these numbers.
func programOf(u *apply.LineUnit) (p lineProgram, ok bool) {
	const fixed = 6
	if len(u.Header) < fixed+5 || u.Header[0] != 2 && u.Header[0] != 3 || u.Header[1] != 0 {
		return p, false
	}
	h := u.Header[fixed:]
	p = lineProgram{uint64(h[0]), uint64(int64(int8(h[2]))), uint64(h[3]), uint64(h[4]), h[1] != 0, h[5:]}
	return p, p.span > 0 && uint64(len(p.operands)) >= p.first-1 // more than any, if there is no first
}

// Opcodes of line tables.
const (
	lineCopy = iota + 1
	lineAdvance
	lineBy
	lineFile
	lineColumn
	lineStatement
	lineBlock
	lineFill
	lineFixed
)

const (
	lineEnd     = 1
	lineInlined = 0x90
	lineName    = 0x91
)

// rows runs a sequence after its address.
func (p *lineProgram) rows(text string) (list []lineRow, ok bool) {
	start := lineState{file: 1, line: 1, statement: p.statement}
	r, s, at := &lineReader{text: text, ok: true}, start, uint64(0)
	emit := func() {
		list = append(list, lineRow{at, s})
		s.block = false
	}
	for len(r.text) > 0 {
		switch op := uint64(r.byte()); {
		case op >= p.first:
			at += (op - p.first) / p.span * p.unit
			s.line += p.base + (op-p.first)%p.span
			emit()
		case op == 0:
			end, ok := r.extended(&s)
			if !ok {
				return nil, false
			}
			if end {
				s.end = true
				emit()
				s = start
			}
		case op == lineCopy:
			emit()
		case op == lineAdvance:
			at += r.number() * p.unit
		case op == lineBy:
			s.line += r.signed()
		case op == lineFile:
			s.file = r.number()
		case op == lineColumn:
			s.column = r.number()
		case op == lineStatement:
			s.statement = !s.statement
		case op == lineBlock:
			s.block = true
		case op == lineFill:
			at += (255 - p.first) / p.span * p.unit
		case op == lineFixed:
			low, high := uint64(r.byte()), uint64(r.byte())
			at += low | high<<8
		default:
			for range p.operands[op-1] {
				r.number()
			}
		}
	}
	return list, r.ok
}

// extended reads an operation of more than a byte; end: of the sequence.
func (r *lineReader) extended(s *lineState) (end, ok bool) {
	n := r.number()
	if n == 0 || n > uint64(len(r.text)) {
		return false, false
	}
	rest := &lineReader{text: r.text[1:n], ok: true}
	switch r.text[0] {
	case lineEnd:
		end = true
	case lineInlined:
		s.context, s.name = rest.number(), rest.number()
	case lineName:
		s.name = rest.number()
	default:
		return false, false
	}
	r.text = r.text[n:]
	return end, rest.ok
}

// lineReader reads a sequence from its front.
type lineReader struct {
	text string
	ok   bool
}

func (r *lineReader) byte() byte {
	if len(r.text) == 0 {
		r.ok = false
		return 0
	}
	b := r.text[0]
	r.text = r.text[1:]
	return b
}

func (r *lineReader) number() uint64 {
	n, _ := r.leb()
	return n
}

func (r *lineReader) signed() uint64 {
	n, width := r.leb()
	if n>>(width-1) == 1 {
		n |= ^uint64(0) << width
	}
	return n
}

func (r *lineReader) leb() (n uint64, width uint) {
	for {
		b := r.byte()
		n |= uint64(b&0x7f) << width
		width += 7
		if b < 0x80 || width > 63 {
			return n, width
		}
	}
}

// sameRowsOfLines reports whether two sequences say the same of the same words of code whose words
// moved.
func sameRowsOfLines(a *link.Area, p *lineProgram, want, got string) bool {
	w, ok := p.rows(want)
	g, okToo := p.rows(got)
	if !ok || !okToo {
		return false
	}
	return slices.EqualFunc(w, g, func(x, y lineRow) bool { return x.state == y.state && a.RowMoves(x.at, y.at) })
}
