package mercury

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Reason says why a record's words are not known; "" where they are.
type Reason string

// The reasons.
const (
	Known     Reason = ""
	NoForm    Reason = "form"    // its first four bytes are in no rule, or not for this SM
	BadRecord Reason = "record"  // not 16, 32 or 48 bytes as its first byte says
	Operand   Reason = "operand" // a register or predicate slot holds neither
	Unseen    Reason = "unseen"  // a bit has a value that no sample had
	NoShape   Reason = "shape"   // the bits that choose the opcodes
	NoRow     Reason = "row"     // the bits that choose a value
	Span      Reason = "span"    // other words are there than a record can have
)

// Decode makes the words of a record of 16 or 32 bytes with the table that the
// program carries; see [Table.Decode].
func Decode(sm cuda.SM, record []byte, sass, want, mask []Word) Reason {
	return Default().Decode(sm, record, sass, want, mask)
}

// Decode makes the words of a record. sass holds the words that are there:
// what surroundings add before and after those of the record is looked up in
// them, and where releases make other words of a record, which of them these are. want gets the words, mask the bits of them that the record decides; the
// length of both is that of sass. Nothing is written where a reason comes back.
func (t *Table) Decode(sm cuda.SM, record []byte, sass, want, mask []Word) Reason {
	s, release, v, why := t.findForm(sm, record)
	if why != Known {
		return why
	}
	for not := []string{release}; ; not = append(not, release) {
		var other *shape
		var w bits
		if other, release, w, why = t.findForm(sm, record, not...); why != Known {
			return s.decode(&v, sass, want, mask)
		}
		if other.fits(sass) && (!s.fits(sass) || !s.makes(&v, sass) && other.makes(&w, sass)) {
			s, v = other, w
		}
	}
}

// fits reports whether words have the opcodes of a shape. Where releases make other words
// of a record, those that are there say which it was.
func (s *shape) fits(sass []Word) bool {
	before, ok := align(s.ops, sass)
	if !ok {
		return false
	}
	for i, op := range s.ops {
		if sass[before+i].opcode() != uint64(op) {
			return false
		}
	}
	return true
}

// makes reports whether the words of a record are those that are there.
func (s *shape) makes(v *bits, sass []Word) bool {
	want, mask := make([]Word, len(sass)), make([]Word, len(sass))
	if s.decode(v, sass, want, mask) != Known {
		return false
	}
	for i, w := range sass {
		if (want[i].Lo^w.Lo)&mask[i].Lo != 0 || (want[i].Hi^w.Hi)&mask[i].Hi != 0 {
			return false
		}
	}
	return true
}

// decode makes the words of a record that the shape takes.
func (s *shape) decode(v *bits, sass, want, mask []Word) Reason {
	if s.call != nil {
		return s.call.decode(s.first(v), v, sass, want, mask)
	}
	before, ok := align(s.ops, sass)
	if !ok || len(want) != len(sass) || len(mask) != len(sass) {
		return Span
	}
	core := want[before : before+len(s.ops)]
	for i := range sass {
		want[i], mask[i] = sass[i], Word{^uint64(0), ^uint64(Schedule)}
	}
	copy(mask[before:], s.mask)
	copy(core, s.base)
	s.fill(v, core)
	return Known
}

// Words returns the number of words that a record stands for by itself, 0
// where it isn't known.
func (t *Table) Words(sm cuda.SM, record []byte) int {
	s, v, why := t.find(sm, record)
	switch {
	case why != Known:
		return 0
	case s.call != nil:
		return s.call.count(s.first(&v), &v)
	}
	return len(s.ops)
}

// Samples returns how many distinct samples support the rules for a record,
// and the release they came from.
func (t *Table) Samples(sm cuda.SM, record []byte) (n int, release string) {
	s, release, _, why := t.findForm(sm, record)
	if why != Known {
		return 0, ""
	}
	return s.samples, release
}

func tagOf(r []byte) uint32 {
	return uint32(r[0])<<24 | uint32(r[1])<<16 | uint32(r[2])<<8 | uint32(r[3])
}

func (t *Table) find(sm cuda.SM, record []byte) (*shape, bits, Reason) {
	s, _, v, why := t.findForm(sm, record)
	return s, v, why
}

// check reports whether a record has the size that its first byte says.
func (t *Table) check(record []byte) Reason {
	switch {
	case len(record) == 16 && record[0]&0x6f == 1, len(record) == 32 && record[0]&0x7f == 2: // 11, too
		return Known
	case len(record) == 48 && record[0]&0x7f == 3:
		return NoForm // none is known
	}
	return BadRecord
}

// findForm asks the forms of a tag in order, but for those of some releases: what one has no
// rule for another, learned later, may have.
func (t *Table) findForm(sm cuda.SM, record []byte, not ...string) (s *shape, release string, v bits, why Reason) {
	if why = t.check(record); why != Known {
		return nil, "", v, why
	}
	why = NoForm
	v = getBits(record)
	for _, f := range t.formsOf(tagOf(record) &^ 0x80000000) {
		if !f.of(sm) || slices.Contains(not, f.release) {
			continue
		}
		s, w := f.find(&v)
		if w == Known && s.covers(&v) {
			return s, f.release, v, Known
		}
		switch {
		case w == Known:
			why = NoRow
		case why == NoForm || why == Unseen:
			why = w
		}
	}
	return nil, "", v, why
}

func (f *form) find(v *bits) (*shape, Reason) {
	why := NoForm
	for _, m := range f.models {
		s, w := m.find(v)
		if w == Known {
			return s, Known
		}
		// The model that came nearest tells the reason.
		if why == NoForm || why == Unseen {
			why = w
		}
	}
	return nil, why
}

func (m *model) find(v *bits) (*shape, Reason) {
	s, why := m.chosen(v)
	if why == Unseen {
		return nil, why
	}
	for _, s := range m.slots {
		if !s.holds(v.field(uint(s.at), uint(s.width))) {
			return nil, Operand
		}
	}
	return s, why
}

// chosen is find for a record whose operands are all right.
func (m *model) chosen(v *bits) (*shape, Reason) {
	for _, l := range m.locks {
		if v.field(uint(l.at), uint(l.width)) != l.value {
			return nil, Unseen
		}
	}
	v[4] = m.equal(v)
	k, ok := slices.BinarySearchFunc(m.choose, v.pick(m.key), func(c choice, key uint32) int { return cmp.Compare(c.key, key) })
	if !ok {
		return nil, NoShape
	}
	return m.choose[k].shape, Known
}

func (s *shape) covers(v *bits) bool {
	for i := range s.sums {
		if r := &s.sums[i]; r.rows != nil {
			if _, ok := r.rows.get(v.pick(r.key)); !ok {
				return false
			}
		}
	}
	for i := range s.lookups {
		if _, ok := s.lookups[i].rows.get(v.pick(s.lookups[i].key)); !ok {
			return false
		}
	}
	return true
}

func (s *shape) fill(v *bits, out []Word) {
	put := func(dst uint16, x uint64) {
		w := &out[dst>>7]
		if dst&64 == 0 {
			w.Lo |= x << (dst & 63)
		} else {
			w.Hi |= x << (dst & 63)
		}
	}
	for i := range s.copies {
		c := &s.copies[i]
		put(c.dst, v.field(uint(c.src), uint(c.width))^c.flip)
	}
	for i := range s.sums {
		r := &s.sums[i]
		add := r.add
		if r.rows != nil {
			add, _ = r.rows.get(v.pick(r.key))
		}
		put(r.dst, (v.field(uint(r.src), uint(r.width))+add)&(1<<r.width-1))
	}
	for i := range s.lookups {
		l := &s.lookups[i]
		x, _ := l.rows.get(v.pick(l.key))
		for k, d := range l.dst {
			put(d, x>>k&1)
		}
	}
}
