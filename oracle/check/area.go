package check

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Where the bytes of the inputs go.
//
// A section that belongs to a function goes with it, whole and alone. All
// others of one name are appended to each other in the order of the inputs,
// each at its own alignment, and no object inside is moved. Commons follow in
// .nv.global, the last one mentioned first.
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
	size  uint64
	parts []part

	want     []byte // what its bytes must be; nil where it has none
	fields   []field
	kept     []kept
	resolved []kept
	relTypes map[cuda.SectionType]bool // relocation sections it has

	// Compiler constants of a function, copied into its kernels' banks.
	own     bool // some came with code that won, if only for a time
	moved   bool
	movedTo uint64

	movedInto []*area

	slots bool // a parameter bank with image slots

	empty    bool // present though it holds nothing
	optional bool // may be there or not
	late     bool // made by the layout
	roomy    bool // see settle
	out      *section
}

// part is one input section in an area.
type part struct {
	mod     *module
	section *section
	base    uint64
}

// field is a place in an area that the linker wrote.
type field struct {
	offset uint64
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
	offset uint64
	kind   uint32
	ref    ref
	addend int64
	rela   bool
	mod    *module
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

func (c *check) gather() {
	for _, m := range c.modules {
		c.emptyReplaced(m)
		for _, i := range m.mergeOrder() {
			s := &m.sections[i]
			owner := m.ownerOf(s)
			if code := m.bodies[i]; code != nil {
				owner = code
			}
			from := owner
			if owner != nil {
				if owner = c.winner(owner); owner == nil || m.bodies[i] != nil && from != owner {
					continue
				}
			}
			if _, constant := bankOf(s.kind); constant && from != nil && !c.joins(from, s) {
				m.places[i] = place{area: c.area(baseName(s, owner), s.name, owner)}
				continue
			}
			if noBits(s.kind) && !m.accepted[i] {
				continue // every object in it is another module's
			}
			a := c.area(baseName(s, owner), s.name, owner)
			if a.kind == 0 {
				a.kind, a.flags = s.kind, s.flags
			}
			base := roundUp(a.size, s.align)
			a.size, a.align = base+s.size, max(a.align, s.align)
			a.parts = append(a.parts, part{m, s, base})
			a.own = a.own || from != nil && from.fate != lost
			m.places[i] = place{a, base}
			if m.bodies[i] != nil {
				owner.area = a
			}
		}
	}
	for _, id := range c.ids {
		if id.def == nil || id.def.special {
			continue
		}
		if p := id.mod.places[id.def.shndx]; p.area != nil {
			id.at, id.value, id.placed = p, p.base+id.def.value, true
		}
	}
	c.placeCommons()
}

// emptyReplaced takes back the constants of functions that a module defines
// anew. A strong definition leaves the parameter bank.
func (c *check) emptyReplaced(m *module) {
	again := map[*body]*body{}
	for _, code := range m.bodies {
		if code.took != nil && code.owner != nil {
			again[code.owner.code] = code
		}
	}
	if len(again) == 0 {
		return
	}
	for _, a := range c.areas {
		code := again[a.owner]
		if code == nil || a.code() {
			continue
		}
		if code.weak() || a.kind != cuda.SHTCudaConstant0 {
			for _, p := range a.parts {
				if a.kind != cuda.SHTCudaConstant0 {
					p.mod.places[p.section.index] = place{}
				}
			}
			a.parts, a.size = nil, 0
		}
	}
}

// winner is the code that stands for a body in the end.
func (c *check) winner(b *body) *body {
	if b.owner == nil {
		return nil
	}
	return b.owner.code
}

// joins reports whether the constants of a body are appended to those of its
// function. They are, even where its code lost; only the parameter bank of a
// weak kernel that lost to a weak one is left out.
func (c *check) joins(b *body, s *section) bool {
	return b.fate != lost || s.kind != cuda.SHTCudaConstant0 || !b.beaten || !b.weak()
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

// placeCommons gives the commons their room, the latest first.
func (c *check) placeCommons() {
	for _, id := range slices.Backward(c.commons) {
		if !id.common {
			continue
		}
		a := c.area(".nv.global", ".nv.global", nil)
		if a.kind == 0 {
			a.kind, a.flags = cuda.SHTCudaGlobal, cuda.SHFWrite|cuda.SHFAlloc
		}
		base := roundUp(a.size, id.align)
		// The first mention's alignment counts for the section, the
		// largest for the place.
		a.size, a.align = base+id.size, max(a.align, id.firstAlign)
		id.at, id.value, id.placed = place{a, base}, base, true
	}
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
	a := &area{name: name, base: base, owner: owner, relTypes: map[cuda.SectionType]bool{}}
	c.byKey[key] = a
	c.areas = append(c.areas, a)
	return a
}

// present reports whether the area has to be in the output.
func (a *area) present() bool {
	return (a.size > 0 || a.empty) && !a.moved && (a.owner == nil || a.owner.live)
}

// fill joins the bytes of the parts.
func (c *check) fill(a *area) error {
	if noBits(a.kind) || !a.present() {
		return nil
	}
	if a.size > uint64(c.total)*8+1<<20 {
		return &Refusal{Kind: TooMuch, Section: a.name, Value: a.size}
	}
	if err := c.budget.spend("", a.size/16); err != nil {
		return err
	}
	a.want = make([]byte, a.size)
	for _, p := range a.parts {
		copy(a.want[min(p.base, a.size):], p.section.body)
	}
	return nil
}

// trim: where kernels were asked for, the parts at the end of a constant bank
// of which every object lost are left out.
func (c *check) trim(a *area) {
	if _, constant := bankOf(a.kind); !constant || a.owner != nil || !c.options.FilterKernels && c.options.HostKernels == nil || a.out.size >= a.size {
		return
	}
	end := uint64(0)
	for _, id := range c.ids {
		if id.at.area == a {
			end = max(end, id.value+id.size)
		}
	}
	if body, ok := cut(a.want, 0, end); ok && end == a.out.size {
		a.size, a.want = end, body
	}
}

func (a *area) String() string { return fmt.Sprintf("%s (%d bytes)", a.name, a.size) }
