package prose

import (
	"errors"
	"fmt"
	"sync"
)

// part is one field of a word: its name and its bits, the lowest first.
type part struct {
	name string
	bits []int
}

// span lists bits from the first through the last.
func span(first, last int) (list []int) {
	for b := first; b <= last; b++ {
		list = append(list, b)
	}
	return list
}

// words are the words that the page describes, bit by bit.
var words = sync.OnceValue(func() map[string][]part {
	return map[string][]part{
		"physid":         {{"lane", span(0, 4)}, {"warp", span(8, 12)}, {"mp", span(16, 17)}, {"tp", span(20, 23)}},
		"entry":          {{"address", span(0, 21)}, {"number", span(22, 23)}, {"warp", span(24, 28)}, {"kind", span(29, 31)}},
		"cb-addr":        {{"buffer", span(0, 6)}, {"word", span(8, 21)}},
		"cb-def-set":     {{"size", span(0, 15)}, {"buffer", span(16, 22)}},
		"set-program-cb": {{"flag", span(0, 0)}, {"program", span(4, 7)}, {"space", span(8, 11)}, {"buffer", span(12, 18)}},
		"r0":             {{"x", span(0, 15)}, {"y", span(16, 25)}, {"z", span(26, 31)}},
	}
})

// Build puts a word together; a value that doesn't fit is an error.
func Build(word string, values map[string]uint64) (uint32, error) {
	var out uint32
	for _, p := range words()[word] {
		v := values[p.name]
		for _, b := range p.bits {
			if v&1 == 1 {
				out |= 1 << b
			}
			v >>= 1
		}
		if v != 0 {
			return 0, fmt.Errorf("%s %d doesn't fit in %d bits", p.name, values[p.name], len(p.bits))
		}
	}
	return out, nil
}

// Parts takes a word apart.
func Parts(word string, value uint32) map[string]uint64 {
	out := map[string]uint64{}
	for _, p := range words()[word] {
		for i, b := range p.bits {
			out[p.name] |= uint64(value>>b&1) << i
		}
	}
	return out
}

// Kinds are the types of stack entries as the page writes them, highest bit
// first.
var Kinds = map[string]string{"010": "call without 0x40 in second word", "011": "call with 0x40 in second word", "110": "joinat"}

// ErrOverflow: "It's an error to upload after the address overflows".
var ErrOverflow = errors.New("the upload address overflowed")

// Upload lists where words go that are thrown at CB_DATA. A buffer's addresses
// are words: after the last of them there is none.
func Upload(address uint64, words int) (list []uint64, err error) {
	for at := uint64(0); len(list) < words; at += 4 {
		if at == 1<<16 {
			return list, ErrOverflow
		}
		if at >= address {
			list = append(list, at)
		}
	}
	return list, nil
}
