package mercury

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Decoder makes the words of many records for one SM as [Table.Decode] does, and
// compares words with those of genuine files. It remembers what it looked up: of
// records whose modifiers are equal only the operands differ. One goroutine may
// use it at a time.
type Decoder struct {
	table  *Table
	sm     cuda.SM
	seen   *seenTable
	tags   map[uint32]*tagRules
	recent [256]*tagRules // by a hash of the tag; the last one met
	met    [1024]met      // by a hash of the record; the last one that made its word
	room   int            // how many recipes may still be kept
}

// met is a record of one word, and what that has to be like. Code repeats itself: half of
// the records of a file are one of the last thousand.
type met struct {
	record [4]uint64
	word   Word
	mask   Word
}

// maxRecipes bounds what a hostile file can make a Decoder remember.
const maxRecipes = 1 << 14

// Decoder returns a decoder for an SM.
func (t *Table) Decoder(sm cuda.SM) *Decoder {
	return &Decoder{table: t, sm: sm, seen: seen(), tags: map[uint32]*tagRules{}, room: maxRecipes}
}

// Full reports whether the decoder remembers all that it may.
func (d *Decoder) Full() bool { return d.room == 0 }

// tagRules is what is known of one tag on one SM.
type tagRules struct {
	tag     uint32
	known   bool      // there is a form
	chooses [4]uint64 // bits of the record that some rule asks for, but to copy them
	sames   []same    // what some model asks about two fields
	recipes []*recipe // a hash table, half full at most
	count   int
	last    *recipe
	looks   []tagLook
}

// recipe is how the word of records is made that agree in the bits that choose.
type recipe struct {
	bits   bits
	shape  *shape // nil where no rule exists
	others bool   // another release may make other words
	one    bool   // a rule exists, and it makes one word
	why    Reason // there is no rule for a record with these bits, whatever its operands are
	base   Word
	mask   Word
	slots  []held
	across []slot // those that are in two words of the record
	lo, hi []move
	sums   []fixedSum
}

// move gives a half of the word a field of the record.
type move struct {
	word, shift, dst uint8
	width, flip      uint64 // masks
}

// fixedSum is a sum whose number is chosen.
type fixedSum struct {
	dst, src, width uint8
	add             uint64
}

func (d *Decoder) rules(tag uint32) *tagRules {
	hash := tag * 0x9e3779b1 >> 24
	if r := d.recent[hash]; r != nil && r.tag == tag {
		return r
	}
	r := d.tags[tag]
	if r == nil {
		r = d.newRules(tag)
		if r.known || len(r.looks) > 0 {
			d.tags[tag] = r
		}
	}
	d.recent[hash] = r
	return r
}

func (d *Decoder) newRules(tag uint32) *tagRules {
	r := &tagRules{tag: tag}
	for _, f := range d.table.formsOf(tag) {
		if !f.of(d.sm) {
			continue
		}
		r.known = true
		for _, m := range f.models {
			m.choosing(&r.chooses)
			for _, s := range m.sames {
				if !slices.Contains(r.sames, s) {
					r.sames = append(r.sames, s)
				}
			}
		}
	}
	r.looks = d.seen.tags[tag]
	return r
}

// choosing adds the bits that locks and keys ask for.
func (m *model) choosing(bits *[4]uint64) {
	mark := func(at []uint16) {
		for _, p := range at {
			if p < 256 {
				bits[p>>6] |= 1 << (p & 63)
			}
		}
	}
	for _, l := range m.locks {
		for p := uint(l.at); p < uint(l.at)+uint(l.width); p++ {
			bits[p>>6] |= 1 << (p & 63)
		}
	}
	mark(m.key)
	for _, s := range m.shapes {
		for i := range s.sums {
			mark(s.sums[i].key)
		}
		for i := range s.lookups {
			mark(s.lookups[i].key)
		}
	}
}

// Same reports whether w is the word of a record, but for the bits that no record
// decides. Where known is false, [Table.Decode] has the reason, or a record of
// several words.
func (d *Decoder) Same(record []byte, w Word) (same, known bool) {
	if d.table.check(record) != Known {
		return false, false
	}
	v := getBits(record)
	m := &d.met[recordHash(&v)%len(d.met)]
	if m.record[0] == v[0] && m.record[1] == v[1] && m.record[2] == v[2] && m.record[3] == v[3] && w.differs(m.word, m.mask) == 0 {
		return true, true
	}
	if same, known = d.same(record, &v, w, m); same {
		m.record = [4]uint64{v[0], v[1], v[2], v[3]}
	}
	return same, known
}

// same is Same of a record that wasn't met lately, and fills in what its word is like.
func (d *Decoder) same(record []byte, v *bits, w Word, m *met) (same, known bool) {
	r := d.rules(tagOf(record) &^ 0x80000000)
	if !r.known {
		return false, false
	}
	c := r.recipe(d, v, record)
	if c == nil || !c.one {
		return false, false
	}
	if !c.holds(v) {
		return false, false // other rules may take it
	}
	*m = met{word: c.make(v), mask: c.mask} // of no record yet
	same = w.differs(m.word, m.mask) == 0
	return same, same || !c.others
}

// recordHash spreads records: those of equal modifiers differ in few bits of their second half.
func recordHash(v *bits) int {
	const odd = 0x9e3779b97f4a7c15
	h := (v[0]^v[1]<<23^v[1]>>41)*odd ^ (v[1]^v[2]<<17^v[2]>>47^v[3]<<5)*(odd+2)
	return int(h >> 40)
}

// Decode is [Table.Decode].
func (d *Decoder) Decode(record []byte, sass, want, mask []Word) Reason {
	if why := d.table.check(record); why != Known {
		return why
	}
	r := d.rules(tagOf(record) &^ 0x80000000)
	if !r.known {
		return NoForm
	}
	v := getBits(record)
	c := r.recipe(d, &v, record)
	switch {
	case c != nil && c.why != Known:
		return c.why
	case c == nil || c.shape == nil || c.others || !c.holds(&v):
		return d.table.Decode(d.sm, record, sass, want, mask)
	}
	return c.shape.decode(&v, sass, want, mask)
}

// holds reports whether a record has registers where the rule has them.
func (c *recipe) holds(v *bits) bool {
	var wrong uint64
	for i := range c.slots {
		s := &c.slots[i]
		wrong |= (v[s.word&3]>>(s.shift&63)&s.width + 1) & s.over
	}
	for _, s := range c.across {
		if !s.holds(v.field(uint(s.at), uint(s.width))) {
			return false
		}
	}
	return wrong == 0
}

// held is a slot in one word of a record, of 64 bits. One more than what it holds is no more than a
// register's number, and has a higher bit alone for RZ and PT, but for what doesn't exist.
type held struct {
	word, shift uint8
	width, over uint64 // masks
}

// newHeld returns how a slot is asked; false where it is in two words.
func newHeld(s slot) (held, bool) {
	h := held{s.at >> 6, s.at & 63, 1<<s.width - 1, 0x18}
	if s.width == 10 {
		h.over = 0x300
	}
	return h, h.shift+s.width <= 64 && (s.width == 5 || s.width == 10)
}

func (c *recipe) make(v *bits) Word {
	w := c.base
	for i := range c.lo {
		m := &c.lo[i]
		w.Lo |= (v[m.word&3]>>(m.shift&63)&m.width ^ m.flip) << (m.dst & 63)
	}
	for i := range c.hi {
		m := &c.hi[i]
		w.Hi |= (v[m.word&3]>>(m.shift&63)&m.width ^ m.flip) << (m.dst & 63)
	}
	for i := range c.sums {
		s := &c.sums[i]
		x := (v.field(uint(s.src), uint(s.width)) + s.add) & (1<<s.width - 1)
		if s.dst < 64 {
			w.Lo |= x << s.dst
		} else {
			w.Hi |= x << (s.dst & 63)
		}
	}
	return w
}

// recipe finds or makes the recipe for a record; nil where there is no more room, or no
// room for what is asked of two fields.
func (r *tagRules) recipe(d *Decoder, v *bits, record []byte) *recipe {
	key := bits{v[0] & r.chooses[0], v[1] & r.chooses[1], v[2] & r.chooses[2], v[3] & r.chooses[3]}
	if len(r.sames) > 64 {
		return nil
	}
	for i := range r.sames {
		if r.sames[i].holds(v) {
			key[4] |= 1 << i
		}
	}
	if r.last != nil && r.last.bits.equal(&key) {
		return r.last
	}
	at := 0
	if len(r.recipes) > 0 {
		for at = hash(&key) & (len(r.recipes) - 1); r.recipes[at] != nil; at = (at + 1) & (len(r.recipes) - 1) {
			if r.recipes[at].bits.equal(&key) {
				r.last = r.recipes[at]
				return r.last
			}
		}
	}
	if d.room == 0 {
		return nil
	}
	d.room--
	c := d.newRecipe(r.tag, v)
	c.bits = key
	r.keep(c)
	return c
}

func hash(key *bits) int {
	const odd = 0x9e3779b97f4a7c15
	h := key[0]*odd ^ (key[1]+key[2]<<1)*(odd+2) ^ key[3] ^ key[4]<<40
	h *= odd
	return int(h >> 33)
}

// keep puts a recipe into the hash table, which grows.
func (r *tagRules) keep(c *recipe) {
	if 2*(r.count+1) > len(r.recipes) {
		old := r.recipes
		r.recipes = make([]*recipe, max(8, 4*len(old)))
		for _, one := range old {
			if one != nil {
				r.insert(one)
			}
		}
	}
	r.insert(c)
	r.count++
	r.last = c
}

func (r *tagRules) insert(c *recipe) {
	at := hash(&c.bits) & (len(r.recipes) - 1)
	for r.recipes[at] != nil {
		at = (at + 1) & (len(r.recipes) - 1)
	}
	r.recipes[at] = c
}

// newRecipe finds the rule that Decode would take for a record whose operands are
// all right.
func (d *Decoder) newRecipe(tag uint32, v *bits) *recipe {
	var slots []slot
	reason := NoForm
	for _, f := range d.table.formsOf(tag) {
		if !f.of(d.sm) {
			continue
		}
		for _, m := range f.models {
			s, why := m.chosen(v)
			if why == Unseen && reason != Known {
				reason = Unseen
			}
			if why == NoShape {
				reason = Known // the operands may be why
			}
			if why != Known {
				continue
			}
			reason = Known
			// The first model that has a shape is the form's answer.
			slots = append(slots, m.slots...)
			if s.covers(v) {
				c := s.recipe(slots, v)
				c.others = d.otherRelease(tag, f.release)
				return c
			}
			break
		}
	}
	return &recipe{why: reason}
}

// otherRelease reports whether there are forms of a tag that another release showed.
func (d *Decoder) otherRelease(tag uint32, release string) bool {
	return slices.ContainsFunc(d.table.formsOf(tag), func(f *form) bool {
		return f.release != release && f.of(d.sm)
	})
}

// recipe takes what the bits that choose decide out of a shape's rules.
func (s *shape) recipe(slots []slot, v *bits) *recipe {
	c := &recipe{shape: s}
	for _, one := range slots {
		if h, ok := newHeld(one); ok {
			c.slots = append(c.slots, h)
		} else {
			c.across = append(c.across, one)
		}
	}
	if len(s.base) != 1 || s.call != nil {
		return c
	}
	fixed := shape{base: s.base, lookups: s.lookups}
	out := []Word{s.base[0]}
	fixed.fill(v, out)
	c.one, c.base, c.mask = true, out[0], s.mask[0]
	for i := range s.copies {
		c.move(&s.copies[i])
	}
	for i := range s.sums {
		r := &s.sums[i]
		add := r.add
		if r.rows != nil {
			add, _ = r.rows.get(v.pick(r.key))
		}
		c.sums = append(c.sums, fixedSum{uint8(r.dst), r.src, r.width, add})
	}
	return c
}

// move adds a copy, in two parts where its bits cross a half of the record.
func (c *recipe) move(p *copying) {
	for done := uint8(0); done < p.width; {
		src, dst := p.src+done, uint8(p.dst)+done
		n := min(p.width-done, 64-src&63)
		m := move{word: src >> 6, shift: src & 63, dst: dst & 63, width: 1<<n - 1, flip: p.flip >> done & (1<<n - 1)}
		if dst < 64 {
			c.lo = append(c.lo, m)
		} else {
			c.hi = append(c.hi, m)
		}
		done += n
	}
}

// LikePlain compares the word of a PLAIN node with those of genuine files.
func (d *Decoder) LikePlain(w Word) Likeness {
	return d.seen.plainOf(w.Lo).like(d.sm, w)
}

// LikeTag compares the word of a tag-only node with those of genuine files.
func (d *Decoder) LikeTag(tag uint32, w Word) Likeness {
	tag &^= 0x80000000
	return likeTag(d.rules(tag).looks, d.sm, w)
}
