package link

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// Where the bytes of the inputs are.
//
// A section that belongs to a function goes with it. All others of one name
// are parts of one section of the output, in any order. Where each part lies is
// read from the output, see package place; the order of the inputs, each part at its
// own alignment, is only tried first.
//
// Source: exact offsets in links by nvlink 11.8.89, 12.4.131 and 13.0.88.

// Area is a section that the output must have if there is anything in it.
type Area struct {
	Name  string
	Base  string // name without that of the owner
	Owner *Body  // the code it belongs to, or is
	Kind  cuda.SectionType
	Flags cuda.SectionFlags
	Align uint64
	Size  uint64 // as the inputs' order gives it
	Parts []*Part

	Want     []byte // what its bytes must be; nil where it has none
	Fields   []Field
	Kept     []Kept
	Resolved []Kept
	Free     []Span // bytes that need not be as they are
	Covered  []Span // bytes that some part explains, ascending

	// Compiler constants of a function, copied into its kernels' banks.
	Moved     bool
	MovedTo   uint64
	MovedInto []*Area

	Slots      bool // a parameter bank with image slots
	Optional   bool // may be there or not
	Out        *image.Section
	Yields     yieldChoice
	ByFunction map[uint32][]uint64 // places of the output's records, by symbol
	RecordsAt  map[uint64]bool     // places of the output's records
	Nodes      *NodeMap            // of a capsule
	Words      *sass.WordMap       // of code: which words of the input are which of the output
}

// Span is a range of bytes.
type Span struct{ From, To uint64 }

// Part is one input section in an area.
type Part struct {
	Mod     *Module
	Section *image.Section
	Base    uint64
	Placed  bool
	Moves   []Move // objects that don't lie with the others, by their place in the input
	Gone    bool   // bytes of objects that lost are not there
	Bare    bool   // nor those that no object has
}

// Move is an object of a part that lies elsewhere.
type Move struct {
	From, Size uint64 // in the input's section
	To         uint64 // in the area
}

// At is where a byte of a part is in the area.
func (p *Part) At(offset uint64) uint64 {
	i := sort.Search(len(p.Moves), func(i int) bool { return p.Moves[i].From > offset })
	if i > 0 && offset-p.Moves[i-1].From < p.Moves[i-1].Size {
		return p.Moves[i-1].To + offset - p.Moves[i-1].From
	}
	return p.Base + offset
}

// Field is a place in an area that the linker wrote.
type Field struct {
	Offset uint64 // in the output
	Size   uint64
	Rec    image.Record
	Mod    *Module
	Target *Identity // nil: a section symbol

	// What the recipe worked on; before is nil for a blanked size.
	As     uint32
	Before []byte
	In     oracle.Inputs
}

// Kept is a record that stays for the driver.
type Kept struct {
	Offset   uint64
	Kind     uint32
	Rela     bool
	Optional bool // may be missing, or name another symbol
	Dead     bool // may be missing
	Lost     bool // the input defines the symbol itself, and so do others
	Nobody   bool // of the output: the record names symbol 0
	Ref      Ref
	Addend   int64
	Implicit int64 // addend that a REL record has in its place
	Mod      *Module
}

// Merges reports whether a section's bytes are carried over by the general
// rule.
func Merges(s *image.Section) bool {
	switch s.Kind {
	case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTSymtabShndx, cuda.SHTNote, cuda.SHTRel, cuda.SHTRela,
		cuda.SHTCudaInfo, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype, cuda.SHTCudaCompat, cuda.SHTCudaRelocInfo,
		cuda.SHTCudaResolvedRela, cuda.SHTCudaShared:
		return false
	}
	return true
}

// MergeOrder lists the sections that carry bytes: those of the first objects
// first, then the others as they stand.
func (m *Module) MergeOrder() []int {
	var list []int
	seen := make([]bool, len(m.Sections))
	take := func(i int) {
		if i > 0 && !seen[i] && Merges(&m.Sections[i]) {
			seen[i] = true
			list = append(list, i)
		}
	}
	for i := range m.Symbols {
		if s := &m.Symbols[i]; s.Kind() != cuda.STTFunc && s.Kind() != cuda.STTSection && !s.Special {
			take(s.Shndx)
		}
	}
	for i := range m.Sections {
		take(i)
	}
	return list
}

// AreaKey tells sections of one name apart: by the code they belong to.
type AreaKey struct {
	Base  string
	Owner *Body
}

func (c *Link) Area(base, name string, owner *Body) *Area {
	key := AreaKey{base, owner}
	if a := c.ByKey[key]; a != nil {
		return a
	}
	a := &Area{Name: name, Base: base, Owner: owner}
	c.ByKey[key] = a
	c.Areas = append(c.Areas, a)
	return a
}

// Present reports whether the area has to be in the output.
func (a *Area) Present() bool {
	return a.Size > 0 && !a.Moved && (a.Owner == nil || a.Owner.Live)
}

func (a *Area) Code() bool { return a.Owner != nil && a.Owner.Area == a }

// Pieces are the runs of bytes of a part that lie together.
func (p *Part) Pieces() []Move {
	if len(p.Moves) == 0 && !p.Gone {
		return []Move{{0, p.Section.Size, p.Base}}
	}
	var list []Move
	at := uint64(0)
	for _, m := range p.Moves {
		list = append(p.unnamed(list, at, m.From), m)
		at = max(at, m.From+m.Size)
	}
	return p.unnamed(list, at, p.Section.Size)
}

// unnamed adds the bytes from one place to another, which have no symbol, but for those that are there for an alignment
// alone and those that are gone.
func (p *Part) unnamed(list []Move, from, to uint64) []Move {
	add := func(end uint64) {
		if end = min(end, to); end > from && !p.Bare && !p.pads(from, end) {
			list = append(list, Move{from, end - from, p.Base + from})
		}
	}
	if p.Gone {
		for _, s := range p.Lost() {
			add(s.Value)
			from = min(max(from, s.Value+s.Size), to)
		}
	}
	add(to)
	return list
}

// Without reports whether a byte of a part is gone.
func (p *Part) Without(at uint64) bool {
	if !p.Gone && !p.Bare || slices.ContainsFunc(p.Moves, func(m Move) bool { return m.From <= at && at-m.From < m.Size }) {
		return false
	}
	return p.Bare || slices.ContainsFunc(p.Lost(), func(s *image.Symbol) bool { return s.Value <= at && at-s.Value < s.Size })
}

// Lost are the objects of a part that another definition stands for, by their place.
func (p *Part) Lost() []*image.Symbol {
	return slices.SortedFunc(slices.Values(p.Mod.Losers[p.Section.Index]), func(a, b *image.Symbol) int { return cmp.Compare(a.Value, b.Value) })
}

// pads reports whether bytes between two objects are there for an alignment alone.
func (p *Part) pads(from, to uint64) bool {
	body, ok := image.Cut(p.Section.Body, from, to-from)
	return to-from < p.Section.Align && (!ok || len(bytes.Trim(body, "\x00")) == 0)
}

// Explains reports whether some part holds a byte of the area.
func (a *Area) Explains(offset uint64) bool {
	// Parts don't contain each other but where they are equal.
	i := sort.Search(len(a.Covered), func(i int) bool { return a.Covered[i].From > offset })
	for ; i > 0; i-- {
		if offset < a.Covered[i-1].To {
			return true
		}
		if a.Covered[i-1].To < a.Covered[i-1].From+1 {
			continue // an empty one
		}
		return false
	}
	return false
}

// IsFree reports whether a byte need not be as it is.
func (a *Area) IsFree(offset uint64) bool {
	for _, s := range a.Free {
		if offset >= s.From && offset < s.To {
			return true
		}
	}
	return false
}

func (a *Area) String() string { return fmt.Sprintf("%s (%d bytes)", a.Name, a.Size) }

func (b *Body) Kernel() bool {
	return slices.ContainsFunc(b.Names, func(f *Identity) bool { return f.Kernel() })
}

func (a *Area) Parts0() string {
	if len(a.Parts) == 0 {
		return ""
	}
	return a.Parts[0].Mod.Name
}

// PartOf names the input that a byte of the area comes from.
func (a *Area) PartOf(offset uint64) string {
	for _, p := range a.Parts {
		if offset >= p.Base && offset-p.Base < p.Section.Size {
			return p.Mod.Name
		}
	}
	return ""
}

// ObservedKey is what a field tells of: an object, or a section of an input by its
// section symbol. Arrays of unknown length have a place for each code.
type ObservedKey struct {
	ID   *Identity
	Sec  PlaceOf
	Code *Body
}

// TakenSpans are the places of the parts that are known.
func (a *Area) TakenSpans() []Span {
	var list []Span
	for _, p := range a.Parts {
		if p.Placed {
			for _, piece := range p.Pieces() {
				list = append(list, Span{piece.To, piece.To + piece.Size})
			}
		}
	}
	return list
}

// PlaceOf names a section of an input.
type PlaceOf struct {
	Mod     *Module
	Section int
}

func (a *Area) Keep(k Kept) {
	a.Kept = append(a.Kept, k)
	if k.Ref.ID != nil && !k.Optional && !k.Dead {
		k.Ref.ID.Named = true
	}
}
