package capsule

import (
	"encoding/binary"
	"math/bits"

	"github.com/twinlink/twinlink/cubin"
)

// fullSize is the least size of a record that may stand for no SASS at all, largeSize and
// hugeSize the other sizes of an instruction in Mercury.
const (
	fullSize  = 16
	largeSize = 32
	hugeSize  = 48
)

// headerSize is the size of the three words before the bitmap; format 0
// has two.
const (
	headerSize  = 12
	headerSize0 = 8
)

// form tells a record from the low seven bits of its first byte.
type form struct {
	kind Kind
	size uint8  // of the record
	merc uint8  // of the instruction in Mercury
	span uint16 // of one without a span in front
}

// Marks in the low seven bits of a first byte that are no records.
const (
	markSkip = 0x50
	markSpan = 0x51
)

var forms = map[byte]form{
	0x01: {Full, 16, 16, 1},
	0x02: {Full, 32, 32, 1},
	0x03: {Full, 48, 48, 1},
	0x11: {Full, 16, 16, 1},
	0x31: {Full, 16, 16, 0},
	0x32: {Full, 32, 32, 0},
	0x41: {TagOnly, tagSize, 16, 1},
	0x42: {TagOnly, tagSize, 32, 1},
}

// formOf is forms as a table.
var formOf = func() (t [128]form) {
	for b, f := range forms {
		t[b] = f
	}
	return t
}()

// Fault is what is wrong inside one section: where, and the value found. The
// callers that know file and section make a *cubin.Error of it.
type Fault struct {
	Kind   cubin.Kind
	Offset uint64
	Value  uint64
	Detail string
}

// In names the file and the section of a fault.
func (f *Fault) In(file, section string) error {
	if f == nil {
		return nil
	}
	return &cubin.Error{Kind: f.Kind, File: file, Section: section, Offset: f.Offset, Value: f.Value, Detail: f.Detail}
}

func bad(off, value uint64, detail string) *Fault {
	return &Fault{cubin.BadRecord, off, value, detail}
}

// Decode decodes the bytes of a capsule, which must cover textSize bytes of
// SASS exactly. The records stay views of data. However many nodes the header
// announces, no more are made than there are words and records.
func Decode(data []byte, textSize uint64) (*Capsule, *Fault) {
	c, _, f := decode(data, textSize, nil, nil)
	return c, f
}

// DecodeLocated is Decode and [Capsule.Locate] in one pass over the text.
func DecodeLocated(data, text []byte) (c *Capsule, unknown []uint32, f *Fault) {
	if text == nil {
		text = []byte{} // located all the same
	}
	return decode(data, uint64(len(text)), text, nil)
}

// decode is Decode and, where there is a text, Locate in one pass. Where there is share, the
// capsule is lean: share has its nodes that aren't PLAIN, and it keeps where each block begins.
func decode(data []byte, textSize uint64, text []byte, share *Recent) (c *Capsule, unknown []uint32, f *Fault) {
	c, n, at, f := decodeHeader(data)
	if f != nil {
		return nil, nil, f
	}
	switch {
	case c.Version != Version && c.Version != Version0:
		return nil, nil, bad(4, uint64(c.Version), "neither 0xC0000001, format 1, nor 0x4000nnnn, format 0")
	case textSize%WordSize != 0 || textSize > 1<<32-WordSize:
		return nil, nil, bad(0, textSize, "a text of that many bytes is not a sequence of instructions")
	case uint64(n) > textSize/WordSize+uint64(len(data))/fullSize:
		return nil, nil, bad(at-4, uint64(n), "more nodes than the text has instructions and the capsule records")
	}
	words := (uint64(n) + 31) / 32
	bitmap, ok := cubin.Window(data, at, 4*words)
	if !ok {
		return nil, nil, bad(at-4, uint64(n), "the bitmap of that many nodes goes past the capsule")
	}
	if n%32 != 0 {
		if tail := binary.LittleEndian.Uint32(bitmap[4*(words-1):]) >> (n % 32); tail != 0 {
			return nil, nil, bad(at+4*(words-1), uint64(tail), "bits after the bitmap's last node are set")
		}
	}
	c.n, c.bitmap = int(n), bitmap
	switch {
	case share == nil || uint64(len(data)) >= 1<<32:
		c.Nodes = make([]Node, n)
	default:
		c.recent, c.text, c.marks = share, text, make([]mark, words)
		share.hold(c)
	}
	unknown, f = c.decodeNodes(at+4*words, uint32(textSize), text)
	return c, unknown, f
}

// decodeHeader reads what is before the bitmap: the number of nodes, and
// where the bitmap begins.
func decodeHeader(data []byte) (c *Capsule, n uint32, at uint64, f *Fault) {
	head, ok := cubin.Window(data, 0, headerSize0)
	if !ok {
		return nil, 0, 0, bad(0, uint64(len(data)), "a capsule of that many bytes has no header")
	}
	le := binary.LittleEndian
	c = &Capsule{Text: le.Uint32(head), Version: le.Uint32(head[4:]), data: data}
	if c.Version&version0Mask == Version0 {
		n, c.Version = c.Version&^version0Mask, Version0
		return c, n, headerSize0, nil
	}
	if head, ok = cubin.Window(data, 0, headerSize); !ok {
		return nil, 0, 0, bad(0, uint64(len(data)), "a capsule of that many bytes has no header")
	}
	return c, le.Uint32(head[8:]), headerSize, nil
}

// decodeNodes reads the nodes, whose records begin at pos. Where there is a text it
// locates them as Locate does.
func (c *Capsule) decodeNodes(pos uint64, textSize uint32, text []byte) (unknown []uint32, f *Fault) {
	d := decoding{c: c, pos: pos, end: textSize, text: text, rules: PlainSizes()}
	if c.marks != nil {
		d.list, d.words = c.recent.list, c.recent.Words
	}
	for first := 0; first < c.n; first += blockSize {
		last := min(first+blockSize, c.n)
		if c.marks == nil {
			f = d.block(c.Nodes[first:last], c.plainBits(first))
		} else {
			here := &c.marks[first/blockSize]
			*here = mark{rec: uint32(d.pos), sass: d.sass, merc: d.merc, straight: blockSize}
			f = d.lean(here, last-first, c.plainBits(first))
		}
		if f != nil {
			return nil, f
		}
	}
	if c.marks != nil {
		c.recent.list = d.list
	}
	if d.pos != uint64(len(c.data)) {
		return nil, bad(d.pos, uint64(len(c.data))-d.pos, "that many bytes after the last record")
	}
	if d.sass != textSize {
		return nil, bad(8, uint64(d.sass), "the nodes cover less than the text")
	}
	if text != nil {
		c.MercSize = d.merc
	}
	return d.unknown, nil
}

// decoding is where a decoding of nodes stands.
type decoding struct {
	c          *Capsule
	pos        uint64 // of the next record
	sass, merc uint32
	end        uint32 // of the text
	text       []byte
	rules      *[4096]SizeRule
	unknown    []uint32

	// Of a lean capsule.
	list  []Node // those that aren't PLAIN; there is room for all
	words Words
}

// block reads nodes, of which those are PLAIN whose bit is set.
func (d *decoding) block(nodes []Node, plain uint32) *Fault {
	for i := 0; i < len(nodes); {
		if run := min(bits.TrailingZeros32(^plain), len(nodes)-i); run > 0 {
			if f := d.room(run); f != nil {
				return f
			}
			d.plain(nodes[i : i+run])
			i, plain = i+run, plain>>run
			continue
		}
		if f := d.kept(&nodes[i]); f != nil {
			return f
		}
		i, plain = i+1, plain>>1
	}
	return nil
}

// lean is block for a capsule that keeps only the other nodes. It notes which nodes take 32
// bytes, and which none.
func (d *decoding) lean(here *mark, count int, plain uint32) *Fault {
	for i := 0; i < count; {
		if run := min(bits.TrailingZeros32(^plain), count-i); run > 0 {
			if f := d.room(run); f != nil {
				return f
			}
			big := d.look(run)
			d.sass += uint32(run) * WordSize
			d.merc += 16 * uint32(run+bits.OnesCount32(big))
			here.large |= big << i
			i, plain = i+run, plain>>run
			if i == count {
				break
			}
		}
		run := min(bits.TrailingZeros32(plain), count-i)
		done := d.records(here, i, run)
		if done < run {
			if f := d.odd(here, i+done); f != nil {
				return f
			}
			done++
		}
		i, plain = i+done, plain>>done
	}
	return nil
}

// oneSkip is the first byte of a SKIP of one word; its second is 0.
const oneSkip = markSkip | 1<<7

// records reads nodes that aren't PLAIN, from node i of a block on, up to one that begins
// with a span, but for a SKIP of one word, or takes 48 bytes: nearly all records have none in
// front, and take less. It returns how many it read.
func (d *decoding) records(here *mark, i, run int) (done int) {
	data, list, first := d.c.data, d.list, len(d.list)
	pos, sass, merc := uint(d.pos), d.sass, d.merc
	list = list[:first+run]
	for ; done < run && pos < uint(len(data)); done++ {
		if data[pos] == oneSkip && pos+1 < uint(len(data)) && data[pos+1] == 0 && uint(sass)+WordSize <= uint(d.end) {
			list[first+done] = Node{SASS: sass, Merc: merc, Span: 1, Kind: Skip}
			here.none |= 1 << ((i + done) & 31)
			pos, sass = pos+2, sass+WordSize
			continue
		}
		f := &formOf[data[pos]&0x7f]
		end := pos + uint(f.size)
		if f.size-1 >= largeSize || end > uint(len(data)) || uint(sass)+uint(f.span)*WordSize > uint(d.end) {
			break
		}
		if f.span != 1 {
			here.straight = min(here.straight, uint32(i+done))
		}
		list[first+done] = Node{SASS: sass, Merc: merc, rec: uint32(pos), Span: f.span, Kind: f.kind}
		here.large |= uint32(f.merc) >> 5 << ((i + done) & 31)
		pos, sass, merc = end, sass+uint32(f.span)*WordSize, merc+uint32(f.merc)
	}
	d.list = list[:first+done]
	d.pos, d.sass, d.merc = uint64(pos), sass, merc
	return done
}

// odd reads the node that records stopped at.
func (d *decoding) odd(here *mark, i int) *Fault {
	merc := d.merc
	d.list = d.list[:len(d.list)+1]
	if f := d.kept(&d.list[len(d.list)-1]); f != nil {
		return f
	}
	here.straight = min(here.straight, uint32(i))
	here.large |= (d.merc - merc) >> 5 << i
	switch d.merc - merc {
	case 0:
		here.none |= 1 << i
	case hugeSize:
		here.huge |= 1 << i
	}
	return nil
}

// room reports that the text has no room for so many PLAIN nodes.
func (d *decoding) room(run int) *Fault {
	if rest := uint64(d.end - d.sass); uint64(run)*WordSize > rest {
		return bad(d.pos, uint64(d.sass)+rest&^(WordSize-1)+WordSize, "the nodes cover more than the text")
	}
	return nil
}

// kept reads a node that isn't PLAIN.
func (d *decoding) kept(node *Node) *Fault {
	if f := d.record(node); f != nil {
		return f
	}
	if node.Span > 1 {
		d.c.wide = append(d.c.wide, Wide{node.SASS, node.Span, node.Kind})
	}
	return nil
}

// plain makes a run of PLAIN nodes.
func (d *decoding) plain(nodes []Node) {
	var large uint32
	if d.text != nil {
		large = d.sizes(len(nodes))
	}
	for i := range nodes {
		nodes[i] = Node{SASS: d.sass, Merc: d.merc, Span: 1}
		d.sass += WordSize
		if d.text != nil {
			d.merc += 16 + large>>i&1*16
		}
	}
}

// look is sizes, or what the one who looks at all words says of them.
func (d *decoding) look(run int) (large uint32) {
	if d.words == nil {
		return d.sizes(run)
	}
	large, unknown := d.words.Plain(d.text[d.sass:][:run*WordSize], d.sass)
	for ; unknown != 0; unknown &= unknown - 1 {
		d.unknown = append(d.unknown, d.sass+uint32(bits.TrailingZeros32(unknown))*WordSize)
	}
	return large
}

// sizes returns which of the next PLAIN nodes, at most 32, take 32 bytes of Mercury, and
// notes those whose size isn't known.
func (d *decoding) sizes(run int) (large uint32) {
	code, rules := d.text[d.sass:][:run*WordSize], d.rules
	for at := 0; at <= len(code)-WordSize; at += WordSize {
		b := code[at : at+WordSize : at+WordSize]
		lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		more := rules[lo&0xfff].Over(hi)
		if int32(more) < 0 {
			more = d.otherSize(lo, hi, uint32(at))
		}
		large |= (more | -more) >> 31 << (at / WordSize & 31)
	}
	return large
}

// otherSize is not 0 where a word takes 32 bytes of Mercury.
func (d *decoding) otherSize(lo, hi uint64, at uint32) uint32 {
	size := otherSize(lo, hi)
	if size == 0 {
		d.unknown = append(d.unknown, d.sass+at)
	}
	return size & 32
}

// record reads a node that has a record, or is a SKIP.
func (d *decoding) record(node *Node) *Fault {
	c := d.c
	data := c.data
	// Nearly all records have no span in front.
	var f form
	if d.pos < uint64(len(data)) {
		f = formOf[data[d.pos]&0x7f]
	}
	end := d.pos + uint64(f.size)
	if f.size == 0 || end > uint64(len(data)) || d.pos > 1<<32-1 {
		return d.spanned(node)
	}
	*node = Node{SASS: d.sass, Merc: d.merc, Kind: f.kind, rec: uint32(d.pos), Span: f.span}
	d.merc += uint32(f.merc)
	d.pos = end
	return d.skip(f.span)
}

// spanned is record for a node that begins with a span.
func (d *decoding) spanned(node *Node) *Fault {
	*node = Node{SASS: d.sass, Merc: d.merc}
	next, f := d.c.decodeRecord(node, d.pos)
	if f != nil {
		return f
	}
	if node.rec != 0 {
		d.merc += uint32(recordSize(d.c.data[node.rec]))
	}
	d.pos = next
	return d.skip(node.Span)
}

// skip goes past words of the text.
func (d *decoding) skip(span uint16) *Fault {
	sass := uint64(d.sass) + uint64(span)*WordSize
	if sass > uint64(d.end) {
		return bad(d.pos, sass, "the nodes cover more than the text")
	}
	d.sass = uint32(sass)
	return nil
}

// decodeRecord decodes what is at pos for a node whose bit is clear and
// returns where the next one starts.
func (c *Capsule) decodeRecord(node *Node, pos uint64) (uint64, *Fault) {
	b, ok := cubin.Window(c.data, pos, 2)
	if !ok {
		return 0, bad(pos, uint64(len(c.data)), "a record starts past the capsule's end")
	}
	if mark := b[0] & 0x7f; mark == markSkip || mark == markSpan {
		node.Span = binary.LittleEndian.Uint16(b) >> 7
		if node.Span == 0 {
			return 0, bad(pos, 0, "a span of no instructions")
		}
		if pos += 2; mark == markSkip {
			node.Kind = Skip
			return pos, nil
		}
		node.Spanned = true
		if b, ok = cubin.Window(c.data, pos, 1); !ok {
			return 0, bad(pos, uint64(len(c.data)), "a record starts past the capsule's end")
		}
	}
	f := formOf[b[0]&0x7f]
	if f.size == 0 {
		return 0, bad(pos, uint64(b[0]), "no record starts with that byte")
	}
	if _, ok := cubin.Window(c.data, pos, uint64(f.size)); !ok || pos > 1<<32-1 {
		return 0, bad(pos, uint64(f.size), "a record of that many bytes goes past the capsule")
	}
	node.Kind, node.rec = f.kind, uint32(pos)
	if !node.Spanned {
		node.Span = f.span
	}
	return pos + uint64(f.size), nil
}
