package formula

import "math/bits"

// Chip is what the two address functions take from the hardware and from
// methods, as numbers that the page names.
type Chip struct {
	TPs uint32 // active TPs: register 0x1540 & 0xffff
	MPs uint32 // active MPs of a TP: register 0x1540 & 0x0f000000, shifted down

	NVA0 bool // the chipset is NVA0 or later

	StackWarpsLogAlloc uint32
	LocalWarpsLogAlloc uint32
	WarpHalves         uint32 // for a compute program this is method 0x3b8
	Compute            bool
}

// compressed is compressed_tp_id, and compressed_mp_id "defined in the same
// way".
func compressed(active, id uint32) uint32 {
	res := uint32(0)
	for i := uint32(0); i < id; i++ {
		if active>>i&1 != 0 {
			res++
		}
	}
	return res
}

func warpBits(method uint32) uint32 {
	if method == 7 {
		return 5
	}
	return method
}

// tpCount is tp_count with "align tp_count up to nearest power of two".
func (c *Chip) tpCount() uint32 {
	n := uint32(bits.OnesCount32(c.TPs))
	if !c.NVA0 && n > 0 {
		n = 1 << bits.Len32(n-1)
	}
	return n
}

func (c *Chip) mpCount() uint32 { return uint32(bits.OnesCount32(c.MPs)) }

// StackAddress is stack_address.
func (c *Chip) StackAddress(entryNumber, warpid, mpid, tpid uint32) uint32 {
	mpssize := c.mpCount() * 0x20
	warpBits := warpBits(c.StackWarpsLogAlloc)
	warpssize := mpssize << warpBits
	tpssize := warpssize * c.tpCount()
	return (entryNumber>>2)*tpssize + compressed(c.TPs, tpid)*warpssize + (warpid&((1<<warpBits)-1))*mpssize + compressed(c.MPs, mpid)*0x20 + (entryNumber&3)*8
}

func (c *Chip) halfwarps() uint32 {
	if c.Compute && c.WarpHalves == 0 {
		return 1
	}
	return c.WarpHalves
}

// sum is the part of local_address's last line before the bits inside a
// block.
func (c *Chip) sum(addr, warpid, mpid, tpid uint32) uint32 {
	blocksize := 0x100 * c.halfwarps()
	mpssize := c.mpCount() * blocksize
	warpBits := warpBits(c.LocalWarpsLogAlloc)
	warpssize := mpssize << warpBits
	tpssize := warpssize * c.tpCount()
	return (addr>>4)*tpssize + compressed(c.TPs, tpid)*warpssize + (warpid&((1<<warpBits)-1))*mpssize + compressed(c.MPs, mpid)*blocksize
}

// LocalAddress is local_address as C reads its last line,
//
//	… + (laneid >> 4) * 0x100 + (addr & 0xc) << 4 | (laneid & 0xf) << 2 | (addr & 3)
//
// + binds more tightly than <<, so the whole sum is shifted. In Go's precedence
// that takes parentheses.
func (c *Chip) LocalAddress(addr, laneid, warpid, mpid, tpid uint32) uint32 {
	return (c.sum(addr, warpid, mpid, tpid)+(laneid>>4)*0x100+(addr&0xc))<<4 | (laneid&0xf)<<2 | (addr & 3)
}

// LocalAddressGrouped is local_address with parentheses around the three terms
// that are joined by |.
func (c *Chip) LocalAddressGrouped(addr, laneid, warpid, mpid, tpid uint32) uint32 {
	return c.sum(addr, warpid, mpid, tpid) + (laneid>>4)*0x100 + ((addr&0xc)<<4 | (laneid&0xf)<<2 | (addr & 3))
}

// Place is whose byte an address is, and which of its bytes or entries.
type Place struct {
	Position           uint32 // stack: entry number; local: address in l[]
	Lane, Warp, MP, TP uint32
	Byte               uint32 // stack: byte inside the entry
}

// StackPlace is the inverse of StackAddress; false where no active context has
// that address.
func (c *Chip) StackPlace(address uint32) (p Place, ok bool) {
	mpssize := c.mpCount() * 0x20
	rest, ok := c.split(address, 0x20, mpssize, warpBits(c.StackWarpsLogAlloc), &p)
	p.Position = rest<<2 | address%0x20/8
	p.Byte = address % 8
	return p, ok
}

// LocalPlace is the inverse of LocalAddressGrouped.
func (c *Chip) LocalPlace(address uint32) (p Place, ok bool) {
	blocksize := 0x100 * c.halfwarps()
	if blocksize == 0 {
		return p, false
	}
	rest, ok := c.split(address, blocksize, c.mpCount()*blocksize, warpBits(c.LocalWarpsLogAlloc), &p)
	in := address % blocksize
	p.Lane = in>>8<<4 | in>>2&0xf
	p.Position = rest<<4 | in>>6&3<<2 | in&3
	return p, ok
}

// split divides an address by the sizes of the groups.
func (c *Chip) split(address, blocksize, mpssize, warpBits uint32, p *Place) (rest uint32, ok bool) {
	warpssize := mpssize << warpBits
	tpssize := warpssize * c.tpCount()
	if tpssize == 0 {
		return 0, false
	}
	var okTP, okMP bool
	p.TP, okTP = expand(c.TPs, address%tpssize/warpssize)
	p.Warp = address % warpssize / mpssize
	p.MP, okMP = expand(c.MPs, address%mpssize/blocksize)
	return address / tpssize, okTP && okMP
}

// expand is the inverse of compressed: the id of the nth active one.
func expand(active, n uint32) (id uint32, ok bool) {
	for ; id < 32; id++ {
		if active>>id&1 != 0 {
			if n == 0 {
				return id, true
			}
			n--
		}
	}
	return 0, false
}
