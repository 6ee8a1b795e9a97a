package engine

import (
	"encoding/binary"
	"slices"
)

// word returns the i-th u32 of a payload, 0 past its end.
func (r *infoRec) word(i int) uint32 {
	if 4*i+4 > len(r.data) {
		return 0
	}
	return binary.LittleEndian.Uint32(r.data[4*i:])
}

// setWord changes the i-th u32 of a payload, in a copy: payloads are views of
// the inputs.
func (r *infoRec) setWord(i int, w uint32) {
	if 4*i+4 > len(r.data) {
		return
	}
	r.data = slices.Clone(r.data)
	binary.LittleEndian.PutUint32(r.data[4*i:], w)
}
