package link

import (
	"errors"
	"sort"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
	"github.com/twinlink/twinlink/oracle/internal/capsule"
)

// capsuleSize is what is kept of a capsule: the bytes of Mercury code.
type capsuleSize struct {
	Merc  uint64
	Known bool
	Reads bool
	Other bool // has something in it that is not known
}

// CapsuleOf takes the capsule of code apart; nil where it does not read. Only the last
// is kept: they take more memory than the file.
func (c *Link) CapsuleOf(b *Body) *capsule.Capsule {
	if c.capsuleFor == b {
		return c.capsule
	}
	read, err := capsule.Read(b.Section.Body, b.Mod.SassOf(b.Section))
	if err != nil {
		read = nil
	}
	c.capsule, c.capsuleFor = read, b
	if c.capsuleSizes == nil {
		c.capsuleSizes = map[*Body]capsuleSize{}
	}
	if read != nil {
		c.capsuleSizes[b] = capsuleSize{Merc: read.Merc, Known: read.Known, Reads: true}
	} else {
		var e *capsule.Error
		c.capsuleSizes[b] = capsuleSize{Other: errors.As(err, &e) && e.Unknown}
	}
	return read
}

// SizeOfCapsule is the size of the Mercury code of a capsule.
func (c *Link) SizeOfCapsule(b *Body) capsuleSize {
	size, known := c.capsuleSizes[b]
	if !known {
		c.CapsuleOf(b)
		size = c.capsuleSizes[b]
	}
	return size
}

// Locate turns an offset in Mercury code into one in the capsule. stored is
// false where the capsule has no such byte.
func (c *Link) Locate(a *Area, offset uint64) (at uint64, stored bool) {
	if c.Side != image.MercurySide || !a.Code() || c.Out.Side == image.Whole {
		return offset, true
	}
	read := c.CapsuleOf(a.Owner)
	if read == nil {
		return 0, false
	}
	at, stored, ok := read.Locate(offset)
	if !ok {
		c.Unjudged(a, verdict.Finding{Kind: verdict.CodeBytes, Section: a.Name, Offset: offset, Detail: "a field of Mercury code whose offset in the capsule is not known"})
	}
	return at, stored
}

// NodeMap says where the records of an input's capsule are in the output's.
type NodeMap struct {
	In, Out *capsule.Capsule
	To      []int32 // by node of the input; -1: none
}

// at is where a byte of the input's capsule is in the output's.
func (m *NodeMap) at(offset uint64) uint64 {
	i := sort.Search(len(m.In.Nodes), func(i int) bool { return m.In.Nodes[i].At > offset })
	for ; i > 0; i-- {
		if n := m.In.Nodes[i-1]; Stored(n) && n.At <= offset && offset < n.At+n.Length {
			if j := m.To[i-1]; j >= 0 && Stored(m.Out.Nodes[j]) {
				return m.Out.Nodes[j].At + offset - n.At
			}
			break
		}
	}
	return offset
}

// Stored reports whether a node has bytes in the capsule.
func Stored(n capsule.Node) bool { return n.Kind == capsule.Record || n.Kind == capsule.Note }
