package capsule

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
	"github.com/twinlink/twinlink/cubin"
)

// pieces are capsules with their code: of each fourth object of the corpus the first functions, and the longest of all.
func pieces(t *testing.T) (list [][2][]byte) {
	t.Helper()
	n, longest := 0, [2][]byte{}
	corpustest.Capsules(t, func(c *corpus.Capsule, data []byte) {
		file, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		m := Open(file)
		for i := range m.Funcs {
			fn := &m.Funcs[i]
			p := [2][]byte{m.Sections[fn.Capsule].Content, fn.Code}
			if len(p[1]) > len(longest[1]) {
				longest = p
			}
			if n%4 == 0 && i < 2 && len(p[1]) < 1<<14 {
				list = append(list, p)
			}
		}
		n++
	})
	return append(list, longest, large())
}

// large is a capsule of 70 NOPs, of which every seventh has a record of 48 bytes, and every 21st stands for four words.
func large() [2][]byte {
	const nodes = 70
	text, bitmap, records := []byte(nil), make([]byte, 12), []byte(nil)
	for i := range nodes {
		span := 1
		if i%7 == 3 {
			if i%3 == 0 {
				span = 4
				records = append(records, markSpan, 4>>1)
			}
			records = append(append(records, 3), make([]byte, 47)...)
		} else {
			bitmap[i/8] |= 1 << (i % 8)
		}
		for range span {
			text = append(append(text, 0x18, 0x79), make([]byte, WordSize-2)...)
		}
	}
	data := binary.LittleEndian.AppendUint32(nil, 1)
	data = binary.LittleEndian.AppendUint32(data, Version)
	data = binary.LittleEndian.AppendUint32(data, nodes)
	return [2][]byte{append(append(data, bitmap...), records...), text}
}

// lookups are what a capsule answers to every offset, a step at a time; rising or falling says which is asked first, since
// a lean one keeps what it found last.
func lookups(c *Capsule, falling bool) (list []int64) {
	offsets := []uint32{}
	for off := uint32(0); off < max(c.MercSize, c.SASSSize())+40; off += 8 {
		offsets = append(offsets, off)
	}
	if falling {
		slices.Reverse(offsets)
	}
	for _, off := range offsets {
		n, ok := c.HoldingMerc(off)
		held := int64(-1)
		if ok {
			held = int64(n.SASS)<<32 | int64(n.Merc)<<8 | int64(n.Span)
		}
		if sass, merc, there := c.Place(off); sass != n.SASS || merc != n.Merc || there != ok {
			held = -2
		}
		from := c.SASSSize()
		if k := c.FromMerc(off); k < c.Len() {
			from = c.Node(k).SASS
		}
		if c.SASSFrom(off) != from {
			held = -3
		}
		list = append(list, held, int64(c.AtSASS(off)), int64(c.AtMerc(off)), int64(c.FromMerc(off)))
	}
	return list
}

// A lean capsule is the full one in all that can be asked, whichever was asked before, and what is wrong with a capsule is
// found in each of the three ways to decode it at the same place.
func TestLeanIsFull(t *testing.T) {
	list := pieces(t)
	if len(list) < 60 {
		t.Fatalf("%d capsules", len(list))
	}
	recent := &Recent{}
	var before *Capsule
	for k, p := range list {
		data, text := p[0], p[1]
		full, unknown, fault := decode(data, uint64(len(text)), text, nil)
		if fault != nil {
			t.Fatal(fault)
		}
		lean, unknown2, fault := decode(data, uint64(len(text)), text, recent)
		if fault != nil || !slices.Equal(unknown, unknown2) {
			t.Fatalf("capsule %d: %v, %v and %v not known", k, fault, unknown, unknown2)
		}
		if lean.Len() != full.Len() || lean.MercSize != full.MercSize || lean.SASSSize() != full.SASSSize() || !slices.Equal(lean.Wide(), full.Wide()) {
			t.Errorf("capsule %d: %d nodes, %d and %d bytes; %d, %d and %d", k, lean.Len(), lean.MercSize, lean.SASSSize(), full.Len(), full.MercSize, full.SASSSize())
		}
		if wide := slices.DeleteFunc(slices.Clone(full.Nodes), func(n Node) bool { return n.Span < 2 }); len(wide) != len(full.Wide()) {
			t.Errorf("capsule %d: %d wide nodes, listed %d", k, len(wide), len(full.Wide()))
		}
		kept := slices.DeleteFunc(slices.Clone(full.Nodes), func(n Node) bool { return n.Kind == Plain })
		if got := lean.Kept(); len(got) != len(kept) || !slices.EqualFunc(got, kept, func(a, b Node) bool {
			return a.SASS == b.SASS && a.Merc == b.Merc && a.Span == b.Span && a.Kind == b.Kind && bytes.Equal(lean.Record(&a), full.Record(&b))
		}) {
			t.Errorf("capsule %d: %d nodes kept, want %d", k, len(got), len(kept))
		}
		for i := range full.Nodes {
			if a, b := lean.Node(i), full.Nodes[i]; a.SASS != b.SASS || a.Merc != b.Merc || a.Span != b.Span || a.Kind != b.Kind || lean.Tag(&a) != full.Tag(&b) {
				t.Errorf("capsule %d: node %d is %+v, want %+v", k, i, a, b)
				break
			}
		}
		want := lookups(full, false)
		for n, off := 0, uint32(0); n < len(want); n, off = n+4, off+8 { // what they mean, by all nodes
			from := slices.IndexFunc(full.Nodes, func(n Node) bool { return n.Merc >= off })
			if from < 0 {
				from = len(full.Nodes)
			}
			if len(text) < 4096 && want[n+3] != int64(from) {
				t.Errorf("capsule %d: from %d it is node %d, want %d", k, off, want[n+3], from)
			}
		}
		if slices.Min(want) < -1 {
			t.Errorf("capsule %d: a place is another", k)
		}
		if got := lookups(lean, false); !slices.Equal(got, want) {
			t.Errorf("capsule %d: another answer, rising", k)
		}
		if got := lookups(lean, true); !slices.Equal(got, lookups(full, true)) {
			t.Errorf("capsule %d: another answer, falling", k)
		}
		if before != nil && k%8 == 0 { // whose nodes the list has no more
			again, _, _ := decode(list[k-1][0], uint64(len(list[k-1][1])), list[k-1][1], nil)
			if !slices.Equal(lookups(before, false), lookups(again, false)) || len(before.Kept()) != len(again.Kept()) {
				t.Errorf("capsule %d: another answer after the next one", k-1)
			}
		}
		before = lean
		if k%12 == 0 && len(data) < 4096 {
			damage(t, k, data, text)
		}
	}
}

// damage changes bits of a capsule and cuts it, and decodes it in three ways.
func damage(t *testing.T, k int, data, text []byte) {
	check := func(what string, bad, text []byte) {
		_, f := Decode(bad, uint64(len(text)))
		_, _, g := DecodeLocated(bad, text)
		_, _, h := decode(bad, uint64(len(text)), text, &Recent{})
		if (f == nil) != (g == nil) || (f == nil) != (h == nil) || f != nil && (*f != *g || *f != *h) {
			t.Errorf("capsule %d, %s: %v, located %v, lean %v", k, what, f, g, h)
		}
	}
	for n := range data {
		for _, bit := range []byte{1, 0x40, 0x80} {
			bad := bytes.Clone(data)
			bad[n] ^= bit
			check("a bit", bad, text)
		}
	}
	for n := range data {
		check("an end", data[:n:n], text)
	}
	check("a shorter text", data, text[:len(text)-WordSize])
	check("a longer text", data, append(bytes.Clone(text), make([]byte, WordSize)...))
	check("a text and a half", data, append(bytes.Clone(text), 0))
}

// What is wrong with a capsule is said with its place and the number that is there. The capsule is of one PLAIN node and
// one record, which every change below makes wrong in one way.
func TestFaultPlaces(t *testing.T) {
	var sound []byte
	var size int
	for _, p := range pieces(t) {
		if c, f := Decode(p[0], uint64(len(p[1]))); f == nil && c.Len()%32 != 0 && c.Len() < 32 && c.Version == Version && len(c.Kept()) > 0 {
			sound, size = p[0], len(p[1])
			break
		}
	}
	c, f := Decode(sound, uint64(size))
	if f != nil || c == nil {
		t.Fatal(f)
	}
	_, n, at, _ := decodeHeader(sound)
	record := uint64(c.RecordAt(&c.Kept()[0]))
	word := func(at uint64, value uint32) []byte {
		bad := bytes.Clone(sound)
		binary.LittleEndian.PutUint32(bad[at:], value)
		return bad
	}
	bitmap := binary.LittleEndian.Uint32(sound[at:])
	for _, x := range []struct {
		what          string
		data          []byte
		text          uint64
		offset, value uint64
	}{
		{"no header", sound[:4], uint64(size), 0, 4},
		{"an empty one", nil, uint64(size), 0, 0},
		{"version", word(4, 0xC0000002), uint64(size), 4, 0xC0000002},
		{"half an instruction", sound, uint64(size) + 8, 0, uint64(size) + 8},
		{"a text too long", sound, 1 << 32, 0, 1 << 32},
		{"nodes", word(at-4, 1<<30), uint64(size), at - 4, 1 << 30},
		{"behind the last node", word(at, bitmap|1<<31), uint64(size), at, uint64(bitmap|1<<31) >> (n % 32)},
		{"a record", append(bytes.Clone(sound[:record]), append([]byte{0x7f}, sound[record+1:]...)...), uint64(size), record, 0x7f},
		{"no record", sound[:record], uint64(size), record, record},
	} {
		_, f := Decode(x.data, x.text)
		if f == nil || f.Offset != x.offset || f.Value != x.value || f.Kind != cubin.BadRecord || f.Detail == "" {
			t.Errorf("%s: %+v, want offset %#x, value %#x", x.what, f, x.offset, x.value)
		}
	}
}
