package mercury

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// whole is the fields of a SASS word that Mercury widens: registers, in which
// all ones is RZ, and predicates, in which it is PT. Rules know whether one
// is so as bit 128 and up of the word.
//
//	|..|89 87|86 84|83 81|..|79 77|..|70 68|71 .. 64|..|39 .. 32|31 .. 24|23 .. 16|..|14 12|
//	   | Pp  | Pq  | Pu  |  | Ps  |  | Pr  |   Rc   |  |   Rb   |   Ra   |   Rd   |  |guard|
var whole = [...]slot{{16, 8}, {24, 8}, {32, 8}, {64, 8}, {12, 3}, {68, 3}, {77, 3}, {81, 3}, {84, 3}, {87, 3}}

// Encode makes the Mercury of a PLAIN word with the table that the program
// carries; see [Table.Encode].
func Encode(sm cuda.SM, w Word) (record []byte, why Reason) { return Default().Encode(sm, w) }

// Encode makes the Mercury of a PLAIN word, 16 or 32 bytes. That of a word which
// is in a tag-only node or an explicit record is another: there the capsule has the tag.
func (t *Table) Encode(sm cuda.SM, w Word) (record []byte, why Reason) {
	s, v, why := t.findPlain(sm, w)
	if why != Known {
		return nil, why
	}
	if !s.covers(&v) {
		return nil, NoRow
	}
	out := append([]Word(nil), s.base...)
	s.fill(&v, out)
	record = make([]byte, 32)
	out[0].Put(record)
	out[1].Put(record[16:])
	return record[:s.recordSize()], Known
}

// PlainSize returns the Mercury size of a PLAIN word, 0 where it isn't known.
func (t *Table) PlainSize(sm cuda.SM, w Word) int {
	s, _, why := t.findPlain(sm, w)
	if why != Known {
		return 0
	}
	return s.recordSize()
}

// recordSize is what the first byte of the tag says.
func (s *shape) recordSize() int { return 16 * int(s.ops[0]>>24&3) }

func (t *Table) findPlain(sm cuda.SM, w Word) (*shape, bits, Reason) {
	v := bits{w.Lo, w.Hi & (1<<41 - 1)}
	list := t.formsOf(uint32(w.opcode()))
	at := slices.IndexFunc(list, func(f *form) bool { return f.of(sm) })
	if at < 0 {
		return nil, v, NoForm
	}
	f := list[at]
	for k, s := range whole {
		if v.field(uint(s.at), uint(s.width)) == 1<<s.width-1 {
			v[2] |= 1 << k
		}
	}
	s, why := f.find(&v)
	return s, v, why
}
