package check

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Where shared variables lie, as the code of the output tells.
//
// A final image has no symbols for shared memory; the fields of the code are
// all that is left of the layout. Reading them backwards gives each variable's
// address, whoever chose it. Any choice will do under which no two variables
// that one kernel uses share bytes, each is aligned, and all lie below the end
// of the kernel's section. What has no known length begins behind the others.

// told is the address of a variable by one field.
type told struct {
	id    *identity
	value uint64
	area  *area
	field *field
}

// bits reads a field of an instruction, one bit after the other from the top.
func bits(place []byte, f oracle.Field) (uint64, bool) {
	n := uint64(0)
	for i := f.Width; i > 0; i-- {
		at := f.Start + i - 1
		b, ok := cut(place, uint64(at/8), 1)
		if !ok || f.Width > 64 {
			return 0, false
		}
		n = 2*n + uint64(b[0]>>(at%8)%2)
	}
	return n, true
}

// tell reads S out of a patched place: the number with which the recipe makes
// these bytes of the bytes before.
func tell(kind uint32, before, after []byte, in oracle.Inputs) (uint64, bool) {
	r, err := oracle.RecipeOf(kind)
	if err != nil || len(r.Steps()) != 1 {
		return 0, false
	}
	in.S = 0
	zero, err := oracle.Apply(kind, before, in)
	if err != nil {
		return 0, false
	}
	f := r.Steps()[0].Field
	base, ok := bits(zero.Bytes, f)
	found, okToo := bits(after, f)
	if !ok || !okToo {
		return 0, false
	}
	in.S = found - base
	if f.Width < 64 {
		in.S %= 1 << f.Width
	}
	again, err := oracle.Apply(kind, before, in)
	if err != nil {
		return 0, false
	}
	repeated, _ := bits(again.Bytes, f)
	return in.S, repeated == found
}

// placeTold is S for a record of an image that somebody else laid out: for
// shared memory what the first field of the variable tells, of an array of
// unknown length what the first field in this code does.
func (c *check) placeTold(m *module, a *area, r record, d decision, place []byte) uint64 {
	id := m.refs[r.symbol].id
	if id == nil || id.function() || id.space() != cuda.STOShared || a.out == nil {
		return d.in.S
	}
	key := toldKey{id: id}
	if id.externShared() {
		key.code = a.owner
	}
	if s, known := c.told[key]; known {
		return s
	}
	after, ok := cut(a.out.body, r.offset, min(uint64(len(place)), uint64(len(a.out.body))-min(r.offset, uint64(len(a.out.body)))))
	if !ok {
		return d.in.S
	}
	s, ok := tell(d.as, place, after, d.in)
	if !ok {
		return d.in.S
	}
	if c.told == nil {
		c.told = map[toldKey]uint64{}
	}
	c.told[key] = s
	if s != d.in.S {
		c.verdict.remark(Finding{Kind: SharedPlace, File: m.name, Section: a.name, Symbol: id.name, Offset: r.offset, Want: hex(d.in.S), Got: hex(s), Detail: "laid out another way"})
	}
	return s
}

type toldKey struct {
	id   *identity
	code *body
}

// sharedTold lists the addresses that live code tells.
func (c *check) sharedTold() ([]told, error) {
	var list []told
	for _, a := range c.areas {
		if !a.code() || a.out == nil || !a.owner.live {
			continue
		}
		for i := range a.fields {
			f := &a.fields[i]
			if f.target == nil || f.target.function() || f.target.space() != cuda.STOShared || f.before == nil {
				continue
			}
			if err := c.budget.spend("output", 4); err != nil {
				return nil, err
			}
			at := c.movedTo(a, f.offset)
			after, ok := cut(a.out.body, at, min(uint64(len(f.before)), uint64(len(a.out.body))-min(at, uint64(len(a.out.body)))))
			if !ok {
				continue
			}
			if s, ok := tell(f.as, f.before, after, f.in); ok {
				list = append(list, told{f.target, s, a, f})
			}
		}
	}
	return list, nil
}

// compareShared holds the addresses against each other.
func (c *check) compareShared() error {
	if c.relocatable {
		return nil
	}
	list, err := c.sharedTold()
	if err != nil {
		return err
	}
	at := map[*identity]told{}
	var variables []told
	for _, t := range list {
		if t.id.externShared() {
			continue
		}
		first, known := at[t.id]
		switch {
		case !known:
			at[t.id] = t
			variables = append(variables, t)
			c.compareSharedPlace(t)
		case first.value != t.value:
			c.verdict.add(c.sharedFinding(SharedPlace, t, fmt.Sprintf("0x%x, as in %s", first.value, first.area.name)))
		}
	}
	for i, v := range variables {
		for _, w := range variables[:i] {
			if err := c.budget.spend("output", 1); err != nil {
				return err
			}
			if v.value < w.value+w.id.size && w.value < v.value+v.id.size && c.meets(v.id, []*identity{w.id}) {
				f := c.sharedFinding(SharedOverlap, v, "apart from "+w.id.name)
				f.Detail = fmt.Sprintf("%s is at 0x%x, %d bytes; a kernel uses both", w.id.name, w.value, w.id.size)
				c.verdict.add(f)
			}
		}
	}
	c.compareSharedExtern(list, variables)
	return c.paySteps()
}

func (c *check) sharedFinding(kind Kind, t told, want string) Finding {
	return Finding{Kind: kind, File: t.id.file, Section: t.area.name, Symbol: t.id.name, Offset: t.field.offset,
		Relocation: relocationName(t.field.rec.kind), Want: want, Got: hex(t.value)}
}

// compareSharedPlace wants a variable aligned and inside the sections of the
// kernels that use it.
func (c *check) compareSharedPlace(t told) {
	if align := max(t.id.align, 1); t.value%align != 0 {
		c.verdict.add(c.sharedFinding(SymbolAlignment, t, "a multiple of "+hex(align)))
	}
	for _, k := range c.usersOf(t.id) {
		if end, ok := c.sharedEnd(k); !ok || t.value > end || t.id.size > end-t.value {
			f := c.sharedFinding(SharedSize, t, "inside")
			f.Detail = fmt.Sprintf("%s has 0x%x bytes of shared memory, the variable is %d long", k.name, end, t.id.size)
			c.verdict.add(f)
		}
	}
}

// sharedEnd is how much shared memory a kernel's section asks for.
func (c *check) sharedEnd(k *identity) (uint64, bool) {
	a := c.byKey[areaKey{".nv.shared.", k.code}]
	if a == nil || a.out == nil || a.out.size < c.reserved {
		return 0, false
	}
	return a.out.size - c.reserved, true
}

// compareSharedExtern wants arrays of unknown length behind every variable of
// the kernels that use them.
func (c *check) compareSharedExtern(list, variables []told) {
	for _, t := range list {
		if !t.id.externShared() {
			continue
		}
		kernels := t.area.owner.users()
		if t.area.owner.kernel() {
			kernels = []*identity{t.area.owner.owner}
		}
		for _, v := range variables {
			if v.value+v.id.size > t.value && c.anyUses(kernels, v.id) {
				f := c.sharedFinding(SharedOverlap, t, "behind "+v.id.name)
				f.Detail = fmt.Sprintf("%s is at 0x%x, %d bytes; a kernel uses both", v.id.name, v.value, v.id.size)
				c.verdict.add(f)
				break
			}
		}
	}
}

func (c *check) anyUses(kernels []*identity, v *identity) bool {
	for _, k := range c.usersOf(v) {
		for _, other := range kernels {
			c.steps++
			if k == other {
				return true
			}
		}
	}
	return false
}
