package capsule

// The capsule of a function, .nv.capmerc.text.F:
//
//	u32 text       section index of .text.F
//	u32 version    0xC0000001: two bits that must be set, format 1
//	u32 n          number of nodes
//	u32 bitmap[⌈n/32⌉]   bit i, lowest first: node i is PLAIN and has no bytes
//	records        of the other nodes in order, unaligned, without gaps
//
// Release 12.8 wrote format 0, in which bit 31 of the second word is clear and
// its low bits are the number of nodes; no third word is before the bitmap.
//
// The low seven bits of the first byte say what is there:
//
//	u16  sssssssss1010000   SKIP of s SASS words
//	u16  sssssssss1010001   the record after it stands for s SASS words, not one
//	u8   ?0000001  16 bytes     ?0000010  32 bytes    explicit records
//	u8   ?0000011  48 bytes                           an explicit record too, of LDGSTS with a cache policy
//	u8   ?0010001  16 bytes                           an explicit record too, of one tag
//	u8   ?0110001  16 bytes     ?0110010  32 bytes    explicit records of no SASS word
//	u8   ?1000001   4 bytes     ?1000010   4 bytes    tag-only nodes: the tag alone
//
// Bit 7 of a record was never seen set; nvlink passes it on. The low nibble of
// a record's first byte is the node's size in Mercury: 1 for 16 bytes, 2 for 32, 3 for 48;
// a SKIP, hardware padding, has none. A PLAIN node is one SASS word from which
// the Mercury instruction can be decoded (size.go tells its size); a tag-only node keeps
// the four bytes that SASS can't tell; an explicit record is the whole instruction.
// Records of no SASS word were seen only in 1,952 functions of a library that
// 13.4 built, after almost every instruction. What they tell the finalizer isn't
// known; they take 16 and 32 bytes of Mercury as others do.
//
// Source: objects of ptxas 13.0.88 and 13.5.37, and of 12.8.93 for format 0; what
// is ignored and what is refused (the low byte of version above 1, bits 30 and
// 31) from nvlink's answers to edited capsules.

// Kind is the way a node is kept.
type Kind uint8

const (
	Plain   Kind = iota // nothing: SASS has it all
	TagOnly             // a tag of four bytes
	Full                // the instruction, 16 or 32 bytes
	Skip                // SASS words without Mercury
)

// String returns the kind as the self-check prints it.
func (k Kind) String() string {
	switch k {
	case Plain:
		return "plain"
	case TagOnly:
		return "mini"
	case Full:
		return "stored"
	case Skip:
		return "skip"
	}
	return "?"
}

// Version is the second word of a capsule of format 1.
const Version = 0xC0000001

// Version0 is the second word of a capsule of format 0 but for the number of
// nodes in its low bits.
const (
	Version0     = 0x40000000
	version0Mask = 0xC0000000
)

// tagSize is the size of the record of a tag-only node.
const tagSize = 4

// WordSize is the size of a SASS instruction in bytes.
const WordSize = 16

// MaxSpan is the largest number of SASS words that fits a span.
const MaxSpan = 1<<9 - 1

// Node is one Mercury instruction, or a SKIP.
type Node struct {
	SASS uint32 // offset of its first word in .text.F
	Merc uint32 // offset in Mercury space; see [Capsule.Locate]
	rec  uint32 // offset of its record in the capsule's bytes, 0 for none
	Span uint16 // number of SASS words
	Kind Kind

	// Spanned: a span is before the record. No tool writes one of 1.
	Spanned bool
}

// Capsule is a decoded capsule.
type Capsule struct {
	Text    uint32 // section index of .text.F
	Version uint32 // Version or Version0
	Nodes   []Node // of a lean capsule nil; see [OpenLean]

	MercSize uint32 // set by Locate

	data   []byte // the section, which the records are views of
	n      int    // number of nodes, as they were decoded
	bitmap []byte
	wide   []Wide

	// Of a lean capsule.
	marks  []mark
	text   []byte
	recent *Recent
}

// Wide is a node that represents several SASS words.
type Wide struct {
	SASS uint32
	Span uint16
	Kind Kind
}

// Wide returns such nodes as they were decoded.
func (c *Capsule) Wide() []Wide { return c.wide }

// RecordAt returns where the record of a node that has one begins.
func (c *Capsule) RecordAt(n *Node) uint32 { return n.rec }

// Record returns a node's record, nil for PLAIN and SKIP.
func (c *Capsule) Record(n *Node) []byte {
	if n.rec == 0 {
		return nil
	}
	end := n.rec + uint32(formOf[c.data[n.rec]&0x7f].size)
	return c.data[n.rec:end:end]
}

// Tag returns the first four bytes of a node's record as they are written,
// 0x01470a0a for 01 47 0a 0a; 0 where it has none.
func (c *Capsule) Tag(n *Node) uint32 {
	r := c.Record(n)
	if r == nil {
		return 0
	}
	return uint32(r[0])<<24 | uint32(r[1])<<16 | uint32(r[2])<<8 | uint32(r[3])
}

// SASSSize returns the number of SASS bytes that the nodes cover.
func (c *Capsule) SASSSize() uint32 {
	if c.marks != nil {
		return uint32(len(c.text))
	}
	if len(c.Nodes) == 0 {
		return 0
	}
	last := &c.Nodes[len(c.Nodes)-1]
	return last.SASS + uint32(last.Span)*WordSize
}
