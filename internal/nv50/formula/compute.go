package formula

// Lanes is "32 lanes if 1 is written to 0x2b8 and 2 to 0x3b8, 16 lanes
// otherwise".
func Lanes(laneEnable, warpHalves uint32) uint32 {
	if laneEnable == 1 && warpHalves == 2 {
		return 32
	}
	return 16
}

// Thread is warp (counted from the block's first) and lane of a thread: its
// index, x fastest, divided by the lanes. False where THREADS_PER_BLOCK cuts it
// off, or it is outside of the block.
func Thread(block, tid [3]uint32, threads, lanes uint32) (warp, lane uint32, ok bool) {
	for i := range tid {
		if tid[i] >= block[i] {
			return 0, 0, false
		}
	}
	index := (tid[2]*block[1]+tid[1])*block[0] + tid[0]
	return index / lanes, index % lanes, index < threads
}

// ThreadAt is the inverse.
func ThreadAt(block [3]uint32, warp, lane, threads, lanes uint32) (tid [3]uint32, ok bool) {
	index := warp*lanes + lane
	if lane >= lanes || index >= threads || block[0] == 0 || block[1] == 0 {
		return tid, false
	}
	tid = [3]uint32{index % block[0], index / block[0] % block[1], index / block[0] / block[1]}
	return tid, tid[2] < block[2]
}

// Shared is the address in s[] of a field by its name in PTX, or of parameter n.
var Shared = map[string]uint32{
	"gridid": 0x0, "ntid.x": 0x2, "ntid.y": 0x4, "ntid.z": 0x6,
	"nctaid.x": 0x8, "nctaid.y": 0xa, "ctaid.x": 0xc, "ctaid.y": 0xe,
}

// SharedParameter is the address of a parameter; there are at most 64.
func SharedParameter(n uint32) (uint32, bool) { return 0x10 + n*4, n < 64 }

// Segment is one of the 16 global segments.
type Segment struct {
	Base   uint64
	Pitch  uint32
	Limit  uint32
	Linear bool
	Mode   uint32 // TILE_MODE
}

// Address is ADDR for g[reg], before the tile flags are applied.
func (s *Segment) Address(reg uint32) uint64 {
	if s.Linear {
		return s.Base + uint64(reg)
	}
	x, y := reg&0xffff, reg>>16
	tileShift := s.Mode + 2
	tileMask := uint32(1)<<tileShift - 1
	offs := (x & 0x3f) + ((y & tileMask) << 6) + ((x >> 6) << (6 + tileShift))
	return s.Base + uint64(offs) + uint64(y>>tileShift)*uint64(s.Pitch)
}

// Outside is the test against GLOBAL_LIMIT.
func (s *Segment) Outside(reg uint32) bool {
	if s.Linear {
		return reg > s.Limit
	}
	return reg>>16 > s.Limit>>16 || reg&0xffff > s.Limit&0xffff
}

// Register is the inverse of Address: the g[] address, false where no byte of
// the surface is there. The rows of tiles must not overlap.
func (s *Segment) Register(address uint64) (reg uint32, ok bool) {
	if address < s.Base {
		return 0, false
	}
	at := address - s.Base
	if s.Linear {
		return uint32(at), at <= 0xffffffff
	}
	tileShift := s.Mode + 2
	if s.Pitch == 0 {
		return 0, false
	}
	row, offs := at/uint64(s.Pitch), at%uint64(s.Pitch)
	x := offs&0x3f | offs>>(6+tileShift)<<6
	y := row<<tileShift | offs>>6&(1<<tileShift-1)
	return uint32(y<<16 | x), x <= 0xffff && y <= 0xffff
}
