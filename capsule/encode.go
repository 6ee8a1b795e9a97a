package capsule

import "encoding/binary"

// Append appends the capsule's bytes to b, made from its nodes.
func (c *Capsule) Append(b []byte) []byte {
	le := binary.LittleEndian
	n := uint32(len(c.Nodes))
	b = le.AppendUint32(b, c.Text)
	if c.Version == Version0 {
		b = le.AppendUint32(b, Version0|n)
	} else {
		b = le.AppendUint32(b, c.Version)
		b = le.AppendUint32(b, n)
	}
	for i := uint32(0); i < n; i += 32 {
		var word uint32
		for k := i; k < min(i+32, n); k++ {
			if c.Nodes[k].Kind == Plain {
				word |= 1 << (k - i)
			}
		}
		b = le.AppendUint32(b, word)
	}
	for i := range c.Nodes {
		node := &c.Nodes[i]
		switch {
		case node.Kind == Skip:
			b = le.AppendUint16(b, node.Span<<7|markSkip)
		case node.Spanned:
			b = le.AppendUint16(b, node.Span<<7|markSpan)
		}
		b = append(b, c.Record(node)...)
	}
	return b
}
