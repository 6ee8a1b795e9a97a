package mercury

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/cuda"
)

// What the words of PLAIN and tag-only nodes look like in genuine files; see
// docs/mercury.md. No record stands beside such a word, so it can't be made
// again; but an opcode keeps to the bits that it has.
//
//go:embed seen.tsv
var seenText string

// Likeness says how a word compares with those that genuine files hold in
// such a place.
type Likeness uint8

const (
	Alike    Likeness = iota // each bit that never varies has the value it always had
	Unlike                   // one of them has another
	NeverMet                 // no genuine file had such an opcode, or tag, there
	OtherOp                  // the tag was met with another opcode only
)

// look is the words of an opcode, or of a tag and an opcode.
type look struct {
	chips uint8 // bit 0: sm_100 to sm_110, bit 1: sm_120 and up
	care  Word  // the bits that never vary
	value Word
}

type seenKey struct {
	tag uint32
	op  uint16
}

type seenTable struct {
	looks map[seenKey]look
	tags  map[uint32]bool
	regs  [4096]uint8 // bit i: field i of RegisterFields holds a register
}

// RegisterFields is the first bits of the fields of eight bits that may hold
// registers; all ones is RZ.
var RegisterFields = [...]uint{16, 24, 32, 64}

var seen = sync.OnceValue(func() *seenTable {
	t, err := parseSeen(seenText)
	if err != nil {
		panic("mercury: seen.tsv in this program: " + err.Error())
	}
	return t
})

// LikePlain compares the word of a PLAIN node with those of genuine files.
func LikePlain(sm cuda.SM, w Word) Likeness { return seen().like(sm, 0, w) }

// LikeTag compares the word of a tag-only node with those of genuine files.
func LikeTag(sm cuda.SM, tag uint32, w Word) Likeness {
	return seen().like(sm, tag&^0x80000000, w)
}

// Registers reports which of RegisterFields hold registers in words of an
// opcode, as bits.
func Registers(opcode uint16) uint8 { return seen().regs[opcode&0xfff] }

func (t *seenTable) like(sm cuda.SM, tag uint32, w Word) Likeness {
	l, ok := t.looks[seenKey{tag, uint16(w.opcode())}]
	switch {
	case !ok && tag != 0 && t.tags[tag]:
		return OtherOp
	case !ok || l.chips&chip(sm) == 0:
		return NeverMet
	case w.under(l.care) != l.value:
		return Unlike
	}
	return Alike
}

func chip(sm cuda.SM) uint8 {
	if sm >= 120 {
		return 2
	}
	return 1
}

// enough is the number of words from which on registers and immediates that
// never varied are taken to be no such thing.
const enough = 500

func parseSeen(text string) (*seenTable, error) {
	t := &seenTable{looks: map[seenKey]look{}, tags: map[uint32]bool{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if err := t.line(strings.Split(line, "\t")); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return t, nil
}

func (t *seenTable) line(f []string) error {
	want := map[string]int{"plain": 6, "tag": 7, "regs": 3}[f[0]]
	if want == 0 || len(f) != want {
		return fmt.Errorf("%q with %d fields", f[0], len(f))
	}
	var k seenKey
	if f[0] == "tag" {
		tag, err := strconv.ParseUint(f[1], 16, 32)
		if err != nil {
			return err
		}
		k.tag = uint32(tag)
		f = f[1:]
	}
	op, err := strconv.ParseUint(f[1], 16, 12)
	if err != nil {
		return err
	}
	k.op = uint16(op)
	if f[0] == "regs" {
		return t.fields(k.op, f[2])
	}
	var l look
	for s := range strings.SplitSeq(f[2], ",") {
		sm, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return err
		}
		l.chips |= chip(cuda.SM(sm))
	}
	count, err := strconv.Atoi(f[3])
	if err != nil {
		return err
	}
	zero, err := parseWord(f[4])
	if err != nil {
		return err
	}
	one, err := parseWord(f[5])
	if err != nil {
		return err
	}
	l.care = freed(Word{zero.Lo | one.Lo, zero.Hi | one.Hi}, count)
	l.value = one.under(l.care)
	t.looks[k] = l
	t.tags[k.tag] = true
	return nil
}

// freed returns the bits of care that don't belong to the guard, or to a field
// that varies or may vary.
func freed(care Word, count int) Word {
	const guard = 0xf000
	care.Lo &^= guard
	free := func(at, width uint) {
		mask := uint64(1<<width-1) << (at & 63)
		part := &care.Lo
		if at >= 64 {
			part = &care.Hi
		}
		if count < enough || *part&mask != mask {
			*part &^= mask
		}
	}
	for _, at := range [...]uint{16, 24, 64} {
		free(at, 8)
	}
	free(32, 32)
	return care
}

func (t *seenTable) fields(op uint16, list string) error {
	for s := range strings.SplitSeq(list, ",") {
		at, err := strconv.ParseUint(s, 10, 8)
		if err != nil {
			return err
		}
		for i, first := range RegisterFields {
			if uint(at) == first {
				t.regs[op] |= 1 << i
			}
		}
	}
	return nil
}

func parseWord(s string) (w Word, err error) {
	hi, lo, _ := strings.Cut(s, ".")
	if w.Hi, err = strconv.ParseUint(hi, 16, 64); err != nil {
		return w, err
	}
	w.Lo, err = strconv.ParseUint(lo, 16, 64)
	return w, err
}
