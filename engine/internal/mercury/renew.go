package mercury

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/capsule"
)

// Other compilers keep other nodes than 13.0.88 does, and pad some instructions
// with a NOP that it doesn't. The finalizer writes all nodes its own way, in every
// function. From 13.2 on it pads BSYNC too.
//
// Source: 58 programs of ptxas 12.8.93, a library by 13.0.100, and what nvlink
// 13.0.88 made of them.

// padded are the records of instructions that was beside a NOP: which of the two
// words it is, and the tag that is kept of the record, 0 for none.
var padded = map[uint32]struct {
	nop  uint32
	kept uint32
}{
	0x0109020a: {0, 0},
	0x01476e0a: {1, 0x41476e0a},
	0x0147700a: {1, 0x4147700a},
}

// plainNow are tags that 12.8 kept of what now is PLAIN.
var plainNow = map[uint32]bool{
	0x4108040c: true, 0x4109000a: true, 0x4109040a: true, 0x4112400a: true, 0x4112480a: true, 0x4112940a: true, 0x4112bc0a: true,
	0x42080006: true, 0x42100c26: true, 0x42100e26: true, 0x42101032: true, 0x42101226: true, 0x42223a06: true, 0x42420206: true, 0x42420606: true,
}

// keptNow are the tags that are kept of what 12.8 had PLAIN, by opcode.
var keptNow = map[uint16]uint32{
	0x943: 0x420a020e, // CALL
	0x950: 0x4233000e, // RET
}

// isIMMA reports whether a record is of a product of integer matrices, dense or sparse.
func isIMMA(tag uint32) bool { return tag == 0x025a0826 || tag == 0x025a1026 }

// tagAlone is a bit of tags that are kept without the rest of their record.
const tagAlone = 0x40000000

// keepIMMATags makes the nodes of products of integer matrices tags, as 13.2 and later do
// whatever the word says.
//
// Source: 46 forms of mma.sync and mma.sp of ptxas 13.0 and 13.1, and what nvlink 13.0
// to 13.5 made of them for sm_100, sm_103 and sm_120, with -r and -g too.
func (fn *code) keepIMMATags() {
	kept := false
	for i := range fn.cap.Nodes {
		n := &fn.cap.Nodes[i]
		if n.Kind != capsule.Full || n.Spanned {
			continue
		}
		if tag := fn.cap.Tag(n); isIMMA(tag) {
			fn.keepTag(i, tag|tagAlone)
			kept = true
		}
	}
	if kept {
		fn.record = fn.encode()
	}
}

// halfResult reports whether a conversion (I2F) makes a number of 16 bits.
func halfResult(word []byte) bool { return word[9]&0x0c == 0x0c && word[9]&0xf0 == 0 }

// renew makes the nodes those that are kept today and returns the words that go. Where
// the release pads BSYNC, a NOP before one stays.
func (fn *code) renew(pads bool) (gone []int) {
	old := fn.cap.Version != capsule.Version
	if !old && !slices.ContainsFunc(fn.cap.Wide(), isPair) {
		return nil
	}
	for i := range fn.cap.Nodes {
		n := &fn.cap.Nodes[i]
		if !old && !n.Spanned {
			continue
		}
		p, ok := padded[fn.cap.Tag(n)]
		if !ok || n.Span != 2 || pads && p.kept == 0 {
			if old {
				fn.renewTag(i)
			}
			continue
		}
		gone = append(gone, int(n.SASS/capsule.WordSize+p.nop))
		if p.kept == 0 {
			n.Kind = capsule.Plain
		} else {
			fn.keepTag(i, p.kept)
		}
	}
	if old || len(gone) > 0 {
		fn.record = fn.encode()
	}
	return gone
}

// renewTags is what 12.9 does with code of 12.8: no word goes.
func (fn *code) renewTags() {
	if fn.cap.Version == capsule.Version {
		return
	}
	for i := range fn.cap.Nodes {
		fn.renewTag(i)
	}
	fn.record = fn.encode()
}

// renewTag makes a node of one word the kind that is kept of it since 12.9.
func (fn *code) renewTag(i int) {
	n := &fn.cap.Nodes[i]
	word := fn.sass[n.SASS : n.SASS+capsule.WordSize]
	tag := fn.cap.Tag(n)
	switch {
	case n.Kind == capsule.Plain:
		if kept := keptNow[opcode(word)]; kept != 0 {
			fn.keepTag(i, kept)
		}
	case plainNow[tag] && (tag != 0x4112400a || !halfResult(word)):
		n.Kind = capsule.Plain
	}
}

// isPair reports whether a node has a record for two words, as padded ones have.
func isPair(w capsule.Wide) bool { return w.Span == 2 && w.Kind != capsule.Skip }

// keepTag makes a node one of which the tag is kept.
func (fn *code) keepTag(i int, tag uint32) {
	if fn.made == nil {
		fn.made = make(map[int][]byte)
	}
	fn.made[i] = binary.BigEndian.AppendUint32(nil, tag)
	fn.cap.Nodes[i].Kind = capsule.TagOnly
}

// sumTag is the tag that is kept of an IADD: the word alone says another.
func sumTag(word []byte) uint32 {
	const carry = 1 << 2 // bit 74
	switch opcode(word) {
	case 0x835:
		return 0x420c4206
	case 0xc35:
		return 0x410c4404
	}
	if word[9]&carry != 0 {
		return 0x420c3014
	}
	return 0x410c4004
}
