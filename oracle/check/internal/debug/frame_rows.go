package debug

import (
	"slices"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// Rows of a call frame that the finalizer inserts.
//
// Where it makes one operation into two moves through registers that the input's code
// did not name so, 13.4's finalizer adds what happens to the caller's values: at the
// word that writes a register, that its value is lost (DW_CFA_undefined), or that the
// word before has put it into another register (DW_CFA_register), or that a barrier
// register keeps it for a time. Such rows must say
// what the code does; all others stay. The inputs' release does not tell who linked
// them, so it counts only under Strict.
//
// Source: 4 frames of 74 links by nvJitLink 13.4.92 of objects of ptxas 13.0; links of
// C++ programs by nvlink 13.5.

// row is one instruction of a frame, where it counts.
type row struct {
	at   uint64 // in the code
	code string
}

const (
	rowUndefined = 0x07
	rowSame      = 0x08
	rowRegister  = 0x09
)

// rowsOf reads the instructions of an FDE as ptxas and the finalizer write them:
// after the function's address and size, advances of four bytes with a factor of 4.
func rowsOf(fde string) (list []row, ok bool) {
	at := uint64(0)
	for i := 16; i < len(fde); {
		from := i
		operands := 0
		switch op := fde[i]; {
		case op == 0:
			i++
			continue
		case op == 0x04:
			if i+5 > len(fde) {
				return nil, false
			}
			at += 4 * image.Number([]byte(fde), uint64(i+1), 4)
			i += 5
			continue
		case op>>6 == 1: // an advance in its low bits
			at += 4 * uint64(op&0x3f)
			i++
			continue
		case op == 0x06, op == rowUndefined, op == 0x08:
			operands = 1
		case op == 0x05, op == rowRegister, op == 0x0c, op == 0x10:
			operands = 2
		default:
			return nil, false
		}
		if fde[from] == 0x10 {
			operands = 1
		}
		i++
		for range operands {
			for i < len(fde) && fde[i] >= 0x80 {
				i++
			}
			i++
		}
		if fde[from] == 0x10 && i < len(fde) {
			i += 1 + int(fde[i]) // an expression
		}
		if i > len(fde) {
			return nil, false
		}
		list = append(list, row{at, fde[from:i]})
	}
	return list, true
}

// sameRows reports whether a frame has the rows of the input's and besides none but
// those that say what a word of the code does. Where words moved the rows went with
// them.
func (c *check) sameRows(want, got frame) bool {
	if got.id.Code == nil || got.id.Code.Area == nil || got.begin == 0 && want.fde[:8] != got.fde[:8] {
		return false
	}
	a := got.id.Code.Area
	moved := c.WasReworked(got.id)
	begin, size := a.Span(want.begin, image.Number([]byte(want.fde), 8, 8))
	if got.begin != begin || image.Number([]byte(got.fde), 8, 8) != size {
		return false
	}
	w, ok := rowsOf(want.fde)
	g, okToo := rowsOf(got.fde)
	if !ok || !okToo {
		return false
	}
	for _, r := range g {
		if r.at += begin; len(w) > 0 && w[0].code == r.code && a.RowMoves(want.begin+w[0].at, r.at) {
			w = w[1:]
		} else if c.Options.Strict && c.Release < 134 && !moved || !tells(a, r) {
			return false
		}
	}
	return len(w) == 0
}

// madeOver reports whether a frame tells nothing but what those of a function's definitions tell, at
// whatever places: what has no place in the code that is kept is omitted, and the rows of two may
// are in one.
//
// Source: 10 of 1,240 links by nvlink 13.0 to 13.5, of functions with several definitions.
func madeOver(of []frame, got frame) bool {
	codes, head := map[string]bool{}, false
	for _, w := range of {
		rows, ok := rowsOf(w.fde)
		for _, r := range rows {
			codes[r.code] = true
		}
		head = head || ok && (w.begin == 0) == (got.begin == 0) && sameHead(w.cie.text, got.cie.text)
	}
	rows, ok := rowsOf(got.fde)
	return ok && head && !slices.ContainsFunc(rows, func(r row) bool { return !codes[r.code] })
}

// sameHead reports whether two CIEs say the same but for the unit of places in code, which is
// another in Mercury's.
func sameHead(a, b string) bool {
	const unit = 2 // after version and no augmentation
	return len(a) == len(b) && len(a) > unit && a[:unit] == b[:unit] && a[unit+1:] == b[unit+1:]
}

// tells reports whether a row says what the word at its place does: it writes the
// register, whose value was copied by the word before if the row says so.
func tells(a *link.Area, r row) bool {
	if a.Out == nil || r.at%sass.Instruction != 0 {
		return false
	}
	register, rest := registerOf(r.code[1:], classGeneral)
	word, ok := image.Cut(a.Out.Body, r.at, sass.Instruction)
	if !ok || register < 0 {
		return false
	}
	if op := sass.Opcode(word); op == opBmovTo || op == opBmovFrom {
		return tellsBarrier(word, r.code[0], register, rest)
	}
	if uint64(word[2]) != uint64(register) {
		return false
	}
	switch r.code[0] {
	case rowUndefined:
		return rest == "" && (moves(word) || sass.Opcode(word) == opMovUniform)
	case rowRegister:
		if !moves(word) {
			return false
		}
		to, end := registerOf(rest, classGeneral)
		before, ok := image.Cut(a.Out.Body, r.at-min(r.at, sass.Instruction), sass.Instruction)
		return ok && r.at > 0 && end == "" && to >= 0 && moves(before) && int(before[2]) == to && int(before[4]) == register
	}
	return false
}

// opMovUniform is MOV of a uniform register to a general one: 13.5 has REDUX write
// the former, where the input's wrote the latter.
const opMovUniform = 0xc02

// moves reports whether a word is MOV of a register.
func moves(word []byte) bool { return sass.Opcode(word) == sass.OpMov }

// tellsBarrier reports whether a row says that a barrier register keeps what a general
// one held, where a BMOV puts it there, or that it is back, where one takes it out.
func tellsBarrier(word []byte, kind byte, register int, rest string) bool {
	switch {
	case sass.Opcode(word) == opBmovTo && kind == rowRegister:
		barrier, end := registerOf(rest, classBarrier)
		return end == "" && barrier == int(word[3]) && register == int(word[4])
	case sass.Opcode(word) == opBmovFrom && kind == rowSame:
		return rest == "" && register == int(word[2])
	}
	return false
}

const (
	opBmovTo   = 0x352
	opBmovFrom = 0x353

	classGeneral = 5
	classBarrier = 12
)

// registerOf reads the number of a register of a class: the class in the upper bits of a
// LEB128 number, the register in the lower.
func registerOf(code string, class uint64) (register int, rest string) {
	n, shift := uint64(0), 0
	for i := range len(code) {
		n |= uint64(code[i]&0x7f) << shift
		shift += 7
		if code[i] < 0x80 {
			if n>>24 != class || n&0xffffff > 254 {
				return -1, ""
			}
			return int(n & 0xffffff), code[i+1:]
		}
	}
	return -1, ""
}
