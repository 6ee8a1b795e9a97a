package resched

import (
	"slices"
	"testing"
)

// The forms of one instruction, which differ in bits 9 to 11 of the opcode, write the same predicates: whoever
// has one form has all that are known.
func TestVariants(t *testing.T) {
	predicates := func(op uint16) (n int) {
		for _, o := range besideMemory[op] {
			if o.use == writesPred {
				n += o.count
			}
		}
		return n
	}
	forms := map[uint16][]uint16{}
	for op := range memory {
		if op == 0x58d || op == opMATCH {
			continue // ATOMS.CAST tells by a predicate whether it stored, ATOMS.CAS doesn't; MATCH is no form of another
		}
		forms[op&0x1ff] = append(forms[op&0x1ff], op)
	}
	compared := 0
	for _, list := range forms {
		slices.Sort(list)
		for _, op := range list[1:] {
			compared++
			if a, b := predicates(list[0]), predicates(op); a != b {
				t.Errorf("%#x writes %d predicates, %#x %d", list[0], a, op, b)
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d forms", compared)
	}
}
