package probe

import (
	"bytes"
	"context"
	"encoding/binary"
)

// Markers are MOV R, imm32: PLAIN instructions that tell the answers apart.
const (
	freeMarker = 0 // the register of those where all registers are free
	busyMarker = 8 // and where the first eight are read later
)

func marker(i int) Node { return markerIn(freeMarker, i) }

func markerIn(register byte, i int) Node {
	w := []byte{0x02, 0x78, register, 0, 0, 0, 0, 0, 0, 0x0f, 0, 0, 0, 0xe2, 0x0f, 0}
	binary.LittleEndian.PutUint32(w[4:], markerValue(i))
	return Node{Words: w}
}

func markerValue(i int) uint32 { return 0x5a000000 | uint32(i) }

func isMarker(words []byte, i int) bool {
	return bytes.HasPrefix(words, []byte{0x02, 0x78}) && (words[2] == freeMarker || words[2] == busyMarker) && words[3] == 0 &&
		binary.LittleEndian.Uint32(words[4:]) == markerValue(i) && words[8] == 0 && words[9] == 0x0f
}

// between puts a marker in front of each node and behind the last. In a busy kernel words behind
// them read the first registers, uniform registers and predicates, and nvlink takes others for
// what an instruction needs besides its own.
func between(nodes []Node, busy bool) []Node {
	register := byte(freeMarker)
	if busy {
		register = busyMarker
	}
	all := append(make([]Node, 0, 2*len(nodes)+2*busyMarker+1), markerIn(register, 0))
	for i, n := range nodes {
		all = append(all, n, markerIn(register, i+1))
	}
	if !busy {
		return all
	}
	for i := range byte(busyMarker) {
		const into = busyMarker + 1
		guard := i % 6 << 4
		all = append(all,
			Node{Words: []byte{0x24, 0x02 | guard, into, 0xff, 0xff, 0, 0, 0, i, 0, 0x8e, 7, 0, 0xe2, 0x0f, 0}},    // @P IMAD.MOV.U32 R9, RZ, RZ, R
			Node{Words: []byte{0x24, 0x0e | guard, into, 0xff, i, 0, 0, 0, 0xff, 0, 0x8e, 0x0f, 0, 0xe2, 0x0f, 0}}) // @P IMAD.U32 R9, RZ, RZ, UR
	}
	return all
}

// again asks nodes once more in a busy kernel, but for those of one word, which has no register to
// hand to another. It keeps the words where as many come and some differ.
func (o *Oracle) again(ctx context.Context, nodes []Node, answers []Answer) error {
	var some []Node
	var of []*Answer
	for i := range answers {
		if len(answers[i].Words) > 16 {
			some, of = append(some, nodes[i]), append(of, &answers[i])
		}
	}
	o.busy = true
	defer func() { o.busy = false }()
	other, err := o.ask(ctx, some)
	for i := range other {
		of[i].compare(other[i])
	}
	return err
}

// compare keeps the other answer's words where as many are there and some differ.
func (a *Answer) compare(b Answer) {
	if len(a.Words) != len(b.Words) {
		return
	}
	for at := 0; at+16 <= len(a.Words); at += 16 {
		lo, hi := binary.LittleEndian.Uint64(a.Words[at:]), binary.LittleEndian.Uint64(a.Words[at+8:])
		if lo != binary.LittleEndian.Uint64(b.Words[at:]) || (hi^binary.LittleEndian.Uint64(b.Words[at+8:]))&^schedule != 0 {
			a.Other = b.Words
		}
	}
}

// schedule is the bits of a word's upper half that the finalizer makes.
const schedule = 1<<62 - 1<<41
