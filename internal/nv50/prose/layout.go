package prose

import (
	"errors"
	"fmt"
	"math/bits"
)

// Settings is a chip and what methods set, in the page's words.
type Settings struct {
	TPs, MPs []int // ids of the active ones, in order; the MPs of each TP alike
	NVA0     bool  // or later: groupings are not aligned

	WarpBits string // "Valid values 0-4 and 7", 7 for 5
	NoClamp  bool   // "execute them anyway, masking off the extra bits"
	Lanes    int    // a warp: 16 or 32
}

// Layout is memory with space carved out for each physid.
type Layout struct {
	block  uint64            // bytes of a block
	blocks map[[3]int]uint64 // TP, warp, MP → where its block begins
	whole  uint64            // size of the grouping of all TPs
	bits   int               // of the warp id
	s      Settings
	inside []bit // of an address, where in the block
}

// bit is one bit of an offset inside a block and where it comes from.
type bit struct {
	lane bool // else of the address or entry number
	from int
}

// Why there is no address.
var (
	ErrNotActive = errors.New("the TP or MP is not active")
	ErrNotRun    = errors.New("the warp's id doesn't fit, and such warps are not run")
	ErrNoLane    = errors.New("there is no such lane")
	ErrNobody    = errors.New("the address belongs to no active thread")
)

// Stack lays out the stack: blocks of 4 entries of two 32-bit words.
func Stack(s Settings) (*Layout, error) {
	l := &Layout{block: 4 * 2 * 4, s: s}
	return l, l.lay()
}

// Local lays out local memory: blocks of 0x100 or 0x200 bytes. Inside, "bits
// 0-1: bits 0-1 of l[] address; bits 2-5: bits 0-3 of laneid; bits 6-7: bits 2-3
// of l[] address; bit 8, only if 32 lanes/warp enabled: bit 4 of laneid".
func Local(s Settings) (*Layout, error) {
	l := &Layout{block: 0x100, s: s}
	address := func(from ...int) {
		for _, f := range from {
			l.inside = append(l.inside, bit{false, f})
		}
	}
	lane := func(from ...int) {
		for _, f := range from {
			l.inside = append(l.inside, bit{true, f})
		}
	}
	address(0, 1)
	lane(0, 1, 2, 3)
	address(2, 3)
	if s.Lanes == 32 {
		l.block = 0x200
		lane(4)
	}
	return l, l.lay()
}

// lay groups the blocks "by, in order: MP id, warp id, TP id", each grouping
// aligned to a power of two in size below NVA0.
func (l *Layout) lay() error {
	bitsOf := map[string]int{"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "7": 5}
	n, ok := bitsOf[l.s.WarpBits]
	if !ok {
		return fmt.Errorf("%s bits for the warp id: valid are 0 to 4, and 7 for 5", l.s.WarpBits)
	}
	if l.s.Lanes != 16 && l.s.Lanes != 32 {
		return fmt.Errorf("%d lanes: a warp has 16 or 32", l.s.Lanes)
	}
	if len(l.s.TPs) == 0 || len(l.s.MPs) == 0 {
		return ErrNotActive
	}
	l.bits = n
	l.blocks = map[[3]int]uint64{}
	at := uint64(0)
	start := at
	for _, tp := range l.s.TPs {
		startTP := at
		for warp := range 1 << n {
			startWarp := at
			for _, mp := range l.s.MPs {
				l.blocks[[3]int{tp, warp, mp}] = at
				at += l.block
			}
			at = startWarp + l.align(at-startWarp)
		}
		at = startTP + l.align(at-startTP)
	}
	l.whole = l.align(at - start)
	return nil
}

// align makes a size the next power of two below NVA0.
func (l *Layout) align(size uint64) uint64 {
	if l.s.NVA0 || size <= 1 {
		return size
	}
	return 1 << bits.Len64(size-1)
}

// find finds the block of a context: "masking off the extra bits" of the warp.
func (l *Layout) find(warp, mp, tp int) (uint64, error) {
	if warp>>l.bits != 0 {
		if !l.s.NoClamp {
			return 0, ErrNotRun
		}
		for b := l.bits; b < 32; b++ {
			warp &^= 1 << b
		}
	}
	at, ok := l.blocks[[3]int{tp, warp, mp}]
	if !ok {
		return 0, ErrNotActive
	}
	return at, nil
}

// Entry is the address of a stack entry: its block, "4 consecutive entries of
// single warp", among as many groupings as there are blocks before it.
func (l *Layout) Entry(number, warp, mp, tp int) (uint64, error) {
	at, err := l.find(warp, mp, tp)
	if err != nil {
		return 0, err
	}
	for range number / 4 {
		at += l.whole
	}
	for range number % 4 {
		at += 8
	}
	return at, nil
}

// Byte is the address of a byte of l[].
func (l *Layout) Byte(address, lane, warp, mp, tp int) (uint64, error) {
	if lane < 0 || lane >= l.s.Lanes {
		return 0, ErrNoLane
	}
	at, err := l.find(warp, mp, tp)
	if err != nil {
		return 0, err
	}
	for i, b := range l.inside {
		from := address
		if b.lane {
			from = lane
		}
		if from>>b.from&1 == 1 {
			at += 1 << i
		}
	}
	return at + uint64(address/16)*l.whole, nil // "remaining bits of address"
}

// Context is whose an address is.
type Context struct {
	Position           int // entry number, or address in l[]
	Byte               int // inside the entry
	Lane, Warp, MP, TP int
}

// Whose is the inverse of Entry and Byte: it looks through the blocks.
func (l *Layout) Whose(address uint64) (c Context, err error) {
	rest := int(address / l.whole)
	in := address % l.whole
	for who, at := range l.blocks {
		if in < at || in >= at+l.block {
			continue
		}
		c.TP, c.Warp, c.MP = who[0], who[1], who[2]
		in -= at
		if l.inside == nil {
			c.Position, c.Byte = 4*rest+int(in/8), int(in%8)
			return c, nil
		}
		c.Position = rest << 4
		for i, b := range l.inside {
			switch one := int(in >> i & 1); b.lane {
			case true:
				c.Lane |= one << b.from
			default:
				c.Position |= one << b.from
			}
		}
		return c, nil
	}
	return c, ErrNobody
}
