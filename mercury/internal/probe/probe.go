package probe

import (
	"encoding/binary"
	"fmt"
)

// Node is one instruction to be tried.
type Node struct {
	// Record holds the 16 or 32 bytes of a stored record, or the 4 of a tag-only node
	// record; a PLAIN node has none.
	Record []byte
	// Words is the SASS. A PLAIN or tag-only node node is read from it; of a stored one
	// nvlink ignores it, and where none is given zeros are put.
	Words []byte
	// Span is the count of SASS words where Words is empty.
	Span int
}

func (n Node) words() []byte {
	if len(n.Words) > 0 {
		return n.Words
	}
	return make([]byte, 16*max(n.Span, 1))
}

func (n Node) mercurySize() int {
	if len(n.Record) > 0 && n.Record[0]&15 == 1 {
		return 16
	}
	return 32
}

// Template is an object of one kernel, into which nodes can be put.
type Template struct {
	image         *image
	text, capsule int
	symtab, merc  int
	nodes         []Stored // of the kernel itself, without the last SKIP
	tail          Stored
	words         []byte
}

// NewTemplate reads an object that "ptxas -c" made of a PTX file with one
// kernel and nothing else.
func NewTemplate(object []byte) (*Template, error) {
	f, err := open(object)
	if err != nil {
		return nil, err
	}
	t := &Template{image: f}
	if t.capsule, err = f.first(typeCapsule); err != nil {
		return nil, err
	}
	if t.symtab, err = f.first(typeSymtab); err != nil {
		return nil, err
	}
	if t.merc, err = f.first(typeMercSymtab); err != nil {
		return nil, err
	}
	capsule := f.section(t.capsule)
	t.text = int(binary.LittleEndian.Uint32(capsule))
	nodes, err := parse(capsule)
	if err != nil {
		return nil, err
	}
	last := len(nodes) - 1
	t.nodes, t.tail = nodes[:last], nodes[last]
	t.words = f.section(t.text)
	return t, nil
}

// Stored is a node of a capsule.
type Stored struct {
	Kind   byte // 'P' PLAIN, 'S' SKIP, 'M' tag-only node, 'R' explicit record
	Record []byte
	Span   int
	Offset int // in words, in the text
}

func parse(c []byte) ([]Stored, error) {
	if len(c) < 12 {
		return nil, fmt.Errorf("probe: capsule of %d bytes", len(c))
	}
	n := int(binary.LittleEndian.Uint32(c[8:]))
	p, at := 12+(n+31)/32*4, 0
	take := func(k int) ([]byte, error) {
		if p < 0 || p+k > len(c) {
			return nil, fmt.Errorf("probe: capsule ends at %#x, read from %#x", len(c), p)
		}
		p += k
		return c[p-k : p : p], nil
	}
	if p > len(c) {
		return nil, fmt.Errorf("probe: capsule of %d bytes for %d nodes", len(c), n)
	}
	var nodes []Stored
	for i := range n {
		s := Stored{Kind: 'P', Span: 1, Offset: at}
		if c[12+i/8]>>(i%8)&1 == 0 {
			b, err := take(2)
			if err != nil {
				return nil, err
			}
			w := binary.LittleEndian.Uint16(b)
			switch w & 0x7f {
			case 0x50:
				s.Kind, s.Span = 'S', int(w>>7)
			case 0x51:
				s.Span = int(w >> 7)
			default:
				p -= 2
			}
			if s.Kind != 'S' {
				if b, err = take(4); err != nil {
					return nil, err
				}
				p -= 4
				size := 4
				s.Kind = 'M'
				if b[0]&0x30 == 0x30 {
					s.Span = 0 // stands for no SASS
				}
				if b[0]&0x40 == 0 {
					s.Kind, size = 'R', 16
					if b[0]&15 == 2 {
						size = 32
					}
				}
				if s.Record, err = take(size); err != nil {
					return nil, err
				}
			}
		}
		at += s.Span
		nodes = append(nodes, s)
	}
	return nodes, nil
}

// Build puts nodes after the kernel's own, before the padding.
func (t *Template) Build(nodes []Node) []byte { return t.build(nodes, func(*image) {}) }

func (t *Template) build(nodes []Node, edit func(*image)) []byte {
	f := &image{data: append([]byte(nil), t.image.data...), headers: append([]header(nil), t.image.headers...)}
	words := append([]byte(nil), t.words[:16*t.tail.Offset]...)
	all := append([]Stored(nil), t.nodes...)
	mercury := 0
	for _, n := range nodes {
		w := n.words()
		words = append(words, w...)
		s := Stored{Kind: 'P', Record: n.Record, Span: len(w) / 16}
		switch len(n.Record) {
		case 0:
		case 4:
			s.Kind = 'M'
		default:
			s.Kind = 'R'
		}
		all = append(all, s)
		mercury += n.mercurySize()
	}
	added := uint64(len(words)) - 16*uint64(t.tail.Offset)
	// A branch to itself and no-operations, as many as fill the line.
	words = append(words, t.words[16*t.tail.Offset:]...)
	for len(words)%128 != 0 {
		words = append(words, t.words[len(t.words)-16:]...)
	}
	tail := t.tail
	tail.Span = (len(words) - 16*t.tail.Offset - int(added)) / 16
	all = append(all, tail)

	f.replace(t.text, words)
	f.replace(t.capsule, encode(t.text, all))
	f.replace(t.symtab, append([]byte(nil), f.section(t.symtab)...))
	f.replace(t.merc, append([]byte(nil), f.section(t.merc)...))
	f.grow(t.symtab, uint16(t.text), uint64(len(words)-len(t.words)))
	f.grow(t.merc, uint16(t.capsule), uint64(mercury))
	edit(f)
	return f.bytes()
}

func encode(text int, nodes []Stored) []byte {
	const version = 0xc0000001
	c := binary.LittleEndian.AppendUint32(nil, uint32(text))
	c = binary.LittleEndian.AppendUint32(c, version)
	c = binary.LittleEndian.AppendUint32(c, uint32(len(nodes)))
	bitmap := make([]byte, (len(nodes)+31)/32*4)
	var records []byte
	for i, n := range nodes {
		if n.Kind == 'P' {
			bitmap[i/8] |= 1 << (i % 8)
			continue
		}
		if n.Kind == 'S' {
			records = binary.LittleEndian.AppendUint16(records, uint16(n.Span<<7|0x50))
			continue
		}
		if n.Span != 1 {
			records = binary.LittleEndian.AppendUint16(records, uint16(n.Span<<7|0x51))
		}
		records = append(records, n.Record...)
	}
	return append(append(c, bitmap...), records...)
}

// Result is a node of the kernel that a link made.
type Result struct {
	Stored
	Words []byte
}

// Read returns the nodes of the kernel of a linked image that follow the
// template's own, the padding omitted.
func (t *Template) Read(linked []byte) ([]Result, error) {
	f, err := open(linked)
	if err != nil {
		return nil, err
	}
	at, err := f.first(typeCapsule)
	if err != nil {
		return nil, err
	}
	return f.results(at)
}

// results returns the nodes of a capsule with their words.
func (f *image) results(capsule int) ([]Result, error) {
	c := f.section(capsule)
	nodes, err := parse(c)
	if err != nil {
		return nil, err
	}
	text := int(binary.LittleEndian.Uint32(c))
	if text >= len(f.headers) {
		return nil, fmt.Errorf("probe: text section %d of %d", text, len(f.headers))
	}
	words := f.section(text)
	var out []Result
	for _, n := range nodes {
		if 16*(n.Offset+n.Span) > len(words) {
			return nil, fmt.Errorf("probe: node at word %d of %d", n.Offset, len(words)/16)
		}
		out = append(out, Result{n, words[16*n.Offset : 16*(n.Offset+n.Span)]})
	}
	return out, nil
}

// betweenMarkers splits what came back into the group after each marker. After
// some instructions on barriers a pair of words is put, and hangs on the marker,
// which is then an explicit record.
// Nodes that stand for no SASS and nodes before the first marker are omitted.
func betweenMarkers(back []Result) [][]Result {
	var groups [][]Result
	for _, r := range back {
		switch {
		case r.Kind == 'S':
		case (r.Kind == 'P' || r.Kind == 'R') && isMarker(r.Words, len(groups)):
			groups = append(groups, nil)
		case len(groups) > 0:
			groups[len(groups)-1] = append(groups[len(groups)-1], r)
		}
	}
	return groups
}
