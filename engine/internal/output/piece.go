package output

import (
	"github.com/twinlink/twinlink/cubin"
)

// Piece is a piece of the output: a section or a part of one.
type Piece struct {
	Of     int32 // place in the order of sections, or one of those below
	Part   int32
	IsPart bool
}

// Pieces that are no sections.
const (
	Header  int32 = -1 - iota // of the file
	Headers                   // of sections
	Progs                     // headers of segments
)

const (
	HeadersAtOnce = 1024 // section headers of a piece
	SymbolsAtOnce = 4096 // symbols of a piece
)

// Pieces appends what one thing is made of.
func Pieces(list []Piece, of int32, n int) []Piece {
	for i := range n {
		list = append(list, Piece{of, int32(i), n > 1 || of == Headers})
	}
	return list
}

// PartsOf returns how many parts of n bytes there are.
func PartsOf(size, n uint64) int { return int((size + n - 1) / n) }

// Extent returns where a part of n bytes is in what is at off.
func (p Piece) Extent(off, size, n uint64) (uint64, uint64) {
	from := uint64(p.Part) * n
	return off + from, min(size-from, n)
}

// HeaderPieces returns how many pieces so many section headers are.
func HeaderPieces(n int) int { return PartsOf(uint64(n), HeadersAtOnce) }

// HeaderExtent returns where such a piece lies.
func HeaderExtent(off uint64, n int, part int32) (uint64, uint64) {
	return Piece{Part: part}.Extent(off, uint64(n)*cubin.SectionSize, HeadersAtOnce*cubin.SectionSize)
}

// Outline is the size of a file, and how many headers it has.
type Outline struct {
	Size, Shoff uint64
	Sections    int // null section included
	Segments    int // their headers end the file
}

// Extent returns where a piece lies that is no section; ok is false for others.
func (o Outline) Extent(p Piece) (off, size uint64, ok bool) {
	switch p.Of {
	case Header:
		return 0, cubin.HeaderSize, true
	case Headers:
		off, size = HeaderExtent(o.Shoff, o.Sections, p.Part)
		return off, size, true
	case Progs:
		n := uint64(o.Segments) * cubin.ProgSize
		return o.Size - n, n, true
	}
	return 0, 0, false
}
