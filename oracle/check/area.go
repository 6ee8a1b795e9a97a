package check

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Where the bytes of the inputs are.
//
// A section that belongs to a function goes with it. All others of one name
// are parts of one section of the output, in any order. Where each part lies is
// read from the output, see places.go; the order of the inputs, each part at its
// own alignment, is only tried first.
//
// Source: exact offsets in links by nvlink 11.8.89, 12.4.131 and 13.0.88.

// area is a section that the output must have if there is anything in it.
type area struct {
	name  string
	base  string // name without that of the owner
	owner *body  // the code it belongs to, or is
	kind  cuda.SectionType
	flags cuda.SectionFlags
	align uint64
	size  uint64 // as the inputs' order gives it
	parts []*part

	want     []byte // what its bytes must be; nil where it has none
	fields   []field
	kept     []kept
	resolved []kept
	free     []span // bytes that need not be as they are
	covered  []span // bytes that some part explains, ascending

	// Compiler constants of a function, copied into its kernels' banks.
	moved     bool
	movedTo   uint64
	movedInto []*area

	slots      bool // a parameter bank with image slots
	optional   bool // may be there or not
	out        *section
	yields     yieldChoice
	byFunction map[uint32][]uint64 // places of the output's records, by symbol
	recordsAt  map[uint64]bool     // places of the output's records
	nodes      *nodeMap            // of a capsule
	words      *wordMap            // of code: which words of the input are which of the output
}

// span is a range of bytes.
type span struct{ from, to uint64 }

// part is one input section in an area.
type part struct {
	mod     *module
	section *section
	base    uint64
	placed  bool
	moves   []move // objects that don't lie with the others, by their place in the input
}

// move is an object of a part that lies elsewhere.
type move struct {
	from, size uint64 // in the input's section
	to         uint64 // in the area
}

// at is where a byte of a part lies in the area.
func (p *part) at(offset uint64) uint64 {
	i := sort.Search(len(p.moves), func(i int) bool { return p.moves[i].from > offset })
	if i > 0 && offset-p.moves[i-1].from < p.moves[i-1].size {
		return p.moves[i-1].to + offset - p.moves[i-1].from
	}
	return p.base + offset
}

// field is a place in an area that the linker wrote.
type field struct {
	offset uint64 // in the output
	size   uint64
	rec    record
	mod    *module
	target *identity // nil: a section symbol

	// What the recipe worked on; before is nil for a blanked size.
	as     uint32
	before []byte
	in     oracle.Inputs
}

// kept is a record that stays for the driver.
type kept struct {
	offset   uint64
	kind     uint32
	rela     bool
	optional bool // may be missing, or name another symbol
	dead     bool // may be missing
	lost     bool // the input defines the symbol itself, and so do others
	nobody   bool // of the output: the record names symbol 0
	ref      ref
	addend   int64
	implicit int64 // addend that a REL record has in its place
	mod      *module
}

// merges reports whether a section's bytes are carried over by the general
// rule.
func merges(s *section) bool {
	switch s.kind {
	case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTNote, cuda.SHTRel, cuda.SHTRela,
		cuda.SHTCudaInfo, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype, cuda.SHTCudaCompat, cuda.SHTCudaRelocInfo,
		cuda.SHTCudaResolvedRela, cuda.SHTCudaShared:
		return false
	}
	return true
}

// gather sorts the sections of the inputs by where they belong.
func (c *check) gather() {
	for _, m := range c.modules {
		for _, i := range m.mergeOrder() {
			s := &m.sections[i]
			code := m.bodies[i]
			owner := m.ownerOf(s)
			if code != nil {
				owner = code
			}
			if owner != nil && (owner.owner == nil || owner.owner.code != owner) {
				continue // of a definition that lost
			}
			if noBits(s.kind) && !m.accepted[i] && s.kind != cuda.SHTCudaSharedReserved {
				continue // every object in it is another module's
			}
			a := c.area(baseName(s, owner), s.name, owner)
			if a.kind == 0 {
				a.kind, a.flags = s.kind, s.flags
			}
			p := &part{mod: m, section: s, base: roundUp(a.size, s.align)}
			a.size, a.align = p.base+s.size, max(a.align, s.align)
			a.parts = append(a.parts, p)
			m.places[i] = place{a, p}
			if code != nil {
				owner.area = a
			}
		}
	}
	for _, id := range c.commons {
		if id.common {
			a := c.area(".nv.global", ".nv.global", nil)
			if a.kind == 0 {
				a.kind, a.flags = cuda.SHTCudaGlobal, cuda.SHFWrite|cuda.SHFAlloc
			}
			a.align = max(a.align, id.firstAlign)
			id.at = a
		}
	}
	for _, id := range c.ids {
		if id.def != nil && !id.def.special {
			id.at = id.mod.places[id.def.shndx].area
		}
	}
}

// mergeOrder lists the sections that carry bytes: those of the first objects
// first, then the others as they stand.
func (m *module) mergeOrder() []int {
	var list []int
	seen := make([]bool, len(m.sections))
	take := func(i int) {
		if i > 0 && !seen[i] && merges(&m.sections[i]) {
			seen[i] = true
			list = append(list, i)
		}
	}
	for i := range m.symbols {
		if s := &m.symbols[i]; s.kind() != cuda.STTFunc && s.kind() != cuda.STTSection && !s.special {
			take(s.shndx)
		}
	}
	for i := range m.sections {
		take(i)
	}
	return list
}

// areaKey tells sections of one name apart: by the code they belong to.
type areaKey struct {
	base  string
	owner *body
}

func (c *check) area(base, name string, owner *body) *area {
	key := areaKey{base, owner}
	if a := c.byKey[key]; a != nil {
		return a
	}
	a := &area{name: name, base: base, owner: owner}
	c.byKey[key] = a
	c.areas = append(c.areas, a)
	return a
}

// present reports whether the area has to be in the output.
func (a *area) present() bool {
	return a.size > 0 && !a.moved && (a.owner == nil || a.owner.live)
}

func (a *area) code() bool { return a.owner != nil && a.owner.area == a }

// fill joins the bytes of the parts. Bytes between them explain themselves: the
// output's count.
func (c *check) fill(a *area) error {
	if noBits(a.kind) || a.owner != nil && !a.owner.live || a.moved {
		return nil
	}
	size := a.size
	if a.out != nil && !a.code() {
		size = a.out.size
	}
	if size > uint64(c.total)*8+1<<20 {
		return &Refusal{Kind: TooMuch, Section: a.name, Value: size}
	}
	if err := c.budget.spend("", size/16); err != nil {
		return err
	}
	a.want = make([]byte, size)
	if a.out != nil && !a.code() {
		copy(a.want, a.out.body)
	}
	for _, p := range a.parts {
		if !p.placed && a.out != nil {
			continue
		}
		for _, piece := range p.pieces() {
			body, _ := cut(p.section.body, piece.from, piece.size)
			if piece.to <= uint64(len(a.want)) {
				copy(a.want[piece.to:], body)
			}
			a.covered = append(a.covered, span{piece.to, piece.to + piece.size})
		}
	}
	slices.SortFunc(a.covered, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	return nil
}

// pieces are the runs of bytes of a part that lie together.
func (p *part) pieces() []move {
	if len(p.moves) == 0 {
		return []move{{0, p.section.size, p.base}}
	}
	var list []move
	at := uint64(0)
	for _, m := range p.moves {
		if m.from > at {
			list = append(list, move{at, m.from - at, p.base + at})
		}
		list = append(list, m)
		at = max(at, m.from+m.size)
	}
	if at < p.section.size {
		list = append(list, move{at, p.section.size - at, p.base + at})
	}
	return list
}

// explains reports whether some part holds a byte of the area.
func (a *area) explains(offset uint64) bool {
	// Parts don't contain each other but where they are equal.
	i := sort.Search(len(a.covered), func(i int) bool { return a.covered[i].from > offset })
	for ; i > 0; i-- {
		if offset < a.covered[i-1].to {
			return true
		}
		if a.covered[i-1].to < a.covered[i-1].from+1 {
			continue // an empty one
		}
		return false
	}
	return false
}

// isFree reports whether a byte need not be as it is.
func (a *area) isFree(offset uint64) bool {
	for _, s := range a.free {
		if offset >= s.from && offset < s.to {
			return true
		}
	}
	return false
}

func (a *area) String() string { return fmt.Sprintf("%s (%d bytes)", a.name, a.size) }

func (b *body) kernel() bool {
	return slices.ContainsFunc(b.names, func(f *identity) bool { return f.kernel() })
}

// users lists the kernels that reach a body. It is asked once for each component of
// the call graph.
func (c *check) users(b *body) ([]*identity, error) {
	group := c.graph.group[b.names[0].node]
	for _, f := range b.names {
		if c.graph.group[f.node] != group {
			return c.kernelsReaching(b.names)
		}
	}
	if list, known := c.usersOfGroup[group]; known {
		return list, nil
	}
	list, err := c.kernelsReaching(b.names)
	if c.usersOfGroup == nil {
		c.usersOfGroup = map[int32][]*identity{}
	}
	c.usersOfGroup[group] = list
	return list, err
}
