package fit

// Kind says how an output bit or field comes out of the input.
type Kind uint8

const (
	Const Kind = iota // the bit is Add
	Bits              // the bit is input bit Src
	Not               // its inverse
	Sum               // Width bits: input bits from Src plus Add, or plus Rows[key]
	Table             // the bit is Rows[key]
)

// Rule gives one output bit, or for Sum a field of them.
type Rule struct {
	Kind  Kind
	Dst   int
	Width int // of a Sum; else 1
	Src   int
	Add   uint64
	Key   []int // input bits, the first lowest
	Rows  map[uint64]uint64
}

// Slot is an operand of the input that may hold only some values: a register
// of 10 bits (0..255, all ones for RZ), or a predicate of 5 (0..6, all ones for PT).
type Slot struct{ At, Width int }

// Holds reports whether a value is one that the slot may hold.
func (s Slot) Holds(x uint64) bool {
	if s.Width == 10 {
		return x < 255 || x == 1023
	}
	return x < 7 || x == 31
}

// Variant is the rules of one structure of the output.
type Variant struct {
	Sig   string
	Size  int // of the output, in 64 bits
	Rules []Rule
	// Open lists output bits for which no rule was found.
	Open []int
	// Samples counts the distinct inputs that the rules were seen to predict,
	// Wrong those that they did not.
	Samples, Wrong int
}

// Model is the rules of a form.
type Model struct {
	Slots    []Slot
	Key      []int          // input bits that choose the structure
	Select   map[uint64]int // of each key seen, the variant
	Variants []*Variant
	Locked   []Lock // input bits known only with one value
	Dead     []int  // input bits that were seen to have no influence
	Proven   []Vec  // inputs that it predicted, some of all
}

// Lock is an input bit that was never seen with another value.
type Lock struct {
	At    int
	Value uint64
}

// Predict returns the output, or why it is not known.
func (m *Model) Predict(v Vec) (Out, string) {
	for _, s := range m.Slots {
		if !s.Holds(v.Field(s.At, s.Width)) {
			return Out{}, "operand"
		}
	}
	for _, l := range m.Locked {
		if v.Bit(l.At) != l.Value {
			return Out{}, "locked"
		}
	}
	at, ok := m.Select[v.Pick(m.Key)]
	if !ok {
		return Out{}, "structure"
	}
	va := m.Variants[at]
	if len(va.Open) > 0 {
		return Out{}, "open"
	}
	n := 0
	for _, r := range va.Rules {
		n = max(n, r.Dst+max(r.Width, 1))
	}
	out := Out{Sig: va.Sig, Bits: make([]uint64, (n+63)/64)}
	for _, r := range va.Rules {
		x, ok := r.value(v)
		if !ok {
			return Out{}, "row"
		}
		for k := range max(r.Width, 1) {
			d := r.Dst + k
			out.Bits[d>>6] |= x >> k & 1 << (d & 63)
		}
	}
	return out, ""
}

func (r *Rule) value(v Vec) (uint64, bool) {
	switch r.Kind {
	case Const:
		return r.Add, true
	case Bits:
		return v.Bit(r.Src), true
	case Not:
		return 1 - v.Bit(r.Src), true
	case Sum:
		add, ok := r.Add, true
		if r.Key != nil {
			add, ok = r.Rows[v.Pick(r.Key)]
		}
		x := v.Field(r.Src, r.Width) + add
		if r.Width < 64 {
			x &= 1<<r.Width - 1
		}
		return x, ok
	case Table:
		x, ok := r.Rows[v.Pick(r.Key)]
		return x, ok
	}
	return 0, false
}
