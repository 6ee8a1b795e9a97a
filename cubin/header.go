package cubin

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// The ELF header, 64 bytes:
//
//	 0 e_ident   7f 45 4c 46  class data version OSABI  ABIversion 0 ...
//	16 e_type  18 e_machine  20 e_version  24 e_entry
//	32 e_phoff  40 e_shoff  48 e_flags  52 e_ehsize
//	54 e_phentsize  56 e_phnum  58 e_shentsize  60 e_shnum  62 e_shstrndx

// Sizes of the fixed structures, in bytes.
const (
	HeaderSize  = 64
	ProgSize    = 56
	SectionSize = 64
	SymbolSize  = 24
	RelSize     = 16
	RelaSize    = 24
)

// Header is the ELF header with every field as it is in the file.
type Header struct {
	Ident     [16]byte
	Type      uint16
	Machine   uint16
	Version   uint32
	Entry     uint64
	PhOff     uint64
	ShOff     uint64
	Flags     uint32
	EhSize    uint16
	PhEntSize uint16
	PhNum     uint16
	ShEntSize uint16
	ShNum     uint16
	ShStrNdx  uint16
}

// OSABI returns EI_OSABI.
func (h *Header) OSABI() uint8 { return h.Ident[7] }

// ABIVersion returns EI_ABIVERSION.
func (h *Header) ABIVersion() uint8 { return h.Ident[8] }

// New reports whether the header is of the generation that 13.0 began.
func (h *Header) New() bool { return h.OSABI() == cuda.OSABICuda13 }

// Accelerated reports whether e_flags says that the code is for an accelerated target, as
// sm_90a: up to 12.9 they do, since 13.0 .nv.compat does.
func (h *Header) Accelerated() bool {
	if h.New() {
		return h.Flags&cuda.EFAccelerator != 0
	}
	return h.Flags&cuda.EFLegacyAccelerator != 0
}

// SM returns the SM number of e_flags, by the header's generation.
func (h *Header) SM() cuda.SM {
	if h.New() {
		return cuda.SM((h.Flags & cuda.EFSMMask) >> cuda.EFSMShift)
	}
	return cuda.SM(h.Flags & cuda.EFLegacySM)
}

func decodeHeader(b *[HeaderSize]byte) Header {
	le := binary.LittleEndian
	return Header{
		Ident:     [16]byte(b[0:16]),
		Type:      le.Uint16(b[16:]),
		Machine:   le.Uint16(b[18:]),
		Version:   le.Uint32(b[20:]),
		Entry:     le.Uint64(b[24:]),
		PhOff:     le.Uint64(b[32:]),
		ShOff:     le.Uint64(b[40:]),
		Flags:     le.Uint32(b[48:]),
		EhSize:    le.Uint16(b[52:]),
		PhEntSize: le.Uint16(b[54:]),
		PhNum:     le.Uint16(b[56:]),
		ShEntSize: le.Uint16(b[58:]),
		ShNum:     le.Uint16(b[60:]),
		ShStrNdx:  le.Uint16(b[62:]),
	}
}

// Put writes the header to b.
func (h *Header) Put(b *[HeaderSize]byte) {
	le := binary.LittleEndian
	copy(b[0:16], h.Ident[:])
	le.PutUint16(b[16:], h.Type)
	le.PutUint16(b[18:], h.Machine)
	le.PutUint32(b[20:], h.Version)
	le.PutUint64(b[24:], h.Entry)
	le.PutUint64(b[32:], h.PhOff)
	le.PutUint64(b[40:], h.ShOff)
	le.PutUint32(b[48:], h.Flags)
	le.PutUint16(b[52:], h.EhSize)
	le.PutUint16(b[54:], h.PhEntSize)
	le.PutUint16(b[56:], h.PhNum)
	le.PutUint16(b[58:], h.ShEntSize)
	le.PutUint16(b[60:], h.ShNum)
	le.PutUint16(b[62:], h.ShStrNdx)
}

// Prog is a program header.
type Prog struct {
	Type   uint32
	Flags  uint32
	Off    uint64
	VAddr  uint64
	PAddr  uint64
	FileSz uint64
	MemSz  uint64
	Align  uint64
}

// Program header types and flags a cubin uses.
const (
	PTLoad = 1
	PTPhdr = 6

	PFExec  = 1
	PFWrite = 2
	PFRead  = 4
)

func decodeProg(b *[ProgSize]byte) Prog {
	le := binary.LittleEndian
	return Prog{
		Type:   le.Uint32(b[0:]),
		Flags:  le.Uint32(b[4:]),
		Off:    le.Uint64(b[8:]),
		VAddr:  le.Uint64(b[16:]),
		PAddr:  le.Uint64(b[24:]),
		FileSz: le.Uint64(b[32:]),
		MemSz:  le.Uint64(b[40:]),
		Align:  le.Uint64(b[48:]),
	}
}

// Put writes the program header to b.
func (p *Prog) Put(b *[ProgSize]byte) {
	le := binary.LittleEndian
	le.PutUint32(b[0:], p.Type)
	le.PutUint32(b[4:], p.Flags)
	le.PutUint64(b[8:], p.Off)
	le.PutUint64(b[16:], p.VAddr)
	le.PutUint64(b[24:], p.PAddr)
	le.PutUint64(b[32:], p.FileSz)
	le.PutUint64(b[40:], p.MemSz)
	le.PutUint64(b[48:], p.Align)
}
