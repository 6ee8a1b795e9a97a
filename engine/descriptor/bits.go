package descriptor

import "encoding/binary"

// Fields of up to 64 bits at any bit of a place, bit 0 being the lowest bit
// of the place's first byte. A field may straddle 64-bit words:
//
//	word 1                      word 0
//	63            0             63            0
//	+---------------+           +---------------+
//	|           hhhh|           |llll           |
//	+---------------+           +---------------+
//
// Words are loaded byte by byte at the place's end, so that a field whose last
// bit is inside the place can be written even where the word isn't.

// span returns how many bytes of the place a field needs.
func span(first, width uint32) int { return int((uint64(first) + uint64(width) + 7) / 8) }

func loadWord(place []byte, word int) uint64 {
	at := word * 8
	if at+8 <= len(place) {
		return binary.LittleEndian.Uint64(place[at:])
	}
	var b [8]byte
	copy(b[:], place[min(at, len(place)):])
	return binary.LittleEndian.Uint64(b[:])
}

func storeWord(place []byte, word int, v uint64) {
	at := word * 8
	if at+8 <= len(place) {
		binary.LittleEndian.PutUint64(place[at:], v)
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(place[min(at, len(place)):], b[:])
}

// ones returns a word with its lowest n bits set, 0 <= n <= 64.
func ones(n uint) uint64 { return ^uint64(0) >> (64 - n) }

// Extract returns the field's bits; of one wider than 64 bits the lowest 64.
func Extract(place []byte, first, width uint32) uint64 {
	word, bit := int(first/64), uint(first%64)
	low := loadWord(place, word) >> bit
	if width > 64 {
		width = 64
	}
	if bit+uint(width) > 64 {
		low |= loadWord(place, word+1) << (64 - bit)
	}
	return low & ones(uint(width))
}

// Insert writes the lowest width bits of v over the field; a field wider than
// 64 bits gets zeros above.
func Insert(place []byte, v uint64, first, width uint32) {
	for width > 0 {
		word, bit := int(first/64), uint(first%64)
		n := min(64-bit, uint(width))
		mask := ones(n) << bit
		storeWord(place, word, loadWord(place, word)&^mask|v<<bit&mask)
		v >>= n
		first += uint32(n)
		width -= uint32(n)
	}
}
