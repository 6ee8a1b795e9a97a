package image

// Groups is a list of values by key, in the order of their adding. It holds two
// tables, however many keys there are: a slice for each of 100,000 names costs more
// than all else that is done with them.
type Groups[K comparable, V any] struct {
	Numbers map[K]int32
	closed  bool // values of other keys are omitted
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

// NewGroups expects about n values of so many keys.
func NewGroups[K comparable, V any](n, keys int) *Groups[K, V] {
	return &Groups[K, V]{Numbers: make(map[K]int32, keys), added: make([]added[V], 0, n)}
}

// SameKeys makes groups of other values for the keys of g alone.
func SameKeys[K comparable, V, W any](g *Groups[K, W], n int) *Groups[K, V] {
	return &Groups[K, V]{Numbers: g.Numbers, closed: true, added: make([]added[V], 0, n)}
}

func (g *Groups[K, V]) Add(key K, v V) {
	if len(g.added) == 0 || key != g.last {
		n, known := g.Numbers[key]
		if !known && g.closed {
			return
		}
		if !known {
			n = int32(len(g.Numbers))
			g.Numbers[key] = n
		}
		g.last, g.group = key, n
	}
	g.added = append(g.added, added[V]{g.group, v})
}

// Done lets the values be asked for; nothing is added after it.
func (g *Groups[K, V]) Done() {
	g.ends = make([]int32, len(g.Numbers)+1)
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

// Of are the values of a key.
func (g *Groups[K, V]) Of(key K) []V {
	if g == nil {
		return nil
	}
	n, known := g.Numbers[key]
	if !known {
		return nil
	}
	return g.At(n)
}

// At are the values of group n.
func (g *Groups[K, V]) At(n int32) []V {
	from := int32(0)
	if n > 0 {
		from = g.ends[n-1]
	}
	return g.values[from:g.ends[n]:g.ends[n]]
}
