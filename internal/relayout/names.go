package relayout

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// writeNames makes the string tables again: names in another order, none in the end of another, with some that nothing has.
func (f *file) writeNames() {
	tables := map[*section]*names{}
	add := func(table *section, name string) uint32 {
		if tables[table] == nil {
			tables[table] = &names{at: map[string]uint32{}, text: []byte{0}}
		}
		if f.r.IntN(8) == 0 {
			tables[table].add("unused")
		}
		return tables[table].add(name)
	}
	type place struct {
		table *section
		old   uint32
		put   func(uint32)
	}
	var places []place
	for _, t := range f.symtabs {
		for y := range slices.Chunk(t.body, symbolSize) {
			places = append(places, place{f.namesOf(t), little.Uint32(y), func(n uint32) { little.PutUint32(y, n) }})
		}
	}
	for _, s := range f.sections {
		t := f.tableOf(s)
		if t == nil || !s.calls() && !s.prototypes() {
			continue
		}
		under := uint32(cuda.CallgraphPrototypes)
		for pair := range slices.Chunk(s.body, 8) {
			if h, ok := heading(pair); ok && s.calls() {
				under = h
				continue
			}
			if under == cuda.CallgraphPrototypes || under == cuda.CallgraphIndirect {
				places = append(places, place{f.namesOf(t), little.Uint32(pair[4:]), func(n uint32) { little.PutUint32(pair[4:], n) }})
			}
		}
	}
	f.r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, p := range places {
		p.put(add(p.table, text(p.table.body, p.old)))
	}
	for table, n := range tables {
		table.body, table.size = n.text, uint64(len(n.text))
	}
}

// names is a string table.
type names struct {
	at   map[string]uint32
	text []byte
}

func (n *names) add(name string) uint32 {
	if name == "" {
		return 0
	}
	at, ok := n.at[name]
	if !ok {
		at = uint32(len(n.text))
		n.at[name] = at
		n.text = append(append(n.text, name...), 0)
	}
	return at
}
