package selfcheck

import (
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
)

// An attribute names a node in Mercury and a word in SASS. Where a node is
// more than one word, it is the one that does what the attribute is about:
// not the fence before an EXIT but the EXIT.

// principals is the opcodes that word may have by tag. Of a tag that isn't listed, and
// for branch targets, it is the node's first word.
var principals = map[uint32][]uint16{
	0x0111000a:    {0x94d},        // EXIT after a fence
	releaseArrive: {0x9a7},        // SYNCS after fences
	0x021b5e06:    {0x5b2},        // SYNCS
	0x02320806:    {0x3c4, 0x2cc}, // REDUX or CREDUX after WARPSYNC
	0x02321806:    {0x3c4, 0x2cc},
	0x02476406:    {0x31d}, // BAR after WARPSYNC; see twofold
	0x02477c06:    {opNOP}, // WARPSYNC.COLLECTIVE
	0x024a0806:    {0x3a1}, // MATCH after WARPSYNC
	0x024a1206:    {0x3a1},
	0x024b1a06:    {0x389}, // SHFL after WARPSYNC
	0x024c0e06:    {0x806}, // VOTE after WARPSYNC
}

// twofold is tags of which attributes name the word of principals or the first one: code
// of one library, whole programs by ptxas 13.0.48, has the first of 02476406, code of another by
// 12.9 and 13.0 that of 02321806. What decides isn't known.
var twofold = [...]uint32{0x02321806, 0x02476406}

// principal returns the SASS offset that an attribute names in a node, false
// where it isn't known.
func principal(sm cuda.SM, fn *capsule.Func, n *capsule.Node, a cuda.InfoAttr) (uint32, bool) {
	if n.Span <= 1 || a == cuda.AttrIndirectBranchTargets {
		return n.SASS, true
	}
	tag := fn.Cap.Tag(n)
	if tag == releaseArrive && sm == sm107 {
		return lastFence(fn, n)
	}
	ops, ok := principals[tag]
	if !ok {
		return 0, false
	}
	for at := n.SASS; at < n.SASS+uint32(n.Span)*capsule.WordSize; at += capsule.WordSize {
		if w := wordAt(fn.Code, at); slices.Contains(ops, uint16(w.Lo&opcodeMask)) {
			return at, true
		}
	}
	return n.SASS, true
}

// releaseArrive is a SYNCS with a fence in front. Code for sm_107 names that fence and not the SYNCS, the only tag
// of which it does.
//
// Source: 91 kernels by ptxas 13.4 and 13.5.
const releaseArrive = 0x021b2432

const (
	sm107   = 107
	opFence = 0x992
)

// lastFence returns where the last fence of a node is; surroundings may have put another before it.
func lastFence(fn *capsule.Func, n *capsule.Node) (uint32, bool) {
	for at := n.SASS + uint32(n.Span)*capsule.WordSize; at > n.SASS; {
		at -= capsule.WordSize
		if wordAt(fn.Code, at).Lo&opcodeMask == opFence {
			return at, true
		}
	}
	return 0, false
}
