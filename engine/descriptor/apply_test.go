package descriptor

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// bits are a field of a place taken as one number.
func bits(place []byte, s Slot) *big.Int {
	n := new(big.Int).Rsh(number(place), uint(s.First))
	return n.And(n, mask(s.Width))
}

func mask(width uint32) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return m.Sub(m, big.NewInt(1))
}

// with is a place with other bits in a field.
func with(place []byte, s Slot, v uint64) []byte {
	n := new(big.Int).AndNot(number(place), new(big.Int).Lsh(mask(s.Width), uint(s.First)))
	field := new(big.Int).And(new(big.Int).SetUint64(v), mask(s.Width))
	b := n.Or(n, field.Lsh(field, uint(s.First))).FillBytes(make([]byte, len(place)))
	slices.Reverse(b)
	return b
}

// expected is what one slot writes whose field held old, and the running value after it: written from the actions'
// names, by numbers as large as they get.
func expected(s Slot, v *Values, value, old uint64) (write, next uint64, ok bool) {
	bank := func(n uint32) uint64 { return uint64(n) % (1 << min(s.Width, 8)) }
	switch a := s.Action; {
	case a == Full, a == YieldOpcode, a == Unified:
		return value + old, value + old, true
	case a == Low, a == UnifiedLow:
		return (value + old) % (1 << 32), value, true
	case a == High, a == UnifiedHigh:
		return (value/(1<<32) + old) % (1 << 32), value, true
	case a == Size:
		if v.Rela {
			old = uint64(v.Addend)
		}
		return v.Size + old, v.Size + old, true
	case a == Shift2:
		return value/4 + old, value/4 + old, true
	case a == BankLow:
		return bank(v.Bank) + old, bank(v.Bank) + old, true
	case a == BankHigh:
		return bank(v.Bank/16) + old, bank(v.Bank/16) + old, true
	case a == PCRel:
		return uint64(int64(int32(uint32(value+old)) - int32(uint32(v.Place)))), value + old, true
	case a == Clear, a == YieldClear:
		return 0, value, true
	case a >= Lane0 && a <= Lane0+7:
		lane := (value + old) >> (8 * (a - Lane0)) % 256
		return lane, lane, true
	case a >= UnifiedLane0 && a <= UnifiedLane0+7:
		lane := (value + old) >> (8 * (a - UnifiedLane0)) % 256
		return lane, lane, true
	}
	return 0, 0, false
}

// A descriptor of any slots does to any place what its actions say, one slot after the other.
func TestApply(t *testing.T) {
	random := rand.New(rand.NewPCG(20261123, 1))
	done := map[Action]int{}
	for range 60000 {
		var slots [Slots]Slot
		for i := range slots {
			slots[i] = Slot{First: random.Uint32N(100), Width: 1 + random.Uint32N(64), Action: Action(random.Uint32N(80)), Source: random.Uint32N(64)}
			if random.IntN(3) == 0 {
				slots[i].Action = End
			}
		}
		d := Pack(slots[:]...)
		place := make([]byte, 1+random.IntN(24))
		for i := range place {
			place[i] = byte(random.Uint32())
		}
		v := Values{Rela: random.IntN(2) == 0, Symbol: random.Uint64() >> random.IntN(64), Addend: int64(random.Uint64()) >> random.IntN(64),
			Size: random.Uint64() >> random.IntN(64), Place: uint64(random.Uint32()), Bank: random.Uint32N(256)}

		want, old, field, fault, reach := slices.Clone(place), uint64(0), uint64(0), "", 0
		value := v.Symbol
		if v.Rela {
			value += uint64(v.Addend)
		}
		for i, s := range slots {
			if d.Slot(i) != s {
				t.Fatalf("slot %d is %+v, packed was %+v", i, d.Slot(i), s)
			}
			if s.Action == End {
				continue
			}
			need := int(s.First+s.Width+7) / 8
			reach = max(reach, need)
			reads := s.Action != Clear && s.Action != YieldClear
			if reads && s.Action != BankLow && s.Action != BankHigh && need <= len(place) {
				field = bits(place, s).Uint64()
			}
			if fault != "" {
				continue
			}
			if need > len(place) {
				fault = fmt.Sprintf("slot %d needs %d bytes, the place has %d", i, need, len(place))
				continue
			}
			had := uint64(0)
			if reads && !v.Rela {
				had = bits(want, s).Uint64()
				if s.Action != BankLow && s.Action != BankHigh {
					old = had
				}
			}
			write, next, ok := expected(s, &v, value, had)
			if !ok {
				fault = fmt.Sprintf("unexpected NVRS: action %d in slot %d", s.Action, i)
				continue
			}
			want, value = with(want, s, write), next
			done[s.Action]++
		}
		if got := d.Span(); got != reach {
			t.Fatalf("%+v reaches %d bytes, got %d", slots, reach, got)
		}
		if got := d.Field(place); got != field {
			t.Fatalf("%+v reads %#x of %x, got %#x", slots, field, place, got)
		}
		got := slices.Clone(place)
		was, err := d.Apply(got, &v)
		var typed *Error
		switch {
		case fault == "" && err != nil, fault != "" && (err == nil || err.Error() != fault || !errors.As(err, &typed)):
			t.Fatalf("%+v of %x: %v, want %q", slots, place, err, fault)
		case was != old || !slices.Equal(got, want):
			t.Fatalf("%+v, %+v of %x: %x and %#x, want %x and %#x", slots, v, place, got, was, want, old)
		}
	}
	for a := range Action(80) {
		if _, _, ok := expected(Slot{Action: a, Width: 8}, new(Values), 0, 0); ok && done[a] < 50 {
			t.Errorf("action %d was applied %d times", a, done[a])
		}
	}
}

// What the engine can't follow are the driver's types; all others end inside MaxSpan, and a place that is a byte too
// short is refused.
func TestTable(t *testing.T) {
	farthest := 0
	for typ := range Table {
		d := &Table[typ]
		farthest = max(farthest, d.Span())
		ours, asks := true, false
		for i := range Slots {
			a := d.Slot(i).Action
			_, _, ok := expected(Slot{Action: a, Width: 8}, new(Values), 0, 0)
			if ok = ok || a == End; ok != Dispatched(a) {
				t.Errorf("action %d: dispatched %v", a, !ok)
			}
			ours = ours && ok
			asks = asks || a == FuncDesc || a == FuncDescLow || a == FuncDescHigh || a == FuncDescRaw
		}
		if asks != AsksFunction(uint32(typ)) {
			t.Errorf("type %d asks for a function: %v", typ, !asks)
		}
		if _, err := d.Apply(make([]byte, MaxSpan), new(Values)); (err == nil) != ours {
			t.Errorf("type %d: %v", typ, err)
		}
		if n := d.Span(); n > 0 {
			if _, err := d.Apply(make([]byte, n-1), new(Values)); err == nil {
				t.Errorf("type %d fits %d bytes of %d", typ, n-1, n)
			}
		}
	}
	if farthest != MaxSpan {
		t.Errorf("the farthest field ends at %d, MaxSpan is %d", farthest, MaxSpan)
	}
}
