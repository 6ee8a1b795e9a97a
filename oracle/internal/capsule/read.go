package capsule

import "fmt"

// NodeKind is one of the four kinds of node.
type NodeKind uint8

const (
	Plain NodeKind = iota + 1
	Skip
	Record
	Note
)

// Node is one node with its place in both codes.
type Node struct {
	Kind   NodeKind
	Span   uint64 // SASS instructions of 16 bytes
	SASS   uint64 // offset in .text
	Merc   uint64 // offset in Mercury code; counts only if Known
	Size   uint64 // bytes of Mercury code
	Known  bool   // Merc is certain: every node before has a known size
	At     uint64 // Record, Note: where its bytes begin in the capsule
	Length uint64 // Record, Note: how many
}

// Capsule is a capsule taken apart.
type Capsule struct {
	Text  uint64 // section index of the SASS
	Nodes []Node
	SASS  uint64 // bytes of SASS code
	Merc  uint64 // bytes of Mercury code
	Known bool   // Merc is certain
	First bool   // of the first form, by 12.8, which has no version
}

// Error says where a capsule does not read.
type Error struct {
	Offset  uint64
	Reason  string
	Unknown bool // a form that is not known, and so may be right
}

func (e *Error) Error() string { return fmt.Sprintf("capsule: 0x%x: %s", e.Offset, e.Reason) }

// version is the second word of a capsule. Before it had one that word was the number of
// nodes, with one bit set.
const (
	version  = 0xc0000001
	unmarked = 0x40000000
)

// header is the number of nodes of a capsule and where their bits begin.
//
// Source: objects of ptxas 13.0.88, and of 12.8.93 without a version.
func header(data []byte) (count, bits uint64, err *Error) {
	v, ok := number(data, 4, 4)
	if ok && v>>16 == unmarked>>16 {
		return v - unmarked, 8, nil
	}
	if !ok || v != version {
		return 0, 0, &Error{4, "another version", false}
	}
	if count, ok = number(data, 8, 4); !ok {
		return 0, 0, &Error{8, "more nodes than the bitmap has room for", false}
	}
	return count, 12, nil
}

func number(b []byte, at, width uint64) (uint64, bool) {
	if at > uint64(len(b)) || width > uint64(len(b))-at {
		return 0, false
	}
	n := uint64(0)
	for i := width; i > 0; i-- {
		n = 256*n + uint64(b[at+i-1])
	}
	return n, true
}

// Read takes a capsule apart. code is the function's SASS, which tells the
// sizes of PLAIN nodes. The error is an *[Error]. The work is bounded by the
// capsule's length: a node takes a bit of it.
func Read(data, code []byte) (*Capsule, error) {
	c := &Capsule{Known: true}
	c.Text, _ = number(data, 0, 4)
	count, bits, err := header(data)
	if err != nil {
		return nil, err
	}
	c.First = bits == 8
	words := (count + 31) / 32
	if words > (uint64(len(data))-bits)/4 {
		return nil, &Error{bits - 4, "more nodes than the bitmap has room for", false}
	}
	at := bits + 4*words
	bit := func(n uint64) bool {
		b, _ := number(data, bits+n/8, 1)
		return b>>(n%8)%2 == 1
	}
	for n := count; n < 32*words; n++ {
		if bit(n) {
			return nil, &Error{bits + n/8, "a bit after the last node", false}
		}
	}
	c.Nodes = make([]Node, 0, count)
	for n := range count {
		node := Node{Kind: Plain, Span: 1, SASS: c.SASS, Merc: c.Merc, Known: c.Known}
		if bit(n) {
			size, ok := plainSize(code, c.SASS)
			node.Size, c.Known = size, c.Known && ok
		} else {
			if at, err = record(data, at, &node); err != nil {
				return nil, err
			}
		}
		c.SASS += 16 * node.Span
		c.Merc += node.Size
		c.Nodes = append(c.Nodes, node)
	}
	if at != uint64(len(data)) {
		return nil, &Error{at, "bytes after the last record", false}
	}
	return c, nil
}

// record reads what is at a clear bit and returns the offset after it.
func record(data []byte, at uint64, node *Node) (uint64, *Error) {
	head, ok := number(data, at, 2)
	if !ok {
		return at, &Error{at, "a record is missing", false}
	}
	switch head % 128 {
	case 0x50:
		node.Kind, node.Span = Skip, head/128
		return at + 2, nil
	case 0x51:
		node.Span = head / 128
		at += 2
	}
	tag, ok := number(data, at, 1)
	if size := noteSizes[tag]; ok && size > 0 && head%128 == tag {
		node.Kind, node.Span, node.At, node.Length, node.Size = Note, 0, at, size, size
		return cutShort(data, at, size)
	}
	lengths := map[uint64]uint64{0x01: 16, 0x02: 32, 0x41: 4, 0x42: 4}
	node.Kind, node.At, node.Length, node.Size = Record, at, lengths[tag], 16
	if tag%16 == 2 {
		node.Size = 32
	}
	if !ok || node.Length == 0 {
		return at, &Error{at, "a record of unknown kind", ok}
	}
	return cutShort(data, at, node.Length)
}

// noteSizes are the bytes of a note by its first: Mercury code that no word of SASS stands for.
var noteSizes = map[uint64]uint64{0x31: 16, 0x32: 32}

// cutShort returns the offset after so many bytes.
func cutShort(data []byte, at, length uint64) (uint64, *Error) {
	if _, ok := number(data, at+length-1, 1); !ok {
		return at, &Error{at, "a record cut short", false}
	}
	return at + length, nil
}

// Locate finds where a byte of Mercury code is in the capsule. ok is false
// where that is not known; stored is false where the capsule has no bytes of
// it, as the SASS has them.
func (c *Capsule) Locate(merc uint64) (at uint64, stored, ok bool) {
	for _, n := range c.Nodes {
		if !n.Known {
			return 0, false, false
		}
		if merc < n.Merc || merc >= n.Merc+n.Size {
			continue
		}
		if (n.Kind == Record || n.Kind == Note) && n.Length == n.Size {
			return n.At + merc - n.Merc, true, true
		}
		return 0, false, true
	}
	return 0, false, false
}
