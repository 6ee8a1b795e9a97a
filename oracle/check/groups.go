package check

// groups is a list of values by key, in the order of their adding. It holds two
// tables, however many keys there are: a slice for each of 100,000 names costs more
// than all else that is done with them.
type groups[K comparable, V any] struct {
	numbers map[K]int32
	closed  bool // values of other keys are left out
	added   []added[V]
	ends    []int32 // of each group in values
	values  []V
	last    K // the key of the value that was added last
	group   int32
}

type added[V any] struct {
	group int32
	value V
}

// newGroups expects about n values of so many keys.
func newGroups[K comparable, V any](n, keys int) *groups[K, V] {
	return &groups[K, V]{numbers: make(map[K]int32, keys), added: make([]added[V], 0, n)}
}

// sameKeys makes groups of other values for the keys of g alone.
func sameKeys[K comparable, V, W any](g *groups[K, W], n int) *groups[K, V] {
	return &groups[K, V]{numbers: g.numbers, closed: true, added: make([]added[V], 0, n)}
}

func (g *groups[K, V]) add(key K, v V) {
	if len(g.added) == 0 || key != g.last {
		n, known := g.numbers[key]
		if !known && g.closed {
			return
		}
		if !known {
			n = int32(len(g.numbers))
			g.numbers[key] = n
		}
		g.last, g.group = key, n
	}
	g.added = append(g.added, added[V]{g.group, v})
}

// done lets the values be asked for; nothing is added after it.
func (g *groups[K, V]) done() {
	g.ends = make([]int32, len(g.numbers)+1)
	for _, x := range g.added {
		g.ends[x.group+1]++
	}
	for i := 1; i < len(g.ends); i++ {
		g.ends[i] += g.ends[i-1]
	}
	g.values = make([]V, len(g.added))
	for _, x := range g.added {
		g.values[g.ends[x.group]] = x.value
		g.ends[x.group]++
	}
	g.added = nil
}

// of are the values of a key.
func (g *groups[K, V]) of(key K) []V {
	if g == nil {
		return nil
	}
	n, known := g.numbers[key]
	if !known {
		return nil
	}
	return g.at(n)
}

// at are the values of group n.
func (g *groups[K, V]) at(n int32) []V {
	from := int32(0)
	if n > 0 {
		from = g.ends[n-1]
	}
	return g.values[from:g.ends[n]:g.ends[n]]
}
