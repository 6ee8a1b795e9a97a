package code

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/said"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// words of SASS by name: the lower half and the upper.
var words = map[string][2]uint64{
	"m":  {0x0000000000047802, 0x00000f00}, // MOV R4, 0
	"M":  {0x0000000100047802, 0x00000f00}, // MOV R4, 1
	"v":  {0x0000000400047202, 0x00000f00}, // MOV R4, R4
	"n":  {0x7918, 0},                      // NOP
	"e":  {0x794d, 0x03800000},             // EXIT
	"x":  {0x094d, 0x03800000},             // @P0 EXIT
	"f":  {0x7992, 0x5000},                 // MEMBAR.SC.VC
	"f0": {0x0992, 0x5000},                 // @P0 MEMBAR.SC.VC
	"r":  {0x79ab, 0},                      // ERRBAR
	"L":  {0xfffffffc00fc7802, 0x0003ffff}, // MOV, in which a branch would have the distance of a loop
	"y":  {0x7946, 0x03800000},             // YIELD
	"i":  {0x0000000503047210, 0x0071e0ff}, // IADD3 R4, R3, R5, RZ
	"a":  {0x0000000503047235, 0x00000000},
	"x1": {0x0000000f0e0e7209, 0x07800000}, // FMNMX R14, R14, R15, !PT
	"x2": {0x000000040e0e7209, 0x07800000}, // FMNMX R14, R14, R4, !PT
	"y1": {0x0000000f0e1d7209, 0x07800000}, // FMNMX R29, R14, R15, !PT
	"y2": {0x000000041d0e7209, 0x07800000}, // FMNMX R14, R29, R4, !PT
	"w":  {0x00000000001d7802, 0x00000f00}, // MOV R29, 0
	"w0": {0x00000000001d0802, 0x00000f00}, // @P0 MOV R29, 0
	"u":  {0x0000001d00047202, 0x00000f00}, // MOV R4, R29
	"t":  {0x0000000014007950, 0x03c00000}, // RET.REL.NODEC R20
	"?":  {0x7fff, 0},                      // nobody knows what it does
}

// sassOf is code of words by name; "m/9" has another stall than others, "b+2" and "b-1" are branches by words from the
// next, "d3" a branch by bytes.
func sassOf(text string) (code []byte) {
	for name := range strings.FieldsSeq(text) {
		name, stall, told := strings.Cut(name, "/")
		control := uint64(15 | 1<<4 | 7<<5 | 7<<8)
		if told {
			var n uint64
			fmt.Sscan(stall, &n)
			control = control&^15 | n
		}
		w := words[name]
		if name[0] == 'b' || name[0] == 'd' {
			var n int64
			fmt.Sscan(name[1:], &n)
			if name[0] == 'b' {
				n *= 4
			}
			w = [2]uint64{0x7947 | uint64(n)&0xff<<16 | uint64(n)>>8<<34, 0x03800000 | uint64(n)>>38&(1<<18-1)}
		}
		code = binary.LittleEndian.AppendUint64(code, w[0])
		code = binary.LittleEndian.AppendUint64(code, w[1]|control<<41)
	}
	return code
}

// mapOf is a map of words by where each of the input is in an output of so many.
func mapOf(length int, to ...int32) *sass.WordMap {
	w := &sass.WordMap{To: to, From: make([]int32, length), Identity: length == len(to)}
	for j := range w.From {
		w.From[j] = -1
	}
	for i, j := range to {
		w.Identity = w.Identity && int(j) == i
		if j >= 0 {
			w.From[j] = int32(i)
		}
	}
	return w
}

// coded is a check of the SASS side of a link with the function f.
func coded(t *testing.T, in, out string, moved *sass.WordMap) (*check, *link.Area) {
	t.Helper()
	sections := func(code []byte) []image.Section {
		return []image.Section{{}, {Index: 1, Name: ".text.f", Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFExec, Body: code, Size: uint64(len(code))}}
	}
	l := link.New(1<<16, verdict.Options{})
	l.Release, l.SM = 130, 100
	l.Out = &link.Output{Image: &image.Image{Name: "out", Side: image.SassSide, Sections: sections(sassOf(out))}, Areas: make([]*link.Area, 2), Bodies: make([]*link.Body, 2)}
	m := &link.Module{Image: &image.Image{Name: "in", Side: image.SassSide, Sections: sections(sassOf(in)), Symbols: make([]image.Symbol, 8)}}
	m.Symbols[5].Name = "v"
	id := &link.Identity{Name: "f", Info: byte(cuda.STTFunc)}
	b := &link.Body{Mod: m, Section: &m.Sections[1], Owner: id, Names: []*link.Identity{id}, Live: true}
	id.Code = b
	m.Bodies = map[int]*link.Body{1: b}
	a := &link.Area{Name: ".text.f", Base: ".text.", Owner: b, Kind: cuda.SHTProgbits, Size: b.Section.Size, Want: sassOf(in), Out: &l.Out.Sections[1],
		Parts: []*link.Part{{Mod: m, Section: b.Section, Placed: true}}, Words: moved}
	if moved == nil {
		a.Words, _ = b.MapCode(a.Out.Body)
	}
	b.Area, l.Areas, l.Out.Areas[1], l.IDs = a, []*link.Area{a}, a, []*link.Identity{id}
	return &check{apply.New(l)}, a
}

// told is what a check found, a line each; of what is not judged "?" is before, of a remark "!".
func told(c *check) string { return terms.Replace(shorter.Replace(said.Lines(&c.Verdict))) }

// shorter omits what all findings about the code of f have; terms are those of its findings that are told most.
var (
	shorter = strings.NewReplacer("code.bytes in: .text.f+", "+", " symbol f", "")
	terms   = strings.NewReplacer("! +0x0 (0 instructions rescheduled, soundly)", "sound", " (the section does not contain the input's bytes)", " nowhere",
		" (an instruction that is not the input's)", " another", " (a branch has another target)", " target", " (an instruction that is not in the input)", " added",
		" (an instruction is missing)", " missing", " (bytes that nothing refers to)", " gap", " (omitted or stripped; no running code needs it)", " not needed")
)
