package probe

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// file is an ELF file of sections, in order, after a null section.
func file(list ...[]byte) (*image, []uint32) {
	f := &image{data: append([]byte("\x7fELF"), make([]byte, 60)...), headers: make([]header, 1)}
	f.headers[0].Type = 0
	types := []uint32{typeCapsule, 1, typeSymtab, typeMercSymtab}
	for i, b := range list {
		f.headers = append(f.headers, header{Type: types[i]})
		f.replace(i+1, b)
	}
	return f, types
}

// What is written is read again: places, sizes and bytes; a section that gets other bytes leaves the others alone.
func TestImage(t *testing.T) {
	f, types := file([]byte("capsule"), []byte("the code of it"))
	f.data[200] = 9
	g, err := open(f.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(g.headers) != 3 || string(g.section(1)) != "capsule" || string(g.section(2)) != "the code of it" || g.headers[1].Off%128 != 0 || g.headers[2].Off%128 != 0 {
		t.Errorf("%+v", g.headers)
	}
	if at := binary.LittleEndian.Uint64(g.data[40:]); at%8 != 0 || int(at)+3*headerSize != len(g.data) {
		t.Errorf("headers at %#x of %#x", at, len(g.data))
	}
	for i, typ := range types[:2] {
		if at, err := g.first(typ); err != nil || at != i+1 {
			t.Errorf("type %#x: %d, %v", typ, at, err)
		}
	}
	if _, err := g.first(7); err == nil || !strings.Contains(err.Error(), "0x7") {
		t.Errorf("a type that isn't there: %v", err)
	}
	g.replace(1, []byte("other"))
	if string(g.section(1)) != "other" || string(g.section(2)) != "the code of it" || len(g.data)%128 != 5 {
		t.Errorf("%q and %q", g.section(1), g.section(2))
	}

	whole := f.bytes()
	size := uint64(len(whole))
	head := binary.LittleEndian.Uint64(whole[40:])
	for _, c := range []struct {
		what  string
		at    uint64
		width int
		value uint64
		fails bool
	}{
		{"nothing", 0, 0, 0, false}, {"no magic", 1, 1, 'e', true}, {"headers at the end", 40, 8, size, true}, {"headers past the end", 40, 8, size + 1, true}, {"headers far away", 40, 8, 1<<64 - 1, true}, {"too many headers", 60, 2, 4, true}, {"fewer", 60, 2, 2, false}, {"none", 60, 2, 0, false},
		{"bytes to the end", head + headerSize + 32, 8, size - 128, false}, {"bytes past the end", head + headerSize + 32, 8, size - 127, true}, {"bytes far away", head + headerSize + 24, 8, size + 1, true}, {"no bytes at the end", head + headerSize + 24, 8, size, true},
	} {
		b := append([]byte(nil), whole...)
		for k := range c.width {
			b[c.at+uint64(k)] = byte(c.value >> (8 * k))
		}
		if _, err := open(b); (err != nil) != c.fails {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	nobits := append([]byte(nil), whole...)
	binary.LittleEndian.PutUint32(nobits[head+headerSize+4:], 8)
	binary.LittleEndian.PutUint64(nobits[head+headerSize+32:], size)
	if _, err := open(nobits); err != nil {
		t.Errorf("a section without bytes: %v", err)
	}
}

// A function of a section grows, no other symbol does.
func TestGrow(t *testing.T) {
	symbol := func(info byte, section uint16, size uint64) []byte {
		b := make([]byte, 24)
		b[4] = info
		binary.LittleEndian.PutUint16(b[6:], section)
		binary.LittleEndian.PutUint64(b[16:], size)
		return b
	}
	f, _ := file(nil, nil, bytes.Join([][]byte{symbol(0, 0, 1), symbol(0x12, 2, 100), symbol(0x02, 2, 200), symbol(0x13, 2, 300), symbol(0x12, 1, 400), symbol(0x22, 2, 500)[:23]}, nil))
	f.grow(3, 2, 16)
	var got []uint64
	for b := f.section(3); len(b) >= 24; b = b[24:] {
		got = append(got, binary.LittleEndian.Uint64(b[16:]))
	}
	if !slices.Equal(got, []uint64{1, 116, 216, 300, 400}) {
		t.Errorf("%d", got)
	}
}

// nodes are of every kind: a word, a tag-only node record, records of 16 and 32 bytes, of several words and of none, and a gap.
func nodes() []Stored {
	mini, short, long, empty := []byte{0x41, 2, 3, 4}, make([]byte, 16), make([]byte, 32), make([]byte, 16)
	short[0], long[0], empty[0] = 0x01, 0x02, 0x31
	list := []Stored{{Kind: 'P', Span: 1}, {Kind: 'M', Record: mini, Span: 1}, {Kind: 'R', Record: short, Span: 1}, {Kind: 'R', Record: long, Span: 3}, {Kind: 'R', Record: empty}, {Kind: 'M', Record: mini, Span: 2}, {Kind: 'S', Span: 300}}
	for range 30 {
		list = append(list, Stored{Kind: 'P', Span: 1}, Stored{Kind: 'M', Record: mini, Span: 1})
	}
	at := 0
	for i := range list {
		list[i].Offset = at
		at += list[i].Span
	}
	return list
}

// encodeTest is a capsule of nodes; one that represents no word needs no count of them.
func encodeTest(list []Stored) []byte {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Kind == 'R' && list[i].Span == 0 {
			list[i].Span = 1
		}
	}
	return encode(7, list)
}

// The nodes of a capsule are read as they were written, and one that is cut short anywhere is told.
func TestCapsuleNodes(t *testing.T) {
	list := nodes()
	c := encodeTest(list)
	got, err := parse(c)
	if err != nil || len(got) != len(list) {
		t.Fatalf("%d nodes, %v", len(got), err)
	}
	for i, n := range list {
		if g := got[i]; g.Kind != n.Kind || g.Span != n.Span || g.Offset != n.Offset || !bytes.Equal(g.Record, n.Record) {
			t.Errorf("node %d: %+v, want %+v", i, g, n)
		}
	}
	if binary.LittleEndian.Uint32(c) != 7 || binary.LittleEndian.Uint32(c[4:]) != 0xc0000001 || int(binary.LittleEndian.Uint32(c[8:])) != len(list) {
		t.Errorf("% x", c[:12])
	}
	for n := range len(c) {
		if _, err := parse(c[:n]); err == nil {
			t.Errorf("%d bytes of %d are read", n, len(c))
		}
	}
	if got, err := parse(c[:12+(len(list)+31)/32*4]); err == nil {
		t.Errorf("without records: %d nodes", len(got))
	}
}

// Words of the nodes that a capsule keeps, and which of them have relocations.
func TestPairsMade(t *testing.T) {
	list := nodes()[:6]
	text := make([]byte, 16*8)
	for i := range text {
		text[i] = byte(i / 16)
	}
	c := encodeTest(list)
	c[0] = 2
	f, _ := file(c, text)
	rela := make([]byte, 4*24)
	for k, off := range []uint64{16, 5*16 + 8, 0, 0} {
		binary.LittleEndian.PutUint64(rela[24*k:], off)
	}
	f.headers = append(f.headers, header{Type: 4, Info: 2}, header{Type: 4, Info: 1})
	f.replace(3, rela[:2*24+23])
	f.replace(4, rela[2*24:])
	binary.LittleEndian.PutUint32(f.data[48:], 0x06006702)
	sm, pairs, err := Pairs(f.bytes())
	if err != nil || sm != 103 || len(pairs) != len(list) {
		t.Fatalf("sm_%d, %d pairs, %v", sm, len(pairs), err)
	}
	for i, p := range pairs {
		n := list[i]
		if !bytes.Equal(p.Words, text[16*n.Offset:16*(n.Offset+n.Span)]) || p.Relocated != (i == 1 || i == 3) || p.Kind != n.Kind {
			t.Errorf("node %d: % x, relocated %v", i, p.Words, p.Relocated)
		}
	}
	for _, e := range []struct {
		what string
		code byte
		size uint64
	}{{"code behind the last section", 9, f.headers[2].Size}, {"a node behind the code", 2, 16 * 7}} {
		c[0], f.headers[2].Size = e.code, e.size
		f.replace(1, c)
		if _, _, err := Pairs(f.bytes()); err == nil {
			t.Errorf("%s: no fault", e.what)
		}
	}
	f.headers[2].Size = 16 * 8
	if _, _, err := Pairs(f.bytes()); err != nil {
		t.Errorf("as many words as nodes: %v", err)
	}
}

// What comes back is parted by markers in their order; what stands for no word counts for its group, gaps don't.
func TestBetweenMarkers(t *testing.T) {
	result := func(n Node) Result { return Result{Stored{Kind: 'P', Span: 1}, n.Words} }
	other := Result{Stored{Kind: 'P', Span: 1}, make([]byte, 16)}
	full := result(marker(1))
	full.Kind = 'R'
	mini := result(marker(1))
	mini.Kind = 'M'
	for _, c := range []struct {
		what string
		back []Result
		want []int // sizes of groups
	}{
		{"nothing", nil, nil}, {"no marker", []Result{other}, nil}, {"in front of the first", []Result{other, result(marker(0)), other}, []int{1}}, {"two groups", []Result{result(marker(0)), other, result(marker(1)), other, other}, []int{1, 2}},
		{"a marker too early", []Result{result(marker(1)), result(marker(0)), result(marker(2))}, []int{1}}, {"a full record", []Result{result(marker(0)), full}, []int{0, 0}}, {"a mini record", []Result{result(marker(0)), mini}, []int{1}},
		{"a gap", []Result{result(marker(0)), {Stored: Stored{Kind: 'S'}}, other}, []int{1}},
	} {
		var got []int
		for _, g := range betweenMarkers(c.back) {
			got = append(got, len(g))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

// Sizes of what is asked for.
func TestNodeSizes(t *testing.T) {
	for _, c := range []struct {
		n              Node
		words, mercury int
	}{
		{Node{}, 16, 32}, {Node{Span: 3}, 48, 32}, {Node{Words: make([]byte, 32), Span: 1}, 32, 32}, {Node{Record: []byte{0x41, 0, 0, 0}}, 16, 16}, {Node{Record: []byte{0x42, 0, 0, 0}}, 16, 32}, {Node{Record: make([]byte, 16)}, 16, 32},
	} {
		if w, m := len(c.n.words()), c.n.mercurySize(); w != c.words || m != c.mercury {
			t.Errorf("%+v: %d and %d", c.n, w, m)
		}
	}
}

// Links are counted, and one that doesn't end costs a hundred.
func TestBudget(t *testing.T) {
	var none *Budget
	none.hung()
	if err := none.take(); err != nil {
		t.Error(err)
	}
	b := &Budget{Left: 101}
	for i, want := range []error{nil, nil, ErrBudget, ErrBudget} {
		if err := b.take(); err != want {
			t.Errorf("link %d: %v", i, err)
		}
		if i == 0 {
			b.hung()
		}
	}
	if b.Left != 0 {
		t.Errorf("%d are left", b.Left)
	}
}
