package capsule_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// images calls f with every file of the corpus, opened.
func images(t *testing.T, f func(m *capsule.Image)) {
	t.Helper()
	corpustest.Capsules(t, func(c *corpus.Capsule, data []byte) {
		file, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		m := capsule.Open(file)
		for _, err := range m.Faults {
			t.Error(err)
		}
		f(m)
	})
}

// Capsules come back byte for byte, and the ends of functions are those that
// ptxas and nvlink 13.0.88 and 13.5.37 give them in .nv.merc.symtab.
func TestCapsules(t *testing.T) {
	functions, kinds := 0, map[capsule.Kind]int{}
	images(t, func(m *capsule.Image) {
		for i := range m.Funcs {
			fn := &m.Funcs[i]
			if got := fn.Cap.Append(nil); !bytes.Equal(got, m.Sections[fn.Capsule].Content) {
				t.Errorf("%s: capsule of %s encoded otherwise", m.File.Name, fn.Name)
			}
			for _, off := range fn.Unsized {
				t.Errorf("%s: %s: no Mercury size of the instruction at 0x%x, opcode %03x", m.File.Name, fn.Name, off, binary.LittleEndian.Uint16(fn.Code[off:])&0xfff)
			}
			for k := range fn.Cap.Nodes {
				kinds[fn.Cap.Nodes[k].Kind]++
			}
			s := m.Merc.At(fn.Symbol)
			if s == nil || s.Type() != cuda.STTFunc {
				t.Errorf("%s: capsule of %s names no function", m.File.Name, fn.Name)
				continue
			}
			if unified := m.Sections[fn.Text].EntSize != 0; unified {
				continue // its symbol has the size of a table's entry
			}
			if s.Size != uint64(fn.Cap.MercSize) {
				t.Errorf("%s: %s ends at 0x%x in Mercury, its symbol at 0x%x", m.File.Name, fn.Name, fn.Cap.MercSize, s.Size)
			}
			functions++
		}
	})
	if functions < 500 || len(kinds) != 4 {
		t.Errorf("%d functions, kinds %v", functions, kinds)
	}
}

// Both sides pair: symbols by index, relocations and attributes by owner.
func TestCounterparts(t *testing.T) {
	images(t, func(m *capsule.Image) {
		if n := len(m.Merc.List); n == 0 || n > len(m.SASS.List) {
			t.Errorf("%s: %d Mercury symbols, %d of SASS", m.File.Name, n, len(m.SASS.List))
		}
		for i := range m.Funcs {
			fn := &m.Funcs[i]
			if fn.Info == 0 || fn.MercInfo == 0 || (fn.Rela == 0) != (fn.MercRela == 0) || (fn.Optim == 0) != (fn.MercOptim == 0) {
				t.Errorf("%s: %s: not paired: %+v", m.File.Name, fn.Name, [...]int{fn.Info, fn.MercInfo, fn.Rela, fn.MercRela, fn.Optim, fn.MercOptim})
			}
		}
	})
}

// The two ways through the map agree.
func TestLookup(t *testing.T) {
	images(t, func(m *capsule.Image) {
		for i := range m.Funcs {
			c := m.Funcs[i].Cap
			for k := range c.Nodes {
				n := &c.Nodes[k]
				last := n.SASS + uint32(n.Span)*capsule.WordSize - 1
				if c.AtSASS(n.SASS) != k || c.AtSASS(last) != k {
					t.Fatalf("%s: %s: node %d is not at its SASS offset 0x%x", m.File.Name, m.Funcs[i].Name, k, n.SASS)
				}
				if n.Kind != capsule.Skip && c.AtMerc(n.Merc) != k {
					t.Fatalf("%s: %s: node %d is not at its Mercury offset 0x%x", m.File.Name, m.Funcs[i].Name, k, n.Merc)
				}
			}
			if c.AtSASS(c.SASSSize()) != -1 || c.AtMerc(c.MercSize) != -1 {
				t.Errorf("%s: %s: something at the end", m.File.Name, m.Funcs[i].Name)
			}
		}
	})
}

// capsuleOf makes a capsule of words and bytes.
func capsuleOf(words []uint32, rest ...byte) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return append(b, rest...)
}

func TestMalformed(t *testing.T) {
	const v = capsule.Version
	full := append([]byte{1}, make([]byte, 15)...)
	for _, tt := range []struct {
		name   string
		data   []byte
		text   uint64
		offset uint64
		value  uint64
	}{
		{"empty", nil, 16, 0, 0},
		{"header cut", capsuleOf([]uint32{1, v}), 16, 0, 8},
		{"version", capsuleOf([]uint32{1, v + 1, 1, 1}), 16, 4, v + 1},
		{"text of no words", capsuleOf([]uint32{1, v, 1, 1}), 17, 0, 17},
		{"nodes", capsuleOf([]uint32{1, v, 4, 3}), 16, 8, 4},
		{"nodes of more words", capsuleOf([]uint32{1, v, 2, 3}), 16, 16, 32},
		{"huge", capsuleOf([]uint32{1, v, 0xffffffff}), 16, 8, 0xffffffff},
		{"bitmap cut", capsuleOf([]uint32{1, v, 33, 0}), 33 * 16, 8, 33},
		{"bits behind the last node", capsuleOf([]uint32{1, v, 1, 5}), 16, 12, 2},
		{"record missing", capsuleOf([]uint32{1, v, 1, 0}), 16, 16, 16},
		{"record cut", capsuleOf([]uint32{1, v, 1, 0}, full[:9]...), 16, 16, 16},
		{"first byte", capsuleOf([]uint32{1, v, 1, 0}, 0x33, 0, 0, 0), 16, 16, 0x33},
		{"span of none", capsuleOf([]uint32{1, v, 1, 0}, 0x50, 0), 16, 16, 0},
		{"span cut", capsuleOf([]uint32{1, v, 1, 0}, 0xd1, 0), 16, 18, 18},
		{"too long", capsuleOf([]uint32{1, v, 1, 0}, 0x50, 1), 16, 18, 32},
		{"too short", capsuleOf([]uint32{1, v, 1, 1}), 32, 8, 16},
		{"rest", capsuleOf([]uint32{1, v, 1, 1}, 7), 16, 16, 1},
	} {
		_, f := capsule.Decode(tt.data, tt.text)
		if f == nil || f.Offset != tt.offset || f.Value != tt.value {
			t.Errorf("%s: %+v, want offset %d, value 0x%x", tt.name, f, tt.offset, tt.value)
		}
	}
	if _, f := capsule.Decode(capsuleOf([]uint32{1, v, 1, 0}, full...), 16); f != nil {
		t.Errorf("a record: %+v", f)
	}
	// Records of 31 and 32 stand for no SASS: two of them around one PLAIN.
	virtual := append([]byte{0x31}, make([]byte, 15)...)
	c, f := capsule.Decode(capsuleOf([]uint32{1, v, 3, 2}, append(virtual, virtual...)...), 16)
	if f != nil || c.SASSSize() != 16 || c.Nodes[2].Span != 0 || c.AtSASS(0) != 1 {
		t.Errorf("records without SASS: %+v", f)
	} else if c.Locate(make([]byte, 16)); c.AtMerc(16) != 1 {
		t.Errorf("records without SASS: the node at 16 is %d", c.AtMerc(16))
	}
	virtual = append([]byte{0x32}, make([]byte, 31)...)
	if c, f = capsule.Decode(capsuleOf([]uint32{1, v, 2, 2}, virtual...), 16); f != nil || c.SASSSize() != 16 || c.Nodes[0].Span != 0 {
		t.Errorf("a record of 32 bytes without SASS: %+v", f)
	}
	// A record of mark 11, as in an image of cuBLAS 13.4.0.1: one word, 16 bytes of Mercury.
	marked := append([]byte{0x11, 0x92, 4, 0xa, 0xf8}, make([]byte, 11)...)
	if c, f = capsule.Decode(capsuleOf([]uint32{1, v, 1, 0}, marked...), 16); f != nil || c.SASSSize() != 16 || c.Nodes[0].Kind != capsule.Full {
		t.Errorf("a record of mark 11: %+v", f)
	} else if c.Locate(make([]byte, 16)); c.MercSize != 16 {
		t.Errorf("a record of mark 11 takes %d bytes", c.MercSize)
	}
	// A span has nine bits.
	if c, f = capsule.Decode(capsuleOf([]uint32{1, v, 1, 0}, 0x50, 0x96), 300*16); f != nil || c.Nodes[0].Span != 300 || c.Nodes[0].Kind != capsule.Skip {
		t.Errorf("a span of 300: %+v", f)
	}
}

// A capsule as ptxas 12.8.93 wrote it for an empty kernel: LDC, EXIT, padding.
func TestFormat0(t *testing.T) {
	data := capsuleOf([]uint32{4, capsule.Version0 | 3, 2},
		0x01, 0x0b, 0x04, 0x0a, 0xf8, 0, 4, 0, 0, 0, 0x41, 0, 0, 4, 0, 0, 0x50, 7)
	c, f := capsule.Decode(data, 256)
	if f != nil || len(c.Nodes) != 3 || c.Tag(&c.Nodes[0]) != 0x010b040a || c.Nodes[1].Kind != capsule.Plain || c.Nodes[2].Span != 14 {
		t.Fatalf("%+v, %+v", c, f)
	}
	if got := c.Append(nil); !bytes.Equal(got, data) {
		t.Errorf("written again: %x", got)
	}
	if _, f := capsule.Decode(data[:10], 256); f == nil || f.Offset != 4 || f.Value != 3 {
		t.Errorf("bitmap cut: %+v", f)
	}
}

// Sizes that nvlink 13.5 gives words of libraries, by mercury/sizes.
func TestPlainSize(t *testing.T) {
	for _, tt := range []struct {
		hi, lo uint64
		size   uint32
	}{
		{0x000fce0003800115, 0x000000ff0a15780f, 32},
		{0x000fe40000000000, 0xb9a8b9a8120d7832, 32},
		{0x000e220000200c00, 0xffffffff00037906, 16},
		{0x000fe4000800100a, 0x00000006130a7c26, 16},
		{0x001fd600080000ff, 0x00000004ff077c3e, 16},
		{0x000fe2000f8e0003, 0x0000000c05037e27, 32},
		{0x000fe40000002000, 0x0000000000007238, 16},
		{0x000fe20008000006, 0x0000000405047296, 16},
		{0x042fe2000b806200, 0x0000000719067c0a, 16},
		{0x000fe4000f8cfcff, 0x0000000526267292, 32}, // ULOP3 with a predicate
		{0x002fcc000f8efcff, 0x0000000c0a0a7292, 32}, // and without one: nvCOMP 5.3, 13.3
		{0x000fca0003840200, 0x7bff7bff0b0b7840, 32},
		{0x040fe400078eccff, 0x0000000203007212, 32}, // LOP3 that is its second source, by nvlink 13.0
		{0x000fe400078e33ff, 0x00000000ff057212, 16}, // LOP3, of RZ
		{0x000fe400078e3cff, 0x0000000302067212, 16},
		{0x004fe2000bf0d800, 0x20000006ff009e34, 32},
		{0x000fca0000000800, 0x8000000900077236, 16},
		{0x000fc4000074022a, 0x000000352800721f, 32},
		{0x000fc80008000005, 0x0000000a39387c16, 16},
		{0x000fe2000801025b, 0x00000006240d7e19, 16},
		{0, 0xfff, 0},
	} {
		if got := capsule.PlainSize(tt.lo, tt.hi); got != tt.size {
			t.Errorf("%016x.%016x: %d bytes, want %d", tt.hi, tt.lo, got, tt.size)
		}
	}
}

func TestOffsets(t *testing.T) {
	words := func(w ...uint32) []byte { return capsuleOf(w) }
	for _, tt := range []struct {
		attr cuda.InfoAttr
		data []byte
		want []int
		bad  bool
	}{
		{cuda.AttrExitInstrOffsets, words(1, 2), []int{0, 4}, false},
		{cuda.AttrExitInstrOffsets, words(1)[:3], nil, true},
		{cuda.AttrMbarrierInstrOffsets, words(1, 0, 0, 0, 2, 0, 0, 0), []int{0, 16}, false},
		{cuda.AttrIndirectBranchTargets, words(1, 0, 2, 8, 9, 3, 0, 0), []int{0, 12, 16, 20}, false},
		{cuda.AttrIndirectBranchTargets, words(1, 0, 3, 8, 9), nil, true},
		{cuda.AttrAnnotations, words(1, 5, 2, 6, 3, 0, 3, 1, 0), []int{4, 12}, false},
		{cuda.AttrAnnotations, words(9), nil, true},
		{cuda.AttrRegcount, words(1, 2), nil, false},
	} {
		var got []int
		f := capsule.VisitOffsets(tt.attr, tt.data, func(at int) { got = append(got, at) })
		if tt.bad {
			if f == nil {
				t.Errorf("%s of %x: no fault", tt.attr, tt.data)
			}
			continue
		}
		if f != nil || len(got) != len(tt.want) {
			t.Errorf("%s of %x: %v, %+v, want %v", tt.attr, tt.data, got, f, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s of %x: %v, want %v", tt.attr, tt.data, got, tt.want)
			}
		}
	}
}

// One pass over a text finds the nodes and addresses that decoding and locating find.
func TestDecodeLocated(t *testing.T) {
	nodes := 0
	images(t, func(m *capsule.Image) {
		for i := range m.Funcs {
			f := &m.Funcs[i]
			data := m.Sections[f.Capsule].Content
			apart, fault := capsule.Decode(data, uint64(len(f.Code)))
			if fault != nil {
				t.Fatal(fault)
			}
			want := apart.Locate(f.Code)
			c, unknown, fault := capsule.DecodeLocated(data, f.Code)
			if fault != nil || !slices.Equal(c.Nodes, apart.Nodes) || c.MercSize != apart.MercSize || !slices.Equal(unknown, want) {
				t.Fatalf("%s: other nodes: %v", f.Name, fault)
			}
			nodes += len(c.Nodes)
		}
	})
	if nodes < 1000 {
		t.Errorf("%d nodes", nodes)
	}
}

// A lean image has the nodes of another, and finds them at the same places.
func TestLean(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	asked := 0
	images(t, func(m *capsule.Image) {
		lean := capsule.OpenLean(m.File)
		var recent capsule.Recent
		for i := range lean.Funcs {
			lean.Decode(i, &recent)
			if got, want := lean.Funcs[i].Cap.Kept(), m.Funcs[i].Cap.Kept(); !slices.Equal(got, want) || len(want) != count(m.Funcs[i].Cap) {
				t.Fatalf("%s: keeps %v, not %v", m.Funcs[i].Name, got, want)
			}
			sameHolders(t, lean.Funcs[i].Cap, m.Funcs[i].Cap, rng)
		}
		if len(lean.Funcs) > 1 && !slices.Equal(lean.Funcs[0].Cap.Kept(), m.Funcs[0].Cap.Kept()) {
			t.Fatalf("%s: other nodes after another was decoded", m.Funcs[0].Name)
		}
		lean.Decoded()
		if len(lean.Faults) != len(m.Faults) {
			t.Fatalf("%d faults, not %d", len(lean.Faults), len(m.Faults))
		}
		for i := range m.Funcs {
			c, l := m.Funcs[i].Cap, lean.Funcs[i].Cap
			if l.Len() != len(c.Nodes) || l.SASSSize() != c.SASSSize() || l.MercSize != c.MercSize {
				t.Fatalf("%s: %d nodes, not %d", m.Funcs[i].Name, l.Len(), len(c.Nodes))
			}
			for range 20 {
				k, off := rng.IntN(len(c.Nodes)), rng.Uint32N(c.MercSize+32)
				if l.Node(k) != c.Node(k) || !bytes.Equal(l.Record(&c.Nodes[k]), c.Record(&c.Nodes[k])) {
					t.Fatalf("%s: node %d: %v, not %v", m.Funcs[i].Name, k, l.Node(k), c.Nodes[k])
				}
				got, want := [...]int{l.AtMerc(off), l.FromMerc(off), l.AtSASS(off)}, [...]int{atMerc(c, off), fromMerc(c, off), atSASS(c, off)}
				if got != want || c.AtMerc(off) != want[0] || c.FromMerc(off) != want[1] || c.AtSASS(off) != want[2] {
					t.Fatalf("%s: 0x%x: %v, not %v", m.Funcs[i].Name, off, got, want)
				}
				n, ok := l.HoldingMerc(off)
				if want, wantOK := c.HoldingMerc(off); n != want || ok != wantOK {
					t.Fatalf("%s: 0x%x: %v, not %v", m.Funcs[i].Name, off, n, want)
				}
				asked++
			}
		}
	})
	if asked < 1000 {
		t.Errorf("asked %d times", asked)
	}
}

// sameHolders asks a lean capsule for the nodes of another by Mercury offsets, which rise or don't.
func sameHolders(t *testing.T, lean, c *capsule.Capsule, rng *rand.Rand) {
	t.Helper()
	step := 1 + rng.Uint32N(200)
	for off := uint32(0); off < c.MercSize+3*step; off += step {
		at := off
		if step%4 == 0 {
			at = rng.Uint32N(c.MercSize + 32)
		}
		var want capsule.Node
		if k := atMerc(c, at); at < c.MercSize {
			want = c.Nodes[k]
		}
		for _, x := range []*capsule.Capsule{lean, c} {
			if got, ok := x.HoldingMerc(at); got != want || ok != (at < c.MercSize) {
				t.Fatalf("0x%x: %v, not %v", at, got, want)
			}
		}
	}
}

// count returns how many nodes aren't PLAIN.
func count(c *capsule.Capsule) (n int) {
	for i := range c.Nodes {
		if c.Nodes[i].Kind != capsule.Plain {
			n++
		}
	}
	return n
}

func atMerc(c *capsule.Capsule, off uint32) int {
	k := -1
	for i := range c.Nodes {
		if c.Nodes[i].Merc <= off && off < c.MercSize {
			k = i
		}
	}
	return k
}

func fromMerc(c *capsule.Capsule, off uint32) int {
	for i := range c.Nodes {
		if c.Nodes[i].Merc >= off {
			return i
		}
	}
	return len(c.Nodes)
}

func atSASS(c *capsule.Capsule, off uint32) int {
	k := -1
	for i := range c.Nodes {
		if c.Nodes[i].SASS <= off && off < c.SASSSize() {
			k = i
		}
	}
	return k
}
