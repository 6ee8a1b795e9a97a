package mercury

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/capsule"
)

// nodeAtWord returns the node that holds a word of the input.
func (fn *code) nodeAtWord(k int) int {
	i, found := slices.BinarySearchFunc(fn.words, uint32(k)*capsule.WordSize, func(n capsule.Node, off uint32) int { return cmp.Compare(n.SASS, off) })
	if !found {
		i--
	}
	return i
}

// recordOf returns the record of node i, nil where it has none.
func (fn *code) recordOf(i int) []byte {
	if b := fn.made[i]; b != nil {
		return b
	}
	if fn.cap.Nodes[i].Kind == capsule.Plain {
		return nil
	}
	return fn.cap.Record(&fn.words[i])
}

// moved returns where the word at an offset of the input's SASS is now, or the
// one after it if it went.
func (fn *code) moved(off uint32) uint32 {
	k := int(off / capsule.WordSize)
	if fn.result == nil || k >= len(fn.result.Moves) {
		return off
	}
	if m := fn.result.Moves[k]; m >= 0 {
		return uint32(m) * capsule.WordSize
	}
	return fn.movedStart(off)
}

// movedStart returns where a word of the input and what was put before it
// begin now.
func (fn *code) movedStart(off uint32) uint32 {
	k := int(off / capsule.WordSize)
	if fn.result == nil || k >= len(fn.result.Starts) {
		return off
	}
	return uint32(fn.result.Starts[k]) * capsule.WordSize
}

// movedRange returns where a word of the input that begins or ends a register's range is now: of one that
// went, where the word before it is. Source: 15 kernels of ptxas 13.0.88 by nvlink 13.0.88.
func (fn *code) movedRange(off uint32) uint32 {
	to := fn.movedStart(off)
	if k := int(off / capsule.WordSize); to > 0 && fn.result != nil && k < len(fn.result.Moves) && fn.result.Moves[k] < 0 {
		return to - capsule.WordSize
	}
	return to
}

// node returns the node that holds a Mercury offset, -1 where none does.
func (fn *code) node(off uint64) int {
	if off > 1<<32-1 {
		return -1
	}
	fn.rely(off)
	i := fn.cap.AtMerc(uint32(off))
	for i > 0 && fn.cap.Nodes[i].Kind == capsule.Skip {
		i-- // takes no room: the node before it holds the place
	}
	return i
}

// place returns where the record of node i, which has one, is in the capsule.
func (fn *code) place(i int) uint32 {
	if !fn.anew {
		return fn.cap.RecordAt(&fn.cap.Nodes[i])
	}
	return fn.places[i]
}

// sassOf translates the Mercury offset of a node's start, or of the end of the
// code; a place inside a node is the start of the next.
func (fn *code) sassOf(off uint64) uint64 {
	fn.rely(off)
	if off >= uint64(fn.cap.MercSize) {
		return uint64(fn.cap.SASSSize())
	}
	nodes := fn.cap.Nodes
	at, _ := slices.BinarySearchFunc(nodes, uint32(off), func(n capsule.Node, off uint32) int { return cmp.Compare(n.Merc, off) })
	for at < len(nodes) && nodes[at].Kind == capsule.Skip {
		at++
	}
	if at == len(nodes) {
		return uint64(fn.cap.SASSSize())
	}
	return uint64(nodes[at].SASS)
}
