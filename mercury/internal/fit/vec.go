package fit

import "math/bits"

// Vec is an input of up to 256 bits: a Mercury record, or a SASS word.
// Bit i is bit i%64 of element i/64.
type Vec [4]uint64

// Bit returns bit i.
func (v Vec) Bit(i int) uint64 { return v[i>>6] >> (i & 63) & 1 }

// Flip returns v with bit i inverted.
func (v Vec) Flip(i int) Vec {
	v[i>>6] ^= 1 << (i & 63)
	return v
}

// With returns v with bit i set to b.
func (v Vec) With(i int, b uint64) Vec {
	v[i>>6] = v[i>>6]&^(1<<(i&63)) | b&1<<(i&63)
	return v
}

// Field returns n bits from p, n at most 64.
func (v Vec) Field(p, n int) uint64 {
	x := v[p>>6] >> (p & 63)
	if p&63 != 0 && p>>6 < 3 {
		x |= v[p>>6+1] << (64 - p&63)
	}
	if n == 64 {
		return x
	}
	return x & (1<<n - 1)
}

// WithField returns v with n bits from p set to x.
func (v Vec) WithField(p, n int, x uint64) Vec {
	for k := range n {
		v = v.With(p+k, x>>k)
	}
	return v
}

// Pick returns the bits at the given positions, the first lowest.
func (v Vec) Pick(at []int) uint64 {
	var x uint64
	for k, i := range at {
		x |= v.Bit(i) << k
	}
	return x
}

// Put is the inverse of Pick.
func (v Vec) Put(at []int, x uint64) Vec {
	for k, i := range at {
		v = v.With(i, x>>k)
	}
	return v
}

// Differ returns the positions at which v and w differ.
func (v Vec) Differ(w Vec) []int {
	var at []int
	for k := range v {
		for x := v[k] ^ w[k]; x != 0; x &= x - 1 {
			at = append(at, 64*k+bits.TrailingZeros64(x))
		}
	}
	return at
}

// FromBytes reads up to 32 bytes, little endian.
func FromBytes(b []byte) Vec {
	var v Vec
	for i, x := range b {
		v[i>>3] |= uint64(x) << (i & 7 * 8)
	}
	return v
}

// Bytes returns the first n bytes.
func (v Vec) Bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(v[i>>3] >> (i & 7 * 8))
	}
	return b
}

// Out is what an oracle answered: words of a structure.
type Out struct {
	Sig  string   // names the structure, such as the opcodes; "" where there is no answer
	Bits []uint64 // of all words
	// Costly: there is no answer, and finding that out took long.
	Costly bool
}

// Bit returns bit i.
func (o Out) Bit(i int) uint64 { return o.Bits[i>>6] >> (i & 63) & 1 }

func (o Out) differ(p Out) []int {
	var at []int
	for k := range o.Bits {
		for x := o.Bits[k] ^ p.Bits[k]; x != 0; x &= x - 1 {
			at = append(at, 64*k+bits.TrailingZeros64(x))
		}
	}
	return at
}

func (o Out) equal(p Out) bool {
	return o.Sig == p.Sig && len(o.Bits) == len(p.Bits) && len(o.differ(p)) == 0
}
