package relayout

import (
	"bytes"
	"slices"
)

// shuffleTables puts records, the pairs of call graphs and attributes into another order.
func (f *file) shuffleTables() {
	for _, s := range f.sections {
		width, records := s.records()
		switch {
		case records:
			f.shuffle(s, slices.Collect(slices.Chunk(bytes.Clone(s.body), width)))
		case s.prototypes():
			f.shuffle(s, slices.Collect(slices.Chunk(bytes.Clone(s.body), 8)))
		case s.calls():
			f.shuffleCalls(s)
		case s.attributes():
			var list [][]byte
			places := attributesOf(bytes.Clone(s.body))
			for i, at := range places[:len(places)-1] {
				list = append(list, bytes.Clone(s.body[at:places[i+1]]))
			}
			f.shuffle(s, list)
		}
	}
}

// shuffle writes the parts of a table in another order.
func (f *file) shuffle(s *section, list [][]byte) {
	f.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	s.body = bytes.Join(list, nil)
}

// shuffleCalls shuffles the headings of a call graph and the pairs below each.
func (f *file) shuffleCalls(s *section) {
	var parts [][]byte
	var pairs [][]byte
	end := func() {
		if len(pairs) == 0 {
			return
		}
		below := pairs[1:]
		f.r.Shuffle(len(below), func(i, j int) { below[i], below[j] = below[j], below[i] })
		parts = append(parts, bytes.Join(pairs, nil))
		pairs = nil
	}
	for pair := range slices.Chunk(bytes.Clone(s.body), 8) {
		if _, ok := heading(pair); ok {
			end()
		}
		pairs = append(pairs, pair)
	}
	end()
	f.shuffle(s, parts)
}
