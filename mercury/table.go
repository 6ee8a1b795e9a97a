package mercury

import (
	"cmp"
	_ "embed"
	"slices"
	"sync"

	"github.com/twinlink/twinlink/cuda"
)

// The table as it was learned: see docs/mercury.md for how to read it.
//
//go:embed table.tsv
var learned string

// Table holds rules.
type Table struct {
	forms sync.Map // []*form by tag, or by opcode: the shapes' words are then a record's two halves
	lazy  bool     // that of this program, of which only forms that were asked for are read
}

// form is the rules of one tag on some SMs.
type form struct {
	tag     uint32
	at      int // where the text of its like begins
	sms     []uint16
	release string
	models  []*model
}

// sm101 is what 12.8 and 12.9 called the chip that is sm_110 from 13.0 on.
const sm101 = 101

// of reports whether the rules hold for an SM.
func (f *form) of(sm cuda.SM) bool {
	if sm == sm101 {
		sm = 110
	}
	return slices.Contains(f.sms, uint16(sm))
}

// model is the rules for records that share the values of some bits.
type model struct {
	slots  []slot
	locks  []lock
	sames  []same
	key    []uint16
	line   int // counted from there
	shapes []*shape
	choose []choice // by the bits of key, in their order
}

// choice is the shape of one value of a key.
type choice struct {
	key   uint32
	shape *shape
}

// slot is an operand that may hold a register, 0..254 or RZ, in 10 bits, or a
// predicate, 0..6 or PT, in 5.
type slot struct{ at, width uint8 }

func (s slot) holds(x uint64) bool {
	if s.width == 10 {
		return x < 255 || x == 1023
	}
	return x < 7 || x == 31
}

// lock is a run of bits that are known with one value only.
type lock struct {
	at, width uint8
	value     uint64
}

// same asks whether a field of a record is another one and a number. The answers of a
// model's are bits 256 and up of the record, for keys.
type same struct {
	a, b, width uint8
	add         uint64
}

func (s *same) holds(v *bits) bool {
	return v.field(uint(s.a), uint(s.width)) == (v.field(uint(s.b), uint(s.width))+s.add)&(1<<s.width-1)
}

// equal returns the answers of a model.
func (m *model) equal(v *bits) (answers uint64) {
	for i := range m.sames {
		if m.sames[i].holds(v) {
			answers |= 1 << i
		}
	}
	return answers
}

// shape is the rules of one sequence of opcodes.
type shape struct {
	ops     []uint32 // of a plain form, the record's tag
	samples int
	base    []Word // the constant bits; all others zero
	mask    []Word // what is decided
	copies  []copying
	sums    []sum
	lookups []lookup
	call    *call // of which the one word is a part; none for nearly all
}

// copying gives bits dst.. the value of the record's from src, inverted where
// flip has ones.
type copying struct {
	dst   uint16 // bit of all words
	src   uint8
	width uint8
	flip  uint64
}

// sum gives bits dst.. a field of the record plus a number, which a few other
// bits may choose.
type sum struct {
	dst        uint16
	src, width uint8
	add        uint64
	key        []uint16
	rows       rows
}

// lookup gives single bits the values that a few bits of the record choose.
type lookup struct {
	dst  []uint16
	key  []uint16
	rows rows
}

// rows is numbers by the value of a key, in order of the keys.
type rows []row

type row struct {
	key   uint32
	value uint64
}

func (r rows) get(key uint32) (uint64, bool) {
	k, ok := slices.BinarySearchFunc(r, key, func(r row, key uint32) int { return cmp.Compare(r.key, key) })
	if !ok {
		return 0, false
	}
	return r[k].value, true
}

var load = sync.OnceValue(func() *Table { return &Table{lazy: true} })

// Default returns the table that this program carries.
func Default() *Table { return load() }
