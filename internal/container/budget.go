package container

// Limits of a Budget made by NewBudget, and of nesting.
const (
	// MaxDepth is how many archives may be inside each other.
	MaxDepth = 4

	baseMember  = 64 << 20  // unpacked bytes of one piece,
	baseBytes   = 256 << 20 // and of all pieces of a file,
	ratio       = 1024      // besides so many for each byte that is packed
	baseMembers = 1 << 20
)

// Budget bounds what one operation may take from a file: bytes unpacked and
// pieces visited. The zero value allows nothing.
type Budget struct {
	Bytes   uint64
	Members uint64
}

// NewBudget returns the budget for reading a file of that size: 256 MB and
// 1,024 times the size unpacked, a million members.
func NewBudget(size int) *Budget {
	return &Budget{Bytes: baseBytes + ratio*uint64(max(size, 0)), Members: baseMembers}
}

// take takes n bytes and reports whether they were there.
func (b *Budget) take(n uint64) bool {
	if n > b.Bytes {
		return false
	}
	b.Bytes -= n
	return true
}

// visit takes a member and reports whether one was left.
func (b *Budget) visit() bool {
	if b.Members == 0 {
		return false
	}
	b.Members--
	return true
}
