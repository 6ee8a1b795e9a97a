package probe

import "encoding/binary"

// Pair is a node of a cubin: what its capsule keeps of it and the SASS words
// that stand for it.
type Pair struct {
	Stored
	Words []byte
	// Relocated: a relocation is still to fill in bits of the words.
	Relocated bool
}

// Pairs returns the nodes of all functions of a cubin, and its SM.
func Pairs(cubin []byte) (sm int, pairs []Pair, err error) {
	f, err := open(cubin)
	if err != nil {
		return 0, nil, err
	}
	sm = int(binary.LittleEndian.Uint32(f.data[48:]) >> 8 & 0xffff)
	for i, h := range f.headers {
		if h.Type != typeCapsule {
			continue
		}
		r, err := f.results(i)
		if err != nil {
			return 0, nil, err
		}
		relocated := f.relocated(binary.LittleEndian.Uint32(f.section(i)))
		for _, n := range r {
			p := Pair{Stored: n.Stored, Words: n.Words}
			for k := range n.Span {
				p.Relocated = p.Relocated || relocated[n.Offset+k]
			}
			pairs = append(pairs, p)
		}
	}
	return sm, pairs, nil
}

// relocated returns the words of a text that have relocations.
func (f *image) relocated(text uint32) map[int]bool {
	const typeRela, entry = 4, 24
	at := map[int]bool{}
	for i, h := range f.headers {
		if h.Type != typeRela || h.Info != text {
			continue
		}
		for b := f.section(i); len(b) >= entry; b = b[entry:] {
			at[int(binary.LittleEndian.Uint64(b)/16)] = true
		}
	}
	return at
}
