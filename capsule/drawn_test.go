package capsule

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn makes a capsule of nodes of every form in an order of chance, and a text of words that are in PLAIN nodes.
func drawn(random *rand.Rand, words [][]byte) (data, text []byte) {
	var records []byte
	n := 1 + random.IntN(90)
	bitmap := make([]byte, (n+31)/32*4)
	add := func(span int) {
		for range span {
			text = append(text, words[random.IntN(len(words))]...)
		}
	}
	for i := range n {
		if random.IntN(3) > 0 {
			bitmap[i/8] |= 1 << (i % 8)
			add(1)
			continue
		}
		mark := []byte{0x01, 0x02, 0x11, 0x31, 0x32, 0x41, 0x42, markSkip, markSpan}[random.IntN(9)]
		f := forms[mark]
		switch mark {
		case markSkip:
			b := 1 + random.IntN(3)
			records = append(records, mark, byte(b))
			add(2 * b)
			continue
		case markSpan:
			records = append(records, mark, 1)
			mark = 0x02
			add(2)
		default:
			add(int(f.span))
		}
		records = append(records, mark)
		records = append(records, make([]byte, forms[mark].size-1)...)
	}
	for _, w := range []uint32{1, Version, uint32(n)} {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return append(append(data, bitmap...), records...), text
}

// plainWords are words of PLAIN nodes of 16 bytes and of 32.
func plainWords(t *testing.T) (words [][]byte) {
	for _, p := range pieces(t) {
		c, _, fault := decode(p[0], uint64(len(p[1])), p[1], nil)
		if fault != nil {
			t.Fatal(fault)
		}
		for i := range c.Nodes[:len(c.Nodes)-1] {
			if n := &c.Nodes[i]; n.Kind == Plain && (c.Nodes[i+1].Merc-n.Merc == 32) == (len(words)%3 == 0) {
				words = append(words, p[1][n.SASS:][:WordSize])
			}
		}
	}
	return words
}

// A lean capsule is the full one in what can be asked of it, however its nodes follow each other, and the full one's
// nodes are where a search by hand has them.
func TestDrawn(t *testing.T) {
	random, words := rand.New(rand.NewPCG(7, 8)), plainWords(t)
	recent, kinds := &Recent{}, map[Kind]int{}
	for k := range 300 {
		data, text := drawn(random, words)
		full, _, fault := decode(data, uint64(len(text)), text, nil)
		if fault != nil {
			t.Fatalf("%x: %+v", data, fault)
		}
		lean, _, fault := decode(data, uint64(len(text)), text, recent)
		if fault != nil {
			t.Fatalf("%x: lean, %+v", data, fault)
		}
		rising, falling := lookups(full, false), lookups(full, true)
		if slices.Min(rising) < -1 || !slices.Equal(lookups(lean, false), rising) || !slices.Equal(lookups(lean, true), falling) {
			t.Fatalf("capsule %d: another answer", k)
		}
		for i := range full.Nodes {
			n := &full.Nodes[i]
			kinds[n.Kind]++
			if a := lean.Node(i); a.SASS != n.SASS || a.Merc != n.Merc || a.Span != n.Span || a.Kind != n.Kind {
				t.Fatalf("capsule %d: node %d is %+v, want %+v", k, i, a, *n)
			}
		}
		for off := uint32(0); off <= full.MercSize+16; off += 8 {
			from := slices.IndexFunc(full.Nodes, func(n Node) bool { return n.Merc >= off })
			sass := full.SASSSize()
			if from < 0 {
				from = len(full.Nodes)
			} else {
				sass = full.Nodes[from].SASS
			}
			if full.FromMerc(off) != from || full.SASSFrom(off) != sass || lean.SASSFrom(off) != sass {
				t.Fatalf("capsule %d: from %d it is node %d at %d, want %d at %d", k, off, full.FromMerc(off), full.SASSFrom(off), from, sass)
			}
		}
	}
	if len(kinds) != 4 {
		t.Errorf("kinds %v", kinds)
	}
}
