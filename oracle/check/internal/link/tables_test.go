package link

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// TestIs says when an attribute says what another wants.
func TestIs(t *testing.T) {
	n := func(b ...byte) Fact { return Fact{Format: cuda.FormatSized, Attr: cuda.AttrRegcount, Rest: string(b)} }
	with := func(f Fact, change func(f *Fact)) Fact { change(&f); return f }
	list := func(about string) Fact { return Fact{Format: cuda.FormatSized, Attr: cuda.AttrExterns, About: about} }
	words := func(rest string) Fact {
		return Fact{Format: cuda.FormatSized, Attr: cuda.AttrAtEntryFragements, Rest: rest}
	}
	for i, x := range []struct {
		want, got Fact
		is        bool
	}{
		{n(1, 0), n(1, 0), true}, {n(1, 0), n(2, 0), false}, {n(1, 0), n(1, 0, 0, 0), false},
		{with(n(1, 0), func(f *Fact) { f.Anything = true }), n(9, 9), true},
		{with(n(1, 0), func(f *Fact) { f.Least = true }), n(0, 1), true},
		{with(n(1, 0), func(f *Fact) { f.Least = true }), n(0, 0), false},
		{with(n(1, 0), func(f *Fact) { f.Least, f.Also = true, []string{"\x00\x00"} }), n(0, 0), true},
		{with(n(1, 0), func(f *Fact) { f.Least, f.Most = true, 3 }), n(3, 0), true},
		{with(n(1, 0), func(f *Fact) { f.Least, f.Most = true, 3 }), n(4, 0), false},
		{with(n(1, 0), func(f *Fact) { f.Anything, f.Most = true, 3 }), n(4, 0), false},
		{with(n(1, 0), func(f *Fact) { f.Least = true }), with(n(2, 0), func(f *Fact) { f.About = "g" }), false},
		{with(n(1, 0), func(f *Fact) { f.Also = []string{"\x02\x00"} }), n(2, 0), true},
		{n(1, 0), with(n(1, 0), func(f *Fact) { f.Format = cuda.FormatHalf }), false},
		{n(1, 0), with(n(1, 0), func(f *Fact) { f.About = "g" }), false},
		{list("f g"), list("f g"), true}, {list("f g"), list("g"), false}, {list("f"), list("f g"), false},
		{with(list("f"), func(f *Fact) { f.Least = true }), list("e f g"), true},
		{with(list("f h"), func(f *Fact) { f.Least = true }), list("e f g"), false},
		{with(list("f"), func(f *Fact) { f.Also = []string{"g"} }), list("g"), true},
		{words("aaaabbbb"), words("bbbbaaaa"), true}, {words("aaaabbbb"), words("bbbbcccc"), false}, {words("aab"), words("baa"), false},
		{with(words("aaaa"), func(f *Fact) { f.Also = []string{"bbbbaaaa"} }), words("aaaabbbb"), true},
	} {
		if got := x.want.Is(x.got); got != x.is {
			t.Errorf("%d: %v", i, got)
		}
	}
	for _, x := range [][4]string{{"f g", "g h", "f", "h"}, {"f", "f g", "", "g"}, {"f g", "f f g", "f g", "f f g"}, {"f", "f", "f", "f"}} {
		if want, got := list(x[0]).Apart(list(x[1])); want != x[2] || got != x[3] {
			t.Errorf("%s apart from %s: %q, %q", x[0], x[1], want, got)
		}
	}
	if want, got := n(1, 0).Apart(n(2, 0)); want != "0100" || got != "0200" {
		t.Errorf("%s, %s", want, got)
	}
}

// TestReferences: by name, and by first mention among equal names.
func TestReferences(t *testing.T) {
	f, g, second := Ref{ID: &Identity{Name: "f", Order: 5}}, Ref{ID: &Identity{Name: "g", Order: 1}}, Ref{ID: &Identity{Name: "f", Order: 6}}
	data := Ref{Area: &Area{Name: "e"}}
	list := []Ref{{}, g, second, data, f}
	slices.SortFunc(list, func(a, b Ref) int {
		switch {
		case a.Before(b):
			return -1
		case b.Before(a):
			return 1
		}
		return 0
	})
	if got := fmt.Sprint(list[0], list[1], list[2], list[3], list[4]); got != "e f f g no symbol" || list[1] != f {
		t.Errorf("%s", got)
	}
}

// pieces are those of a part, as text: from+size@to.
func pieces(p *Part) string {
	var list []string
	for _, m := range p.Pieces() {
		list = append(list, fmt.Sprintf("%d+%d@%d", m.From, m.Size, m.To))
	}
	return strings.Join(list, " ")
}

// TestPieces says where the bytes of a part lie some of whose objects were moved or are gone.
func TestPieces(t *testing.T) {
	body := []byte("aaaabbbb\x00\x00\x00\x00cccc")
	for i, x := range []struct {
		moves      []Move
		gone, bare bool
		lost       []*image.Symbol
		want       string
		without    string // a letter for each byte: x is gone
	}{
		{nil, false, false, nil, "0+16@100", "................"},
		{[]Move{{4, 4, 50}}, false, false, nil, "0+4@100 4+4@50 8+8@108", "................"},
		{[]Move{{0, 4, 50}, {12, 4, 60}}, false, false, nil, "0+4@50 4+8@104 12+4@60", "................"},
		{[]Move{{4, 4, 50}, {12, 4, 60}}, false, false, nil, "0+4@100 4+4@50 12+4@60", "................"}, // what is between pads
		{[]Move{{0, 4, 50}}, false, true, nil, "0+4@50", "....xxxxxxxxxxxx"},
		{nil, true, false, []*image.Symbol{{Value: 4, Size: 4}}, "0+4@100 8+8@108", "....xxxx........"},
		{nil, true, false, []*image.Symbol{{Value: 12, Size: 4}, {Value: 0, Size: 4}}, "4+8@104", "xxxx........xxxx"},
		{[]Move{{12, 4, 60}}, true, false, []*image.Symbol{{Value: 0, Size: 8}}, "12+4@60", "xxxxxxxx........"},
		{nil, false, false, []*image.Symbol{{Value: 4, Size: 4}}, "0+16@100", "................"},
	} {
		m := &Module{Image: &image.Image{}, Losers: map[int][]*image.Symbol{3: x.lost}}
		p := &Part{Mod: m, Section: &image.Section{Index: 3, Size: 16, Align: 8, Body: body}, Base: 100, Moves: x.moves, Gone: x.gone, Bare: x.bare}
		if got := pieces(p); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
		for at := range x.without {
			if got := p.Without(uint64(at)); got != (x.without[at] == 'x') {
				t.Errorf("%d: byte %d is gone: %v", i, at, got)
			}
			want := uint64(100 + at)
			for _, m := range x.moves {
				if uint64(at) >= m.From && uint64(at) < m.From+m.Size {
					want = m.To + uint64(at) - m.From
				}
			}
			if got := p.At(uint64(at)); got != want {
				t.Errorf("%d: byte %d is at %d, want %d", i, at, got, want)
			}
		}
	}
}

// TestExplains: a byte is a part's where one covers it.
func TestExplains(t *testing.T) {
	a := &Area{Covered: []Span{{2, 4}, {4, 4}, {6, 9}, {9, 9}}, Free: []Span{{1, 3}, {8, 9}}}
	for at := range 12 {
		covered := at == 2 || at == 3 || at >= 6 && at < 9
		free := at == 1 || at == 2 || at == 8
		if a.Explains(uint64(at)) != covered || a.IsFree(uint64(at)) != free {
			t.Errorf("byte %d: explained %v, free %v", at, a.Explains(uint64(at)), a.IsFree(uint64(at)))
		}
	}
}

// TestAlike compares bytes but for the places that records write.
func TestAlike(t *testing.T) {
	s := image.Section{Index: 1, Size: 16, Body: []byte("0123456789abcdef")}
	m := &Module{Image: &image.Image{Sections: []image.Section{{}, s}, Symbols: []image.Symbol{{}}}, Refs: []Ref{{}},
		Relocs: []Relocs{{Target: 1, List: []image.Record{{Offset: 8, Kind: uint32(cuda.R_CUDA_32)}, {Offset: 2, Kind: uint32(cuda.R_CUDA_32)}}}}}
	for i, x := range []struct {
		body           string
		from, size, at uint64
		want           bool
	}{
		{"0123456789abcdef", 0, 16, 0, true}, {"01....67....cdef", 0, 16, 0, true}, {"0.....67....cdef", 0, 16, 0, false}, {"01....6.....cdef", 0, 16, 0, false},
		{"01....67....cde.", 0, 16, 0, false}, {"01....67....cde.", 0, 15, 0, true}, {"xx....67xx", 4, 4, 4, true}, {"xx....6.xx", 4, 4, 4, false}, {"xx4567xx", 4, 4, 2, true},
		{"..", 9, 2, 0, true}, {"...d", 9, 4, 0, false}, {"...c", 9, 4, 0, true}, {"0123", 0, 16, 0, false}, {"0123456789abcdef", 8, 9, 0, false}, {"", 0, 0, 0, true},
	} {
		if got := m.Alike(&s, x.from, x.size, []byte(x.body), x.at); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestRowMoves: a row belongs where its word is, before what was inserted there; after it, where that only paces.
func TestRowMoves(t *testing.T) {
	const nop, other = sass.OpNop, 0x202
	code := func(ops ...uint64) (b []byte) {
		for _, op := range ops {
			b = append(b, byte(op), byte(op>>8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		}
		return b
	}
	// The second word of three is omitted; before the third two are inserted.
	words := &sass.WordMap{To: []int32{0, -1, 3}, From: []int32{0, -1, -1, 2}}
	for i, x := range []struct {
		words    *sass.WordMap
		put      uint64
		from, to uint64
		want     bool
	}{
		{nil, nop, 16, 16, true}, {nil, nop, 16, 32, false},
		{&sass.WordMap{Identity: true}, nop, 16, 16, true},
		{words, other, 0, 0, true}, {words, other, 32, 16, true}, {words, other, 32, 48, false}, {words, other, 32, 32, false},
		{words, nop, 32, 48, true}, {words, nop, 32, 32, false}, {words, other, 16, 16, true}, {words, other, 40, 24, true}, {words, other, 40, 16, false},
		{words, other, 48, 64, true}, {words, other, 48, 48, false}, {words, other, 64, 64, false},
	} {
		a := &Area{Size: 48, Words: x.words, Out: &image.Section{Body: code(other, x.put, x.put, other)}}
		if got := a.RowMoves(x.from, x.to); got != x.want {
			t.Errorf("%d: %v", i, got)
		}
	}
	a := &Area{Size: 48, Words: words, Out: &image.Section{Body: code(other, other, other, other)}}
	for _, x := range [][4]uint64{{0, 48, 0, 64}, {0, 16, 0, 48}, {32, 16, 48, 16}, {40, 8, 56, 8}, {64, 8, 64, 8}, {16, 64, 16, 64}} {
		if begin, length := a.Span(x[0], x[1]); begin != x[2] || length != x[3] {
			t.Errorf("%d+%d is at %d+%d, want %d+%d", x[0], x[1], begin, length, x[2], x[3])
		}
	}
	c := &Link{}
	for from, to := range map[uint64]uint64{0: 0, 4: 4, 16: 16, 32: 48, 36: 52, 48: 48} {
		if got := c.MovedTo(a, from); got != to {
			t.Errorf("%d went to %d, want %d", from, got, to)
		}
	}
}

// TestOwnerOf: a section belongs to code where a flag or its type says that sh_info is one.
func TestOwnerOf(t *testing.T) {
	b := &Body{Section: &image.Section{Name: ".text.f"}}
	m := &Module{Image: &image.Image{}, Bodies: map[int]*Body{4: b}}
	for i, x := range []struct {
		kind  cuda.SectionType
		flags cuda.SectionFlags
		info  uint32
		owned bool
	}{
		{cuda.SHTProgbits, cuda.SHFInfoLink, 4, true}, {cuda.SHTProgbits, 0, 4, false}, {cuda.SHTCudaConstant0, 0, 4, true}, {cuda.SHTCudaConstant0 + 2, 0, 4, true}, {cuda.SHTCudaShared, 0, 4, true},
		{cuda.SHTCudaLocal, 0, 4, true}, {cuda.SHTCudaInfo, 0, 4, true}, {cuda.SHTCudaInfo, 0, 0, false}, {cuda.SHTCudaInfo, 0, 5, false}, {cuda.SHTCudaGlobal, 0, 4, false}, {cuda.SHTMercOptimizer, 0, 4, true},
	} {
		if got := m.OwnerOf(&image.Section{Kind: x.kind, Flags: x.flags, Info: x.info}); (got == b) != x.owned {
			t.Errorf("%d: %v", i, got)
		}
	}
	if n, ok := Bank(&image.Section{Kind: cuda.SHTCudaConstant0 + 3}); n != 3 || !ok {
		t.Errorf("bank %d", n)
	}
	if n, ok := Bank(&image.Section{Kind: cuda.SHTMercOptimizer}); n != 2 || !ok {
		t.Errorf("bank %d", n)
	}
	if got := BaseName(&image.Section{Name: ".nv.constant2.f"}, b); got != ".nv.constant2." {
		t.Error(got)
	}
	if got := BaseName(&image.Section{Name: ".nv.constant3"}, nil); got != ".nv.constant3" {
		t.Error(got)
	}
}

// TestLikeDriver names functions that nvlink takes for the driver's.
func TestLikeDriver(t *testing.T) {
	code := &Body{}
	for name, want := range map[string]bool{"free": true, "malloc": true, "vprintf": true, "cnpSetLastError": true, "__cuda_syscall_x": true, "cudaGraphLaunch": true, "fre": false, "f": false, "cuda_syscall": false, "": false} {
		id := &Identity{Name: name, Info: byte(cuda.STTFunc), Code: code}
		if got := id.LikeDriver(); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	for i, id := range []*Identity{nil, {Name: "free", Info: byte(cuda.STTFunc)}, {Name: "free", Info: byte(cuda.STTObject), Code: code}, {Name: "free", Info: byte(cuda.STTFunc), Other: cuda.STOEntry, Code: code}} {
		if id.LikeDriver() {
			t.Errorf("%d", i)
		}
	}
}
