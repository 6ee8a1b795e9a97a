package oracle

// A batch evaluates one recipe for 64 records at once, still bit by bit: what
// is a bit in [Apply] is a word here, a plane, whose bit k belongs to record k.
// Adding two numbers is a row of full adders over planes, a shift leaves planes
// out, and writing a field puts planes in their places. Nothing in it is like
// the shifts and masks with which a linker patches, and a field costs a few
// operations a record.

// Lanes is how many records a batch holds.
const Lanes = 64

// PlaceBytes is how many bytes of a place a batch holds; no recipe names a bit
// after them.
const PlaceBytes = (maxBit + 1) / 8

const placeBits = 8 * PlaceBytes

// Batch is 64 records with their places, fit for every type.
type Batch struct {
	place               [placeBits]uint64
	words               [PlaceBytes / 8][Lanes]uint64
	s, a, p, bank, slot number
}

// number is 64 whole numbers as planes, the lowest bit first. The last plane is
// the sign, as if it were repeated for ever.
type number struct {
	plane [maxPlanes]uint64
	n     int // planes in use, at least 1
}

// maxPlanes is enough for the sums of a recipe: 128 bits of old content, and one
// more for every addition. A formula has at most maxStack operands waiting, and
// the test of this file runs every recipe on numbers without end.
const maxPlanes = placeBits + 2 + maxStack

// Set puts down the records. Each of the slices has 64 elements; places have
// PlaceBytes bytes. Inputs.Rela isn't looked at: Apply is asked for either form.
func (b *Batch) Set(places *[Lanes][PlaceBytes]byte, in *[Lanes]Inputs) {
	for word := range PlaceBytes / 8 {
		var rows [Lanes]uint64
		for lane := range rows {
			for i := range 8 {
				rows[lane] |= uint64(places[lane][8*word+i]) << (8 * i)
			}
		}
		b.words[word] = rows
		transpose(&rows)
		copy(b.place[64*word:], rows[:])
	}
	var s, a, p, bank, slot [Lanes]uint64
	for i := range in {
		s[i], a[i], p[i] = in[i].S, uint64(in[i].A), in[i].P
		bank[i] = uint64(int64(in[i].SectionType) - bankBase)
		slot[i] = uint64(in[i].Slot)
	}
	b.s.set(&s, false)
	b.a.set(&a, true)
	b.p.set(&p, false)
	b.bank.set(&bank, true)
	b.slot.set(&slot, false)
}

// set makes planes of 64 numbers of 64 bits.
func (x *number) set(rows *[Lanes]uint64, signed bool) {
	transpose(rows)
	x.n = copy(x.plane[:], rows[:])
	if !signed {
		x.plane[x.n] = 0
		x.n++
	}
}

// Applied is a batch after a relocation.
type Applied struct {
	Places [PlaceBytes / 8][Lanes]uint64 // the words of each place, the lowest byte first
	// Implicit is what Outcome.Implicit is, for each record.
	Implicit [Lanes]uint64

	place [placeBits]uint64
	stack [maxStack]number
}

// Apply applies a recipe on all records, as REL or as RELA. A recipe that
// patches nothing leaves the places alone. The error is that of [RecipeOf], or
// a *[Refusal] for a sentinel.
func (b *Batch) Apply(kind uint32, rela bool, out *Applied) error {
	recipe, err := RecipeOf(kind)
	if err != nil {
		return err
	}
	if recipe.Sentinel {
		return &Refusal{Kind: SentinelType, Number: kind, Value: uint64(kind)}
	}
	out.place = b.place
	out.Implicit = [Lanes]uint64{}
	touched := [PlaceBytes / 8]bool{}
	for i := range recipe.steps {
		step := &recipe.steps[i]
		b.step(step, rela, out)
		for word := step.Field.Start / 64; word <= step.Field.Last()/64; word++ {
			touched[word] = true
		}
	}
	for word := range out.Places {
		if !touched[word] {
			out.Places[word] = b.words[word]
			continue
		}
		copy(out.Places[word][:], out.place[64*word:])
		transpose(&out.Places[word])
	}
	return nil
}

func (b *Batch) step(s *Step, rela bool, out *Applied) {
	field := out.place[s.Field.Start : s.Field.Last()+1]
	if s.implicit && !rela {
		out.Implicit = [Lanes]uint64{}
		copy(out.Implicit[:], field)
		transpose(&out.Implicit)
	}
	value := b.evaluate(s.code, field, rela, out)
	for i := range field {
		field[i] = value.at(i)
	}
}

// evaluate runs a formula in postfix order.
func (b *Batch) evaluate(code []*Expr, old []uint64, rela bool, out *Applied) *number {
	top := -1
	for _, e := range code {
		if e.Op == OpQuantity {
			top++
			b.load(&out.stack[top], e.Name, old, rela)
			continue
		}
		x := &out.stack[top]
		switch e.Op {
		case OpAdd, OpSub:
			top--
			out.stack[top].add(x, e.Op == OpSub)
		case OpShift:
			x.drop(int(e.N))
		case OpHigh:
			x.drop(32)
		case OpLow:
			x.cut(32)
			x.plane[x.n] = 0
			x.n++
		case OpSigned:
			x.cut(32)
		}
	}
	return &out.stack[0]
}

func (b *Batch) load(x *number, q Quantity, old []uint64, rela bool) {
	x.zero()
	switch q {
	case Addr, GAddr, UAddr, FDesc, FDescA, Header, HWDesc, HWSWDesc, Inst, InstOpcode:
		x.copy(&b.s)
		if rela {
			x.add(&b.a, false)
		}
	case Addend:
		if rela {
			x.copy(&b.a)
		}
	case Place:
		x.copy(&b.p)
	case Bank:
		x.copy(&b.bank)
	case Slot:
		x.copy(&b.slot)
	case Old:
		if !rela {
			x.n = copy(x.plane[:], old)
			x.plane[x.n] = 0
			x.n++
		}
	}
}

// at returns plane i, of which there is no end.
func (x *number) at(i int) uint64 { return x.plane[min(i, x.n-1)] }

func (x *number) zero() { x.plane[0], x.n = 0, 1 }

func (x *number) copy(y *number) { x.n = copy(x.plane[:], y.plane[:y.n]) }

// add adds y, or takes it away: a full adder for every bit, from the lowest on.
func (x *number) add(y *number, away bool) {
	carry, flip := uint64(0), uint64(0)
	if away { // x - y is x + not y + 1
		carry, flip = ^uint64(0), ^uint64(0)
	}
	n := max(x.n, y.n) + 1
	signX, signY := x.plane[x.n-1], y.plane[y.n-1]
	for i := x.n; i < n; i++ {
		x.plane[i] = signX
	}
	for i := range n {
		u, v := x.plane[i], signY
		if i < y.n {
			v = y.plane[i]
		}
		v ^= flip
		x.plane[i] = u ^ v ^ carry
		carry = u&v | carry&(u^v)
	}
	x.n = n
}

// drop divides by 2^k and rounds down.
func (x *number) drop(k int) {
	if k >= x.n {
		k = x.n - 1
	}
	x.n = copy(x.plane[:], x.plane[k:x.n])
}

// cut keeps the lowest k bits, the highest of them as the sign.
func (x *number) cut(k int) {
	for x.n < k {
		x.plane[x.n] = x.plane[x.n-1]
		x.n++
	}
	x.n = k
}

// transpose swaps rows and columns of a square of 64 bits by 64: first its
// halves, then the halves of those, and so on down to single bits.
func transpose(m *[Lanes]uint64) {
	for half, mask := 32, uint64(1)<<32-1; half > 0; half, mask = half/2, mask^mask<<(half/2) {
		for i := 0; i < Lanes; i = (i + half + 1) &^ half {
			t := (m[i]>>half ^ m[i+half]) & mask
			m[i] ^= t << half
			m[i+half] ^= t
		}
	}
}
