package check

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// Capsules.
//
// A record of the Mercury side counts in Mercury code, whose bytes are in the
// capsule only where the SASS can't tell them. There the field is patched like
// any other; elsewhere the finalizer writes the SASS with the value, and the
// SASS side is where it shows. The first word of a capsule is the section of
// its SASS.

// capsuleOf takes the capsule of code apart, once. nil where it does not read.
func (c *check) capsuleOf(b *body) *capsule.Capsule {
	if known, ok := c.capsules[b]; ok {
		return known
	}
	read, err := capsule.Read(b.section.body, b.mod.sassOf(b.section))
	if err != nil {
		read = nil
	}
	if c.capsules == nil {
		c.capsules = map[*body]*capsule.Capsule{}
	}
	c.capsules[b] = read
	return read
}

// sassOf is the SASS of a capsule.
func (f *image) sassOf(s *section) []byte {
	index := uint64(word(s.body, 0))
	if index >= uint64(len(f.all)) || f.all[index].kind != cuda.SHTProgbits {
		return nil
	}
	return f.all[index].body
}

// locate turns an offset in Mercury code into one in the capsule. stored is
// false where the capsule has no such byte.
func (c *check) locate(a *area, offset uint64) (at uint64, stored bool) {
	if c.side != mercurySide || !a.code() || c.out.side == whole {
		return offset, true
	}
	read := c.capsuleOf(a.owner)
	if read == nil {
		return 0, false
	}
	at, stored, ok := read.Locate(offset)
	if !ok {
		c.verdict.remark(Finding{Kind: CodeBytes, Section: mercurySide.fileName(a.name), Offset: offset, Detail: "a field of Mercury code whose place in the capsule is not known"})
	}
	return at, stored
}

// compareCapsules wants the capsules of the inputs readable, and that each of
// the output names the SASS of its function.
func (c *check) compareCapsules() error {
	for _, a := range c.areas {
		if !a.code() || !a.owner.live || a.out == nil || len(a.want) < 4 {
			continue
		}
		if c.capsuleOf(a.owner) == nil {
			c.verdict.add(Finding{Kind: InputConflict, File: a.owner.mod.name, Section: mercurySide.fileName(a.name), Detail: "a capsule that does not read"})
		}
		index := word(a.out.body, 0)
		if uint64(index) < uint64(len(c.out.all)) {
			if s := &c.out.all[index]; s.name == a.name && isCode(s) && c.pairs[index] == nil {
				c.pair(index, a)
				copy(a.want, a.out.body[:4])
				continue
			}
		}
		c.verdict.add(Finding{Kind: CodeBytes, Section: mercurySide.fileName(a.name), Symbol: a.owner.owner.String(), Want: "section of " + a.name, Got: hex(uint64(index)), Detail: "first word"})
		copy(a.want, a.out.body[:min(4, len(a.out.body))])
	}
	return nil
}

// pair notes which capsule speaks for a section of SASS.
func (c *check) pair(index uint32, a *area) {
	if c.pairs == nil {
		c.pairs = map[uint32]*area{}
	}
	c.pairs[index] = a
}
