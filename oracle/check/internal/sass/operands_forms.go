package sass

import (
	"bufio"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The operands of words as a table, operands.txt: for each opcode the forms that are
// known, each with the fields that name registers. The file says how to read a line.

//go:embed operands.txt
var operandsText string

// wordForm is one line of the table.
type wordForm struct {
	value, mask uint64 // of the upper half
	list        []operandField
}

// operandField is a field of a word that names a register or a predicate.
type operandField struct {
	writes bool
	class  byte // r, u, p, q; m and n: predicates and uniform ones by a mask; v: a uniform register of four bits
	at     uint64
	count  byte
	rule   byte  // how the count is found; 0: count
	when   int16 // the bit that must be set; 0: none; negative: that must be clear
}

// formBits are the bits of the upper half that say what a word does.
const formBits = 1<<(ControlFirst-64) - 1

// predicateBits are the fields of the upper half that name a predicate, with the bit
// that negates it.
var predicateBits = map[uint64]uint64{68: 0xf << 4, 77: 0xf << 13, 81: 7 << 17, 84: 7 << 20, 87: 0xf << 23}

// wordForms reads the table.
var wordForms = sync.OnceValue(func() map[uint64][]wordForm {
	table := map[uint64][]wordForm{}
	for lines := bufio.NewScanner(strings.NewReader(operandsText)); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		op, err := strconv.ParseUint(fields[0], 16, 12)
		f := wordForm{list: readOperands(fields[2:])}
		if err != nil || !f.readCondition(fields[1]) {
			panic("operands.txt: " + lines.Text())
		}
		table[op] = append(table[op], f)
	}
	return table
})

// readCondition reads which words have the form.
func (f *wordForm) readCondition(text string) bool {
	if text == "-" {
		return true
	}
	if exact, ok := strings.CutPrefix(text, "="); ok {
		f.mask = formBits &^ 0xff
		for _, x := range f.list {
			if x.class == 'p' || x.class == 'q' {
				f.mask &^= predicateBits[x.at]
			}
		}
		n, err := strconv.ParseUint(exact, 16, 64)
		f.value = n & f.mask
		return err == nil
	}
	n, err := fmt.Sscanf(text, "%x/%x", &f.value, &f.mask)
	return err == nil && n == 2 && f.value&^f.mask == 0
}

// readOperands reads the operands of a line.
func readOperands(words []string) (list []operandField) {
	for _, text := range words {
		x := operandField{count: 1}
		if text[0] == 'w' {
			x.writes, text = true, text[1:]
		}
		if x.class = 'r'; text[0] > '9' {
			x.class, text = text[0], text[1:]
		}
		text, when, conditional := strings.Cut(text, "/")
		if conditional {
			bit, clear := strings.CutPrefix(when, "!")
			n, err := strconv.ParseInt(bit, 10, 16)
			if x.when = int16(n); clear {
				x.when = -x.when
			}
			if err != nil {
				panic("operands.txt: " + when)
			}
		}
		at, count, several := strings.Cut(text, "x")
		n, err := strconv.ParseUint(at, 10, 7)
		x.at = n
		if several && count[0] > '9' {
			x.rule = count[0]
		} else if several && err == nil {
			n, err = strconv.ParseUint(count, 10, 8)
			x.count = byte(n)
		}
		if err != nil || !strings.ContainsRune("rupqmnv", rune(x.class)) {
			panic("operands.txt: " + text)
		}
		list = append(list, x)
	}
	return list
}

// byForm reads the operands of a word by the table. It is unknown where no form fits, or
// a rule doesn't know how many registers there are.
func (o *Operands) byForm(forms []wordForm, low, high uint64) {
	for i := range forms {
		f := &forms[i]
		if high&f.mask != f.value {
			continue
		}
		o.Known, o.issued = true, readsAtIssue(low%4096)
		for _, x := range f.list {
			if bit := max(x.when, -x.when); x.when != 0 && bitOf(low, high, uint64(bit)) != (x.when > 0) {
				continue
			}
			count := x.counted(high)
			o.Known = o.Known && count > 0
			set := &o.Reads
			if x.writes {
				set = &o.Writes
			}
			set.addField(x.class, valueAt(low, high, x.at), uint64(count))
		}
		return
	}
}

// valueAt is the eight bits at a place of a word.
func valueAt(low, high, at uint64) uint64 {
	if at < 64 {
		return low >> at % 256
	}
	return high >> (at - 64) % 256
}

func bitOf(low, high, at uint64) bool { return valueAt(low, high, at)%2 == 1 }

// addField adds the registers that a field names.
func (r *RegSet) addField(class byte, n, count uint64) {
	switch {
	case class == 'm':
		for p := range uint64(7) {
			r.Add(predicateBase+p, n>>p%2)
		}
	case class == 'n':
		for p := range uint64(7) {
			r.Add(uniformPreds+p, n>>p%2)
		}
	case class == 'p' && n%8 != 7:
		r.Add(predicateBase+n%8, 1)
	case class == 'q' && n%8 != 7:
		r.Add(uniformPreds+n%8, 1)
	case class == 'r' && n != 255:
		r.Add(n, min(count, 255-n))
	case class == 'v':
		r.Add(uniformBase+n%16, 1)
	case class == 'u' && n != 255:
		r.Add(uniformBase+n, min(count, 255-n))
	}
}

// counted is how many registers an operand takes; 0: not known.
func (x *operandField) counted(high uint64) byte {
	switch x.rule {
	case 'S':
		return [8]byte{1, 1, 1, 1, 1, 2, 4, 0}[high>>9%8]
	case 'A':
		return [8]byte{1, 1, 2, 2, 4}[high>>9%8]
	case 'F': // F16x2 F16x4 F16x8 BF16x2 BF16x4 BF16x8 - - - F32 F32x2 F32x4, again without FTZ, F64
		return [16]byte{1, 2, 4, 1, 2, 4, 0, 0, 0, 1, 2, 4, 1, 2, 4, 2}[high>>9%16]
	case 'E':
		return 1 + byte(high>>8%2)
	case 'T':
		return tensorCount(byte(high >> 16))
	case 'D', 'C':
		dimensions := byte(high >> 15 % 8)
		if dimensions > 4 {
			return 0
		}
		return dimensions + 2 + (x.rule - 'C')
	}
	return x.count
}

// tensorCount is how many registers a word that reads or writes tensor memory takes: two
// to the bits 83 to 85, times what the shape in bits 81, 82 and 87 takes.
func tensorCount(bits byte) byte {
	unit := [4]byte{2, 4, 1, 1}[bits>>1%4] // 16dp128bit, 16dp256bit, 32dp32bit, 16dp64bit
	if bits>>7 == 1 {
		unit = [4]byte{1, 1, 0, 0}[bits>>1%4] // 16dp32bit_t0_t15, 16dp32bit_t16_t31
	}
	if bits>>6%2 == 1 || unit<<(bits>>3%8) == 0 {
		return 0
	}
	return unit << (bits >> 3 % 8)
}

// uniformGuards are the words outside the arithmetic of uniform registers whose guard is a
// uniform predicate.
var uniformGuards = map[uint64]bool{
	0x24a: true, 0x253: true, 0x254: true, 0x255: true, 0x256: true, 0x25a: true, 0x455: true, 0x84a: true, 0x84c: true, 0x853: true, 0x856: true, 0x8cb: true,
	0x3b4: true, 0x3b5: true, 0x3b6: true, 0x3ba: true, 0x3bb: true, 0x3bc: true, 0x3ca: true, 0x3e9: true,
	0x5b2: true, 0x5b4: true, 0x5b8: true, 0x5e3: true, 0x5ea: true, 0x7ac: true, 0x9b7: true, 0x9b9: true,
	0x9c3: true, 0x9c7: true, 0x9e3: true, 0x9e6: true, 0x9e7: true, 0x9ea: true, 0x9ed: true, 0x9ee: true,
	0xdc7: true, 0xdea: true,
}

// GuardBase is where the predicate of a word's guard is in a set. VOTEU (0x886) has a
// uniform result, but the guard of a thread.
func GuardBase(op, high uint64) uint64 {
	uniform := uniformGuards[op] || op>>8%2 == 0 && op%0x100 >= 0x80 && op%0x100 < 0xc0 && op != 0x886
	if uniform && (op != 0x24a && op != 0x84a || high>>(91-64)%2 == 1) { // else FMUL2
		return uniformPreds
	}
	return predicateBase
}
