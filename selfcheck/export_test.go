package selfcheck

import "github.com/twinlink/twinlink/capsule"

// UnknownRecord is what a report counts records as that no rule knows.
const UnknownRecord = string(exRecord)

// ShareAbove sets the number of nodes that make another worker worth its start.
func ShareAbove(nodes int) (before int) {
	before, leastShare = leastShare, nodes
	return before
}

// BesideAbove sets the number of sections from which on steps run beside each other.
func BesideAbove(sections int) (before int) {
	before, manySections = manySections, sections
	return before
}

// HasPrincipal reports whether it is known which word of nodes of a tag attributes name.
func HasPrincipal(tag uint32) bool { return principals[tag] != nil }

// Shares splits functions of so many instructions into at most n parts.
func Shares(n int, words ...int) [][2]int {
	m := new(capsule.Image)
	for _, w := range words {
		m.Funcs = append(m.Funcs, capsule.Func{Code: make([]byte, w*capsule.WordSize)})
	}
	return (&checker{m: m}).share(n)
}
