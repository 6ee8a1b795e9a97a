package prose

import (
	"cmp"
	"errors"
	"slices"
)

// Thread is a tuple of a block.
type Thread struct{ Z, Y, X uint32 }

// ErrLaunch: "It is a DATA_ERROR if you LAUNCH with THREADS_PER_BLOCK >
// blockdim.x*blockdim.y*blockdim.z".
var ErrLaunch = errors.New("more threads than the block has tuples: DATA_ERROR")

// Threads creates "all (z,y,x) tuples", sorts them lexicographically, and takes
// the first of them. Through says which reading of "in range (0,0,0) through
// (blockdim.z, blockdim.y, blockdim.x)" is meant: with the last one, or, as in
// the page's example, without.
func Threads(x, y, z uint32, perBlock int, through bool) ([]Thread, error) {
	if through {
		x, y, z = x+1, y+1, z+1
	}
	var all []Thread
	for a := range x {
		for b := range y {
			for c := range z {
				all = append(all, Thread{c, b, a})
			}
		}
	}
	if perBlock > len(all) {
		return nil, ErrLaunch
	}
	slices.SortFunc(all, func(s, t Thread) int {
		return cmp.Or(cmp.Compare(s.Z, t.Z), cmp.Compare(s.Y, t.Y), cmp.Compare(s.X, t.X))
	})
	return all[:perBlock], nil
}

// Assign assigns threads "to sequential lanes, spanning multiple warps if
// needed". It calls each with a warp, counted from the block's first, and a lane.
func Assign(threads []Thread, lanes int, each func(t Thread, warp, lane int)) {
	warp, lane := 0, 0
	for _, t := range threads {
		each(t, warp, lane)
		if lane++; lane == lanes {
			warp, lane = warp+1, 0
		}
	}
}

// Shared lays the table of s[] end to end: eight values of 16 bits, "subsequent
// space contains parameters", a word each. It returns the address of each field
// by its PTX name and of each parameter.
func Shared(parameters int) (fields map[string]uint32, list []uint32, err error) {
	if parameters > 64 {
		return nil, nil, errors.New("at most 64 parameters")
	}
	fields = map[string]uint32{}
	at := uint32(0)
	for _, name := range []string{"gridid", "ntid.x", "ntid.y", "ntid.z", "nctaid.x", "nctaid.y", "ctaid.x", "ctaid.y"} {
		fields[name] = at
		at += 2
	}
	for range parameters {
		list = append(list, at)
		at += 4
	}
	return fields, list, nil
}

// Surface is a 2D surface of a global segment.
type Surface struct {
	Base  uint64
	Pitch uint64 // "distance between start of consecutive rows of tiles"
	Lines int    // of a tile; a tile's line has 64 bytes
}

// Address walks to a byte: rows of tiles down, tiles along, lines of the tile
// down, bytes along.
func (s *Surface) Address(x, y int) uint64 {
	at := s.Base
	for ; y >= s.Lines; y -= s.Lines {
		at += s.Pitch
	}
	for ; x >= 64; x -= 64 {
		at += uint64(64 * s.Lines)
	}
	for ; y > 0; y-- {
		at += 64
	}
	return at + uint64(x)
}

// SurfacePitch is the same with GLOBAL_PITCH as the methods' table has it: the
// pitch of the surface, from a line to the next; a row of tiles is Lines of them.
func (s *Surface) SurfacePitch(x, y int) uint64 {
	rows := *s
	rows.Pitch = 0
	for range s.Lines {
		rows.Pitch += s.Pitch
	}
	return rows.Address(x, y)
}
