package container

import "fmt"

// FatbinMagic begins every fatbinary.
const FatbinMagic = 0xba55ed50

// Kind is what a piece of a fatbinary is, by the number in its header.
type Kind uint16

const (
	PTX   Kind = 1
	Cubin Kind = 2 // Mercury objects too: see Member.Mercury
	NVVM  Kind = 8 // LTO IR
)

// String returns "ptx", "elf", "nvvm", as fatbinary names the kinds.
func (k Kind) String() string {
	switch k {
	case PTX:
		return "ptx"
	case Cubin:
		return "elf"
	case NVVM:
		return "nvvm"
	}
	return fmt.Sprintf("kind %d", uint16(k))
}

// Flags of a piece, as far as they are known.
const (
	flag64        = 0x1
	flagDebug     = 0x2
	flagLZ4       = 0x2000
	flagZstd      = 0x8000
	flagScrambled = 0x10000 // LTO IR of 13.0 and later, in a form of its own
	flagA         = 0x100000
	flagF         = 0x200000
	flagMercury   = 0x1000000
)

// Sizes of the headers. A piece's header is followed, inside the size it gives,
// by texts: the name of the source and the options of the compiler.
const (
	fatbinHead = 16
	pieceHead  = 64
)

// Fatbin is one fatbinary: its pieces in order.
type Fatbin struct {
	Offset  uint64 // in what was read
	Size    uint64 // header included
	Members []Member
}

// ReadFatbins reads the fatbinaries that follow each other in data, with
// zeros between them at most; path is for errors. Pieces are not unpacked.
func ReadFatbins(path string, data []byte, budget *Budget) ([]Fatbin, error) {
	var list []Fatbin
	size := uint64(len(data))
	for pos := uint64(0); pos < size; {
		if data[pos] == 0 {
			pos++
			continue
		}
		f, err := readFatbin(path, data, pos, budget)
		if err != nil {
			return nil, err
		}
		for i := range f.Members {
			f.Members[i].Fatbin = len(list)
		}
		list = append(list, f)
		pos += f.Size
	}
	return list, nil
}

func readFatbin(path string, data []byte, off uint64, budget *Budget) (Fatbin, error) {
	fault := func(k ErrorKind, at, value uint64, detail string) (Fatbin, error) {
		return Fatbin{}, &Error{Kind: k, Path: path, Offset: off + at, Value: value, Detail: detail}
	}
	head, ok := window(data, off, fatbinHead)
	if !ok {
		return fault(OutOfBounds, 0, uint64(len(data)), "a fatbinary's header is cut short")
	}
	if le32(head) != FatbinMagic {
		return fault(BadHeader, 0, uint64(le32(head)), "no fatbinary begins here")
	}
	if v := le16(head[4:]); v != 1 {
		return fault(BadHeader, 4, uint64(v), "the fatbinary's version is not 1")
	}
	headSize, size := uint64(le16(head[6:])), le64(head[8:])
	if headSize < fatbinHead {
		return fault(BadHeader, 6, headSize, "the fatbinary's header is shorter than 16 bytes")
	}
	if _, ok := window(data, off, headSize); !ok {
		return fault(OutOfBounds, 6, headSize, "the fatbinary's header lies outside the file")
	}
	body, ok := window(data, off+headSize, size)
	if !ok {
		return fault(OutOfBounds, 8, size, "the fatbinary is longer than what holds it")
	}
	f := Fatbin{Offset: off, Size: headSize + size}
	for at := uint64(0); at < size; {
		if !budget.visit() {
			return fault(OverBudget, headSize+at, uint64(len(f.Members)), "too many members")
		}
		m, length, err := readPiece(path, body, at, off+headSize)
		if err != nil {
			return Fatbin{}, err
		}
		m.Index = len(f.Members)
		f.Members = append(f.Members, m)
		at += length
	}
	return f, nil
}

// readPiece reads the piece at body[at:]; base is body's place, for errors.
func readPiece(path string, body []byte, at, base uint64) (Member, uint64, error) {
	p := piece{path: path, at: base + at}
	fixed, ok := window(body, at, pieceHead)
	if !ok {
		return p.fault(OutOfBounds, 0, uint64(len(body))-at, "a member's header is cut short")
	}
	headSize, size := uint64(le32(fixed[4:])), le64(fixed[8:])
	p.head, ok = window(body, at, headSize)
	if headSize < pieceHead || !ok {
		return p.fault(BadHeader, 4, headSize, "a member's header is shorter than 64 bytes or lies outside the fatbinary")
	}
	stored, ok := window(body, at+headSize, size)
	if !ok {
		return p.fault(OutOfBounds, 8, size, "a member is longer than the fatbinary")
	}
	whole, _ := window(body, at, headSize+size)
	m := Member{
		piece: whole,
		Path:  path, Kind: Kind(le16(fixed)), Arch: Arch{SM: le32(fixed[28:])}, Flags: le64(fixed[40:]),
		Major: le16(fixed[26:]), Minor: le16(fixed[24:]),
		Offset: base + at + headSize, Stored: stored, Size: size,
	}
	for _, read := range []func(*Member) error{p.variant, p.compression, p.identifier, p.options} {
		if err := read(&m); err != nil {
			return Member{}, 0, err
		}
	}
	return m, headSize + size, nil
}

// piece is a member's header while it is read.
type piece struct {
	path string
	at   uint64 // its place in the file
	head []byte
}

func (p *piece) err(k ErrorKind, off, value uint64, detail string) error {
	return &Error{Kind: k, Path: p.path, Offset: p.at + off, Value: value, Detail: detail}
}

func (p *piece) fault(k ErrorKind, off, value uint64, detail string) (Member, uint64, error) {
	return Member{}, 0, p.err(k, off, value, detail)
}

// variant reads the letter after the architecture's number.
func (p *piece) variant(m *Member) error {
	switch m.Flags & (flagA | flagF) {
	case flagA:
		m.Arch.Variant = 'a'
	case flagF:
		m.Arch.Variant = 'f'
	case flagA | flagF:
		return p.err(BadHeader, 40, m.Flags, "a member is for an architecture with a and f")
	}
	return nil
}

// compression cuts the stored bytes to the compressed ones and reads the size they have unpacked.
func (p *piece) compression(m *Member) error {
	switch m.Flags & (flagLZ4 | flagZstd) {
	case 0:
		return nil
	case flagLZ4 | flagZstd:
		return p.err(BadHeader, 40, m.Flags, "a member is compressed in two ways")
	}
	packed := uint64(le32(p.head[16:]))
	stored, ok := window(m.Stored, 0, packed)
	if !ok {
		return p.err(OutOfBounds, 16, packed, "a member's compressed bytes are more than there are")
	}
	m.Stored, m.Size = stored, le64(p.head[56:])
	return nil
}

func (p *piece) identifier(m *Member) error {
	at := uint64(le32(p.head[32:]))
	name, ok := window(p.head, at, uint64(le32(p.head[36:])))
	if !ok {
		return p.err(OutOfBounds, 32, at, "a member's name lies outside its header")
	}
	m.Identifier = string(name)
	return nil
}

// options reads what the compiler was told, where the header says that it has that.
func (p *piece) options(m *Member) error {
	at := uint64(le32(p.head[20:]))
	if at == 0 {
		return nil
	}
	ref, ok := window(p.head, at, 8)
	if !ok {
		return p.err(OutOfBounds, 20, at, "the place of a member's options lies outside its header")
	}
	m.Options, ok = window(p.head, uint64(le32(ref)), uint64(le32(ref[4:])))
	if !ok {
		return p.err(OutOfBounds, at, uint64(le32(ref)), "a member's options lie outside its header")
	}
	return nil
}
