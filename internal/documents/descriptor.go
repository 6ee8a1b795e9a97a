package documents

import (
	"encoding/binary"
	"fmt"
)

// A descriptor, as the engine and catalog documents lay it out:
//
//	+0   12  header: three words, not looked at by the dispatcher
//	+12  16  slot 0: bit_offset, bit_width, action_type, reserved
//	+28  16  slot 1
//	+44  16  slot 2
//	+60   4  sentinel
//
// All words are 32 bits, low byte first. The sentinel is an address, not a
// value: the walk ends when the slot pointer arrives at +60, whatever the four
// bytes there hold.

// Size is the length of a descriptor in bytes.
const Size = 64

const (
	slotsAt    = 12
	slotSize   = 16
	slotCount  = 3
	sentinelAt = 60
)

// Slot is one action of a descriptor.
type Slot struct {
	BitOffset uint32 // from the lowest bit of the place
	BitWidth  uint32
	Action    uint32
	Reserved  uint32
}

// Descriptor is one entry of the table that a relocation type selects.
type Descriptor struct {
	Header   [3]uint32
	Slots    [slotCount]Slot
	Sentinel uint32
}

// ParseDescriptor reads 64 bytes. Any other length is an *[Error] of kind
// [DescriptorSize]; any content is a descriptor.
func ParseDescriptor(b []byte) (Descriptor, error) {
	if len(b) != Size {
		return Descriptor{}, &Error{Kind: DescriptorSize, Value: uint64(len(b))}
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	var d Descriptor
	for i := range d.Header {
		d.Header[i] = word(4 * i)
	}
	for i := range d.Slots {
		at := slotsAt + slotSize*i
		d.Slots[i] = Slot{word(at), word(at + 4), word(at + 8), word(at + 12)}
	}
	d.Sentinel = word(sentinelAt)
	return d, nil
}

// Bytes writes the descriptor back.
func (d Descriptor) Bytes() []byte {
	b := make([]byte, 0, Size)
	add := func(w uint32) { b = binary.LittleEndian.AppendUint32(b, w) }
	for _, w := range d.Header {
		add(w)
	}
	for _, s := range d.Slots {
		add(s.BitOffset)
		add(s.BitWidth)
		add(s.Action)
		add(s.Reserved)
	}
	add(d.Sentinel)
	return b
}

// Kind says what made a run impossible.
type Kind uint8

const (
	DescriptorSize Kind = iota + 1 // Value: bytes given, 64 wanted
	FieldOutside                   // a slot's field does not lie in the place
)

// Error is the error type of this package.
type Error struct {
	Kind  Kind
	Slot  int    // FieldOutside: slot number, 0 to 2
	Start uint64 // FieldOutside: bit offset of the field
	Width uint64 // FieldOutside: its width in bits
	Value uint64 // FieldOutside: bits the place has
}

func (e *Error) Error() string {
	if e.Kind == DescriptorSize {
		return fmt.Sprintf("seed: descriptor of %d bytes, want %d", e.Value, Size)
	}
	return fmt.Sprintf("seed: slot %d at +%d: %d bits at bit %d of a place of %d bits",
		e.Slot, slotsAt+slotSize*e.Slot, e.Width, e.Start, e.Value)
}
