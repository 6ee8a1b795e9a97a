package engine

import "hash/maphash"

// names interns strings: equal names get equal numbers, and everything after
// reading works with the numbers. A string table of the output is then a
// walk over numbers with one offset for each.
//
// The strings are views of the inputs; a link keeps its inputs alive.
type names struct {
	seed  maphash.Seed
	table []slot // open addressing; size a power of two
	text  []string
}

// slot is a place of the table: a name and its hash side by side, for the two
// are asked for together and the table is too large for a cache.
type slot struct {
	hash uint32
	id   nameID // 0 is empty
}

// nameID numbers a name; 0 is the empty one.
type nameID int32

func newNames(expect int) *names {
	size := 1 << 10
	for size < expect*2 {
		size *= 2
	}
	n := &names{
		seed:  maphash.MakeSeed(),
		table: make([]slot, size),
		text:  make([]string, 1, expect+1),
	}
	return n
}

// id returns the number of a name.
func (n *names) id(s string) nameID {
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
			id := nameID(len(n.text))
			n.table[at] = slot{h, id}
			n.text = append(n.text, s)
			return id
		}
		n.grow()
	}
}

func (n *names) grow() {
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

// str returns the name of a number.
func (n *names) str(id nameID) string { return n.text[id] }

// strtab builds one string table of the output: a leading NUL, then each name
// once, in the order of the first add.
type strtab struct {
	names *names
	off   []uint32 // by nameID; 0 is not there
	order []nameID
	size  uint32
	empty uint32 // offset of the empty name that was added; 0 is none
}

// newStrtab makes an empty table, in which some number of names is expected.
func newStrtab(n *names, expect int) *strtab {
	return &strtab{names: n, off: make([]uint32, max(expect, len(n.text))+64), order: make([]nameID, 0, expect), size: 1}
}

// add appends the name unless it is there, and returns its offset.
func (t *strtab) add(id nameID) uint32 {
	if id == 0 {
		return 0
	}
	for int(id) >= len(t.off) {
		t.off = append(t.off, make([]uint32, len(t.off))...)
	}
	if t.off[id] == 0 {
		t.off[id] = t.size
		t.order = append(t.order, id)
		t.size += uint32(len(t.names.str(id))) + 1
	}
	return t.off[id]
}

// addAgain appends the name, whether it is there or not.
func (t *strtab) addAgain(id nameID) uint32 {
	off := t.size
	t.order = append(t.order, id)
	t.size += uint32(len(t.names.str(id))) + 1
	return off
}

// addEmpty appends an empty name, once: one more NUL.
func (t *strtab) addEmpty() uint32 {
	if t.empty == 0 {
		t.empty = t.size
		t.order = append(t.order, 0)
		t.size++
	}
	return t.empty
}

// addPrototype appends a prototype; the empty one, of a kernel whose address is
// taken, gets a NUL of its own.
func (t *strtab) addPrototype(id nameID) uint32 {
	if id == 0 {
		return t.addEmpty()
	}
	return t.add(id)
}

// put writes the table to b, which is zero and size bytes long.
func (t *strtab) put(b []byte) {
	at := 1
	for _, id := range t.order {
		at += copy(b[at:], t.names.str(id)) + 1
	}
}
