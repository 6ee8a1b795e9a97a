package capsule

import "sort"

// Locate gives every node its Mercury address. text is the SASS that Decode
// was told the size of. It returns the SASS offsets of PLAIN nodes whose size
// isn't known; such a node counts 16 bytes, so that the addresses behind it
// can't be relied on.
func (c *Capsule) Locate(text []byte) (unknown []uint32) {
	var at uint32
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Merc = at
		switch n.Kind {
		case Plain:
			size := PlainSize(word(text, n.SASS))
			if size == 0 {
				unknown, size = append(unknown, n.SASS), 16
			}
			at += size
		case Mini, Full:
			at += uint32(recordSize(c.data[n.rec]))
		}
	}
	c.MercSize = at
	return unknown
}

// recordSize returns the Mercury size that a record's first byte tells.
func recordSize(first byte) int {
	if first&0xf == 2 {
		return 32
	}
	return 16
}

// AtSASS returns the index of the node that holds a SASS offset, -1 past the
// text's end.
func (c *Capsule) AtSASS(off uint32) int {
	if off >= c.SASSSize() {
		return -1
	}
	return sort.Search(len(c.Nodes), func(i int) bool { return c.Nodes[i].SASS > off }) - 1
}

// AtMerc returns the index of the node that holds a Mercury offset, -1 past
// the function's end. A SKIP holds none.
func (c *Capsule) AtMerc(off uint32) int {
	if off >= c.MercSize {
		return -1
	}
	return sort.Search(len(c.Nodes), func(i int) bool { return c.Nodes[i].Merc > off }) - 1
}
