package check

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// output is the file under judgement, with what its sections and symbols stand
// for.
type output struct {
	*image
	areas  []*area // by section index
	bodies []*body // by section index of the code
	refs   []ref   // by symbol index
	infos  [][]attribute
	lists  []relocs
}

// readOutput reads the output and takes from it what the options leave open.
func (c *check) readOutput(data []byte) error {
	f, err := readImage("output", data, c.side, c.budget)
	if err != nil {
		return c.unreadable(err)
	}
	o := &output{image: f, areas: make([]*area, len(f.sections)), bodies: make([]*body, len(f.sections)),
		refs: make([]ref, len(f.symbols)), infos: make([][]attribute, len(f.sections))}
	for i := range f.sections {
		s := &f.sections[i]
		switch s.kind {
		case cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela:
			list, err := f.readRecords(s, c.budget)
			if err != nil {
				return c.unreadable(err)
			}
			if int(s.info) >= len(f.sections) {
				return c.unreadable(f.bad(s, uint64(s.info)))
			}
			if s.kind == cuda.SHTCudaResolvedRela {
				c.preserve = true
			}
			o.lists = append(o.lists, relocs{s, int(s.info), list})
		case cuda.SHTCudaInfo:
			if o.infos[i], err = f.readAttributes(s, c.budget); err != nil {
				return c.unreadable(err)
			}
		}
	}
	c.out = o
	c.release, c.sm = c.options.Release, armOf(c.options.Arch)
	if c.release == 0 {
		c.release = f.release()
	}
	if c.sm == 0 {
		c.sm = f.sm()
	}
	c.relocatable = c.options.Relocatable && c.release >= 130 || f.header.kind == cuda.ETRel && len(f.segments) == 0
	c.infer()
	c.preserve = c.preserve || c.options.PreserveRelocs
	c.debug = c.options.Debug && !c.options.SuppressDebug
	if c.sm >= 90 && !c.options.NoReservation && c.out.side != mercurySide {
		c.reserved = reservedShared
	}
	c.forceRela = c.options.ForceRela || !o.hasRel()
	c.keepAll = c.options.KeepAll || c.relocatable || c.preserve || c.options.Debug
	return nil
}

// hasRel reports whether there are REL records.
func (o *output) hasRel() bool {
	return slices.ContainsFunc(o.lists, func(l relocs) bool { return l.section.kind == cuda.SHTRel })
}

// unreadable turns a refusal of the output into a finding, but for that of the
// budget.
func (c *check) unreadable(err error) error {
	var r *Refusal
	if !errors.As(err, &r) || r.Kind == TooMuch {
		return err
	}
	c.verdict.add(Finding{Kind: Unreadable, File: r.File, Section: r.Section, Offset: r.Offset, Detail: r.Kind.String()})
	return nil
}

// release is the toolkit an image's header names: e_version up to 12.x, from
// 13.0 on the API word of .note.nv.cuinfo.
func (f *image) release() oracle.Release {
	if f.header.osabi != cuda.OSABICuda13 {
		return oracle.Release(f.header.version)
	}
	for i := range f.sections {
		if s := &f.sections[i]; s.name == ".note.nv.cuinfo" && len(s.body) >= 32 {
			return oracle.Release(word(s.body, 28))
		}
	}
	return 130
}

func (f *image) sm() int {
	if f.header.osabi != cuda.OSABICuda13 {
		return int(f.header.flags & cuda.EFLegacySM)
	}
	return int(f.header.flags & cuda.EFSMMask >> cuda.EFSMShift)
}

// armOf is the number of an architecture's name, 0 for none.
func armOf(arch string) int {
	n := 0
	for _, d := range strings.TrimLeft(arch, "smcopute_") {
		if d < '0' || d > '9' || n > 999 {
			break
		}
		n = 10*n + int(d-'0')
	}
	return n
}

// match finds which section of the output is which area, and which of its
// symbols is whom.
func (c *check) match() error {
	o := c.out
	for i := range o.sections {
		s := &o.sections[i]
		if o.areas[i] != nil || s.kind != cuda.SHTProgbits && s.kind != cuda.SHTNobits && s.kind < cuda.SHTCudaConstant || !merges(s) && s.kind != cuda.SHTCudaShared {
			continue
		}
		var owner *body
		if s.flags&cuda.SHFAlloc != 0 && int(s.info) < len(o.bodies) {
			owner = o.bodies[s.info]
		}
		if a := c.byKey[areaKey{baseName(s, owner), owner}]; a != nil && a.out == nil {
			a.out, o.areas[i] = s, a
			c.settle(a)
			c.trim(a)
		}
	}
	c.matchSymbols()
	c.compareProgram()
	return nil
}

// compareProgram tells an output of another program from a bad one: nothing
// that the inputs define has its name there.
func (c *check) compareProgram() {
	defined, found := 0, 0
	for _, id := range c.ids {
		if id.def == nil && !id.common || !c.visible(id) {
			continue
		}
		defined++
		if id.out != 0 {
			found++
		}
	}
	if defined > 0 && found == 0 {
		c.verdict.add(Finding{Kind: OtherProgram, File: "output", Want: fmt.Sprintf("some of %d names", defined), Got: "none"})
	}
}

// matchCode goes by name. Equal names (static functions of several modules)
// go by order, which is that of the first definitions.
func (c *check) matchCode() {
	byName := map[string][]*area{}
	for _, a := range c.areas {
		if a.code() && a.owner.live {
			byName[a.name] = append(byName[a.name], a)
		}
	}
	for _, list := range byName {
		sort.SliceStable(list, func(i, j int) bool { return list[i].owner.first() < list[j].owner.first() })
	}
	for i := range c.out.sections {
		s := &c.out.sections[i]
		if !isCode(s) || len(byName[s.name]) == 0 {
			continue
		}
		a := byName[s.name][0]
		byName[s.name] = byName[s.name][1:]
		a.out, c.out.areas[i], c.out.bodies[i] = s, a, a.owner
	}
}

// first is the moment when the function got its first definition.
func (b *body) first() int {
	first := 1 << 62
	for _, id := range b.names {
		first = min(first, id.defined)
	}
	return first
}

// matchSymbols goes by name, and by order among equal ones.
func (c *check) matchSymbols() {
	byName := map[string][]*identity{}
	for _, id := range c.ids {
		if c.visible(id) || c.tolerated(id) {
			name := c.nameInOutput(id)
			byName[name] = append(byName[name], id)
		}
	}
	for i := range c.out.symbols {
		s := &c.out.symbols[i]
		if s.kind() == cuda.STTSection {
			if !s.special {
				c.out.refs[i] = ref{area: c.out.areas[s.shndx]}
			}
			continue
		}
		name := withoutNumber(s.name)
		list := byName[name]
		j := c.likest(list, s)
		if j < 0 {
			continue
		}
		id := list[j]
		id.out = i
		c.out.refs[i] = ref{id: id}
		if id != c.instance {
			byName[name] = append(list[:j:j], list[j+1:]...)
		}
	}
}

// nameInOutput is the name by which an identity is looked for. The finalizer
// numbers the compiler constants of a function, "f.const_opt.0.16" and so on, in
// an order of its own.
func (c *check) nameInOutput(id *identity) string {
	f, _, constant := strings.Cut(id.name, ".const_opt.")
	if c.out.side == whole || !constant {
		return id.name
	}
	return numbered + f
}

// withoutNumber is a symbol's name as nameInOutput has it.
func withoutNumber(name string) string {
	if dot := strings.LastIndexByte(name, '.'); strings.HasPrefix(name, numbered) && dot > len(numbered) {
		name = name[:dot]
	}
	return name
}

const numbered = ".nv.constant.optimizer."

// likest chooses among identities of one name: the first of the same section
// and place, else of the same section, else of the same sort. -1: none.
func (c *check) likest(list []*identity, s *symbol) int {
	if len(list) == 1 {
		return 0
	}
	found, section := -1, -1
	for j, id := range list {
		if id.function() != (s.kind() == cuda.STTFunc) || id.local != (s.bind() == cuda.STBLocal) {
			continue
		}
		if !s.special && id.at.area != nil && id.at.area.out != nil && id.at.area.out.index == s.shndx {
			if id.value == s.value || id.function() {
				return j
			}
			if section < 0 {
				section = j
			}
		}
		if found < 0 {
			found = j
		}
	}
	if section >= 0 {
		return section
	}
	return found
}

// visible reports whether an identity has a symbol in the output.
func (c *check) visible(id *identity) bool {
	switch {
	case id.function():
		// 11.8 leaves second names that nothing calls.
		return id.live || id.def == nil && id.named || id.code != nil && id.code.live && c.release < 119
	case id.image():
		return true
	case id.space() == cuda.STOShared:
		return c.sharedVisible(id)
	case id.def == nil && !id.common:
		return (c.relocatable || !unified(id.name)) && !id.local
	case c.relocatable:
		return !c.lostWithCode(id)
	}
	if id.other&cuda.STOVisibility != cuda.STOInternal {
		return true
	}
	// Parameters and compiler constants, which belong to a kernel.
	return c.preserve && id.at.area != nil && (id.at.area.owner == nil || id.at.area.owner.kernel()) && !c.lostWithCode(id)
}

// lostWithCode reports whether an object belongs to code that lost.
func (c *check) lostWithCode(id *identity) bool {
	if id.def == nil || id.def.special {
		return false
	}
	owner := id.mod.ownerOf(&id.mod.sections[id.def.shndx])
	return owner != nil && owner.fate != won
}

// sharedVisible: with -g and --preserve-relocs shared variables have symbols
// that code names.
func (c *check) sharedVisible(id *identity) bool {
	if c.relocatable || c.forDebugger(id) {
		return true
	}
	if id.externShared() {
		return c.preserve && c.placedByAccident(id)
	}
	return c.preserve && c.uses[id] != nil
}

// placedByAccident: arrays of unknown length get no place with
// --preserve-relocs, and what has none is left out. But where .nv_debug.shared
// holds anything the reserved kilobyte is added to their place as well, and it
// looks like one then.
func (c *check) placedByAccident(id *identity) bool {
	return c.reserved > 0 && c.out.side == whole && len(c.shared.multi) > 0 && c.uses[id] != nil
}

// forDebugger: 11.8 leaves out what belongs to no kernel and has one user.
func (c *check) forDebugger(id *identity) bool {
	u := c.uses[id]
	if !c.debug || u == nil {
		return false
	}
	return c.release >= 119 || len(u.kernels) != 1 || id.externShared() || c.shared.owned[id]
}

// tolerated reports whether an identity may have a symbol without having to: a
// shared variable that only code names which lost, and the parameters and
// compiler constants of such code.
func (c *check) tolerated(id *identity) bool {
	if id.function() || id.def == nil && !id.externShared() {
		return false
	}
	if id.space() == cuda.STOShared {
		return (c.debug || c.preserve) && c.lostUses[id]
	}
	return (c.relocatable || c.preserve) && c.lostWithCode(id)
}
