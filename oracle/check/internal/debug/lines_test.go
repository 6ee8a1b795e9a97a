package debug

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// headerOf is the header of a unit of lines as ptxas 13.0 writes it, with a name of a file.
func headerOf(file string) string {
	return "\x02\x00\x20\x00\x00\x00" + "\x01\x01\xfd\x0a\x0a" + "\x00\x01\x01\x01\x01\x00\x00\x00\x01" + "\x00" + file + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
}

// linesOf is a line table of units "a f:1 g:2", each a header and the lines of functions; named are the functions that are at
// places. "f:1" are lines that begin in the first line, of which a row follows the second word.
func linesOf(text string) (body []byte, named map[uint64]string) {
	named = map[uint64]string{}
	for unit := range strings.SplitSeq(text, ";") {
		words := strings.Fields(unit)
		if len(words) == 0 {
			continue
		}
		start := len(body)
		body = append(append(body, 0, 0, 0, 0), headerOf(words[0])...)
		for _, word := range words[1:] {
			name, line, _ := strings.Cut(word, ":")
			body = append(body, "\x00\x09\x02"...)
			named[uint64(len(body))] = name
			body = append(append(body, make([]byte, 8)...), sequence(line)...)
		}
		binary.LittleEndian.PutUint32(body[start:], uint32(len(body)-start-4))
	}
	return body, named
}

// sequence is a line from the function's begin on, and the next from the second word on, or with "'" from the third; with "+" in other words.
func sequence(line string) string {
	at := byte(16)
	if strings.HasSuffix(line, "'") {
		at = 32
	}
	first := ""
	if strings.HasSuffix(line, "+") {
		first = "\x05\x00" // which sets the column to what it is
	}
	return first + "\x03" + string(line[0]-'0') + "\x01" + "\x02" + string(at) + "\x03\x01\x01" + "\x02\x10\x00\x01\x01"
}

// lined is a link of two inputs with line tables, of which the first has f and g, the second h, and an output with some.
func lined(in []string, out string) (*check, *link.Area, map[string]*link.Identity) {
	c := &check{apply.New(link.New(1<<10, verdict.Options{Strict: true}))}
	ids := map[string]*link.Identity{}
	number := map[string]uint32{}
	refs := []link.Ref{{}}
	for i, name := range []string{"f", "g", "h"} {
		id := &link.Identity{Name: name, Order: i, Live: true}
		id.Code = &link.Body{Owner: id, Names: []*link.Identity{id}, Area: &link.Area{Size: 128, Out: &image.Section{Body: make([]byte, 144)}}}
		ids[name], number[name], refs, c.IDs = id, uint32(i+1), append(refs, link.Ref{ID: id}), append(c.IDs, id)
	}
	records := func(named map[uint64]string) []link.Relocs {
		l := link.Relocs{Section: &image.Section{}, Target: 1}
		for at, name := range named {
			l.List = append(l.List, image.Record{Offset: at, Kind: cuda.R_CUDA_64, Symbol: number[name]})
		}
		return []link.Relocs{l}
	}
	a := &link.Area{Name: ".debug_line"}
	for i, text := range in {
		body, named := linesOf(text)
		m := &link.Module{Image: &image.Image{Name: fmt.Sprint(i), Sections: []image.Section{{}, {Index: 1, Name: ".debug_line", Body: body, Size: uint64(len(body))}}}, Refs: refs, Relocs: records(named), RelocsOf: map[int][]int{1: {0}}}
		for _, name := range named {
			ids[name].Mod = m
		}
		c.Modules = append(c.Modules, m)
		a.Parts = append(a.Parts, &link.Part{Mod: m, Section: &m.Sections[1]})
	}
	body, named := linesOf(out)
	c.Out = &link.Output{Image: &image.Image{Side: image.SassSide}, Refs: refs, Lists: records(named)}
	a.Out = &image.Section{Index: 1, Body: body, Size: uint64(len(body))}
	c.ByKey[link.AreaKey{Base: ".debug_line"}] = a
	return c, a, ids
}

// TestLines holds the lines of an output against those of two inputs.
func TestLines(t *testing.T) {
	none := func(*check, *link.Area, map[string]*link.Identity) {}
	right := []string{"a f:1 g:2", "b h:3"}
	const missing = "the function's lines are missing"
	several := func(name string) func(*check, *link.Area, map[string]*link.Identity) {
		return func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids[name].Several = true }
	}
	for i, x := range []struct {
		in     []string
		out    string
		change func(c *check, a *link.Area, ids map[string]*link.Identity)
		want   string
	}{
		{right, "a f:1 g:2; b h:3", none, ""},
		{right, "a g:2 f:1; b h:3", none, ""},
		{right, "b h:3; a f:1 g:2", none, ""},
		{right, "a f:1; b h:3", none, "g " + missing},
		{right, "a f:1 g:2", none, " 1 line units, the inputs have 2"},
		{right, "a f:1 g:2; b h:3; b h:3", none, " 3 line units, the inputs have 2"},
		{right, "a f:4 g:2; b h:3", none, "f lines that are not the input's; f " + missing},
		{right, "a f:1 g:2 g:2; b h:3", none, "g lines that are not the input's"},
		{right, "a f:1 g:2 h:3; b", none, "unit 1 is not in any input; h lines that are not the input's; h " + missing},
		{right, "a f:1 g:2; c h:3", none, " a line unit whose header is not in any input"},
		{[]string{"a f:1", "a g:2"}, "a f:1 g:2; a", none, "unit 1 is not in any input; g lines that are not the input's; g " + missing},
		{[]string{"a f:1", "a g:2", "b h:3"}, "a f:1; b h:3; b g:2", none, "unit 2 is not in any input"},
		{[]string{"a f:1", "a g:2", "b h:3"}, "a f:1; b h:3; b g:4", none, "unit 2 is not in any input; g " + missing},
		{[]string{"a f:1", "a g:2", "b h:3"}, "a f:1; b h:3; b", none, "unit 2 is not in any input; g " + missing},

		// Functions that are gone, and those with several definitions.
		{right, "a f:1; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids["g"].Live = false }, ""},
		{right, "a f:1 g:2; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids["g"].Live = false }, "g lines that are not the input's"},
		{right, "a f:1 g:4; b h:3", several("g"), ""},
		{right, "a f:1; b h:3", several("g"), ""},
		{right, "a f:1; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) {
			ids["g"].Several, ids["g"].Code = true, nil
		}, "g " + missing},
		{right, "a f:1; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids["g"].Code = nil }, "g " + missing},
		{right, "a f:1 g:4; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids["g"].Code = nil }, ""},
		{[]string{"a f:1", "a g:2", "b h:3"}, "a f:1; b h:3; b", several("g"), "unit 2 is not in any input"},
		{[]string{"a f:1", "a g:2", "b h:3"}, "a f:1; b h:3; b", func(_ *check, _ *link.Area, ids map[string]*link.Identity) {
			ids["g"].Several, ids["g"].Code = true, nil
		}, "unit 2 is not in any input; g " + missing},

		{right, "a f:1+ g:2; b h:3", none, "f lines that are not the input's; f " + missing},
		{right, "a f:1+ g:2; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) {
			ids["f"].Code.Area.Words, ids["f"].Code.Area.Size = &sass.WordMap{To: []int32{0, 1, 2}, From: []int32{0, 1, 2, -1}}, 48
			ids["f"].Code.Area.Out.Body = make([]byte, 32)
		}, ""},
		{right, "a f:1 g:2; b h:3", func(c *check, a *link.Area, _ map[string]*link.Identity) {
			other := *a
			other.Out = &image.Section{Index: 1, Body: a.Out.Body[:40]}
			c.ByKey[link.AreaKey{Base: ".nv_debug_line_sass"}] = &other
		}, " 0 line units, the inputs have 2"},

		// Words that moved: one was inserted before the second.
		{right, "a f:1' g:2; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids["f"].Code.Area.Words = oneMore }, "f lines that are not the input's; f " + missing},
		{right, "a f:1 g:2; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids["f"].Code.Area.Words = oneLater }, "f lines that are not the input's; f " + missing},
		{right, "a f:1' g:2; b h:3", func(_ *check, _ *link.Area, ids map[string]*link.Identity) { ids["f"].Code.Area.Words = oneLater }, ""},

		// Tables that don't read.
		{right, "a f:1 g:2; b h:3", func(_ *check, a *link.Area, _ map[string]*link.Identity) { a.Out.Body = a.Out.Body[:40] }, " 0 line units, the inputs have 2"},
		{right, "a f:4 g:2; b h:3", func(_ *check, a *link.Area, _ map[string]*link.Identity) {
			a.Parts[0].Section.Body = a.Parts[0].Section.Body[:40]
		}, ""},

		// Where nothing writes them again they are compared as bytes.
		{right, "a f:4 g:2; b h:3", func(c *check, _ *link.Area, _ map[string]*link.Identity) { c.Out.Side = image.MercurySide }, ""},
		{right, "a f:4 g:2; b h:3", func(_ *check, a *link.Area, _ map[string]*link.Identity) { a.Out = nil }, ""},
		{right, "a f:4 g:2; b h:3", func(c *check, _ *link.Area, _ map[string]*link.Identity) { c.ByKey = nil }, ""},
		{right, "a f:4 g:2; b h:3", func(c *check, a *link.Area, _ map[string]*link.Identity) {
			c.ByKey = map[link.AreaKey]*link.Area{{Base: ".nv_debug_line_sass"}: a}
		}, "f lines that are not the input's; f " + missing},
	} {
		c, a, ids := lined(x.in, x.out)
		x.change(c, a, ids)
		if err := c.compareLines(); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range c.Verdict.Findings {
			if text := strings.TrimPrefix(f.Symbol+" "+f.Detail, " unit"); text != f.Symbol+" "+f.Detail {
				list = append(list, "unit"+text)
			} else {
				list = append(list, text)
			}
		}
		if got := strings.Join(list, "; "); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// oneMore has a word before the second that was inserted, oneLater one before the first.
var (
	oneMore  = &sass.WordMap{To: []int32{0, 2, 3, 4, 5, 6, 7, 8}, From: []int32{0, -1, 1, 2, 3, 4, 5, 6, 7}}
	oneLater = &sass.WordMap{To: []int32{1, 2, 3, 4, 5, 6, 7, 8}, From: []int32{-1, 0, 1, 2, 3, 4, 5, 6, 7}}
)

// TestMovedLines: rows of code whose words moved are at the same words, and say the same.
func TestMovedLines(t *testing.T) {
	p, ok := programOf(&apply.LineUnit{Header: headerOf("a")})
	if !ok {
		t.Fatal("the header")
	}
	code := &link.Area{Size: 48, Out: &image.Section{Body: make([]byte, 64)}, Words: &sass.WordMap{To: []int32{0, 1, 3}, From: []int32{0, 1, -1, 2}}}
	// Rows at 0, 32 and at the end, 48 of the input and 64 of the output.
	rows := func(line, second, end byte) string {
		return "\x03" + string(line) + "\x01\x02" + string(second) + "\x01\x02" + string(end) + "\x00\x01\x01"
	}
	for i, x := range []struct {
		want, got string
		same      bool
	}{
		{rows(1, 32, 16), rows(1, 32, 32), true},
		{rows(1, 32, 16), rows(1, 48, 16), false}, // before what was put in
		{rows(1, 32, 16), rows(1, 32, 16), false},
		{rows(1, 32, 16), rows(2, 32, 32), false},
		{rows(1, 16, 32), rows(1, 16, 48), true},
		{rows(1, 16, 32), rows(1, 16, 48) + "\x01", false},
		{rows(1, 32, 16) + "\x00", rows(1, 32, 32), false},
		{rows(1, 32, 16), rows(1, 32, 32) + "\x00", false},
		{"", "", true},
		{"\x00", "\x00", false}, // which don't read
	} {
		if got := sameRowsOfLines(code, &p, x.want, x.got); got != x.same {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestLineNumbers reads numbers of seven bits a byte, with and without a sign.
func TestLineNumbers(t *testing.T) {
	for i, x := range []struct {
		text     string
		unsigned uint64
		signed   int64
		ok       bool
	}{
		{"\x00", 0, 0, true}, {"\x3f", 63, 63, true}, {"\x40", 64, -64, true}, {"\x7f", 127, -1, true}, {"\x80\x01", 128, 128, true}, {"\xff\x00", 127, 127, true},
		{"\x80\x7f", 127 << 7, -128, true}, {"\x80", 0, 0, false}, {"", 0, 0, false},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1 << 63, -1 << 63, true},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 1<<63 - 1, -1, true},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x05", 1<<64 - 1, -1, true}, // and no more
	} {
		u, s := &lineReader{text: x.text, ok: true}, &lineReader{text: x.text, ok: true}
		if got := u.number(); u.ok != x.ok || x.ok && got != x.unsigned {
			t.Errorf("%d: %d %v", i, got, u.ok)
		}
		if got := int64(s.signed()); s.ok != x.ok || x.ok && got != x.signed {
			t.Errorf("%d: %d %v", i, got, s.ok)
		}
	}
}

// TestLineOperations runs programs of one operation or two.
func TestLineOperations(t *testing.T) {
	p := lineProgram{unit: 4, base: ^uint64(2), span: 10, first: 14, statement: true, operands: "\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x02\x01\x01"}
	at := func(n uint64, change func(s *lineState)) []lineRow {
		s := lineState{file: 1, line: 1, statement: true}
		change(&s)
		return []lineRow{{n, s}}
	}
	none := func(*lineState) {}
	for i, x := range []struct {
		text string
		want []lineRow
		ok   bool
	}{
		{"", nil, true},
		{"\x01", at(0, none), true},
		{"\x02\x03\x01", at(12, none), true},
		{"\x03\x7f\x01", at(0, func(s *lineState) { s.line = 0 }), true},
		{"\x04\x05\x01", at(0, func(s *lineState) { s.file = 5 }), true},
		{"\x05\x05\x01", at(0, func(s *lineState) { s.column = 5 }), true},
		{"\x06\x01", at(0, func(s *lineState) { s.statement = false }), true},
		{"\x06\x06\x01", at(0, none), true},
		{"\x07\x01", at(0, func(s *lineState) { s.block = true }), true},
		{"\x08\x01", at(24*4, none), true},
		{"\x09\x01\x02\x01", at(0x201, none), true},
		{"\x0a\x01", at(0, none), true},             // without operands
		{"\x0b\x81\x01\x02\x01", at(0, none), true}, // with two
		{"\x0e", at(0, func(s *lineState) { s.line = ^uint64(1) }), true},
		{"\x1b", at(4, func(s *lineState) { s.line = 1 }), true},
		{"\x00\x03\x90\x05\x06\x01", at(0, func(s *lineState) { s.context, s.name = 5, 6 }), true},
		{"\x00\x02\x91\x06\x01", at(0, func(s *lineState) { s.name = 6 }), true},
		{"\x00\x01\x01", at(0, func(s *lineState) { s.end = true }), true},
		{"\x04\x05\x00\x01\x01\x01", append(at(0, func(s *lineState) { s.file, s.end = 5, true }), at(0, none)...), true},
		{"\x00\x00", nil, false}, {"\x00\x02\x01", nil, false}, {"\x00", nil, false}, {"\x00\x01\x02", nil, false}, {"\x00\x02\x90\x05", nil, false}, {"\x00\x02\x91\x86", nil, false},
		{"\x02", nil, false}, {"\x09\x01", nil, false}, {"\x0b\x01", nil, false},
	} {
		got, ok := p.rows(x.text)
		if ok != x.ok || ok && fmt.Sprint(got) != fmt.Sprint(x.want) {
			t.Errorf("%d: %+v %v", i, got, ok)
		}
	}
	// The numbers of a header.
	header := "\x02\x00\x20\x00\x00\x00" + "\x04\x01\xfd\x0a\x0a" + "\x00\x01\x01\x01\x01\x00\x00\x00\x01"
	if p, _ := programOf(&apply.LineUnit{Header: header}); fmt.Sprintf("%+v", p) != fmt.Sprintf("%+v", lineProgram{4, ^uint64(2), 10, 10, true, header[11:]}) {
		t.Errorf("%+v", p)
	}
	if p, _ := programOf(&apply.LineUnit{Header: header[:7] + "\x00" + header[8:]}); p.statement {
		t.Error("no statement")
	}
	if _, ok := programOf(&apply.LineUnit{Header: header[:10] + "\x01"}); !ok {
		t.Error("no opcode of its own")
	}
}
