package shared

import (
	mathbits "math/bits"

	"github.com/twinlink/twinlink/oracle/check/internal/place"
)

// joined is a set of objects by place, a search tree that is never changed: what two
// sets have in common they share. So the sets of a chain of 65,000 functions, each with
// one variable more than the next, take n log n and not n squared. Every node knows what
// is asked of the whole below it. The rank of a node is a hash of its object, which
// makes the tree of a set the same however it was joined, and not deep.
type joined struct {
	use         place.SharedUse
	left, right *joined
	rank        uint64
	first       uint64          // where the first byte lies, all ones where there is none
	furthest    place.SharedUse // what ends last
	overlap     bool            // two of them share bytes
	count       int
}

// joins counts the nodes that joining looked at.
type joins struct{ steps uint64 }

// one is the set of one object.
func one(u place.SharedUse) *joined { return node(u, nil, nil) }

func node(u place.SharedUse, left, right *joined) *joined {
	high, low := mathbits.Mul64(uint64(u.ID.Order)*2+1, 0x9e3779b97f4a7c15)
	n := &joined{use: u, left: left, right: right, rank: low ^ high ^ low>>29, first: 1<<64 - 1, furthest: u, count: 1}
	if u.End > u.Start {
		n.first = u.Start
	}
	if left != nil {
		n.overlap = left.overlap || left.furthest.End > n.first
		n.first = min(n.first, left.first)
		if left.furthest.End >= n.furthest.End {
			n.furthest = left.furthest
		}
		n.count += left.count
	}
	if right != nil {
		n.overlap = n.overlap || right.overlap || n.furthest.End > right.first
		n.first = min(n.first, right.first)
		if right.furthest.End > n.furthest.End {
			n.furthest = right.furthest
		}
		n.count += right.count
	}
	return n
}

// join is the set of all that is in one of two.
func (j *joins) join(a, b *joined) *joined {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case a.rank < b.rank || a.rank == b.rank && a.use.ID.Order < b.use.ID.Order:
		a, b = b, a
	}
	j.steps++
	below, behind := j.split(b, a.use)
	left, right := j.join(a.left, below), j.join(a.right, behind)
	if left == a.left && right == a.right {
		return a
	}
	return node(a.use, left, right)
}

// split is what is before an object and what is after it.
func (j *joins) split(t *joined, u place.SharedUse) (below, behind *joined) {
	if t == nil {
		return nil, nil
	}
	j.steps++
	switch order := t.use.Compare(u); {
	case order == 0:
		return t.left, t.right
	case order < 0:
		below, behind = j.split(t.right, u)
		if behind == nil && below == t.right {
			return t, nil
		}
		return node(t.use, t.left, below), behind
	default:
		below, behind = j.split(t.left, u)
		if below == nil && behind == t.left {
			return nil, t
		}
		return below, node(t.use, behind, t.right)
	}
}

// all lists the set by place.
func (t *joined) all() []place.SharedUse {
	var list []place.SharedUse
	var walk func(t *joined)
	walk = func(t *joined) {
		if t != nil {
			walk(t.left)
			list = append(list, t.use)
			walk(t.right)
		}
	}
	walk(t)
	return list
}
