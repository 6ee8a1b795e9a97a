package documents

// The pseudocode is C read back from an x86-64 program. Where it shifts a
// 64-bit value by 64 or more, or a 32-bit one by 32 or more, C leaves the
// result open; the machine takes the count modulo the size. These helpers do
// what the machine does and remember that they had to.

func (m *machine) shl(x uint64, n int64) uint64 {
	m.open = m.open || n < 0 || n > 63
	return x << (uint64(n) % 64)
}

func (m *machine) shr(x uint64, n int64) uint64 {
	m.open = m.open || n < 0 || n > 63
	return x >> (uint64(n) % 64)
}

// shr32 shifts a C int, which is never negative here.
func (m *machine) shr32(x uint32, n int64) uint32 {
	m.open = m.open || n < 0 || n > 31
	return x >> (uint64(n) % 32)
}
