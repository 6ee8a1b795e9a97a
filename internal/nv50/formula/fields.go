package formula

import "math/bits"

// field reads the bits of a mask as a number.
func field(word, mask uint32) uint32 { return word & mask >> bits.TrailingZeros32(mask) }

// put puts a number into the bits of a mask, and drops what doesn't fit.
func put(value, mask uint32) uint32 { return value << bits.TrailingZeros32(mask) & mask }

// PhysID is the special register: lane & 0x1f, warp & 0x1f00, MP & 0x30000, TP &
// 0xf00000.
func PhysID(lane, warp, mp, tp uint32) uint32 {
	return put(lane, 0x0000001f) | put(warp, 0x00001f00) | put(mp, 0x00030000) | put(tp, 0x00f00000)
}

// FromPhysID is the inverse.
func FromPhysID(physid uint32) (lane, warp, mp, tp uint32) {
	return field(physid, 0x0000001f), field(physid, 0x00001f00), field(physid, 0x00030000), field(physid, 0x00f00000)
}

// StackEntry is the two words of an entry: return or rejoin address, number of
// the entry, warp, type (2 call, 3 call with the flag 0x40, 6 joinat), active
// threads.
func StackEntry(address, number, warp, kind, active uint32) [2]uint32 {
	return [2]uint32{put(address>>2, 0x003fffff) | put(number>>1, 0x00c00000) | put(warp, 0x1f000000) | put(kind, 0xe0000000), active}
}

// FromStackEntry is the inverse, as far as an entry holds it: of the number bits
// 1 and 2.
func FromStackEntry(entry [2]uint32) (address, numberBits, warp, kind, active uint32) {
	w := entry[0]
	return field(w, 0x003fffff) << 2, field(w, 0x00c00000) << 1, field(w, 0x1f000000), field(w, 0xe0000000), entry[1]
}

// CBAddr is the value of CB_ADDR: buffer & 0x7f, address>>2 & 0x003fff00.
func CBAddr(buffer, address uint32) uint32 { return put(buffer, 0x7f) | put(address>>2, 0x003fff00) }

// FromCBAddr is the inverse.
func FromCBAddr(value uint32) (buffer, address uint32) {
	return field(value, 0x7f), field(value, 0x003fff00) << 2
}

// CBUploads is where so many words go that are thrown at CB_DATA, by adding 4
// each time; false where one of them overflows the address.
func CBUploads(value uint32, words int) (addresses []uint32, ok bool) {
	_, at := FromCBAddr(value)
	for range words {
		if at > 0xffff {
			return addresses, false
		}
		addresses = append(addresses, at)
		at += 4
	}
	return addresses, true
}

// CBDefSet is the value of CB_DEF_SET: buffer & 0x7f0000, size & 0xffff, where 0
// is 65536.
func CBDefSet(buffer, size uint32) uint32 { return put(buffer, 0x7f0000) | put(size, 0xffff) }

// FromCBDefSet is the inverse.
func FromCBDefSet(value uint32) (buffer, size uint32) {
	return field(value, 0x7f0000), (field(value, 0xffff)+0xffff)&0xffff + 1
}

// SetProgramCB is the value of SET_PROGRAM_CB.
func SetProgramCB(buffer, space, program uint32) uint32 {
	return put(buffer, 0x7f000) | put(space, 0xf00) | put(program, 0xf0) | 1
}

// FromSetProgramCB is the inverse; the flag must be 1.
func FromSetProgramCB(value uint32) (buffer, space, program uint32, ok bool) {
	return field(value, 0x7f000), field(value, 0xf00), field(value, 0xf0), value&1 == 1
}

// R0 is register $r0 at the start of a compute program.
func R0(x, y, z uint32) uint32 {
	return put(x, 0x0000ffff) | put(y, 0x03ff0000) | put(z, 0xfc000000)
}

// FromR0 is the inverse.
func FromR0(r0 uint32) (x, y, z uint32) {
	return field(r0, 0x0000ffff), field(r0, 0x03ff0000), field(r0, 0xfc000000)
}
