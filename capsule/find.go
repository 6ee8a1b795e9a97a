package capsule

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// blockSize is the number of nodes that are decoded at a time: those of a word of the
// bitmap.
const blockSize = 32

// mark is where a decoding is before a block, which of its nodes take 32 bytes or more,
// which 48, and which none. straight is how many stand for one SASS word each, from the first on.
type mark struct{ rec, sass, merc, large, huge, none, straight uint32 }

// holding returns the last node of a block that begins at a Mercury offset or before it,
// and where it begins. A node that isn't there would take 16 bytes.
func (m *mark) holding(off uint32) (i, merc uint32) {
	merc = m.merc
	for step := uint32(blockSize / 2); step > 0; step /= 2 {
		first := uint32(1)<<step - 1
		size := 16 * (step + uint32(bits.OnesCount32(m.large>>i&first)))
		if m.none|m.huge != 0 {
			size += 16 * uint32(bits.OnesCount32(m.huge>>i&first)-bits.OnesCount32(m.none>>i&first))
		}
		if merc+size <= off {
			i, merc = i+step, merc+size
		}
	}
	return i, merc
}

// Words looks at the words of PLAIN nodes while a lean capsule is decoded. Who has to look at
// all of them reads them so once.
type Words interface {
	// Plain is told of the words of so many nodes in a row, at most 32, and where in the text
	// they stand. It returns which of them take 32 bytes of Mercury, and of which that
	// isn't known, as [SizeRule] has it.
	Plain(code []byte, sass uint32) (large, unknown uint32)
}

// Recent is what was asked for last of the lean capsules that share it, of which only one
// goroutine at a time may ask.
type Recent struct {
	Words Words // asked while a capsule is decoded; nil for nobody

	list []Node   // nodes of a function
	full *Capsule // whose nodes are in list

	// What HoldingMerc found last, of list and of the blocks of full.
	near, nearBlock int

	of    *Capsule // that of the block below
	block int
	nodes []Node
	room  [blockSize]Node
}

// hold makes room for the nodes of a capsule, in place of another's.
func (r *Recent) hold(c *Capsule) {
	kept := c.n
	for first := 0; first < c.n; first += blockSize {
		kept -= bits.OnesCount32(c.plainBits(first))
	}
	if kept > cap(r.list) {
		r.list = make([]Node, 0, kept+kept/4)
	}
	r.list, r.full, r.near, r.nearBlock = r.list[:0], c, 0, 0
}

// Kept returns the nodes that aren't PLAIN. A lean capsule has them until another that shares
// its [Recent] is decoded.
func (c *Capsule) Kept() []Node {
	if c.marks != nil && c.recent.full == c {
		return c.recent.list
	}
	var list []Node
	for i := range c.Len() {
		if n := c.Node(i); n.Kind != Plain {
			list = append(list, n)
		}
	}
	return list
}

// Len returns the number of nodes.
func (c *Capsule) Len() int {
	if c.marks != nil {
		return c.n
	}
	return len(c.Nodes)
}

// Node returns node i. Nodes of a lean capsule are decoded for it; see [Recent].
func (c *Capsule) Node(i int) Node {
	if c.Nodes == nil {
		return c.cached(i / blockSize)[i%blockSize]
	}
	return c.Nodes[i]
}

// fill decodes a block again.
func (c *Capsule) fill(block int, room *[blockSize]Node) []Node {
	first, m := block*blockSize, &c.marks[block]
	nodes, plain, large := room[:min(blockSize, c.n-first)], c.plainBits(first), m.large
	d := decoding{c: c, pos: uint64(m.rec), sass: m.sass, merc: m.merc, end: uint32(len(c.text))}
	for i := range nodes {
		n := &nodes[i]
		if plain&1 != 0 {
			*n = Node{SASS: d.sass, Merc: d.merc, Span: 1}
			d.sass += WordSize
			d.merc += 16 + large&1*16
		} else if d.record(n) != nil {
			panic("capsule: a record that was decoded once")
		}
		plain, large = plain>>1, large>>1
	}
	return nodes
}

// plainBits returns which nodes of a block are PLAIN.
func (c *Capsule) plainBits(first int) uint32 { return binary.LittleEndian.Uint32(c.bitmap[first/8:]) }

func (c *Capsule) cached(block int) []Node {
	k := c.recent
	if k.of != c || k.block != block {
		k.of, k.block, k.nodes = c, block, c.fill(block, &k.room)
	}
	return k.nodes
}

// around returns nodes among which the last one is that begins at a place or before it,
// and the index of the first; at says where a block begins.
func (c *Capsule) around(off uint32, at func(*mark) uint32) (nodes []Node, first int) {
	if c.Nodes != nil || c.marks == nil {
		return c.Nodes, 0
	}
	k := max(0, sort.Search(len(c.marks), func(i int) bool { return at(&c.marks[i]) > off })-1)
	return c.cached(k), k * blockSize
}

// aroundMerc is around for a Mercury offset. Most are near the one before.
func (c *Capsule) aroundMerc(off uint32) (nodes []Node, first int) {
	if k := c.recent; k != nil && k.of == c {
		if b := k.block; c.marks[b].merc <= off && (b+1 == len(c.marks) || c.marks[b+1].merc > off) {
			return k.nodes, b * blockSize
		}
	}
	return c.around(off, func(m *mark) uint32 { return m.merc })
}

// AtSASS returns the index of the node that holds a SASS offset, -1 past the
// text's end.
func (c *Capsule) AtSASS(off uint32) int {
	if off >= c.SASSSize() {
		return -1
	}
	nodes, first := c.around(off, func(m *mark) uint32 { return m.sass })
	return first + sort.Search(len(nodes), func(i int) bool { return nodes[i].SASS > off }) - 1
}

// AtMerc returns the index of the node that holds a Mercury offset, -1 past
// the function's end. A SKIP holds none.
func (c *Capsule) AtMerc(off uint32) int {
	if off >= c.MercSize {
		return -1
	}
	return c.behindMerc(off) - 1
}

// HoldingMerc returns the node of AtMerc; false past the function's end. Of a lean capsule it is
// fast where the offsets that are asked for rise, and nothing is decoded again for most PLAIN
// nodes.
func (c *Capsule) HoldingMerc(off uint32) (n Node, ok bool) {
	switch {
	case off >= c.MercSize:
		return Node{}, false
	case c.Nodes != nil || c.recent == nil:
		return c.Node(c.AtMerc(off)), true
	}
	full := c.recent.full == c
	var k int
	if full {
		k = c.blockAt(off)
	} else {
		k = c.searchBlock(off)
	}
	m, plain := &c.marks[k], c.plainBits(k*blockSize)
	i, merc := m.holding(off)
	switch {
	case plain>>i&1 != 0 && i <= m.straight:
		return Node{SASS: m.sass + i*WordSize, Merc: merc, Span: 1}, true
	case !full:
		return c.cached(k)[i], true
	case plain>>i&1 == 0:
		return *c.recent.lastKept(off), true
	}
	n = Node{SASS: m.sass + i*WordSize, Merc: merc, Span: 1}
	if run := uint32(bits.LeadingZeros32(^(plain << (blockSize - i)))); run < i {
		kept := c.recent.lastKept(off)
		n.SASS = kept.SASS + (uint32(kept.Span)+run)*WordSize
	}
	return n, true
}

// Place returns where the node of [Capsule.HoldingMerc] begins in SASS and in Mercury; false past
// the function's end. Of a lean capsule it is faster than that.
func (c *Capsule) Place(off uint32) (sass, merc uint32, ok bool) {
	if off < c.MercSize && c.marks != nil {
		m := &c.marks[c.searchBlock(off)]
		if i, merc := m.holding(off); i <= m.straight {
			return m.sass + i*WordSize, merc, true
		}
	}
	n, ok := c.HoldingMerc(off)
	return n.SASS, n.Merc, ok
}

// SASSFrom returns the SASS offset of the first node that begins at a Mercury offset or after
// it, the text's end where none does.
func (c *Capsule) SASSFrom(off uint32) uint32 {
	if off < c.MercSize && c.marks != nil {
		m := &c.marks[c.searchBlock(off)]
		if i, merc := m.holding(off); 0 < i && i <= m.straight && merc == off && m.none == 0 {
			return m.sass + i*WordSize // no node without size is in front
		}
	}
	if k := c.FromMerc(off); k < c.Len() {
		return c.Node(k).SASS
	}
	return c.SASSSize()
}

// blockAt returns the last block that begins at a Mercury offset or before it.
func (c *Capsule) blockAt(off uint32) int {
	k := c.recent.nearBlock
	for range 2 {
		if c.marks[k].merc > off {
			break
		}
		if k+1 == len(c.marks) || c.marks[k+1].merc > off {
			c.recent.nearBlock = k
			return k
		}
		k++
	}
	k = c.searchBlock(off)
	c.recent.nearBlock = k
	return k
}

// searchBlock is blockAt without a place to begin at.
func (c *Capsule) searchBlock(off uint32) int {
	return max(0, sort.Search(len(c.marks), func(i int) bool { return c.marks[i].merc > off })-1)
}

// lastKept returns the last node in the list that begins at a Mercury offset or before it,
// nil where none does.
func (r *Recent) lastKept(off uint32) *Node {
	list, i := r.list, r.near
	if i < len(list) && list[i].Merc <= off {
		for range blockSize {
			if i+1 == len(list) || list[i+1].Merc > off {
				r.near = i
				return &list[i]
			}
			i++
		}
	}
	i = sort.Search(len(list), func(i int) bool { return list[i].Merc > off }) - 1
	if i < 0 {
		return nil
	}
	r.near = i
	return &list[i]
}

// FromMerc returns the index of the first node that begins at a Mercury offset or
// after it, Len where none does.
func (c *Capsule) FromMerc(off uint32) int {
	if off == 0 {
		return 0
	}
	return c.behindMerc(off - 1)
}

// behindMerc returns the first of the nodes that begins after a Mercury offset.
func (c *Capsule) behindMerc(off uint32) int {
	nodes, first := c.aroundMerc(off)
	low, high := 0, len(nodes)
	for low < high {
		if mid := int(uint(low+high) / 2); nodes[mid].Merc > off {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return first + low
}
