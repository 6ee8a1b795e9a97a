package capsules

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// lengths are the bytes of a record or a note by its first.
var lengths = map[byte]int{0x01: 16, 0x02: 32, 0x41: 4, 0x42: 4, 0x31: 16, 0x32: 32}

// capsuleOf is a capsule of section 1 with nodes as "p" for PLAIN, "s3" for SKIP of three words, and records and notes by
// their first bytes, zeros after; "3:41" is a record that represents three words.
func capsuleOf(t *testing.T, nodes string, first bool) []byte {
	t.Helper()
	list := strings.Fields(nodes)
	bits := make([]byte, (len(list)+31)/32*4)
	var records []byte
	spanned := func(tag, span string) {
		n, err := strconv.Atoi(span)
		if err != nil {
			t.Fatal(nodes, err)
		}
		base, _ := strconv.ParseUint(tag, 16, 8)
		records = binary.LittleEndian.AppendUint16(records, uint16(base)|uint16(n)<<7)
	}
	for i, node := range list {
		switch {
		case node == "p":
			bits[i/8] |= 1 << (i % 8)
			continue
		case node[0] == 's':
			spanned("50", node[1:])
			continue
		}
		span, text, several := strings.Cut(node, ":")
		if !several {
			text = span
		} else {
			spanned("51", span)
		}
		raw, err := hex.DecodeString(text)
		if err != nil || len(raw) == 0 {
			t.Fatal(nodes, err)
		}
		records = append(records, append(raw, make([]byte, max(0, lengths[raw[0]]-len(raw)))...)...)
	}
	head := binary.LittleEndian.AppendUint32(nil, 1)
	if first {
		head = binary.LittleEndian.AppendUint32(head, 0x40000000+uint32(len(list)))
	} else {
		head = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(head, 0xc0000001), uint32(len(list)))
	}
	return append(append(head, bits...), records...)
}

// words of SASS by a letter: the lower half and the upper.
var words = map[rune][2]uint64{
	'm': {0x7802, 0}, // MOV
	'n': {0x7918, 0}, // NOP
	'd': {0x7b82, 0}, // LDC
	'e': {0x794d, 0x03800000},
	'x': {0x094d, 0x03800000}, // @P0 EXIT
	'c': {0x7943, 0x03800000}, // CALL
	'l': {0xfffffffc00fc7947, 0x0383ffff},
	'b': {0xfffffffc00f87947, 0x0383ffff}, // to the word before
	'a': {0x0305047235, 0x078e0006},       // IADD
}

func sassOf(letters string) (code []byte) {
	for _, l := range letters {
		code = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(code, words[l][0]), words[l][1])
	}
	return code
}

// capsuled is a check of the Mercury side, where the function f has one capsule in the input and one in the output.
func capsuled(t *testing.T, in, out, sassIn, sassOut string, first bool, moved *sass.WordMap) (*check, *link.Area) {
	t.Helper()
	sections := func(code, capsule []byte) []image.Section {
		return []image.Section{{}, {Index: 1, Name: ".text.f", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFExec, Body: code, Info: 5 | 9<<24},
			{Index: 2, Name: ".text.f", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFExec, Body: capsule, Info: 5 | 8<<24}}
	}
	image2 := func(name string, list []image.Section) *image.Image {
		return &image.Image{Name: name, Side: image.MercurySide, Sections: list, All: list, Symbols: make([]image.Symbol, 8)}
	}
	l := link.New(1<<16, verdict.Options{})
	l.Side, l.Release, l.SM = image.MercurySide, 130, 100
	l.Out = &link.Output{Image: image2("out", sections(sassOf(sassOut), capsuleOf(t, out, false)))}
	m := &link.Module{Image: image2("in", sections(sassOf(sassIn), capsuleOf(t, in, first)))}
	m.Symbols[5].Name = "v"
	b := &link.Body{Mod: m, Section: &m.Sections[2], Owner: &link.Identity{Name: "f"}, Live: true}
	a := &link.Area{Name: ".text.f", Owner: b, Want: append([]byte(nil), b.Section.Body...), Out: &l.Out.Sections[2], Parts: []*link.Part{{Mod: m, Section: b.Section}}}
	b.Area, l.Areas = a, []*link.Area{a}
	if moved != nil {
		other := &link.Module{Image: m.Image, Bodies: map[int]*link.Body{1: {Section: &m.Sections[1], Area: &link.Area{Words: moved}}}}
		l.Sass = &link.Link{Modules: []*link.Module{other}}
	}
	return &check{Applied: apply.New(l)}, a
}
