package names

import (
	"hash/maphash"
	"strings"
)

// Table interns strings: equal names get equal numbers, and everything after
// reading works with the numbers. A string table of the output is then a
// walk over numbers with one offset for each.
//
// The strings are views of the inputs; a link keeps its inputs alive.
type Table struct {
	seed  maphash.Seed
	table []slot // open addressing; size a power of two
	text  []string

	joined strings.Builder // see Join
}

// slot is a place of the table: a name and its hash side by side, for the two
// are asked for together and the table is too large for a cache.
type slot struct {
	hash uint32
	id   ID // 0 is empty
}

// ID numbers a name; 0 is the empty one.
type ID int32

func New(expect int) *Table {
	size := 1 << 10
	for size < expect*2 {
		size *= 2
	}
	n := &Table{
		seed:  maphash.MakeSeed(),
		table: make([]slot, size),
		text:  make([]string, 1, expect+1),
	}
	return n
}

// ID returns the number of a name.
func (n *Table) ID(s string) ID {
	if s == "" {
		return 0
	}
	h := uint32(maphash.String(n.seed, s))
	for {
		mask := uint32(len(n.table) - 1)
		at := h & mask
		for n.table[at].id != 0 {
			if have := n.table[at]; have.hash == h && n.text[have.id] == s {
				return have.id
			}
			at = (at + 1) & mask
		}
		if len(n.text)*2 < len(n.table) {
			id := ID(len(n.text))
			n.table[at] = slot{h, id}
			n.text = append(n.text, s)
			return id
		}
		n.grow()
	}
}

// Join returns the number of a name in two parts.
func (n *Table) Join(prefix, s string) ID {
	if size := len(prefix) + len(s); n.joined.Cap()-n.joined.Len() < size {
		n.joined = strings.Builder{}
		n.joined.Grow(max(size, roomSize))
	}
	from := n.joined.Len()
	n.joined.WriteString(prefix)
	n.joined.WriteString(s)
	return n.ID(n.joined.String()[from:])
}

// roomSize is how much memory joined names take at a time.
const roomSize = 1 << 16

func (n *Table) grow() {
	table := make([]slot, len(n.table)*2)
	mask := uint32(len(table) - 1)
	for _, s := range n.table {
		if s.id == 0 {
			continue
		}
		at := s.hash & mask
		for table[at].id != 0 {
			at = (at + 1) & mask
		}
		table[at] = s
	}
	n.table = table
}

// Str returns the name of a number.
func (n *Table) Str(id ID) string { return n.text[id] }

// Strtab builds one string table of the output: a leading NUL, then each name
// once, in the order of the first add.
type Strtab struct {
	names *Table
	off   []uint32 // by nameID; 0 is not there
	order []ID
	Size  uint32
	Empty uint32 // offset of the empty name that was added; 0 is none
}

// NewStrtab makes an empty table, in which some number of names is expected.
func NewStrtab(n *Table, expect int) *Strtab {
	return &Strtab{names: n, off: make([]uint32, max(expect, len(n.text))+64), order: make([]ID, 0, expect), Size: 1}
}

// Add appends the name unless it is there, and returns its offset.
func (t *Strtab) Add(id ID) uint32 {
	if id == 0 {
		return 0
	}
	for int(id) >= len(t.off) {
		t.off = append(t.off, make([]uint32, len(t.off))...)
	}
	if t.off[id] == 0 {
		t.off[id] = t.Size
		t.order = append(t.order, id)
		t.Size += uint32(len(t.names.Str(id))) + 1
	}
	return t.off[id]
}

// AddAgain appends the name, whether it is there or not.
func (t *Strtab) AddAgain(id ID) uint32 {
	off := t.Size
	t.order = append(t.order, id)
	t.Size += uint32(len(t.names.Str(id))) + 1
	return off
}

// AddEmpty appends an empty name, once: one more NUL.
func (t *Strtab) AddEmpty() uint32 {
	if t.Empty == 0 {
		t.Empty = t.Size
		t.order = append(t.order, 0)
		t.Size++
	}
	return t.Empty
}

// AddPrototype appends a prototype; the empty one, of a kernel whose address is
// taken, gets a NUL of its own.
func (t *Strtab) AddPrototype(id ID) uint32 {
	if id == 0 {
		return t.AddEmpty()
	}
	return t.Add(id)
}

// Put writes the table to b, which is zero and size bytes long.
func (t *Strtab) Put(b []byte) {
	at := 1
	for _, id := range t.order {
		at += copy(b[at:], t.names.Str(id)) + 1
	}
}
