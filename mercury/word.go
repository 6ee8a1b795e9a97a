package mercury

import (
	"encoding/binary"
	"fmt"
)

// Word is a SASS instruction: bit i of the instruction is bit i of Lo, or bit
// i-64 of Hi.
type Word struct{ Lo, Hi uint64 }

// Schedule is the bits of a word's Hi that no record decides: 105 to 125,
// stalls, barriers and reuse, which the finalizer makes.
const Schedule = 1<<62 - 1<<41

// GetWord reads the word at the beginning of b.
func GetWord(b []byte) Word {
	return Word{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:16])}
}

// Put writes the word to the beginning of b.
func (w Word) Put(b []byte) {
	binary.LittleEndian.PutUint64(b, w.Lo)
	binary.LittleEndian.PutUint64(b[8:16], w.Hi)
}

// String returns the upper half and the lower half.
func (w Word) String() string { return fmt.Sprintf("%016x.%016x", w.Hi, w.Lo) }

func (w Word) opcode() uint64 { return w.Lo & 0xfff }

// differs is not 0 where words differ in the bits of a mask.
func (w Word) differs(x, mask Word) uint64 { return (w.Lo^x.Lo)&mask.Lo | (w.Hi^x.Hi)&mask.Hi }

func (w Word) under(mask Word) Word { return Word{w.Lo & mask.Lo, w.Hi & mask.Hi} }

// bits is a record, lowest bit first, filled up with zeros. Its last word is for what a model
// knows of its fields: bit i says whether those of its same i are equal.
type bits [5]uint64

func getBits(record []byte) (v bits) {
	switch {
	case len(record) >= 32:
		v[2], v[3] = binary.LittleEndian.Uint64(record[16:]), binary.LittleEndian.Uint64(record[24:])
		fallthrough
	case len(record) >= 16:
		v[0], v[1] = binary.LittleEndian.Uint64(record), binary.LittleEndian.Uint64(record[8:])
	}
	return v
}

// equal is ==, which for so many words is a call.
func (v *bits) equal(x *bits) bool {
	return (v[0]^x[0])|(v[1]^x[1])|(v[2]^x[2])|(v[3]^x[3])|(v[4]^x[4]) == 0
}

// field returns n bits from p on, p < 256, n ≤ 64.
func (v *bits) field(p, n uint) uint64 {
	x := v[p>>6]>>(p&63) | v[p>>6+1]<<1<<(63-p&63)
	return x & (1<<n - 1)
}

// pick returns the bits at the given positions, the first lowest.
func (v *bits) pick(at []uint16) uint32 {
	var x uint32
	for k, p := range at {
		x |= uint32(v[p>>6]>>(p&63)&1) << k
	}
	return x
}
