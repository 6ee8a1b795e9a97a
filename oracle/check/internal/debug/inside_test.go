package debug

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// fenced is code of six words in which two were inserted before the third of four.
func fenced() *link.Area {
	return &link.Area{Size: 64, Out: &image.Section{Body: make([]byte, 96)}, Words: &sass.WordMap{To: []int32{0, 1, 4, 5}, From: []int32{0, 1, -1, -1, 2, 3}}}
}

// TestSpan: a function inside a kernel begins where its first word is, and ends where what follows it begins.
func TestSpan(t *testing.T) {
	for _, x := range []struct{ from, size, begin, length uint64 }{
		{0, 64, 0, 96}, {0, 32, 0, 64}, {32, 32, 64, 32}, {16, 16, 16, 48}, {16, 48, 16, 80}, {48, 16, 80, 16}, {0, 16, 0, 16}, {64, 0, 96, 0}, {0, 40, 0, 72},
		{0, 80, 0, 80}, {65, 0, 65, 0}, {32, 48, 32, 48}, // after the code's end
	} {
		if begin, length := fenced().Span(x.from, x.size); begin != x.begin || length != x.length {
			t.Errorf("%d bytes from %d: %d from %d, want %+v", x.size, x.from, length, begin, x)
		}
	}
	for _, words := range []*sass.WordMap{nil, {To: []int32{0, 1, 2, 3}, From: []int32{0, 1, 2, 3}, Identity: true}} {
		a := fenced()
		a.Words = words
		if begin, length := a.Span(16, 32); begin != 16 || length != 32 {
			t.Errorf("code that stays: %d from %d", length, begin)
		}
	}
	a := fenced()
	a.Words.To[3] = -1 // its last word is gone
	if begin, length := a.Span(48, 0); begin != 48 || length != 0 {
		t.Errorf("what is gone: %d from %d", length, begin)
	}
}

// TestRowsInside: rows count from where the function begins.
func TestRowsInside(t *testing.T) {
	fde := func(begin, size byte, rows string) string {
		return string([]byte{begin}) + strings.Repeat("\x00", 7) + string([]byte{size}) + strings.Repeat("\x00", 7) + rows
	}
	const row, advance = "\x05\x90\x80\x80\x28\x02", "\x44" // four times four bytes on
	in := frame{fde: fde(16, 48, row+advance+row), begin: 16}
	for i, x := range []struct {
		begin uint64
		fde   string
		want  bool
	}{
		{16, fde(16, 80, row+advance+row), true},
		{16, fde(99, 80, row+advance+row), true}, // what a record writes over
		{16, fde(16, 80, row+"\x50"+row), false}, // a row after what was put in
		{16, fde(16, 48, row+advance+row), false},
		{0, fde(0, 80, row+advance+row), false},
		{32, fde(32, 80, row+advance+row), false},
		{16, fde(16, 80, row), false},
	} {
		a := fenced()
		id := &link.Identity{Code: &link.Body{Area: a}}
		id.Code.Area.Owner = id.Code
		c := &check{apply.New(&link.Link{Release: 130})}
		if got := c.sameRows(in, frame{fde: x.fde, begin: x.begin, id: id}); got != x.want {
			t.Errorf("%d: %t", i, got)
		}
	}
}

// TestBeginOf: of RELA the addend counts, of REL what is there.
func TestBeginOf(t *testing.T) {
	s := &image.Section{Body: []byte{1, 2, 0, 0, 0, 0, 0, 0, 0, 7}}
	for i, x := range []struct {
		r    image.Record
		want uint64
	}{{image.Record{Rela: true, Addend: 5}, 5}, {image.Record{Rela: true}, 0}, {image.Record{Addend: 5}, 5}, {image.Record{}, 0x201}, {image.Record{Offset: 9}, 0}, {image.Record{Offset: 99}, 0}} {
		if got := beginOf(s, x.r); got != x.want {
			t.Errorf("%d: %x, want %x", i, got, x.want)
		}
	}
}

// TestFramesOfKernels: each function inside a kernel keeps its frame, and a record with a place in a code names such a one alone.
func TestFramesOfKernels(t *testing.T) {
	for i, x := range []struct {
		inside bool
		begins []uint64 // of the frames in the output
		want   string
	}{
		{true, []uint64{0, 64}, ""},
		{true, []uint64{0}, "section.bytes the function's frame is missing"},
		{true, []uint64{64}, "section.bytes the function's frame is missing"},
		{true, []uint64{0, 32}, "section.bytes "},
		{true, []uint64{0, 64, 64}, "section.bytes a second frame of the function"},
		{false, []uint64{0, 64}, "relocation.stray "},
	} {
		id := &link.Identity{Name: "k", Info: byte(cuda.STTFunc), Live: true}
		inner := &link.Identity{Name: "$k$f", Info: byte(cuda.STTFunc), Def: &image.Symbol{Value: 64}}
		id.Code = &link.Body{Owner: id, Names: []*link.Identity{id}}
		if x.inside {
			id.Code.Names = append(id.Code.Names, inner)
		}
		id.Code.Area = &link.Area{Size: 128, Out: &image.Section{Body: make([]byte, 128)}, Owner: id.Code, Words: &sass.WordMap{Identity: true}}
		rest := strings.Repeat("\x00", 8) + "\x40" + strings.Repeat("\x00", 7)
		text, records := "", []image.Record(nil)
		for _, begin := range x.begins {
			cie := len(text)
			text += "\x0c\x00\x00\x00\xff\xff\xff\xff\x03xxxxxxx" + "\x14\x00\x00\x00" + string([]byte{byte(cie), 0, 0, 0})
			records = append(records, image.Record{Offset: uint64(len(text)), Kind: cuda.R_CUDA_64, Symbol: 1, Rela: true, Addend: int64(begin)})
			text += rest
		}
		section := &image.Section{Index: 1, Name: ".debug_frame", Body: []byte(text), Size: uint64(len(text))}
		l := &link.Link{Release: 130, Budget: image.NewBudget(1 << 16), IDs: []*link.Identity{id}, Out: &link.Output{Image: &image.Image{Symbols: []image.Symbol{{}, {}}}, Refs: []link.Ref{{}, {ID: id}}}}
		l.Out.Lists = []link.Relocs{{Section: &image.Section{Kind: cuda.SHTRela}, Target: 1, List: records}}
		c := &check{apply.New(l)}
		of := []frame{{id: id, cie: cie{text: "\x03xxxxxxx"}, fde: rest}, {id: id, cie: cie{text: "\x03xxxxxxx"}, fde: rest, begin: 64}}
		if err := c.compareFrameLists(&link.Area{Name: ".debug_frame", Out: section}, map[*link.Identity][]frame{id: of}, map[*link.Identity][]frame{id: of}); err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(c.Verdict.Findings) > 0 {
			got = c.Verdict.Findings[0].Kind.String() + " " + c.Verdict.Findings[0].Detail
		}
		if got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}
