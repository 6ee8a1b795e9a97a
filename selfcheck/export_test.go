package selfcheck

// ShareAbove sets the number of nodes that make another worker worth its start.
func ShareAbove(nodes int) (before int) {
	before, leastShare = leastShare, nodes
	return before
}
