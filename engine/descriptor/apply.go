package descriptor

import (
	"encoding/binary"
	"fmt"
)

// Slot is one action slot, unpacked.
type Slot struct {
	First  uint32 // lowest bit of the field
	Width  uint32 // bits
	Action Action
	Source uint32 // lowest bit of the value that the field takes; read by .nv.rel.action
}

// Slots is the number of action slots of a descriptor.
const Slots = 3

// Size of a packed descriptor and the byte of its first slot.
const (
	PackedSize = 64
	firstSlot  = 12
	slotSize   = 16
)

// Descriptor is one type's descriptor, packed.
type Descriptor [PackedSize]byte

// Pack packs up to three slots.
func Pack(slots ...Slot) Descriptor {
	var d Descriptor
	for i, s := range slots {
		b := d[firstSlot+i*slotSize:]
		binary.LittleEndian.PutUint32(b[0:], s.First)
		binary.LittleEndian.PutUint32(b[4:], s.Width)
		binary.LittleEndian.PutUint32(b[8:], uint32(s.Action))
		binary.LittleEndian.PutUint32(b[12:], s.Source)
	}
	return d
}

// Slot unpacks slot i, 0 to 2.
func (d *Descriptor) Slot(i int) Slot {
	b := (*[slotSize]byte)(d[firstSlot+i*slotSize:])
	return Slot{
		First:  binary.LittleEndian.Uint32(b[0:]),
		Width:  binary.LittleEndian.Uint32(b[4:]),
		Action: Action(binary.LittleEndian.Uint32(b[8:])),
		Source: binary.LittleEndian.Uint32(b[12:]),
	}
}

// MaxSpan is how far a field of any type reaches, in bytes.
const MaxSpan = 16

// Span returns how many bytes of the place the descriptor reaches.
func (d *Descriptor) Span() int {
	n := 0
	for i := 0; i < Slots; i++ {
		if s := d.Slot(i); s.Action != End {
			n = max(n, span(s.First, s.Width))
		}
	}
	return n
}

// Values is what a relocation is resolved to.
type Values struct {
	Rela   bool   // the addend is in the record, the field is overwritten
	Symbol uint64 // S
	Addend int64  // A, RELA only
	Size   uint64 // the word kept beside S: a shared variable's alignment, else 0
	Place  uint64 // offset of the place in its section
	Bank   uint32 // number of the symbol's constant bank
}

// Error says why a descriptor could not be followed.
type Error struct {
	Slot   int
	Action Action // the action without an arm; End for a place that is too short
	Need   int    // bytes the field needs
	Have   int    // bytes the place has
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Action != End {
		return fmt.Sprintf("unexpected NVRS: action %d in slot %d", e.Action, e.Slot)
	}
	return fmt.Sprintf("slot %d needs %d bytes, the place has %d", e.Slot, e.Need, e.Have)
}

// Apply follows the descriptor: it patches place and returns what the last
// field it read held (0 for RELA, which reads none).
func (d *Descriptor) Apply(place []byte, v *Values) (old uint64, err error) {
	value := v.Symbol
	if v.Rela {
		value += uint64(v.Addend)
	}
	for i := 0; i < Slots; i++ {
		s := d.Slot(i)
		if s.Action == End {
			continue
		}
		if need := span(s.First, s.Width); need > len(place) {
			return old, &Error{Slot: i, Need: need, Have: len(place)}
		}
		// field is what the record adds to the running value: the old
		// contents for REL, nothing for RELA.
		field := uint64(0)
		if !v.Rela && s.Action != Clear && s.Action != YieldClear {
			field = Extract(place, s.First, s.Width)
			if s.Action != BankLow && s.Action != BankHigh {
				old = field
			}
		}
		var write uint64
		switch {
		case s.Action == Full || s.Action == YieldOpcode || s.Action == Unified:
			value += field
			write = value
		case s.Action == Low || s.Action == UnifiedLow:
			write = uint64(uint32(value) + uint32(field))
		case s.Action == High || s.Action == UnifiedHigh:
			write = uint64(uint32(value>>32) + uint32(field))
		case s.Action == Size:
			value = field + v.Size
			if v.Rela {
				value = uint64(v.Addend) + v.Size
			}
			write = value
		case s.Action == Shift2:
			value = value>>2 + field
			write = value
		case s.Action == BankLow:
			value = uint64(v.Bank)&bankMask(s.Width) + field
			write = value
		case s.Action == BankHigh:
			value = uint64(v.Bank>>4)&bankMask(s.Width) + field
			write = value
		case s.Action == PCRel:
			value += field
			write = uint64(int64(int32(value) - int32(v.Place)))
		case s.Action == Clear || s.Action == YieldClear:
			write = 0
		case isLane(s.Action):
			at := s.Action - Lane0
			value = (value + field) & laneMask[at] >> laneShift[at]
			write = value
		default:
			return old, &Error{Slot: i, Action: s.Action}
		}
		Insert(place, write, s.First, s.Width)
	}
	return old, nil
}

// Field returns what the last field that a REL record reads as its addend
// holds; 0 where the place is too short.
func (d *Descriptor) Field(place []byte) uint64 {
	field := uint64(0)
	for i := 0; i < Slots; i++ {
		s := d.Slot(i)
		switch s.Action {
		case End, Clear, YieldClear, BankLow, BankHigh:
			continue
		}
		if span(s.First, s.Width) <= len(place) {
			field = Extract(place, s.First, s.Width)
		}
	}
	return field
}

// bankMask is the part of a bank number that fits a field: 255 >> (8-width).
func bankMask(width uint32) uint64 { return 0xff >> (8 - min(width, 8)) }
