package place

import (
	"cmp"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Places come from the output.
//
// An object with a symbol is where the symbol says. One without (constants of
// the compiler, shared memory, what was stripped) is where the fields say that
// name it. A part of a section without either (debug information) is where its
// bytes are. The order of the inputs is the first guess and no more; that the
// places are possible ones, and that every field agrees with them, is checked
// afterwards.

// pairSections finds which section of the output is which area.
func (c *Places) pairSections() {
	o := c.Out
	for i := range o.Sections {
		s := &o.Sections[i]
		if o.Areas[i] != nil || s.Kind != cuda.SHTProgbits && s.Kind != cuda.SHTNobits && s.Kind < cuda.SHTCudaConstant || !link.Merges(s) && s.Kind != cuda.SHTCudaShared {
			continue
		}
		var owner *link.Body
		if s.Flags&cuda.SHFAlloc != 0 && int(s.Info) < len(o.Bodies) {
			owner = o.Bodies[s.Info]
		}
		key := link.AreaKey{Base: link.BaseName(s, owner), Owner: owner}
		a := c.ByKey[key]
		switch {
		case a != nil:
		case isSharedName(key):
			a = c.Area(key.Base, s.Name, owner)
			a.Kind, a.Flags, a.Align, a.Optional = cuda.SHTCudaShared, cuda.SHFWrite|cuda.SHFAlloc, s.Align, true
		case c.units && owner != nil && owner.Kernel() && (key.Base == link.CompilerBank || key.Base == link.MercuryBank):
			// Constants of functions that the kernel reaches, which no field names.
			a = c.Area(key.Base, s.Name, owner)
			a.Kind, a.Flags, a.Align, a.Optional = c.compilerKind(s), cuda.SHFAlloc, s.Align, true
			if c.Release >= link.FlagsOwned {
				a.Flags |= cuda.SHFInfoLink
			}
		}
		if a != nil && a.Out == nil {
			a.Out, o.Areas[i] = s, a
		}
	}
}

// isSharedName reports whether an area holds shared variables, of a kernel or
// of nobody.
func isSharedName(key link.AreaKey) bool {
	return key.Base == ".nv.shared." && key.Owner != nil || key.Base == ".nv_debug.shared" && key.Owner == nil
}

// compilerKind is the type of such a bank before it is lowered for the output.
func (c *Places) compilerKind(s *image.Section) cuda.SectionType {
	if c.Side == image.MercurySide {
		return s.Kind
	}
	return cuda.SHTCudaConstant0 + 2
}

// placeParts finds where the parts of an area lie.
func (c *Places) placeParts(a *link.Area) error {
	if a.Out == nil || a.Code() || len(a.Parts) == 0 || a.Moved {
		for _, p := range a.Parts {
			p.Placed = a.Code()
		}
		return nil
	}
	if c.laysReserved(a) {
		return nil
	}
	var open []*link.Part
	for _, p := range a.Parts {
		if !c.placeByObjects(a, p) {
			open = append(open, p)
		}
	}
	open, err := c.placeByRecords(a, open)
	if err != nil {
		return err
	}
	return c.placeByContent(a, open)
}

// placeByObjects takes the place that most of a part's objects tell; the others
// were moved by themselves.
func (c *Places) placeByObjects(a *link.Area, p *link.Part) bool {
	votes := map[uint64]int{}
	var best uint64
	known, moved := 0, false
	objects := c.ObjectsIn.Of(link.PlaceOf{Mod: p.Mod, Section: p.Section.Index})
	for _, id := range objects {
		at, ok := c.observedPlace(a, id)
		if !ok {
			continue
		}
		known++
		if at < id.Def.Value {
			moved = true // a part lies nowhere below 0
			continue
		}
		delta := at - id.Def.Value
		votes[delta]++
		if n := votes[delta]; n > votes[best] || n == votes[best] && (delta == p.Base || delta < best && best != p.Base) {
			best = delta
		}
	}
	if known == 0 {
		return false
	}
	guess := p.Base
	p.Base, p.Placed = best, true
	if moved || len(votes) > 1 || !liesAt(a, p.Mod, p.Section, 0, p.Section.Size, p.Base) {
		c.moveObjects(a, p, objects)
	}
	if guess != p.Base {
		c.Verdict.Habit(verdict.Finding{Kind: verdict.SectionBytes, File: p.Mod.Name, Section: a.Name, Offset: p.Base, Detail: "laid out in another order than in the inputs"})
	}
	return true
}

// moveObjects notes where each object of a part lies, and whether the bytes that no object has are gone.
func (c *Places) moveObjects(a *link.Area, p *link.Part, objects []*link.Identity) {
	for _, id := range objects {
		if at, known := c.observedPlace(a, id); known && c.mayLieAt(a, id, at) {
			p.Moves = append(p.Moves, link.Move{From: id.Def.Value, Size: id.Size, To: at})
		}
	}
	slices.SortFunc(p.Moves, func(x, y link.Move) int { return cmp.Compare(x.From, y.From) })
	absent := func(from, size uint64) bool {
		at := p.Base + from
		return !liesAt(a, p.Mod, p.Section, from, size, at) || slices.ContainsFunc(p.Moves, func(m link.Move) bool { return m.To < at+size && at < m.To+m.Size })
	}
	p.Gone = slices.ContainsFunc(p.Lost(), func(s *image.Symbol) bool { return absent(s.Value, s.Size) })
	if len(p.Moves) < len(objects) || p.Mod.NamesSection(p.Section.Index) {
		return
	}
	for _, piece := range p.Pieces() {
		p.Bare = p.Bare || piece.To == p.Base+piece.From && absent(piece.From, piece.Size)
	}
}

// mayLieAt reports whether the bytes at a place are an object's.
func (c *Places) mayLieAt(a *link.Area, id *link.Identity, at uint64) bool {
	return liesAt(a, id.Mod, &id.Mod.Sections[id.Def.Shndx], id.Def.Value, id.Size, at)
}

// liesAt reports whether the bytes at a place are those of some in an input's section.
func liesAt(a *link.Area, m *link.Module, s *image.Section, from, size, at uint64) bool {
	if at > a.Out.Size || size > a.Out.Size-at {
		return false
	}
	return s.Body == nil || m.Alike(s, from, size, a.Out.Body, at)
}

// observedPlace is the place of an object by its symbol, else by a field.
func (c *Places) observedPlace(a *link.Area, id *link.Identity) (uint64, bool) {
	if id.Out != 0 {
		s := &c.Out.Symbols[id.Out]
		return s.Value, !s.Special && s.Shndx == a.Out.Index && (!c.Relocatable || id.Space() != cuda.STOShared)
	}
	at, known := c.Observed[link.ObservedKey{ID: id}]
	return at, known
}

// placeByNames takes for a part the place where the output has symbols of the names
// and sizes of all its objects, as it has for static variables that several inputs
// name alike.
func (c *Places) placeByNames(a *link.Area, open []*link.Part, taken *[]link.Span) (left []*link.Part, err error) {
	for _, p := range open {
		votes := map[uint64]int{}
		named := 0
		for _, id := range c.ObjectsIn.Of(link.PlaceOf{Mod: p.Mod, Section: p.Section.Index}) {
			namesakes := c.OutByName.Of(id.Name)
			if len(namesakes) == 0 || id.Size == 0 {
				continue
			}
			named++
			for _, i := range namesakes {
				s := &c.Out.Symbols[i]
				if !s.Special && s.Shndx == a.Out.Index && s.Size == id.Size && s.Value >= id.Def.Value {
					votes[s.Value-id.Def.Value]++
				}
			}
			if err := c.Budget.Spend(p.Mod.Name, uint64(len(namesakes))); err != nil {
				return nil, err
			}
		}
		var places []uint64
		for at, n := range votes {
			if n == named {
				places = append(places, at)
			}
		}
		sortPlaces(places, p.Base)
		for _, at := range places {
			ok, err := c.fits(a, p, at, *taken)
			if err != nil {
				return nil, err
			}
			if ok {
				p.Base, p.Placed = at, true
				*taken = append(*taken, link.Span{From: at, To: at + p.Section.Size})
				break
			}
		}
		if !p.Placed {
			left = append(left, p)
		}
	}
	return left, nil
}

// sortPlaces puts places in order, but the one that is assumed first.
func sortPlaces(places []uint64, assumed uint64) {
	slices.SortFunc(places, func(x, y uint64) int {
		if x == assumed || y == assumed {
			return cmp.Compare(diff(x, assumed), diff(y, assumed))
		}
		return cmp.Compare(x, y)
	})
}

func diff(x, y uint64) uint64 { return max(x, y) - min(x, y) }

// search tries the places where a part may begin: after another, or where an
// object of its name lies.
func (c *Places) search(a *link.Area, p *link.Part, taken *[]link.Span) (bool, error) {
	starts := []uint64{0}
	for _, s := range *taken {
		starts = append(starts, image.RoundUp(s.To, max(p.Section.Align, 1)))
	}
	for _, id := range c.ObjectsIn.Of(link.PlaceOf{Mod: p.Mod, Section: p.Section.Index}) {
		for _, i := range c.OutByName.Of(id.Name) {
			if s := &c.Out.Symbols[i]; !s.Special && s.Shndx == a.Out.Index && s.Value >= id.Def.Value {
				starts = append(starts, s.Value-id.Def.Value)
			}
		}
	}
	slices.Sort(starts)
	for _, at := range slices.Compact(starts) {
		ok, err := c.fits(a, p, at, *taken)
		if err != nil {
			return false, err
		}
		if ok {
			p.Base, p.Placed = at, true
			*taken = append(*taken, link.Span{From: at, To: at + p.Section.Size})
			return true, nil
		}
	}
	return false, nil
}

// fits reports whether a part may be at a place that no other has.
func (c *Places) fits(a *link.Area, p *link.Part, at uint64, taken []link.Span) (bool, error) {
	size := p.Section.Size
	if at > a.Out.Size || size > a.Out.Size-at || p.Section.Align > 1 && at%p.Section.Align != 0 {
		return false, nil
	}
	if err := c.Budget.Spend(p.Mod.Name, uint64(1+len(taken)/8)); err != nil {
		return false, err
	}
	for _, s := range taken {
		if at < s.To && s.From < at+size && size > 0 && s.From < s.To {
			return false, nil
		}
	}
	if p.Section.Body == nil || a.Out.Body == nil {
		return true, nil
	}
	if err := c.Budget.Spend(p.Mod.Name, size/64); err != nil {
		return false, err
	}
	if !p.Mod.Alike(p.Section, 0, size, a.Out.Body, at) || !c.pointsToItself(a, p, at) {
		return false, nil
	}
	return c.recordsAgree(a, p, at)
}

// pointsToItself reports whether the fields of debug information that hold a place of
// their own section, as a row of a call frame names its CIE, do so at a place.
func (c *Places) pointsToItself(a *link.Area, p *link.Part, at uint64) bool {
	if c.Relocatable || a.Owner != nil || !verdict.IsDebug(a.Name) {
		return true
	}
	for _, i := range p.Mod.RelocsOf[p.Section.Index] {
		for _, r := range p.Mod.Relocs[i].List {
			s := &p.Mod.Symbols[r.Symbol]
			if s.Kind() != cuda.STTSection || s.Special || s.Shndx != p.Section.Index || r.Kind != cuda.R_CUDA_64 && r.Kind != cuda.R_CUDA_32 {
				continue
			}
			width := uint64(8)
			if r.Kind == cuda.R_CUDA_32 {
				width = 4
			}
			addend := uint64(r.Addend)
			if !r.Rela {
				addend = image.Number(p.Section.Body, r.Offset, width)
			}
			if image.Number(a.Out.Body, at+r.Offset, width) != at+addend {
				return false
			}
		}
	}
	return true
}

// settleObjects gives every object its place.
func (c *Places) settleObjects() {
	for _, id := range c.IDs {
		switch {
		case id.Function() || id.Image():
		case id.Space() == cuda.STOShared:
			if at, known := c.Observed[link.ObservedKey{ID: id}]; known {
				id.Value, id.Placed = at, true
			} else if s := c.SymbolOf(id); s != nil && s.Value >= c.Reserved {
				id.Value = s.Value - c.Reserved
			}
		case id.At == nil || c.laysReserved(id.At):
		case id.Common:
			if s := c.SymbolOf(id); s != nil {
				id.Value, id.Placed = s.Value, true
			}
		case id.Def != nil && !id.Def.Special:
			p := id.Mod.Places[id.Def.Shndx].Part
			if p == nil {
				continue
			}
			id.Value, id.Placed = p.At(id.Def.Value), true
			if id.At.Moved {
				id.Value += id.At.MovedTo
			}
		}
	}
}

// indexObjects notes which objects are defined in which section of an input.
func (c *Places) indexObjects() {
	c.ObjectsIn = image.NewGroups[link.PlaceOf, *link.Identity](len(c.IDs), 0)
	for _, id := range c.IDs {
		if id.Def != nil && !id.Def.Special && !id.Function() {
			c.ObjectsIn.Add(link.PlaceOf{Mod: id.Mod, Section: id.Def.Shndx}, id)
		}
	}
	c.ObjectsIn.Done()
	c.OutByName = image.NewGroups[string, int](len(c.Out.Symbols), len(c.Out.Symbols))
	for i := range c.Out.Symbols {
		if s := &c.Out.Symbols[i]; s.Kind() != cuda.STTSection {
			c.OutByName.Add(c.withoutNumber(s.Name), i)
		}
	}
	c.OutByName.Done()
}
