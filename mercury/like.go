package mercury

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/cuda"
)

// What the words of PLAIN and tag-only nodes look like in genuine files; see
// docs/mercury.md. No record is beside such a word, so it can't be made
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

// String returns the likeness in a word or two.
func (l Likeness) String() string {
	return [...]string{"alike", "unlike", "never met", "other opcode"}[l]
}

// look is the words of an opcode, or of a tag and an opcode.
type look struct {
	chips uint8   // bit 0: sm_100 to sm_110, bit 1: sm_120 and up
	care  [2]Word // by such a bit, the bits that don't vary
	value Word
}

type seenTable struct {
	at    [4096]uint16 // by opcode: its place in plain
	plain []look       // the first is of no opcode
	tags  map[uint32][]tagLook
	regs  [4096]uint8 // bit i: field i of RegisterFields holds a register
}

// tagLook is the words of one opcode that a tag stands for.
type tagLook struct {
	op uint16
	look
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
func LikePlain(sm cuda.SM, w Word) Likeness { return seen().plainOf(w.opcode()).like(sm, w) }

// Plain returns the bits that have one value in all words of an opcode that are known
// in PLAIN nodes, and that value; false where no such word is known.
func Plain(sm cuda.SM, opcode uint16) (care, value Word, ok bool) {
	l := seen().look(sm, 0, opcode)
	if l == nil {
		return care, value, false
	}
	return l.care[chip(sm)], l.value, true
}

// LikeTag compares the word of a tag-only node with those of genuine files.
func LikeTag(sm cuda.SM, tag uint32, w Word) Likeness {
	return likeTag(seen().tags[tag&^0x80000000], sm, w)
}

// Care returns the bits that have one value in all words of an opcode that are known
// in PLAIN nodes, or in those of a tag; false where no such word is known.
func Care(sm cuda.SM, tag uint32, opcode uint16) (care Word, ok bool) {
	l := seen().look(sm, tag, opcode)
	if l == nil {
		return care, false
	}
	return l.care[chip(sm)], true
}

// plainOf returns the words of PLAIN nodes of an opcode.
func (t *seenTable) plainOf(opcode uint64) *look { return &t.plain[t.at[opcode&0xfff]] }

func (t *seenTable) look(sm cuda.SM, tag uint32, opcode uint16) *look {
	if tag == 0 {
		if l := t.plainOf(uint64(opcode)); l.chips>>chip(sm)&1 != 0 {
			return l
		}
		return nil
	}
	for i := range t.tags[tag] {
		if l := &t.tags[tag][i]; l.op == opcode && l.chips>>chip(sm)&1 != 0 {
			return &l.look
		}
	}
	return nil
}

// asked takes over which bits nvlink was seen to take with another value: "plain OPCODE"
// or "tag TAG OPCODE", the SM that represents its like, and the bits.
func (t *seenTable) asked(p *parser, f []string) {
	var tag uint64
	if f[0] == "tag" && len(f) > 1 {
		tag, f = p.number(f[1], 16, 32), f[1:]
	}
	if len(f) != 4 {
		p.fail("free with %d fields", len(f))
		return
	}
	op, sm, free := p.number(f[1], 16, 12), cuda.SM(p.number(f[2], 10, 16)), p.word(f[3])
	l := t.look(sm, uint32(tag), uint16(op))
	if l == nil {
		p.fail("free before its opcode")
		return
	}
	care := &l.care[chip(sm)]
	care.Lo &^= free.Lo
	care.Hi &^= free.Hi
}

// Registers reports which of RegisterFields hold registers in words of an
// opcode, as bits.
func Registers(opcode uint16) uint8 { return seen().regs[opcode&0xfff] }

func (l *look) like(sm cuda.SM, w Word) Likeness {
	k := chip(sm)
	switch {
	case l.chips>>k&1 == 0:
		return NeverMet
	case (w.Lo^l.value.Lo)&l.care[k].Lo != 0 || (w.Hi^l.value.Hi)&l.care[k].Hi != 0:
		return Unlike
	}
	return Alike
}

func likeTag(looks []tagLook, sm cuda.SM, w Word) Likeness {
	if len(looks) == 0 {
		return NeverMet
	}
	like := OtherOp
	for i := range looks {
		if uint64(looks[i].op) != w.opcode() {
			continue
		}
		if like = looks[i].like(sm, w); like != NeverMet {
			break
		}
	}
	return like
}

// chip is 0 for sm_100 to sm_110, 1 for sm_120 and up.
func chip(sm cuda.SM) uint8 {
	if sm >= 120 {
		return 1
	}
	return 0
}

// enough is the number of words from which on registers and immediates that
// never varied are taken to be no such thing.
const enough = 500

func parseSeen(text string) (*seenTable, error) {
	t, p, n := &seenTable{plain: make([]look, 1, 256), tags: make(map[uint32][]tagLook, 512)}, parser{}, 0
	for line := range strings.Lines(text) {
		n++
		if f := p.split(line); f != nil {
			if t.line(&p, f); p.err != nil {
				return nil, fmt.Errorf("line %d: %w", n, p.err)
			}
		}
	}
	return t, nil
}

func (t *seenTable) line(p *parser, f []string) {
	kind, tag := f[0], uint64(0)
	switch {
	case kind == "free" && len(f) > 1:
		t.asked(p, f[1:])
		return
	case kind == "tag" && len(f) == 7:
		tag, f = p.number(f[1], 16, 32), f[1:]
	case kind == "regs" && len(f) == 3:
		t.fields(p, f)
		return
	case kind != "plain" || len(f) != 6:
		p.fail("%q with %d fields", kind, len(f))
		return
	}
	op := uint16(p.number(f[1], 16, 12))
	var l look
	for s := range strings.SplitSeq(f[2], ",") {
		l.chips |= 1 << chip(cuda.SM(p.number(s, 10, 16)))
	}
	zero, one := p.word(f[4]), p.word(f[5])
	care := freed(Word{zero.Lo | one.Lo, zero.Hi | one.Hi}, p.number(f[3], 10, 63))
	l.care, l.value = [...]Word{care, care}, one
	if kind == "plain" {
		t.at[op] = uint16(len(t.plain))
		t.plain = append(t.plain, l)
	} else {
		t.tags[uint32(tag)] = append(t.tags[uint32(tag)], tagLook{op, l})
	}
}

// freed returns the bits of care that don't belong to the guard, or to a field
// that varies or may vary.
func freed(care Word, count uint64) Word {
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

func (t *seenTable) fields(p *parser, f []string) {
	op := p.number(f[1], 16, 12)
	for s := range strings.SplitSeq(f[2], ",") {
		at := uint(p.number(s, 10, 8))
		for i, first := range RegisterFields {
			if at == first {
				t.regs[op] |= 1 << i
			}
		}
	}
}

// word reads the upper half of a word, a dot and the lower half.
func (p *parser) word(s string) Word {
	hi, lo, _ := strings.Cut(s, ".")
	return Word{p.number(lo, 16, 64), p.number(hi, 16, 64)}
}
