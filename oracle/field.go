package oracle

import (
	"fmt"
	"math/big"
)

// Field is a run of bits of the place. Bit 0 is the lowest bit of the byte at
// r_offset, bit 8 the lowest of the byte after it; alignment plays no part.
type Field struct {
	Start uint // first bit
	Width uint // number of bits, 1 to 128
}

// maxBit is the highest bit that a recipe may name: a place is at most one
// 128-bit instruction.
const maxBit = 127

// Last returns the highest bit of the field.
func (f Field) Last() uint { return f.Start + f.Width - 1 }

// Bytes returns how many bytes a place needs for the field to be in it.
func (f Field) Bytes() int { return int(f.Last()/8) + 1 }

// String writes the field as recipes do: bits[28..41], or bits[26].
func (f Field) String() string {
	if f.Width == 1 {
		return fmt.Sprintf("bits[%d]", f.Start)
	}
	return fmt.Sprintf("bits[%d..%d]", f.Start, f.Last())
}

// getBit and setBit are the only two functions that touch the place.

func getBit(place []byte, n uint) uint {
	return uint(place[n/8]>>(n%8)) % 2
}

// setBit adds to the byte the difference that the bit makes, modulo 256.
func setBit(place []byte, n, bit uint) {
	place[n/8] += byte((bit - getBit(place, n)) << (n % 8))
}

// readField sets x to the field's content, an unsigned number below 2^Width.
// It goes from the highest bit down: the number so far is doubled and the next
// bit added. big.Int is told after every 64 bits.
func readField(x *big.Int, place []byte, f Field) {
	x.SetUint64(0)
	var part big.Int
	for left := f.Width; left > 0; {
		count := (left-1)%64 + 1
		number := uint64(0)
		for i := uint(0); i < count; i++ {
			left--
			number = 2*number + uint64(getBit(place, f.Start+left))
		}
		x.Lsh(x, count)
		x.Add(x, part.SetUint64(number))
	}
}

// writeField writes x, which must not be negative, bit by bit into the field.
// Bits of x beyond the field's width are not looked at.
func writeField(place []byte, f Field, x *big.Int) {
	for i := uint(0); i < f.Width; i++ {
		setBit(place, f.Start+i, x.Bit(int(i)))
	}
}

// low sets z to x modulo 2^width, which is never negative, by taking away the
// largest multiple of 2^width that is not above x. z and x must differ.
func low(z, x *big.Int, width uint) {
	z.Rsh(x, width)
	z.Lsh(z, width)
	z.Sub(x, z)
}
