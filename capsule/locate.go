package capsule

// Locate gives every node its Mercury address. text is the SASS that Decode
// was told the size of. It returns the SASS offsets of PLAIN nodes whose size
// isn't known; such a node counts 16 bytes, so that the addresses after it
// can't be relied on.
func (c *Capsule) Locate(text []byte) (unknown []uint32) {
	var at uint32
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Merc = at
		switch n.Kind {
		case Plain:
			size := plainSizeAt(text, n.SASS)
			if size == 0 {
				unknown, size = append(unknown, n.SASS), unknownSize
			}
			at += size
		case TagOnly, Full:
			at += uint32(recordSize(c.data[n.rec]))
		}
	}
	c.MercSize = at
	return unknown
}

// unknownSize is what a PLAIN node counts whose size isn't known.
const unknownSize = 16

// Settle puts the nodes whose size Locate did not know right by the Mercury
// size of the function, which its symbol tells: all take 16 bytes or all 32, or
// those after the last one are counted from the end. unknown is what Locate
// returned. The addresses between from and to, both excluded, stay unknown.
func (c *Capsule) Settle(unknown []uint32, size uint64) (from, to uint32) {
	n := uint64(len(unknown))
	if n == 0 {
		return 0, 0
	}
	const grown = 16 // a node of 32 bytes, over one of 16
	first, last := c.AtSASS(unknown[0]), c.AtSASS(unknown[n-1])
	more := size - uint64(c.MercSize)
	switch {
	case size < uint64(c.MercSize) || more%grown != 0 || more > n*grown:
		return c.Nodes[first].Merc, ^uint32(0)
	case more == 0:
		return 0, 0
	case more == n*grown:
		k, shift := 0, uint32(0)
		for i := range c.Nodes {
			c.Nodes[i].Merc += shift
			if k < len(unknown) && c.Nodes[i].SASS == unknown[k] && c.Nodes[i].Kind == Plain {
				k, shift = k+1, shift+grown
			}
		}
		c.MercSize += shift
		return 0, 0
	}
	for i := last + 1; i < len(c.Nodes); i++ {
		c.Nodes[i].Merc += uint32(more)
	}
	c.MercSize += uint32(more)
	to = c.MercSize
	if last+1 < len(c.Nodes) {
		to = c.Nodes[last+1].Merc
	}
	return c.Nodes[first].Merc, to
}

// recordSize returns the Mercury size that a record's first byte tells.
func recordSize(first byte) int { return int(formOf[first&0x7f].merc) }
