package names

import (
	"hash/maphash"
	"strings"

	"github.com/twinlink/twinlink/engine/internal/room"
)

// Table interns strings: equal names get equal numbers, and everything after
// reading works with the numbers. A string table of the output is then a
// walk over numbers with one offset for each.
//
// Most names of sections are a prefix and another name. Those are found by the
// number of the other one, and only what is at the end of a name is hashed.
//
// The strings are views of the inputs; a link keeps its inputs alive.
type Table struct {
	seed   maphash.Seed
	table  []slot // open addressing; size a power of two
	used   int
	behind [prefixes][]ID // by what follows a prefix: the whole name, 0 for none
	text   []string

	joined strings.Builder // see join
	room   *room.Room
}

// slot is a place of the table: a name and its hash side by side, for the two
// are asked for together and the table is too large for a cache.
type slot struct {
	hash uint32
	id   ID // 0 is empty
}

// ID numbers a name; 0 is the empty one.
type ID int32

// Prefix is what the name of a section begins with where another name follows.
type Prefix uint8

// Prefixes. After the first two stands a function's name, after the others that
// of a section.
const (
	Text Prefix = iota
	Info
	Rel
	Rela
	prefixes
)

var prefixText = [prefixes]string{Text: ".text.", Info: ".nv.info.", Rel: ".rel", Rela: ".rela"}

// New makes a table, in which some number of names is expected, half of them with
// a prefix. Its tables are cut from room, if that isn't nil.
func New(expect int, from *room.Room) *Table {
	if from == nil {
		from = new(room.Room)
	}
	size := 1 << 10
	for size < expect/2 {
		size *= 2
	}
	n := &Table{
		seed:  maphash.MakeSeed(),
		table: room.Make[slot](from, size),
		text:  make([]string, 1, expect+1),
		room:  from,
	}
	for p := range n.behind {
		n.behind[p] = room.Make[ID](from, expect+1)
	}
	return n
}

// ID returns the number of a name.
func (n *Table) ID(s string) ID {
	for p := Rel; p <= Rela; p++ {
		if rest, ok := strings.CutPrefix(s, prefixText[p]); ok && strings.HasPrefix(rest, ".") {
			return n.put(p, n.ofSection(rest), s)
		}
	}
	return n.ofSection(s)
}

// ofSection returns the number of a name that is on its own, or after Rel or
// Rela: a name has two prefixes at most, however it is made.
func (n *Table) ofSection(s string) ID {
	for p := Text; p <= Info; p++ {
		if rest, ok := strings.CutPrefix(s, prefixText[p]); ok {
			return n.put(p, n.hashed(rest), s)
		}
	}
	return n.hashed(s)
}

// put returns the number of the name s, which is a prefix and the name rest.
func (n *Table) put(p Prefix, rest ID, s string) ID {
	if int(rest) >= len(n.behind[p]) {
		n.behind[p] = append(n.behind[p], make([]ID, max(int(rest)+1, cap(n.text))-len(n.behind[p]))...)
	}
	id := &n.behind[p][rest]
	if *id == 0 {
		*id = n.add(s)
	}
	return *id
}

func (n *Table) add(s string) ID {
	n.text = append(n.text, s)
	return ID(len(n.text) - 1)
}

// hashed returns the number of a name that is looked up as a whole.
func (n *Table) hashed(s string) ID {
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
		if n.used++; n.used*4 < len(n.table)*3 {
			id := n.add(s)
			n.table[at] = slot{h, id}
			return id
		}
		n.used--
		n.grow()
	}
}

// follows reports whether names of a prefix are found by the number rest, which
// stands for one without a prefix that could be taken for a part of this one.
func (n *Table) follows(p Prefix, rest ID) bool {
	s := n.text[rest]
	if p == Text || p == Info {
		return !strings.HasPrefix(s, ".")
	}
	return strings.HasPrefix(s, ".") && !strings.HasPrefix(s, prefixText[Rel])
}

// Join returns the number of the name that is a prefix and another name.
func (n *Table) Join(p Prefix, rest ID) ID {
	if !n.follows(p, rest) {
		return n.ID(n.join(p, rest))
	}
	if int(rest) < len(n.behind[p]) && n.behind[p][rest] != 0 {
		return n.behind[p][rest]
	}
	return n.put(p, rest, n.join(p, rest))
}

// Joined is ID of s, which is most probably a prefix and the name rest.
func (n *Table) Joined(s string, p Prefix, rest ID) ID {
	if end, ok := strings.CutPrefix(s, prefixText[p]); ok && end == n.text[rest] && n.follows(p, rest) {
		return n.put(p, rest, s)
	}
	return n.ID(s)
}

// join makes the name of two parts.
func (n *Table) join(p Prefix, rest ID) string {
	prefix, s := prefixText[p], n.text[rest]
	if size := len(prefix) + len(s); n.joined.Cap()-n.joined.Len() < size {
		n.joined = strings.Builder{}
		n.joined.Grow(max(size, roomSize))
	}
	from := n.joined.Len()
	n.joined.WriteString(prefix)
	n.joined.WriteString(s)
	return n.joined.String()[from:]
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
	marks []mark // by block: where its first byte belongs
	Size  uint32
	Empty uint32 // offset of the empty name that was added; 0 is none
}

// mark is a name of a string table: its place in the order, and its offset.
type mark struct{ at, off uint32 }

// Block is the size of the parts in which a string table can be written.
const Block = 1 << 16

// NewStrtab makes an empty table, in which some number of names is expected.
func NewStrtab(n *Table, expect int) *Strtab {
	return &Strtab{names: n, off: room.Make[uint32](n.room, max(expect, len(n.text))+64), order: room.Make[ID](n.room, expect)[:0], marks: []mark{{0, 1}}, Size: 1}
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
		t.off[id] = t.append(id)
	}
	return t.off[id]
}

// append appends a name and returns its offset.
func (t *Strtab) append(id ID) uint32 {
	off := t.Size
	t.order = append(t.order, id)
	t.Size += uint32(len(t.names.Str(id))) + 1
	for uint64(len(t.marks))*Block < uint64(t.Size) {
		t.marks = append(t.marks, mark{uint32(len(t.order) - 1), off})
	}
	return off
}

// AddAgain appends the name, whether it is there or not.
func (t *Strtab) AddAgain(id ID) uint32 {
	return t.append(id)
}

// AddEmpty appends an empty name, once: one more NUL.
func (t *Strtab) AddEmpty() uint32 {
	if t.Empty == 0 {
		t.Empty = t.append(0)
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

// Put writes a part of the table to b, which is zero: the bytes from a block on.
func (t *Strtab) Put(b []byte, block int) {
	from, m := block*Block, t.marks[block]
	at := int(m.off) - from // may be before b
	for _, id := range t.order[m.at:] {
		name := t.names.Str(id)
		if at < 0 {
			name = name[min(-at, len(name)):]
			at += len(t.names.Str(id)) - len(name)
		}
		if at >= len(b) {
			return
		}
		if at >= 0 {
			at += copy(b[at:], name)
		}
		at++
	}
}

// PutAll writes the whole table to b.
func (t *Strtab) PutAll(b []byte) {
	for i := range t.marks {
		if from := i * Block; from < len(b) {
			t.Put(b[from:min(from+Block, int(t.Size), len(b))], i)
		}
	}
}
